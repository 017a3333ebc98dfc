// The labels and what they mean; new ones at any time.

import { announce, problem } from "./announce.js";
import * as answers from "./answers.js";
import { byId, count, make, named } from "./dom.js";
import { keyOf } from "./labels.js";
import { state, onState } from "./state.js";

function draw() {
  const where = byId("guidance");
  if (where.contains(document.activeElement)) return;
  where.replaceChildren(...state.labels.map(({ name, guidance, count: rows }, place) => {
    const id = `guidance-${place}`;
    const text = make("textarea", { id, rows: 2, dir: "auto", maxlength: 10000, placeholder: "What belongs here, and what does not" });
    text.value = guidance;
    text.addEventListener("change", async () => {
      try {
        await answers.guide(name, text.value);
        announce(`The meaning of ${name} is kept.`);
      } catch (error) {
        problem(error.message);
      }
    });
    return make("div.meaning", {}, make("label", { for: id }, make("kbd", {}, keyOf(name)), named(name), make("span.note", {}, ` ${count(rows)}`)), text);
  }));
}

byId("new-label").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = byId("new-label-name");
  const name = field.value.trim();
  if (!name) return;
  problem("");
  try {
    await answers.addLabel(name);
    field.value = "";
    announce(`Label ${name} added; its key is ${keyOf(name) || "none"}.`);
  } catch (error) {
    problem(error.message);
  }
});

byId("new-label-name").addEventListener("keydown", (event) => {
  if (event.key === "Escape") byId("row-title").focus();
});

export function addOne() {
  byId("meanings").open = true;
  byId("new-label-name").focus();
}

onState((now, before) => {
  if (!before && !now.labels.length) byId("meanings").open = true;
  if (!before || JSON.stringify(now.labels) !== JSON.stringify(before.labels)) draw();
});
