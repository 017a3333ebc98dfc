// A row as people read it: texts large, with the words behind the guess coloured; the rest a table.

import { make, named } from "./dom.js";

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
// A contribution of so many nats has the full colour.
const FULL = 2.5;

function coloured(word, value) {
  const found = make("span.word", { tabindex: -1 }, word);
  if (value) {
    found.classList.add(value > 0 ? "for" : "against");
    found.style.setProperty("--strength", `${Math.round(12 + 38 * Math.min(Math.abs(value) / FULL, 1))}%`);
  }
  return found;
}

// A text in words that can be clicked, from pieces with what each contributes.
export function words(pieces) {
  const found = [];
  for (const [piece, value] of pieces) {
    if (value) {
      found.push(coloured(piece, value));
      continue;
    }
    let at = 0;
    for (const match of piece.matchAll(WORD)) {
      if (match.index > at) found.push(piece.slice(at, match.index));
      found.push(coloured(match[0], 0));
      at = match.index + match[0].length;
    }
    found.push(piece.slice(at));
  }
  return found;
}

const cell = (value) =>
  value === null ? make("span.note", {}, "missing") : make("span", { dir: "auto" }, value);

export function cells(item, columns) {
  const texts = columns.filter((column) => column.is_text);
  const others = columns.filter((column) => !column.is_text);
  const found = texts.map(({ name }) => {
    const value = item.cells[name];
    const content = value === null ? [make("span.note", {}, "missing")] : words(item.pieces[name] ?? [[value, 0]]);
    const text = make("p.text", { dir: "auto" }, content);
    return columns.length > 1 ? make("div", {}, make("h3.column", {}, named(name)), text) : text;
  });
  if (others.length) {
    found.push(make("div.scroll", { tabindex: 0, role: "region", "aria-label": "Cells of the row" }, make("table.cells", {}, make("tbody", {},
      others.map(({ name }) => make("tr", {}, make("th", { scope: "row" }, named(name)), make("td", {}, cell(item.cells[name]))))))));
  }
  return found;
}

// The row in one line, for lists and screen readers.
export function line(item, columns, most = 240) {
  const texts = columns.filter((column) => column.is_text);
  const shown = texts.length ? texts : columns;
  const found = shown.map(({ name }) => item.cells[name]).filter((value) => value !== null).join(" · ");
  return found.length > most ? `${found.slice(0, most)} …` : found || "an empty row";
}
