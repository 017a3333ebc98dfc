// EM: two means move, one E step and one M step at a time.

{
  const START = [1, 2];
  const NAMES = ["1st Gaussian", "2nd Gaussian"];
  const STEP = 0.1;
  const MOST_STEPS = 500;

  // `steps` are the means after each M step, `half` counts E and M steps: an odd one is an E step.
  let xs, variance, steps, half, range, x, y;
  let size = [0, 0];

  function start() {
    byId("em-points").value = DATA["two-gaussians"].map((row) => row.x).join(", ");
    variance = 1;
    setVariance("1");
    readPoints();
    startFrom(START);
  }

  const setVariance = numberField("em-variance", (value) => {
    variance = Number(value);
    startFrom(steps[0]);
  });

  function startFrom(means) {
    steps = [means];
    half = 0;
    update();
  }

  /** Reads the points from their field; of what is no number the problem is said. */
  function readPoints() {
    const typed = byId("em-points").value.split(/[\s,;]+/).filter(Boolean);
    const isNumber = (one) => /^[+-]?(\d+\.?\d*|\.\d+)$/.test(one) && Math.abs(one) <= 1000;
    const wrong = typed.find((one) => !isNumber(one));
    const problem = wrong ? `“${wrong.slice(0, 20)}” is not a number between −1000 and 1000.`
      : typed.length > MOST_ROWS ? `${MOST_ROWS} points are as many as this page takes.`
      : typed.length < 2 ? "Give two points or more." : null;
    complain("em-problem", problem);
    byId("em-points").setAttribute("aria-invalid", Boolean(problem));
    if (problem) return false;
    xs = typed.map(Number);
    const [low, high] = [Math.min(...xs), Math.max(...xs)];
    const room = Math.max(1, (high - low) / 8);
    range = [low - room, high + room];
    return true;
  }

  const redraw = drawing("em-plot", (width, height) => {
    size = [width, height];
    draw();
  });

  const marks = NAMES.map((name, j) => handle(
    { class: `handle c${j}`, "aria-label": `Mean of the ${name}` },
    drawn("path", { class: "mark", d: "M0,9L-8,-7H8Z" }),
    {
      moved: (px) => moveMean(j, x.back(px)),
      stepped: (dx, dy) => moveMean(j, shown()[j] + (dx + dy) * STEP),
    },
  ));
  byId("em-plot").append(drawn("g"), ...marks);

  function moveMean(j, to) {
    const means = shown().slice();
    means[j] = Math.round(clamp(to, range) * 100) / 100;
    startFrom(means);
  }

  /** The means that are shown: an M step moves them, an E step does not. */
  const shown = () => steps[half >> 1];

  /** The responsibilities of the last E step; none before the first. */
  const shares = () => (half ? expectation(xs, steps[(half - 1) >> 1], variance) : null);

  function forward() {
    half += 1;
    if (half % 2 === 0 && steps.length <= half / 2) steps.push(emStep(xs, steps.at(-1), variance));
    update();
  }

  function back() {
    half = Math.max(0, half - 1);
    update();
  }

  function run() {
    steps = em(xs, steps[0], variance, { most: MOST_STEPS });
    half = 2 * (steps.length - 1);
    update();
  }

  function update() {
    const z = shares();
    const isE = half % 2 === 1;
    const means = shown().map((mu) => places(mu)).join(" and ");
    const step = `Step ${(half + 1) >> 1}`;
    byId("em-state").textContent =
      half === 0 ? `Start: the means are ${means}`
      : isE ? `${step}, E: responsibilities by the means ${means}`
      : `${step}, M: the new means are ${means}`;
    byId("em-next").textContent = isE ? "M step" : "E step";
    byId("em-back").disabled = half === 0;
    drawPath();
    drawTable(z);
    redraw();
  }

  function drawPath() {
    const rows = steps.slice(0, (half >> 1) + 1).map((means, t) => [
      String(t), ...means.map((mu) => places(mu)), places(logLikelihood(xs, means, variance)),
    ]);
    const heads = ["step", ...[0, 1].map((j) => named(`μ${"₁₂"[j]}`, j)), "log-likelihood"];
    show("em-path", table(heads, rows.reverse()));
  }

  function drawTable(z) {
    const heads = ["x", ...[0, 1].map((j) => named(`E[z${"₁₂"[j]}]`, j))];
    const shares = (i) => (z ? z[i].map((share) => places(share)) : ["–", "–"]);
    show("em-table", table(heads, xs.map((x, i) => [places(x, 2), ...shares(i)])));
  }

  function draw() {
    const [width, height] = size;
    const highest = 0.5 / Math.sqrt(2 * Math.PI * variance);
    [x, y] = scales(width, height, range, [0, highest * 1.25]);
    const top = MARGIN.top + 8;
    const along = scale(0, 160, ...range);
    const grid = Array.from({ length: 161 }, (_, i) => along(i));
    const curves = shown().map((mu, j) => {
      const points = grid.map((at) => [x(at), y(0.5 * Math.exp(logNormal(at, mu, variance)))]);
      return drawn("path", { class: `curve c${j}`, d: line(points) });
    });
    const drops = shown().map((mu, j) =>
      drawn("path", { class: `drop c${j}`, d: line([[x(mu), y(0)], [x(mu), top]]) }),
    );
    const axis = axes(width, height, [x, ticksOf(...range), "x"], [y, [], ""]);
    byId("em-plot").firstChild.replaceChildren(axis, ...curves, ...drops, ...dots());
    shown().forEach((mu, j) => {
      put(marks[j], x(mu), top, mu, places(mu));
      marks[j].setAttribute("aria-valuemin", range[0]);
      marks[j].setAttribute("aria-valuemax", range[1]);
    });
  }

  /** The points, stacked where they are close, in the colors of what is responsible for them. */
  function dots() {
    const z = shares();
    const stacked = new Map();
    const r = xs.length > 100 ? 3.5 : 5.5;
    return xs.map((at, i) => {
      const place = Math.round(x(at) / (2 * r + 1));
      const below = stacked.get(place) ?? 0;
      stacked.set(place, below + 1);
      const cy = y(0) - (below + 0.5) * (2 * r + 1);
      const dot = drawn("circle", { class: "dot", r, cx: x(at), cy });
      if (z) dot.style.fill = mixed(z[i][0]);
      return dot;
    });
  }

  byId("em-next").addEventListener("click", forward);
  byId("em-back").addEventListener("click", back);
  byId("em-run").addEventListener("click", run);
  byId("em-reset").addEventListener("click", start);
  byId("em-points").addEventListener("input", () => { if (readPoints()) startFrom(steps[0]); });
  start();
}
