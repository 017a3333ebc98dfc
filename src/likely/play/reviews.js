// Reviews: words counted by class, and a sentence classified.

{
  const MOST_WORDS = 1000;
  const MOST_SENTENCE = 2000;
  const MOST_SHOWN = 200;
  const MOST_TOKENS = 60;
  const SENTENCE = "predictable with no fun";
  const TIMES = [1, 10, 100, 250];

  let rows, classes, alpha, times;

  const weights = new Map();

  function start() {
    rows = DATA.reviews.map(({ text, label }) => ({ text, label }));
    classes = [...new Set(rows.map((row) => row.label))];
    forget("reviews-weights", weights);
    alpha = "1";
    times = 1;
    setAlpha(alpha);
    choose("reviews-prior", "data");
    for (const one of ["binary", "negation", "bigrams"]) byId(`reviews-${one}`).checked = false;
    byId("reviews-sentence").value = SENTENCE;
    drawRows();
  }

  const setAlpha = numberField("reviews-alpha", (value) => {
    alpha = value;
    compute();
  });

  const place = (name) => classes.indexOf(name);

  function drawRows() {
    show("reviews-rows", rows.map(rowFields));
    limitRows("reviews", rows);
    compute();
  }

  function rowFields(row, i) {
    const text = element("input", {
      type: "text", dir: "auto", value: row.text, spellcheck: "false",
      "aria-label": `Text of review ${i + 1}`,
      oninput: () => { row.text = text.value; compute(); },
    });
    const options = classes.map((name) =>
      element("option", { value: name, selected: name === row.label }, name),
    );
    const label = element(
      "select",
      {
        class: `c${place(row.label) % 6}`, "aria-label": `Class of review ${i + 1}`,
        oninput: () => {
          row.label = label.value;
          label.className = `c${place(row.label) % 6}`;
          compute();
        },
      },
      options,
    );
    const remove = removeButton("review", rows, i, "reviews", drawRows);
    return element("tr", {}, cells(text, label, remove));
  }

  function compute() {
    const how = { most: MOST_WORDS };
    for (const one of ["binary", "negation", "bigrams"]) how[one] = byId(`reviews-${one}`).checked;
    const counts = countWords(rows.map((row) => [features(row.text, how), row.label]));
    drawCounts(counts);
    drawWeights(counts.C);
    const prior = chosen("reviews-prior");
    const own = counts.C.map((c) => exact(weights.get(c) ?? "1"));
    const hasPrior = prior !== "own" || own.some((one) => one.n);
    if (!counts.C.length || !hasPrior) {
      const missing = hasPrior ? "Add a review first." : "One of the weights has to be above 0.";
      for (const part of ["tokens", "steps", "plain"]) show(`reviews-${part}`);
      show("reviews-verdict", missing);
      return;
    }
    const sentence = byId("reviews-sentence").value;
    const item = (name) => ({ name, isKnown: counts.n.has(name) });
    drawTokens(features(sentence, { ...how, most: MOST_SENTENCE }).map(item));
    const repeated = Array(times).fill(sentence).join(" ");
    const document = features(repeated, { ...how, most: MOST_SENTENCE });
    const found = multinomial(counts, document, { alpha: exact(alpha), prior, weights: own });
    const items = document.map(item);
    show("reviews-verdict", verdict(found, place), remark(found, items));
    show("reviews-steps", computation(found, items, place));
    drawPlain(found);
    const length = words(repeated).length;
    const isCut = length > MOST_SENTENCE;
    const cut = isCut ? `; of ${length} words the first ${MOST_SENTENCE} are read` : "";
    const once = how.binary && times > 1 ? ", but each word counts once (binary)" : "";
    byId("reviews-times").textContent = several(times, "time", "times") + once + cut;
  }

  function drawCounts({ C, n, rows: documents, totals }) {
    const body = [...n].slice(0, MOST_SHOWN).map(([word, each]) => [
      element("bdi", {}, word), ...each.map(String),
    ]);
    const sums = [["n", ...totals.map(String)], ["reviews", ...documents.map(String)]];
    show("reviews-counts", table(["word", ...C.map((c) => named(c, place(c)))], body, {}, sums));
    const hidden = n.size - MOST_SHOWN;
    const more = hidden > 0 ? `, of which the first ${MOST_SHOWN} are shown` : "";
    byId("reviews-counted").textContent = `|V| = ${n.size} different words in all classes${more}`;
  }

  function drawWeights(C) {
    byId("reviews-weights").hidden = chosen("reviews-prior") !== "own";
    const names = C.map((c) => ({ key: c, shown: named(c, place(c)) }));
    weightFields("reviews-weights", names, weights, compute);
  }

  function drawTokens(items) {
    const shown = items.slice(0, MOST_TOKENS).flatMap(({ name, isKnown }) => [
      element("bdi", {}, isKnown ? name : element("s", {}, name)), " ",
    ]);
    const isMore = items.length > MOST_TOKENS;
    show("reviews-tokens", shown, isMore ? `… ${items.length} in all` : "");
  }

  function remark(found, items) {
    const unknown = unique(items.filter((item) => !item.isKnown).map((item) => item.name));
    const quoted = unknown.slice(0, 3).flatMap((name, i) => [
      i ? ", “" : "“", element("bdi", {}, name), "”",
    ]);
    const more = unknown.length > 3 ? ` and ${unknown.length - 3} more` : "";
    const so = `${more} ${unknown.length > 1 ? "are" : "is"} in no review, so ignored. `;
    const ignored = unknown.length ? [...quoted, so] : [];
    return element("p", { class: "note" }, ignored, found.isImpossible ? IMPOSSIBLE : "");
  }

  function drawPlain(found) {
    const lines = found.classes.map((one) => {
      const { product, zeroAt } = one.plain;
      const said = zeroAt ? `0, from factor ${zeroAt} on` : rounded(product);
      return [named(one.name, place(one.name)), said, places(one.logJoint, 3)];
    });
    const heads = ["class", "product in floating point", "sum of logarithms"];
    show("reviews-plain", table(heads, lines));
  }

  byId("reviews-add").addEventListener("click", () => {
    rows.push({ text: "", label: classes[0] });
    byId("reviews-rows").append(rowFields(rows.at(-1), rows.length - 1));
    limitRows("reviews", rows);
    compute();
    focusLast("reviews");
  });
  byId("reviews-new-class").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = byId("reviews-class-name").value.trim();
    if (!name || classes.includes(name)) return;
    classes.push(name);
    byId("reviews-class-name").value = "";
    if (rows.length < MOST_ROWS) rows.push({ text: "", label: name });
    drawRows();
  });
  byId("reviews-repeat").addEventListener("click", () => {
    times = TIMES[Math.min(TIMES.indexOf(times) + 1, TIMES.length - 1)];
    compute();
  });
  byId("reviews-once").addEventListener("click", () => {
    times = 1;
    compute();
  });
  byId("reviews-reset").addEventListener("click", start);
  watch('#reviews-sentence, [name="reviews-prior"]', compute);
  watch("#reviews-binary, #reviews-negation, #reviews-bigrams", compute);
  start();
}
