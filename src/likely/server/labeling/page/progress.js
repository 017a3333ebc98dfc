// How good the model is by now, what more answers would bring, and what is still unseen.

import { get } from "./ask.js";
import { curve } from "./curve.js";
import { byId, count, make, named, percent, several } from "./dom.js";
import { state, onState } from "./state.js";

const REST = 400;

let isAsking = false;
let isOld = false;

function accuracy({ accuracy: now, needed, curve: points, forecast }) {
  if (!now) {
    const why = needed
      ? `There is a figure once ${several(needed, "more random row")} ${needed === 1 ? "is" : "are"} answered; the mixed queue asks about them.`
      : "There is a figure once two labels are learned.";
    return [make("p.figure.none", {}, "–"), make("p.note", {}, why)];
  }
  const range = `${percent(now.low)} to ${percent(now.high)}`;
  return [
    make("p.figure", {}, percent(now.value), make("small", {}, range)),
    make("p.note", {}, `Estimated from ${count(now.rows)} random rows only, with its 95 % interval. ${baseline(now)}`),
    points.length > 1 ? curve(points, forecast) : null,
    forecast ? make("p", {}, `Twice as many answers: about ${percent(forecast.accuracy)}.`) : null,
  ];
}

function baseline({ baseline: share }) {
  if (!state.is_multilabel) return `The most frequent label alone would be right for ${percent(share)}.`;
  return `A row is right if it gets all of its labels and no other; always giving the most frequent ones would be right for ${percent(share)}.`;
}

function balance(found) {
  const most = Math.max(...Object.values(found.balance), 1);
  const rows = state.labels.map(({ name }) => {
    const n = found.balance[name] ?? 0;
    const bar = make("span.meter", { "aria-hidden": "true" }, make("span"));
    bar.firstChild.style.inlineSize = `${(100 * n) / most}%`;
    return make("tr", {}, make("th", { scope: "row" }, named(name)), make("td.wide", {}, bar), make("td", {}, count(n)), make("td", {}, unseen(found.unseen[name])));
  });
  return make("div.scroll", { tabindex: 0, role: "region", "aria-label": "Rows by label" }, make("table.balance", {},
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Label"), make("td.wide"), make("th", { scope: "col" }, "Found"), make("th", { scope: "col" }, "Still unseen"))),
    make("tbody", {}, rows)));
}

function unseen(one) {
  if (!one) return "?";
  return make("span", {}, `≈ ${count(one.left)}`, make("small", {}, `${count(one.low)} – ${count(one.high)}`));
}

function agreement(pairs) {
  return pairs.map(({ people, rows, kappa }) => make("p", {},
    make("bdi", {}, people[0]), " and ", make("bdi", {}, people[1]), ` both answered ${several(rows, "row")}: `,
    kappa === null ? "they say the same label of all, so κ says nothing." : make("b", {}, `κ\u00a0=\u00a0${kappa.toFixed(2).replace("-", "−")}`)));
}

function draw(found) {
  byId("progress").replaceChildren(...[
    make("h2", {}, "Accuracy"),
    ...accuracy(found),
    state.labels.length ? make("h3", {}, "Rows by label") : null,
    state.labels.length ? balance(found) : null,
    found.agreement.length ? make("h3", {}, "Agreement") : null,
    ...agreement(found.agreement),
  ].filter(Boolean));
}

async function ask() {
  if (isAsking) {
    isOld = true;
    return;
  }
  isAsking = true;
  try {
    do {
      isOld = false;
      draw(await get("/api/progress"));
      await new Promise((done) => setTimeout(done, REST));
    } while (isOld);
  } catch {
    // The next answer asks again.
  } finally {
    isAsking = false;
  }
}

onState((now, before) => {
  const { data, rows, answered } = now;
  byId("data").textContent = data;
  document.title = `${data} · labels`;
  byId("where").textContent = `${count(answered)} of ${several(rows, "row")} answered, ${count(now.mine)} by you`;
  if (now.sequence !== before?.sequence) ask();
});
