// Tabs: arrow keys move between them, and the address says which is open.

import { byId } from "./dom.js";

const tabs = [...document.querySelectorAll('[role="tab"]')];
const panels = tabs.map((tab) => byId(tab.getAttribute("aria-controls")));
const opened = new Map();

export const onOpen = (name, listener) => opened.set(name, listener);

export const isOpen = (name) => !byId(`panel-${name}`).hidden;

export function open(name) {
  const place = Math.max(tabs.findIndex((tab) => tab.id === `tab-${name}`), 0);
  tabs.forEach((tab, i) => {
    tab.setAttribute("aria-selected", i === place);
    tab.tabIndex = i === place ? 0 : -1;
    panels[i].hidden = i !== place;
  });
  const own = tabs[place].id.slice(4);
  history.replaceState(null, "", `#${own}`);
  opened.get(own)?.();
}

tabs.forEach((tab, place) => {
  tab.addEventListener("click", () => open(tab.id.slice(4)));
  tab.addEventListener("keydown", (event) => {
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    open(next.id.slice(4));
    next.focus();
  });
});
