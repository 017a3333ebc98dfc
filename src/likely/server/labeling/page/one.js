// One row at a time: shown, answered, and the next one at once.

import { announce, problem } from "./announce.js";
import * as answers from "./answers.js";
import { byId, count, make, percent, several } from "./dom.js";
import * as labels from "./labels.js";
import { AGAIN, Queue } from "./queue.js";
import * as row from "./row.js";
import { state, onState } from "./state.js";

export const queue = new Queue();

let item = null;
let chosen = new Set();
let said = "";
let isWaiting = false;

export const current = () => item;

export async function begin(name) {
  queue.choose(name);
  item = null;
  await advance(true);
}

async function advance(quietly = false) {
  isWaiting = true;
  try {
    const found = await queue.next();
    if (found !== undefined) show(found, quietly);
  } finally {
    isWaiting = false;
  }
}

// Show a row; those who listen hear what became of the one before.
export function show(found, quietly = false) {
  item = found;
  chosen = new Set(item && state.is_multilabel ? (item.mine ?? labels.guess(item) ?? []) : []);
  draw();
  if (!quietly) {
    byId("row-title").focus({ preventScroll: true });
    byId("row-title").scrollIntoView({ block: "nearest" });
  }
  announce([said, item ? spoken() : byId("row-title").textContent].filter(Boolean).join(" "));
  said = "";
}

function spoken() {
  const guess = labels.guess(item);
  const chance = guess?.length === 1 ? ` ${percent(labels.probability(item, guess[0]))}` : "";
  const told = guess === null ? "" : ` The model says ${guess.join(", ") || "no label"}${chance}.`;
  return `Next: ${row.line(item, state.columns, 500)}.${told}`;
}

function draw() {
  byId("answering").hidden = !item;
  if (!item) {
    byId("row-title").textContent = state.answered
      ? "This queue has no more rows. Choose another one above, or look at the model."
      : "There is no row in this queue yet. Choose another one above.";
    byId("row-cells").replaceChildren();
    byId("row-why").replaceChildren();
    return;
  }
  byId("row-title").textContent = `Row ${count(item.id + 1)} of ${count(state.rows)}`;
  byId("row-cells").replaceChildren(...row.cells(item, state.columns));
  byId("row-why").replaceChildren(...why());
  drawLabels();
}

function why() {
  const found = [];
  const about = item.about;
  if (about !== null && Object.values(item.pieces).some((pieces) => pieces.some(([, value]) => value))) {
    found.push(make("span", {}, make("mark.for", {}, "These words"), " speak for ", make("bdi", {}, String(about)), ", ", make("mark.against", {}, "these"), " against it. "));
  }
  const others = item.answers.filter((one) => one.labels !== null);
  for (const one of others) {
    found.push(make("span", {}, make("bdi", {}, one.who), " said ", make("bdi", {}, one.labels.join(", ") || "no label"), ". "));
  }
  return found;
}

function drawLabels() {
  const where = byId("labels");
  where.classList.toggle("many", state.labels.length > 7);
  where.replaceChildren(...labels.buttons(item, state.is_multilabel ? chosen : null, choose));
  if (!state.labels.length) {
    where.append(make("p.note", {}, "What could this row be? Name a first label below, and then the others; more can come at any time."));
  }
  byId("confirm").hidden = !state.is_multilabel;
  byId("confirm").firstChild.textContent = chosen.size ? `Confirm ${several(chosen.size, "label")} ` : "Confirm: no label ";
}

export function choose(name) {
  if (!item) return;
  if (!state.is_multilabel) {
    decide([name]);
    return;
  }
  if (!chosen.delete(name)) chosen.add(name);
  const focused = document.activeElement?.closest?.(".label")?.dataset.name;
  drawLabels();
  if (focused !== undefined) byId("labels").querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
  announce(`${name} ${chosen.has(name) ? "on" : "off"}`);
}

export function accept() {
  if (!item) return;
  const guess = labels.guess(item);
  if (state.is_multilabel) decide([...chosen]);
  else if (guess) decide(guess);
  else announce("The model does not know enough to guess yet; press the number of a label.");
}

// Where an answer is looked at again, to skip its row leaves it as it is.
export function skip() {
  if (!item) return;
  if (!item.is_answered_by_me || !AGAIN.includes(item.queue)) {
    decide(null);
    return;
  }
  said = "Left as it was.";
  item = null;
  advance().catch((error) => problem(error.message));
}

async function decide(given) {
  const [answered, from] = [item, item.queue ?? "search"];
  problem("");
  said = given === null ? "Skipped." : `Answered ${given.join(", ") || "no label"}.`;
  item = null;
  const sent = answers.answer([answered.id], given, from);
  advance().catch((error) => problem(error.message));
  try {
    await sent;
    queue.settled(answered.id);
  } catch (error) {
    problem(`This answer was not taken: ${error.message}`);
    if (isWaiting) queue.putBack(answered);
    else {
      queue.putBack(item);
      show(answered);
    }
  }
}

export async function undo() {
  problem("");
  const before = item;
  try {
    const found = await answers.undo();
    queue.drop(found.items.map((one) => one.id));
    const n = found.items.length;
    said = n === 1 ? "Taken back." : `${several(n, "answer")} taken back.`;
    if (n === 1) {
      if (before?.id !== found.items[0].id) queue.putBack(item);
      show({ ...found.items[0], queue: "search" });
    } else show(item);
    return found;
  } catch (error) {
    announce(error.message);
    problem(error.message);
    return null;
  }
}

onState((now, before) => {
  const names = (one) => JSON.stringify(one?.labels.map(({ name, guidance }) => [name, guidance]));
  if (item && before && names(now) !== names(before)) drawLabels();
});
