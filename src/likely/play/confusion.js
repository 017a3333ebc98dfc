// A confusion matrix and its measures; and a threshold that trades precision for recall.

{
  const MOST_CLASSES = 8;
  const COUNTS = [0, 1e6];
  const NO_COUNT = "Counts are whole numbers up to a million.";
  const SCORED = [
    [0.98, "the harbour wall is breaking, send everyone", true],
    [0.93, "water is coming into the school", true],
    [0.88, "no power at the clinic since six", true],
    [0.81, "last day of our great sale, act now", false],
    [0.74, "a tree lies across the main road", true],
    [0.62, "please call me back today", false],
    [0.55, "smell of gas in our street", true],
    [0.43, "when is the next meeting of the choir", false],
    [0.31, "my neighbour has not been seen for days", true],
    [0.22, "thank you for the lovely evening", false],
    [0.12, "two tickets for the summer film", false],
    [0.04, "minutes of the gardening club", false],
  ];

  let names, matrix, beta, scored, threshold;

  function start() {
    names = DATA.urgent.map((row) => row.predicted);
    matrix = DATA.urgent.map((row) => names.map((name) => Number(row[name])));
    scored = SCORED.map(([score, text, isGold]) => ({ score, text, isGold }));
    beta = "1";
    threshold = 0.5;
    setBeta("1");
    setThreshold("0.5");
    drawMatrix();
    drawScored();
  }

  const setBeta = numberField("confusion-beta", (value) => {
    beta = value;
    compute();
  });

  const setThreshold = numberField("confusion-threshold", (value) => {
    threshold = Number(value);
    divide();
  });

  function drawMatrix() {
    const heads = names.map((_, c) => element("th", { scope: "col", id: `confusion-head-${c}` }));
    show("confusion-heads", element("td"), heads, element("td"));
    show("confusion-rows", matrix.map(rowFields));
    byId("confusion-add").disabled = names.length >= MOST_CLASSES;
    for (const button of byId("confusion-rows").querySelectorAll(".remove")) {
      button.disabled = names.length <= 2;
    }
    compute();
  }

  function rowFields(row, r) {
    const name = element("input", {
      type: "text", dir: "auto", value: names[r], maxlength: 40, size: 7, class: `c${r % 6}`,
      autocomplete: "off", spellcheck: "false", "aria-label": `Name of class ${r + 1}`,
      oninput: () => { names[r] = name.value.trim(); compute(); },
    });
    const fields = row.map((count, c) => {
      const field = element("input", {
        type: "number", min: COUNTS[0], max: COUNTS[1], step: 1, value: count,
        class: r === c ? "right" : null, "aria-label": `said ${r + 1}, gold ${c + 1}`,
        oninput: () => {
          const n = Number(field.value);
          const isGood = field.value !== "" && Number.isInteger(n) && n === clamp(n, COUNTS);
          field.setAttribute("aria-invalid", !isGood);
          complain("confusion-problem", isGood ? null : NO_COUNT);
          if (isGood) row[c] = n;
          compute();
        },
      });
      return field;
    });
    const redraw = () => {
      names.splice(r, 1);
      for (const other of matrix) other.splice(r, 1);
      drawMatrix();
    };
    const remove = removeButton("class", matrix, r, "confusion", redraw);
    return element("tr", {}, element("th", { scope: "row" }, name), cells(...fields, remove));
  }

  function compute() {
    names.forEach((name, c) => {
      show(`confusion-head-${c}`, named(name, c));
    });
    const all = tables(matrix);
    const f = (table) => fMeasure(table, exact(beta));
    const pool = pooled(all);
    const measured = (t) => [
      fraction(t.tp, t.tp + t.fp), fraction(t.tp, t.tp + t.fn), withDecimal(f(t)),
    ];
    const averaged = (measure) => withDecimal(macro(measure, all));
    const measures = [
      ...all.map((t, c) => [named(names[c], c), ...measured(t)]),
      ["macro", ...[precision, recall, f].map(averaged)],
      ["micro", ...measured(pool)],
    ];
    const heads = ["class", "precision", "recall", beta === "1" ? "F₁" : `F, β = ${beta}`];
    show("confusion-measures", table(heads, measures, { class: "measures" }));
    const total = matrix.flat().reduce((sum, n) => sum + n, 0);
    const hits = matrix.reduce((sum, row, c) => sum + row[c], 0);
    const share = element("b", {}, decimal(whole(hits).over(whole(total))));
    show("confusion-accuracy", `accuracy ${hits}/${total} = `, share);
    const cards = all.map((t, c) => card(named(names[c], c), t));
    show("confusion-tables", cards, card("pooled", pool));
  }

  const fraction = (n, d) => shownFraction(`${n}/${d}`, whole(n).over(whole(d)));
  const withDecimal = (value) => shownFraction(String(value), value);

  /** A fraction above its decimals. */
  function shownFraction(text, value) {
    const exactly = element("span", {}, text.length <= 21 ? text : "…");
    return element("span", { class: "both" }, exactly, element("b", {}, decimal(value)));
  }

  const card = (title, t) => element("div", { class: "card" }, element("h4", {}, title), square(t));

  function square({ tp, fp, fn, tn }) {
    const cell = (name, n) => element("span", {}, element("small", {}, name), ` ${n}`);
    const yes = ["said yes", cell("tp", tp), cell("fp", fp)];
    const no = ["said no", cell("fn", fn), cell("tn", tn)];
    return table(["", "gold yes", "gold no"], [yes, no], { class: "square" });
  }

  function drawScored() {
    show("confusion-scored", scored.map((one) => {
      const gold = element("input", {
        type: "checkbox", checked: one.isGold, "aria-label": `gold: urgent, of “${one.text}”`,
        oninput: () => { one.isGold = gold.checked; divide(); },
      });
      return element("tr", {}, cells(one.score.toFixed(2), one.text, gold));
    }));
    divide();
  }

  function divide() {
    const rows = byId("confusion-scored").children;
    scored.forEach((one, i) => rows[i].classList.toggle("said", one.score >= threshold));
    const t = tableAt(threshold, scored);
    show("confusion-at", square(t));
    const bold = (value) => element("b", {}, decimal(value));
    const [P, R, F] = [precision(t), recall(t), fMeasure(t)].map(bold);
    show("confusion-said", "precision ", P, " · recall ", R, " · F₁ ", F);
    redraw();
  }

  const redraw = drawing("confusion-curve", (width, height) => {
    const [x, y] = scales(width, height, [0, 1], [0, 1.02]);
    const ticks = [0, 0.25, 0.5, 0.75, 1];
    const at = (threshold) => {
      const t = tableAt(threshold, scored);
      return [x(+recall(t)), y(+precision(t))];
    };
    const all = scored.map((one) => at(one.score));
    const [px, py] = at(threshold);
    show(
      "confusion-curve",
      axes(width, height, [x, ticks, "recall"], [y, ticks, "precision"]),
      drawn("path", { class: "curve c0", d: line(all) }),
      all.map(([cx, cy]) => drawn("circle", { class: "dot", r: 3, cx, cy })),
      drawn("circle", { class: "here", r: 7, cx: px, cy: py }),
    );
    const t = tableAt(threshold, scored);
    const here = `recall ${decimal(recall(t))}, precision ${decimal(precision(t))}`;
    const said = `Precision against recall for every threshold; here ${here}`;
    byId("confusion-curve").setAttribute("aria-label", said);
  });

  byId("confusion-add").addEventListener("click", () => {
    names.push(`class ${names.length + 1}`);
    for (const row of matrix) row.push(0);
    matrix.push(names.map(() => 0));
    drawMatrix();
    focusLast("confusion");
  });
  byId("confusion-reset").addEventListener("click", start);
  start();
}
