// A computation by Bayes' rule, written out: prior, likelihood, evidence, posterior of each class.

const MOST_FACTORS = 16;
const LAST_FACTORS = 3;
const IMPOSSIBLE = "Every class is impossible, so the prior decides.";

/** A card for each class. `items` are the factors in their order; unknown ones are struck out. */
function computation(found, items, place) {
  const logEvidence = log(found.evidence);
  return found.classes.map((one) => {
    const logPosterior = found.isImpossible ? log(one.prior) : one.logJoint - logEvidence;
    const products = [
      ["likelihood", one.likelihood, one.logLikelihood],
      ["prior · likelihood", one.joint, one.logJoint],
      ["evidence", found.evidence, logEvidence],
      ["posterior", one.posterior, logPosterior],
    ];
    const rows = [term("prior", one.prior, log(one.prior)), ...factorRows(one, items)];
    const heads = ["", "fraction", "decimal", "log"].map(headCell);
    const isBest = one.name === found.best;
    return element(
      "article",
      { class: `card${isBest ? " best" : ""}` },
      element("h4", {}, named(one.name, place(one.name)), isBest ? note(" most probable") : ""),
      element(
        "table",
        { class: "steps", "aria-label": `Computation for ${one.name}` },
        element("thead", {}, element("tr", {}, heads)),
        element("tbody", {}, rows, products.map((product) => term(...product))),
      ),
      products.filter(([, fraction]) => !isShort(fraction)).map(([name, fraction]) =>
        element("p", { class: "exact" }, `${name} = ${inFull(fraction)}`),
      ),
    );
  });
}

function term(name, fraction, logarithm) {
  const head = element("th", { scope: "row" }, name);
  const exactly = isShort(fraction) ? String(fraction) : "…";
  const shown = cells(breakable(exactly), breakable(decimal(fraction)), places(logarithm, 3));
  return element("tr", { class: `term ${name}` }, head, shown);
}

/** A row for each factor, of many only the first and the last. */
function factorRows(one, items) {
  const known = one.factors.values();
  const all = items.map(({ name, isKnown }) => (isKnown ? known.next().value : { name }));
  if (all.length <= MOST_FACTORS) return all.map(factorRow);
  const left = several(all.length - MOST_FACTORS, "more factor", "more factors");
  return [
    ...all.slice(0, MOST_FACTORS - LAST_FACTORS).map(factorRow),
    element("tr", { class: "ignored" }, element("td", { colspan: 4 }, `… ${left} …`)),
    ...all.slice(-LAST_FACTORS).map(factorRow),
  ];
}

function factorRow({ name, top, bottom, p }) {
  const head = (content) => element("th", { scope: "row" }, element("bdi", {}, content));
  if (p) {
    const shown = cells(breakable(ratio(top, bottom)), breakable(decimal(p)), places(log(p), 3));
    return element("tr", {}, head(name), shown);
  }
  const ignored = element("td", { colspan: 3 }, "unknown, ignored");
  return element("tr", { class: "ignored" }, head(element("s", {}, name)), ignored);
}

/** Whether there is room for a fraction in a cell; long ones stand below. */
const isShort = (fraction) => String(fraction).length <= 12;

/** A number that may go on in the next line, after its bar or dot, where the screen is narrow. */
const breakable = (text) =>
  text.split(/(?<=[/·])/).flatMap((part, i) => (i ? [element("wbr", {}), part] : [part]));

/** A fraction however long it is, within reason. */
function inFull(fraction) {
  const [n, d] = fraction.lowest();
  const text = String(fraction);
  if (text.length <= 160) return text;
  return `a fraction of ${String(n).length} over ${String(d).length} digits`;
}

/** Which class it is, with a bar for each. */
function verdict(found, place) {
  const rows = found.classes.map((one) => {
    const bar = element("i", { class: `bar c${place(one.name) % 6}` });
    bar.style.width = `${100 * one.posterior}%`;
    const share = element("b", {}, decimal(one.posterior));
    return element("li", {}, named(one.name, place(one.name)), element("span", {}, bar), share);
  });
  return element("ul", { class: "bars", "aria-label": "Posterior of each class" }, rows);
}
