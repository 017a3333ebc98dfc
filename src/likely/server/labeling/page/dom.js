// Elements from values. Nothing here reads HTML, so that no text can become markup.

export const byId = (id) => document.getElementById(id);

export function make(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const found = document.createElement(tag);
  if (classes.length) found.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) found.addEventListener(name.slice(2), value);
    else if (value === true) found.setAttribute(name, "");
    else if (value !== false && value != null) found.setAttribute(name, value);
  }
  found.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return found;
}

// A text of somebody else's, in its own direction.
export const named = (text) => make("bdi", { dir: "auto", title: text.length > 30 ? text : null }, text);

export const percent = (share) => {
  if (share > 0.99 && share < 1) return `${Math.min(Math.floor(share * 1000) / 10, 99.9)} %`;
  if (share > 0 && share < 0.01) return share < 0.001 ? "< 0.1 %" : `${(share * 100).toFixed(1)} %`;
  return `${Math.round(share * 100)} %`;
};

export const count = (n) => Math.round(n).toLocaleString("en-US");

export const several = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

export function hideOrSay(where, text) {
  where.hidden = !text;
  where.textContent = text;
}
