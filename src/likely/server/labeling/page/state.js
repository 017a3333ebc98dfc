// What the server last said about the session, and who wants to know.

const listeners = [];

export let state = null;

export function know(found) {
  // Answers can overtake each other.
  if (state && found.sequence < state.sequence) return;
  const before = state;
  state = found;
  for (const listener of listeners) listener(state, before);
}

export const onState = (listener) => listeners.push(listener);
