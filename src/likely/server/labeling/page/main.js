// Begins: who labels, which tab, which queue, one row or a list.

import { problem } from "./announce.js";
import { askAs, get, idle } from "./ask.js";
import * as data from "./data.js";
import { byId, make } from "./dom.js";
import { listen, listenToWords } from "./keys.js";
import * as list from "./list.js";
import * as model from "./model.js";
import * as one from "./one.js";
import { PURPOSE } from "./queue.js";
import { know, state } from "./state.js";
import * as tabs from "./tabs.js";
import * as attempt from "./try.js";
import "./meanings.js";
import "./progress.js";

let isList = false;

const trouble = (error) => problem(error.message);

function view(asList) {
  isList = asList;
  byId("one").hidden = asList;
  byId("list").hidden = !asList;
  document.querySelector(`[name="view"][value="${asList ? "list" : "one"}"]`).checked = true;
}

async function undo() {
  const found = await one.undo();
  if (found && isList) await list.reload();
}

async function openRow(id) {
  tabs.open("label");
  view(false);
  one.queue.putBack(one.current());
  one.show(await get("/api/item", { id }));
}

async function openWord(word) {
  tabs.open("label");
  view(true);
  await list.ofWord(word);
}

async function back() {
  view(false);
  if (one.current()) one.show(one.current());
  else await one.begin(byId("queue").value);
}

async function chooseQueue() {
  const name = byId("queue").value;
  byId("queue-purpose").textContent = PURPOSE[name][1];
  await one.begin(name);
  if (isList) await list.ofQueue(one.queue);
}

async function begin() {
  const field = byId("name");
  field.value = localStorage.getItem("likely.name") ?? "";
  askAs(field.value.trim());
  field.addEventListener("change", async () => {
    await idle();
    localStorage.setItem("likely.name", field.value.trim());
    askAs(field.value.trim());
    know(await get("/api/state"));
    chooseQueue().catch(trouble);
  });
  know(await get("/api/state"));
  byId("queue").append(...Object.entries(PURPOSE).map(([value, [title]]) => make("option", { value }, title)));
  byId("queue").addEventListener("change", () => chooseQueue().catch(trouble));
  byId("keys-enter").textContent = state.is_multilabel ? "confirm the labels that are on" : "accept the most probable label";
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = byId("search-text").value.trim();
    if (!text) return;
    view(true);
    list.ofText(text).catch(trouble);
  });
  for (const choice of document.querySelectorAll('[name="view"]')) {
    choice.addEventListener("change", () => {
      view(choice.value === "list");
      (isList ? list.ofQueue(one.queue) : back()).catch(trouble);
    });
  }
  byId("confirm").addEventListener("click", one.accept);
  byId("skip").addEventListener("click", one.skip);
  byId("undo").addEventListener("click", () => undo().catch(trouble));
  byId("list-undo").addEventListener("click", () => undo().catch(trouble));
  listen(() => (isList ? { ...list, undo: () => undo().catch(trouble) } : { ...one, undo: () => undo().catch(trouble) }));
  listenToWords(byId("row-cells"), (word) => openWord(word).catch(trouble));
  list.connect((id) => openRow(id).catch(trouble), () => back().catch(trouble));
  data.connect((id) => openRow(id).catch(trouble), (word) => openWord(word).catch(trouble));
  tabs.onOpen("try", attempt.open);
  tabs.onOpen("model", model.open);
  tabs.onOpen("data", data.open);
  tabs.open(location.hash.slice(1) || "label");
  addEventListener("hashchange", () => tabs.open(location.hash.slice(1)));
  await chooseQueue();
}

begin().catch(trouble);
