// Heights and weights: QDA, Gaussian Naive Bayes and LDA on the same points.

{
  const X = [145, 200];
  const Y = [40, 105];
  const GRID = 0.5;
  const MOST_POINTS = 60;
  const MODELS = ["QDA", "Gaussian NB", "LDA"];
  const NAMES = unique(DATA.heights.map((row) => row.group));
  const SHAPE = {
    QDA: "the boundary is a conic",
    "Gaussian NB": "the boundary is a conic, the ellipses are upright",
    LDA: "the boundary is a straight line, both ellipses have the same shape",
  };
  const NEW_PERSON = [168, 64];
  // Within this Mahalanobis distance lie 95 % of a Gaussian in two columns.
  const RADIUS = Math.sqrt(-2 * Math.log(0.05));

  const CENTER = [(X[0] + X[1]) / 2, (Y[0] + Y[1]) / 2];

  let points, person, handles, cross, fitted, x, y;
  let size = [0, 0];

  function start() {
    points = DATA.heights.map(({ height, weight, group }) => (
      { x: Number(height), y: Number(weight), c: NAMES.indexOf(group) }
    ));
    person = { x: NEW_PERSON[0], y: NEW_PERSON[1] };
    drawHandles();
  }

  const redraw = drawing("gaussians-plot", (width, height) => {
    size = [width, height];
    [x, y] = scales(width, height, X, Y);
    draw();
  });

  // The marks are made anew when there are more or fewer, so that one that moves keeps the focus.
  function drawHandles() {
    const given = { "aria-valuemin": X[0], "aria-valuemax": X[1], "aria-roledescription": "point" };
    handles = points.map((point, i) => {
      const removed = () => {
        points.splice(i, 1);
        drawHandles();
        (handles[i] ?? handles.at(-1) ?? cross).focus();
      };
      const name = `${NAMES[point.c]}, point ${i + 1}`;
      const own = { class: `handle c${point.c}`, "aria-label": name };
      return handle({ ...given, ...own }, mark(point.c), { ...moving(point), removed });
    });
    const plus = drawn("path", { class: "mark", d: "M-9,0H9M0,-9V9" });
    const own = { class: "handle person", "aria-label": "New person" };
    cross = handle({ ...given, ...own }, plus, moving(person));
    show("gaussians-plot", drawn("g", {}), handles, cross);
    for (const button of byId("gaussians-adding").children) {
      button.disabled = points.length >= MOST_POINTS;
    }
    redraw();
  }

  const moving = (point) => ({
    moved: (px, py) => move(point, x.back(px), y.back(py)),
    stepped: (dx, dy) => move(point, point.x + dx * GRID, point.y + dy * GRID),
  });

  // A circle or a square, so that color is not all that tells the classes apart.
  const mark = (c) => c
    ? drawn("rect", { class: "mark", x: -5, y: -5, width: 10, height: 10 })
    : drawn("circle", { class: "mark", r: 5.5 });

  const snap = (value, range) => clamp(Math.round(value / GRID) * GRID, range);

  function move(point, toX, toY) {
    point.x = snap(toX, X);
    point.y = snap(toY, Y);
    redraw();
  }

  function draw() {
    const of = (c) => points.filter((point) => point.c === c).map((point) => [point.x, point.y]);
    const classes = NAMES.map((_, c) => moments(of(c)));
    fitted = { classes, sigmas: covariances(classes) };
    const model = chosen("gaussians-model");
    const [width, height] = size;
    const across = [x, [150, 160, 170, 180, 190], "height, cm"];
    const up = [y, [50, 60, 70, 80, 90, 100], "weight, kg"];
    points.forEach((point, i) => place(handles[i], point));
    place(cross, person);
    const layer = byId("gaussians-plot").firstChild;
    const [left, right, top, bottom] = [x(X[0]), x(X[1]), y(Y[1]), y(Y[0])];
    const area = { x: left, y: top, width: right - left, height: bottom - top };
    layer.replaceChildren(
      axes(width, height, across, up),
      drawn("clipPath", { id: "gaussians-area" }, drawn("rect", area)),
      drawn("g", { "clip-path": "url(#gaussians-area)" }, ellipses(model)),
    );
    paint("gaussians-regions", model, size, x, y);
    MODELS.forEach(drawSmall);
    drawNumbers(model);
    drawPosterior();
  }

  const place = (node, point) =>
    put(node, x(point.x), y(point.y), point.x, `height ${point.x} cm, weight ${point.y} kg`);

  const lacks = (model) => fitted.sigmas[model].some((sigma) => !sigma);

  function paint(id, model, size, x, y) {
    const canvas = byId(id);
    if (lacks(model)) {
      Object.assign(canvas, { width: 1, height: 1 });
      return;
    }
    const odds = logOdds(fitted.classes, fitted.sigmas[model], CENTER);
    paintRegions(canvas, size, x, y, CENTER, odds);
  }

  function drawSmall(model, i) {
    const { width, height } = byId(`gaussians-small-${i}`).getBoundingClientRect();
    if (!width) return;
    const [x, y] = [scale(...X, 0, width), scale(...Y, height, 0)];
    paint(`gaussians-small-${i}`, model, [width, height], x, y);
    const dots = points.map((one) => [x(one.x), y(one.y), one.c]);
    dotRegions(byId(`gaussians-small-${i}`), lacks(model) ? [] : dots);
  }

  function ellipses(model) {
    if (lacks(model)) return [];
    return fitted.sigmas[model].map((sigma, c) => {
      const [a, b, d] = sigma.map(Number);
      const mean = fitted.classes[c].mean.map(Number);
      const [l, k] = [Math.sqrt(a), Math.sqrt(Math.max(0, d - (b * b) / a))];
      const around = Array.from({ length: 97 }, (_, i) => {
        const [u, v] = [Math.cos((i * Math.PI) / 48), Math.sin((i * Math.PI) / 48)];
        return [x(mean[0] + RADIUS * l * u), y(mean[1] + RADIUS * ((b / l) * u + k * v))];
      });
      return drawn("path", { class: `ellipse c${c}`, d: line(around), "aria-hidden": true });
    });
  }

  function drawNumbers(model) {
    const problem = `${model} needs more points that do not lie on one line, in each class.`;
    complain("gaussians-problem", lacks(model) ? problem : null);
    byId("gaussians-regions").setAttribute("aria-label", `Regions of ${model}: ${SHAPE[model]}`);
    const cell = (value) => (value ? decimal(value, 5) : "–");
    const rows = fitted.classes.map((one, c) => {
      const sigma = fitted.sigmas[model][c] ?? [];
      const covariance = model === "Gaussian NB" ? "0, by assumption" : cell(sigma[1]);
      const means = one.mean.map((mu) => cell(one.n && mu));
      const variances = [cell(sigma[0]), cell(sigma[2])];
      return [named(NAMES[c], c), String(one.n), ...means, ...variances, covariance];
    });
    const of = (what) => [`${what} height`, `${what} weight`];
    const heads = ["class", "n", ...of("mean"), ...of("variance of"), "covariance"];
    show("gaussians-numbers", table(heads, rows));
  }

  function drawPosterior() {
    for (const axis of ["x", "y"]) {
      const field = byId(`gaussians-${axis}`);
      if (document.activeElement !== field) field.value = person[axis];
    }
    const rows = MODELS.map((model) => {
      const p = gaussianPosterior([person.x, person.y], fitted.classes, fitted.sigmas[model]);
      return [model, ...NAMES.map((_, c) => (p ? rounded(p[c]) : "–"))];
    });
    const heads = NAMES.map((name, c) => element("span", {}, "P(", named(name, c), " | x)"));
    show("gaussians-posterior", table(["model", ...heads], rows));
  }

  for (const [c, name] of NAMES.entries()) {
    const onclick = () => {
      points.push({ ...person, c });
      drawHandles();
    };
    const button = element("button", { type: "button", onclick }, "Add x to ", named(name, c));
    byId("gaussians-adding").append(button);
  }
  for (const [i, n] of Object.values(gaussianParameters(2, NAMES.length)).entries()) {
    byId(`gaussians-parameters-${i}`).textContent = `${n} parameters`;
  }
  for (const [axis, range] of [["x", X], ["y", Y]]) {
    const field = byId(`gaussians-${axis}`);
    field.addEventListener("input", () => {
      const value = Number(field.value);
      const isGood = field.value !== "" && value === clamp(value, range);
      field.setAttribute("aria-invalid", !isGood);
      if (!isGood) return;
      person[axis] = value;
      redraw();
    });
  }
  byId("gaussians-plot").addEventListener("click", (event) => {
    if (event.target !== byId("gaussians-plot")) return;
    const box = byId("gaussians-plot").getBoundingClientRect();
    move(person, x.back(event.clientX - box.left), y.back(event.clientY - box.top));
  });
  byId("gaussians-reset").addEventListener("click", start);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  watch('[name="gaussians-model"]', redraw);
  start();
}
