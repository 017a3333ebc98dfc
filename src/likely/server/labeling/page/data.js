// What may be wrong with the rows and the answers, in sentences, and what can be done about it.

import { announce, problem } from "./announce.js";
import * as answers from "./answers.js";
import { get } from "./ask.js";
import { byId, count, make, named, percent, several } from "./dom.js";
import { line } from "./row.js";
import { state } from "./state.js";

let shown = null;
let openRow = () => {};
let openWord = () => {};

export function connect(row, word) {
  openRow = row;
  openWord = word;
}

export async function open() {
  if (shown === state.sequence) return;
  shown = state.sequence;
  try {
    draw(await get("/api/data"));
  } catch (error) {
    byId("data-said").replaceChildren(make("p.problem", {}, error.message));
  }
}

const text = (cells) => make("span", { dir: "auto" }, line({ cells }, state.columns));

const part = (title, said, ...content) => make("section", {}, make("h3", {}, title), make("p.note", {}, said), content);

function issue(one) {
  const [before, likelier] = [one.labels, one.likelier].map((labels) => labels.join(", ") || "no label");
  const done = (said) => {
    entry.replaceChildren(make("span.note", {}, said));
    announce(said);
  };
  const relabel = async () => {
    try {
      await answers.answer([one.id], one.likelier, "errors");
      shown = state.sequence;
      done(`Row ${one.id + 1} is ${likelier} now.`);
    } catch (error) {
      problem(error.message);
    }
  };
  const entry = make("li.entry", {},
    make("button.plain", { type: "button", onclick: () => openRow(one.id) }, text(one.cells)),
    make("span.note", {}, "answered ", named(before), "; the other answers say ", named(likelier), ` (${percent(one.probability)})`),
    make("span.actions", {},
      make("button", { type: "button", onclick: relabel }, "Change to ", named(likelier)),
      make("button.quiet", { type: "button", onclick: () => done(`Row ${one.id + 1} is kept.`) }, "Keep")));
  return entry;
}

const rows = (ids) => make("p", {}, ids.map((id) => make("button.quiet", { type: "button", onclick: () => openRow(id) }, `row ${count(id + 1)}`)));

function duplicates({ compared, groups, rows: n, largest, contradicting }) {
  const said = groups
    ? `${several(n, "row")} of ${count(compared)} are nearly the same as another; they make ${several(groups, "group")}.`
    : `No two of ${count(compared)} rows are nearly the same.`;
  const found = [part("Duplicates", said,
    largest.length ? make("ol.plain-list", {}, largest.slice(0, 10).map((one) => make("li.entry", {},
      make("button.plain", { type: "button", onclick: () => openRow(one.id) }, make("span", { dir: "auto" }, one.text || "an empty row")),
      make("span.note", {}, several(one.rows, "row"))))) : null)];
  if (contradicting.length) {
    found.push(part("Duplicates with different answers", "These rows are nearly the same, and were answered differently.", contradicting.map(rows)));
  }
  return found;
}

function drift(words) {
  const often = words.filter((one) => one.errors > 0).slice(0, 12);
  const seldom = words.filter((one) => one.errors < 0).slice(0, 12);
  const chips = (list) => make("ul.chips", {}, list.map((one) => make("li", {}, make("button", { type: "button", onclick: () => openWord(one.word) },
    named(one.word), make("small", {}, ` ${percent(one.answered)} of the answered rows, ${percent(one.all)} of all`)))));
  return [
    part("How the answered rows differ", words.length
      ? "Queues choose rows, so the answered ones are not like all rows. Words that differ by more than chance:"
      : "No word is rarer or more frequent among the answered rows than chance explains, or too few rows are answered.",
    often.length ? [make("h4", {}, "More frequent among the answered rows"), chips(often)] : null,
    seldom.length ? [make("h4", {}, "Rarer among the answered rows"), chips(seldom)] : null),
  ];
}

function draw(found) {
  byId("data-said").replaceChildren(
    part("Possible label errors", found.label_issues.length
      ? "Answers that the others contradict. Some are mistakes, and some are rows that are just unusual."
      : "No answer is contradicted by the others, or there are too few of them.",
    found.label_issues.length ? make("ol.plain-list", {}, found.label_issues.map(issue)) : null),
    part("Disputed rows", found.disputed.length
      ? "As many people say one thing as another. The model has not learned these rows."
      : "Nobody disagrees about a row.", found.disputed.length ? rows(found.disputed) : null),
    ...duplicates(found.duplicates),
    part("Possible target leakage", found.leakage.length
      ? "Something in the rows gives the label away, and may be missing when the model is used:"
      : "Nothing in the rows gives the label away by itself.",
    found.leakage.length ? make("ul", {}, found.leakage.map((one) => make("li", { dir: "auto" }, one))) : null),
    ...drift(found.drift));
}
