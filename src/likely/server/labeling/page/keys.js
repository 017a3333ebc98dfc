// Keys that answer rows, while nobody is typing.

import { byId } from "./dom.js";
import { ofKey } from "./labels.js";
import { addOne } from "./meanings.js";
import { isOpen } from "./tabs.js";

const isTyping = (one) => one.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, dialog, [role=tab]");
const isPressed = (one) => one.closest("button, a, summary, .word, [type=checkbox], [type=radio]");

const kept = localStorage.getItem("likely.keys") !== "off";
byId("keys-on").checked = kept;
byId("keys-on").addEventListener("change", (event) => {
  localStorage.setItem("likely.keys", event.target.checked ? "on" : "off");
});

export const showKeys = () => byId("keys").showModal();
byId("show-keys").addEventListener("click", showKeys);

// The view that is open answers to `choose`, `accept`, `skip`, `undo` and, if it is a list, `move`.
export function listen(view) {
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !isOpen("label")) return;
    if (target instanceof Element && isTyping(target)) return;
    if (key === "?") return done(event, showKeys);
    if (!byId("keys-on").checked) return;
    const own = view();
    if (key === "/") done(event, () => byId("search-text").focus());
    else if (key === "+") done(event, addOne);
    else if (key === "Backspace") done(event, own.undo);
    else if (key === "." && !own.move) done(event, () => byId("row-cells").querySelector(".word")?.focus());
    else if (own.move && (key === "ArrowDown" || key === "ArrowUp")) done(event, () => own.move(key === "ArrowDown" ? 1 : -1));
    else if (!event.repeat && ofKey(key)) done(event, () => own.choose(ofKey(key)));
    else if ((key === "Enter" || key === " ") && !event.repeat && !isPressed(target)) done(event, key === "Enter" ? own.accept : own.skip);
  });
}

function done(event, act) {
  event.preventDefault();
  act();
}

// The words of a row: arrow keys move, Enter opens.
export function listenToWords(where, openWord) {
  const words = () => [...where.querySelectorAll(".word")];
  where.addEventListener("click", (event) => {
    const word = event.target.closest(".word");
    if (word) openWord(word.textContent);
  });
  where.addEventListener("keydown", (event) => {
    const word = event.target.closest(".word");
    if (!word) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) {
      const turned = getComputedStyle(word).direction === "rtl" ? -by : by;
      words().at(words().indexOf(word) + turned)?.focus();
    } else if (event.key === "Enter") openWord(word.textContent);
    else if (event.key === "Escape") byId("row-title").focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
