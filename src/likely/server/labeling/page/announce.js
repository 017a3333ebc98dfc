// Says things: to a screen reader, and errors to everybody.

import { byId, hideOrSay } from "./dom.js";

export function announce(text) {
  byId("said").textContent = text;
}

export function problem(text) {
  hideOrSay(byId("problem"), text);
}
