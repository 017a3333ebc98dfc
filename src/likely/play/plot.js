// Drawings to scale, at the size that they have on the screen, and marks in them that can be moved.

const MARGIN = { left: 48, right: 12, top: 26, bottom: 38 };

/** Calls `draw(width, height)` whenever a drawing gets another size, and on request. */
function drawing(id, draw) {
  const redraw = () => {
    const { width, height } = byId(id).getBoundingClientRect();
    if (width && height) draw(width, height);
  };
  new ResizeObserver(redraw).observe(byId(id));
  return redraw;
}

/** From values to places; `back` is from places to values. */
function scale(low, high, start, end) {
  const along = (value) => start + ((value - low) / (high - low)) * (end - start);
  along.back = (place) => low + ((place - start) / (end - start)) * (high - low);
  return along;
}

/** Both scales of a drawing, within its margins. */
function scales(width, height, [x0, x1], [y0, y1]) {
  return [
    scale(x0, x1, MARGIN.left, width - MARGIN.right),
    scale(y0, y1, height - MARGIN.bottom, MARGIN.top),
  ];
}

/** A line from number to number. */
const line = (points) => `M${points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join("L")}`;

/** The axes, with their ticks and names; one without ticks is left out. */
function axes(width, height, [x, xTicks, xName], [y, yTicks, yName]) {
  const [left, bottom] = [MARGIN.left, height - MARGIN.bottom];
  const right = width - MARGIN.right;
  const text = (x, y, anchor, content) => drawn("text", { x, y, "text-anchor": anchor }, content);
  const up = yTicks.length ? `M${left},${bottom}V${MARGIN.top}` : "";
  return drawn(
    "g",
    { class: "axes", "aria-hidden": true },
    drawn("path", { d: `M${left},${bottom}H${right}${up}` }),
    xTicks.map((tick) => text(x(tick), bottom + 16, "middle", tickLabel(tick))),
    yTicks.map((tick) => text(left - 7, y(tick) + 4, "end", tickLabel(tick))),
    text(right, height - 5, "end", xName),
    text(4, MARGIN.top - 12, "start", yName),
  );
}

const tickLabel = (tick) => tick.toLocaleString("en").replace("-", "−");

/** A mark that is dragged, or moved by arrow keys: `moved(x, y)` gets a place, `stepped` a step. */
function handle(given, shape, { moved, stepped, removed }) {
  const node = drawn("g", { class: "handle", role: "slider", tabindex: 0, ...given },
    drawn("circle", { class: "reach", r: 16 }), drawn("circle", { class: "ring", r: 12 }), shape);
  node.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    node.focus();
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", (event) => {
    if (!node.hasPointerCapture(event.pointerId)) return;
    const box = node.ownerSVGElement.getBoundingClientRect();
    moved(event.clientX - box.left, event.clientY - box.top);
  });
  const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  node.addEventListener("keydown", (event) => {
    const isRemoval = removed && (event.key === "Delete" || event.key === "Backspace");
    if (!(steps[event.key] || isRemoval) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (isRemoval) removed();
    else stepped(...steps[event.key].map((step) => step * (event.shiftKey ? 10 : 1)));
  });
  return node;
}

/** Puts a mark in its place, and says where it is. */
function put(node, x, y, value, text) {
  node.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
  node.setAttribute("aria-valuenow", value);
  node.setAttribute("aria-valuetext", text);
}

/** Round numbers along a range, five of them or so. */
function ticksOf(low, high) {
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((times) => times * power >= rough) * power;
  const first = Math.ceil(low / step);
  const length = Math.floor(high / step) - first + 1;
  return Array.from({ length }, (_, i) => Number(((first + i) * step).toPrecision(6)));
}

const clamp = (value, [low, high]) => Math.min(high, Math.max(low, value));
