// Answers on their way: shown as given at once, sent in the background, taken back exactly.

import { send } from "./ask.js";
import { know } from "./state.js";

const settled = [];

// Called with the rows of each answer or undo that the server has written down.
export const onSettled = (listener) => settled.push(listener);

async function changed(path, body) {
  const found = await send(path, body);
  if (found.state) know(found.state);
  for (const listener of settled) listener(found);
  return found;
}

// Without labels, rows are skipped.
export const answer = (items, labels, queue) => changed("/api/answer", { items, labels, queue });

export const undo = () => changed("/api/undo", {});

export async function addLabel(name) {
  know(await send("/api/labels", { name }));
}

export async function guide(name, guidance) {
  know(await send("/api/labels", { name, guidance }));
}
