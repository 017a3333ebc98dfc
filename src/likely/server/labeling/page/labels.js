// Labels: in the order of their probability, each with the key that stays its own.

import { make, named, percent } from "./dom.js";
import { state } from "./state.js";

const KEYS = "123456789abcdefghijklmnopqrstuvwxyz";

export const names = () => state.labels.map((label) => label.name);

export const keyOf = (name) => KEYS[names().indexOf(name)] ?? "";

export const ofKey = (key) => names()[KEYS.indexOf(key)];

export const probability = (item, name) => item.prediction?.probabilities[name] ?? null;

export const ranked = (item) =>
  [...state.labels].sort((a, b) => (probability(item, b.name) ?? 0) - (probability(item, a.name) ?? 0));

// What the model would answer; null while it does not know.
export function guess(item) {
  if (!item.prediction) return null;
  const found = item.prediction.labels ?? [item.prediction.label];
  return found.map(String);
}

export function buttons(item, chosen, choose) {
  return ranked(item).map(({ name, guidance }) => {
    const p = probability(item, name);
    const key = keyOf(name);
    const bar = make("span.meter", { "aria-hidden": "true" }, make("span"));
    if (p !== null) bar.firstChild.style.inlineSize = `${100 * p}%`;
    return make("button.label", {
      type: "button",
      "data-name": name,
      "aria-pressed": chosen ? String(chosen.has(name)) : null,
      "aria-keyshortcuts": key || null,
      onclick: () => choose(name),
    },
      make("kbd", { "aria-hidden": "true" }, key),
      make("span.label-name", {}, named(name), guidance ? make("small", { dir: "auto" }, guidance) : null),
      bar,
      make("span.chance", {}, p === null ? "" : percent(p)));
  });
}
