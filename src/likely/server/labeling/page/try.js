// Type or paste a row and see what the model says; strike words out and see the change.

import { compute } from "./ask.js";
import { byId, make, named, percent } from "./dom.js";
import { words } from "./row.js";
import { state } from "./state.js";

const REST = 150;
const MOST = 12;

let struck = new Set();
let turn = 0;
let timer;
const fields = new Map();

export function open() {
  if (!fields.size) {
    for (const { name, is_text: isText } of state.columns) {
      const id = `try-${fields.size}`;
      const field = make(isText ? "textarea" : "input", { id, dir: "auto", autocomplete: "off", ...(isText ? { rows: 5 } : { type: "text" }) });
      fields.set(name, field);
      byId("try-fields").append(make("div.field", {}, make("label", { for: id }, named(name)), field));
      field.addEventListener("input", () => {
        struck.clear();
        later();
      });
    }
  }
  say();
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(say, REST);
}

const typed = () => Object.fromEntries([...fields].map(([name, field]) => [name, field.value || null]));

// The text without the words that are struck out, by their place among its words.
function without(name, pieces) {
  return pieces.map((piece, place) => (struck.has(`${name} ${place}`) ? "" : piece.textContent ?? piece)).join("");
}

async function say() {
  const own = (turn += 1);
  const cells = typed();
  if (Object.values(cells).every((value) => value === null)) {
    byId("try-said").replaceChildren(make("p.note", {}, "Nothing is typed yet."));
    return;
  }
  try {
    const whole = await compute("/api/try", { cells });
    if (own !== turn) return;
    if (!whole.prediction) {
      byId("try-said").replaceChildren(make("p.note", {}, "The model says nothing yet: it has learned fewer than two labels."));
      return;
    }
    const texts = Object.entries(whole.pieces).map(([name, pieces]) => [name, words(pieces)]);
    let less = null;
    if (struck.size) {
      less = await compute("/api/try", { cells: { ...cells, ...Object.fromEntries(texts.map(([name, pieces]) => [name, without(name, pieces) || null])) } });
      if (own !== turn) return;
    }
    draw(whole, texts, less);
  } catch (error) {
    if (own === turn) byId("try-said").replaceChildren(make("p.problem", {}, error.message ?? "The server does not answer."));
  }
}

function draw(whole, texts, less) {
  const focused = document.activeElement?.dataset?.place;
  byId("try-said").replaceChildren(...[
    chances(whole, less),
    texts.length ? make("p.note", {}, make("mark.for", {}, "These words"), " speak for ", named(String(whole.about)), ", ", make("mark.against", {}, "these"), " against it.") : null,
    ...texts.map(([name, pieces]) => striking(name, pieces)),
    make("h3", {}, "Contributions to ", named(String((less ?? whole).about))),
    contributions((less ?? whole).contributions),
  ].filter(Boolean));
  if (focused !== undefined) byId("try-said").querySelector(`[data-place="${CSS.escape(focused)}"]`)?.focus();
}

const said = ({ prediction }) => (prediction.labels ?? [prediction.label]).map(String).join(", ") || "no label";

function chances(whole, less) {
  const now = less ?? whole;
  const ranked = Object.entries(now.prediction.probabilities).sort((a, b) => b[1] - a[1]);
  const change = (name, p) => {
    const by = Math.round((p - whole.prediction.probabilities[name]) * 100);
    return less && by ? make("small", {}, ` ${by > 0 ? "+" : "−"}${Math.abs(by)}`) : null;
  };
  return make("div", { role: "status" },
    make("p.figure", { dir: "auto" }, said(now)),
    make("ul.chances", {}, ranked.map(([name, p]) => {
      const bar = make("span.meter", { "aria-hidden": "true" }, make("span"));
      bar.firstChild.style.inlineSize = `${100 * p}%`;
      return make("li", {}, named(name), bar, make("span.chance", {}, percent(p), change(name, p)));
    })));
}

function striking(name, pieces) {
  pieces.forEach((piece, place) => {
    if (typeof piece === "string") return;
    const key = `${name} ${place}`;
    const isStruck = struck.has(key);
    const strike = () => {
      if (!struck.delete(key)) struck.add(key);
      say();
    };
    piece.dataset.place = key;
    piece.tabIndex = 0;
    piece.setAttribute("role", "button");
    piece.setAttribute("aria-pressed", String(isStruck));
    piece.classList.toggle("struck", isStruck);
    piece.addEventListener("click", strike);
    piece.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      strike();
    });
  });
  return make("p.text", { dir: "auto", role: "group", "aria-label": "Words to strike out" }, pieces);
}

// The terms of the sum: what each adds to the log-odds of the label.
function contributions(given) {
  const terms = [...given].sort((a, b) => Math.abs(b.log_odds) - Math.abs(a.log_odds));
  const shown = terms.slice(0, MOST);
  const rest = terms.slice(MOST).reduce((sum, one) => sum + one.log_odds, 0);
  const most = Math.max(...shown.map((one) => Math.abs(one.log_odds)), 1e-9);
  const entry = (name, value) => {
    const bar = make(`span.meter.${value < 0 ? "against" : "for"}`, { "aria-hidden": "true" }, make("span"));
    bar.firstChild.style.inlineSize = `${Math.min((100 * Math.abs(value)) / most, 100)}%`;
    return make("li", {}, name, bar, make("span.chance", {}, `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`));
  };
  const found = shown.map((one) => entry(named(one.name), one.log_odds));
  if (terms.length > MOST) found.push(entry(`${terms.length - MOST} more`, rest));
  return make("ul.chances", {}, found);
}
