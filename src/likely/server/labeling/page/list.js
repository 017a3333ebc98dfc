// Rows as a list: those of a queue, of a search, or with a word; answered one by one or together.

import { announce, problem } from "./announce.js";
import * as answers from "./answers.js";
import { get } from "./ask.js";
import { byId, count, make, named, percent, several } from "./dom.js";
import * as labels from "./labels.js";
import { line } from "./row.js";
import { state, onState } from "./state.js";

const AT_ONCE = 20;

let source = null;
let items = [];
let unanswered = [];
let nUnanswered = 0;
let total = 0;
let active = 0;
let openRow = () => {};
let leave = () => {};

export function connect(open, back) {
  openRow = open;
  leave = back;
}

export const ofQueue = (queue) => load({ queue });
export const ofText = (text) => load({ query: { text }, title: ["Rows that hold “", text, "”"] });
export const ofWord = (word) => load({ query: { word }, title: ["Rows with the word “", word, "”"] });

async function load(wanted) {
  source = wanted;
  items = [];
  active = 0;
  byId("list-rows").replaceChildren();
  byId("list-title").replaceChildren("Loading …");
  await more();
  byId("list-title").focus({ preventScroll: true });
  announce(`${byId("list-title").textContent}. ${byId("list-note").textContent}`);
}

async function more() {
  const own = source;
  if (own.queue) {
    const found = await own.queue.many(AT_ONCE);
    if (own !== source) return;
    items = found;
    unanswered = [];
    nUnanswered = 0;
    total = items.length;
  } else {
    const found = await get("/api/search", { ...own.query, from: items.length, n: AT_ONCE });
    if (own !== source) return;
    items = [...items, ...found.items];
    unanswered = found.unanswered_items;
    nUnanswered = found.unanswered;
    total = found.total;
  }
  draw();
}

function draw() {
  const { queue, title } = source;
  byId("list-title").replaceChildren(...(queue ? ["The next rows"] : [title[0], named(title[1]), title[2]]));
  byId("list-note").textContent = queue
    ? (items.length ? `${several(items.length, "row")} of this queue. Arrow keys go up and down; a number answers the row.` : "This queue has no rows.")
    : `${several(total, "row")}, ${count(nUnanswered)} of them unanswered.`;
  const which = [
    unanswered.length ? make("option", { value: "unanswered" }, `${unanswered.length < nUnanswered ? "the first" : "the"} ${count(unanswered.length)} unanswered`) : null,
    make("option", { value: "checked" }, "the checked rows"),
  ].filter(Boolean);
  byId("bulk-which").replaceChildren(...which);
  drawLabelChoice();
  byId("bulk").hidden = false;
  byId("list-more").hidden = Boolean(queue) || items.length >= total;
  byId("list-rows").replaceChildren(...items.map(entry));
  mark(Math.min(active, items.length - 1), false);
}

function drawLabelChoice() {
  const where = byId("bulk-label");
  const before = where.value;
  where.replaceChildren(...labels.names().map((name) => make("option", { value: name }, name)));
  if (labels.names().includes(before)) where.value = before;
}

function entry(item, place) {
  const said = item.mine ?? null;
  const guess = labels.guess(item);
  const chance = guess?.length === 1 ? ` ${percent(labels.probability(item, guess[0]))}` : "";
  return make("li.entry", { "data-id": item.id, onclick: () => mark(place, false) },
    make("input", { type: "checkbox", "aria-label": `Row ${item.id + 1}`, "data-id": item.id }),
    make("button.plain", { type: "button", onclick: () => openRow(item.id) }, make("span", { dir: "auto" }, line(item, state.columns))),
    item.is_answered_by_me
      ? make("span.given", {}, said === null ? "skipped" : named(said.join(", ") || "no label"))
      : guess === null ? make("span")
        : make("button.guess", { type: "button", "aria-label": `Answer ${guess.join(", ") || "no label"}`, onclick: () => decide(place, guess) }, named(guess.join(", ") || "no label"), chance));
}

function mark(place, isFocused = true) {
  active = Math.max(Math.min(place, items.length - 1), 0);
  const entries = [...byId("list-rows").children];
  entries.forEach((one, i) => one.classList.toggle("active", i === active));
  if (isFocused) entries[active]?.querySelector(".plain").focus();
}

export const move = (by) => mark(active + by);

async function decide(place, given) {
  const item = items[place];
  if (!item) return;
  problem("");
  const before = { ...item };
  Object.assign(item, { mine: given, is_answered_by_me: true });
  redraw(place);
  announce(given === null ? "Skipped." : `Row ${item.id + 1}: ${given.join(", ") || "no label"}.`);
  mark(place + 1);
  try {
    await answers.answer([item.id], given, item.queue ?? "search");
    unanswered = unanswered.filter((id) => id !== item.id);
  } catch (error) {
    Object.assign(item, before);
    redraw(place);
    problem(`This answer was not taken: ${error.message}`);
  }
}

function redraw(place) {
  byId("list-rows").children[place].replaceWith(entry(items[place], place));
}

export const choose = (name) => decide(active, [name]);
export const skip = () => decide(active, null);
export function accept() {
  const guess = items[active] && labels.guess(items[active]);
  if (guess) decide(active, guess);
}

export async function reload() {
  const own = source;
  if (own?.query) await load(own);
  else await more();
}

async function together(event) {
  event.preventDefault();
  const label = byId("bulk-label").value;
  const ids = byId("bulk-which").value === "unanswered"
    ? unanswered
    : [...byId("list-rows").querySelectorAll("input:checked")].map((box) => Number(box.dataset.id));
  if (!label || !ids.length) {
    problem(label ? "Check the rows that are to be labeled." : "Name a label first, below.");
    return;
  }
  if (!(await isSure(ids.length, label))) return;
  problem("");
  try {
    await answers.answer(ids, [label], source.query?.word ? "word" : "search");
    await reload();
    announce(`${several(ids.length, "row")} labeled ${label}.`);
  } catch (error) {
    problem(`These answers were not taken: ${error.message}`);
  }
}

function isSure(n, label) {
  const dialog = byId("sure");
  byId("sure-title").replaceChildren(`Label ${several(n, "row")} as “`, named(label), "”?");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true });
  });
}

byId("bulk").addEventListener("submit", together);
byId("list-more").addEventListener("click", more);
byId("list-back").addEventListener("click", () => leave());
onState((now, before) => {
  if (source && before && now.labels.length !== before.labels.length) drawLabelChoice();
});
