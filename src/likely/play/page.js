// What the tabs are built of: elements, tables, fields. What is typed only ever becomes text.

const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const MOST_ROWS = 200;

const byId = (id) => document.getElementById(id);

/** An element with its attributes, listeners (`onclick`) and children; strings become text. */
const element = (tag, given, ...children) => filled(document.createElement(tag), given, children);
const drawn = (tag, given, ...children) =>
  filled(document.createElementNS(SVG, tag), given, children);

function filled(node, given = {}, children = []) {
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat());
  return node;
}

const show = (id, ...children) => byId(id).replaceChildren(...children.flat());

/** A table: its heads, rows of which the first cell is the head, and sums below. */
function table(heads, rows, given = {}, sums = []) {
  const row = ([first, ...others]) =>
    element("tr", {}, element("th", { scope: "row" }, first), cells(...others));
  return element(
    "table",
    given,
    element("thead", {}, element("tr", {}, heads.map(headCell))),
    element("tbody", {}, rows.map(row)),
    sums.length ? element("tfoot", {}, sums.map(row)) : [],
  );
}

const headCell = (head) => (head ? element("th", { scope: "col" }, head) : element("td"));
const cells = (...contents) => contents.map((content) => element("td", {}, content));

/** A name of a class, in its color; it may be written from right to left. */
const named = (name, place) => element("bdi", { class: `name c${place % 6}` }, name || "(no name)");

const note = (text) => element("small", {}, text);

/** Between the colors of the second class and of the first, by the share of the first. */
const mixed = (share) => `color-mix(in srgb, var(--c0) ${100 * share}%, var(--c1))`;

const several = (n, one, more) => `${n} ${n === 1 ? one : more}`;

/** A number in floating point, with so many places after the point. */
function places(number, digits = 4) {
  if (!Number.isFinite(number)) return number < 0 ? "−∞" : "∞";
  return number.toFixed(digits).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");
}

/** A floating-point number, with four digits that count. */
const rounded = (number) => decimal(exact(number.toPrecision(25)));

/** A ratio as on the blackboard: 2/34, not 1/17; 1.5/24; but 7/30 for (2 + ⅓)/10. */
function ratio(top, bottom) {
  const isShort = ({ d }) => 1000n % d === 0n;
  if (!isShort(top) || !isShort(bottom)) return `${top.over(bottom)}`;
  return `${decimal(top, 9)}/${decimal(bottom, 9)}`;
}

/** Shows a problem under its fields, or none. */
function complain(id, problem) {
  byId(id).textContent = problem ?? "";
  byId(id).hidden = !problem;
}

/** A slider and a field for the same number; `changed` gets it as it was written. */
function numberField(id, changed) {
  const [slider, field] = [byId(`${id}-slider`), byId(id)];
  slider.addEventListener("input", () => set(slider.value));
  field.addEventListener("input", () => set(field.value));
  function set(value) {
    const isIn = Number(value) >= Number(field.min) && Number(value) <= Number(field.max);
    const isGood = value !== "" && isIn;
    field.setAttribute("aria-invalid", !isGood);
    if (!isGood) return;
    if (document.activeElement !== field) field.value = value;
    slider.value = value;
    changed(value);
  }
  return (value) => {
    field.value = slider.value = value;
    field.removeAttribute("aria-invalid");
  };
}

/** A button that takes a row out of a list; the focus goes on to the next row. */
function removeButton(what, list, i, id, redraw) {
  const onclick = () => {
    list.splice(i, 1);
    redraw();
    (byId(`${id}-rows`).querySelectorAll(".remove")[i] ?? byId(`${id}-add`)).focus();
  };
  const name = `Remove ${what} ${i + 1}`;
  return element("button", { type: "button", class: "remove", "aria-label": name, onclick }, "×");
}

/** The last row of a table of fields was just added: its first field is next, to be filled in. */
const focusLast = (id) => byId(`${id}-rows`).querySelector("tr:last-child input").select();

/** As many rows as the page takes, and no more. */
function limitRows(id, list) {
  const isFull = list.length >= MOST_ROWS;
  byId(`${id}-add`).disabled = isFull;
  complain(`${id}-problem`, isFull ? `${MOST_ROWS} rows are as many as this page takes.` : null);
}

/** Sliders and fields for weights, drawn again if the names change; a text among them is a title. */
function weightFields(id, names, weights, changed) {
  const key = JSON.stringify(names.map((name) => name.key ?? name));
  if (byId(id).dataset.names === key) return;
  byId(id).dataset.names = key;
  const fields = names.map((name, i) => {
    if (typeof name === "string") return element("b", {}, name);
    const value = weights.get(name.key) ?? "1";
    const set = (typed) => {
      const isGood = typed !== "" && Number(typed) >= 0;
      field.setAttribute("aria-invalid", !isGood);
      if (isGood) weights.set(name.key, typed);
      changed();
    };
    const field = element("input", {
      type: "number", id: `${id}-${i}`, min: 0, step: "any", value,
      oninput: () => { slider.value = field.value; set(field.value); },
    });
    // Of a range, the value comes last: it is cut to the limits that are there.
    const slider = element("input", {
      type: "range", min: 0, max: 1, step: 0.05, "aria-label": `${name.shown.textContent}, slider`,
      oninput: () => { field.value = slider.value; set(field.value); }, value,
    });
    return element("div", {}, element("label", { for: field.id }, name.shown), slider, field);
  });
  show(id, fields, note("weights, divided by their sum"));
}

function forget(id, weights) {
  weights.clear();
  delete byId(id).dataset.names;
}

const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`).value;
const choose = (name, value) => {
  document.querySelector(`input[name="${name}"][value="${value}"]`).checked = true;
};

/** Calls `changed` whenever one of these fields is used. */
function watch(selector, changed) {
  for (const one of document.querySelectorAll(selector)) one.addEventListener("input", changed);
}
