// Days: attributes by class, and a new day classified.

{
  const HEADS = Object.keys(DATA.tennis[0]);
  const ATTRIBUTES = HEADS.slice(0, -1);
  const DAY = ["sunny", "cool", "high", "strong"];

  let rows, day, m;

  const weights = new Map();

  function start() {
    rows = DATA.tennis.map((row) => Object.values(row));
    day = [...DAY];
    forget("tennis-weights", weights);
    m = "0";
    setM(m);
    choose("tennis-p", "uniform");
    drawRows();
  }

  const setM = numberField("tennis-m", (value) => {
    m = value;
    compute();
  });

  function drawRows() {
    show("tennis-rows", rows.map(rowFields));
    limitRows("tennis", rows);
    compute();
  }

  function rowFields(row, i) {
    const fields = row.map((value, j) => {
      const field = element("input", {
        type: "text", dir: "auto", value, maxlength: 60, size: 7, list: `tennis-values-${j}`,
        autocomplete: "off", spellcheck: "false", "aria-label": `${HEADS[j]} of day ${i + 1}`,
        oninput: () => { row[j] = field.value.trim(); compute(); },
      });
      return field;
    });
    const remove = removeButton("day", rows, i, "tennis", drawRows);
    return element("tr", {}, cells(...fields, remove));
  }

  function compute() {
    const counts = countValues(rows.filter((row) => row.every(Boolean)));
    const isOwn = chosen("tennis-p") === "own";
    const share = isOwn ? own(counts) : uniform(counts);
    drawLists();
    drawWeights(counts, isOwn);
    if (!counts.C.length) {
      for (const part of ["day", "steps", "attributes", "parameters"]) show(`tennis-${part}`);
      show("tennis-verdict", "Add a day first.");
      return;
    }
    drawDay(counts);
    drawAttributes(counts, share);
    drawParameters(counts);
    const place = (name) => counts.C.indexOf(name);
    const found = categorical(counts, day, { m: exact(m), share });
    const items = day.map((name) => ({ name, isKnown: true }));
    const remark = element("p", { class: "note" }, found.isImpossible ? IMPOSSIBLE : "");
    show("tennis-verdict", verdict(found, place), remark);
    show("tennis-steps", computation(found, items, place));
  }

  /** What cells already have is offered in others. */
  function drawLists() {
    const lists = HEADS.map((_, j) => {
      const values = unique(rows.map((row) => row[j]));
      const options = values.map((value) => element("option", { value }));
      return element("datalist", { id: `tennis-values-${j}` }, options);
    });
    show("tennis-lists", lists);
  }

  function drawDay({ n }) {
    n.forEach((values, i) => { if (!values.has(day[i])) day[i] = [...values.keys()][0]; });
    if (byId("tennis-day").contains(document.activeElement)) return;
    const fields = n.map((values, i) => {
      const options = [...values.keys()].map((value) =>
        element("option", { value, selected: value === day[i] }, value),
      );
      const oninput = () => { day[i] = field.value; compute(); };
      const field = element("select", { oninput }, options);
      return element("label", {}, ATTRIBUTES[i], field);
    });
    show("tennis-day", fields);
  }

  const key = (i, value) => `${i} ${value}`;
  const weight = (i, value) => exact(weights.get(key(i, value)) ?? "1");

  /** p of each value, by its weight among those of its attribute; uniform where all are 0. */
  const own = (counts) => (i, value) => {
    const total = sumOf([...counts.n[i].keys()].map((each) => weight(i, each)));
    return total.n ? weight(i, value).over(total) : uniform(counts)(i);
  };

  function drawWeights({ n }, isOwn) {
    byId("tennis-weights").hidden = !isOwn;
    const names = n.flatMap((values, i) => [
      ATTRIBUTES[i],
      ...[...values.keys()].map((value) => (
        { key: key(i, value), shown: element("bdi", {}, value) }
      )),
    ]);
    weightFields("tennis-weights", names, weights, compute);
  }

  function drawAttributes({ C, n, rows: days }, share) {
    const shown = n.map((values, i) => {
      const body = [...values].map(([value, each]) => {
        const p = share(i, value);
        const estimates = each.map((n_a, c) => mEstimate(n_a, days[c], exact(m), p));
        const ratios = estimates.map(({ top, bottom }) => ratio(top, bottom));
        return [element("bdi", {}, value), ...ratios, String(p)];
      });
      const heads = [ATTRIBUTES[i], ...C.map((c, place) => named(c, place)), "p"];
      return element("div", { class: "card" }, table(heads, body, { "aria-label": ATTRIBUTES[i] }));
    });
    show("tennis-attributes", shown);
  }

  function drawParameters({ C, n }) {
    const q = n.map((values) => values.size);
    const K = C.length;
    const { full, naive } = tableParameters(q, K);
    const rows = [
      ["full table", `${K}·${q.join("·")} + ${K}`, String(full.all), String(full.free)],
      ["naive", `${K}·(${q.join(" + ")}) + ${K}`, String(naive.all), String(naive.free)],
    ];
    show("tennis-parameters", table(["model", "probabilities", "in all", "of them free"], rows));
  }

  byId("tennis-add").addEventListener("click", () => {
    rows.push(HEADS.map(() => ""));
    drawRows();
    focusLast("tennis");
  });
  byId("tennis-reset").addEventListener("click", start);
  watch('[name="tennis-p"]', compute);
  start();
}
