// How accuracy grew, with its interval, as a drawing.

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [360, 170, 44, 24, 10, 12];

function svg(tag, attributes, ...children) {
  const found = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...children);
  return found;
}

export function curve(points, forecast) {
  const lowest = Math.max(Math.floor(Math.min(...points.map((point) => point.low ?? point.value)) * 10) / 10, 0);
  const last = points.at(-1);
  const most = forecast ? forecast.answers : last.answers;
  const x = (answers) => LEFT + ((WIDTH - LEFT - RIGHT) * answers) / most;
  const y = (share) => TOP + ((HEIGHT - TOP - BOTTOM) * (1 - share)) / (1 - lowest || 1);
  const path = (list) => list.map(([a, s], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(s).toFixed(1)}`).join("");
  const band = [...points.map((p) => [p.answers, p.high ?? p.value]), ...points.toReversed().map((p) => [p.answers, p.low ?? p.value])];
  const middle = Math.round((lowest + 1) * 50) / 100;
  const label = `Accuracy grew from ${Math.round(points[0].value * 100)} % with ${points[0].answers} answers to ${Math.round(last.value * 100)} % with ${last.answers}.`;
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "curve" },
    ...[lowest, middle, 1].flatMap((share) => [
      svg("path", { class: "grid", d: `M${LEFT} ${y(share)}H${WIDTH - RIGHT}` }),
      svg("text", { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" }, `${Math.round(share * 100)} %`),
    ]),
    svg("path", { class: "band", d: `${path(band)}Z` }),
    svg("path", { class: "line", d: path(points.map((p) => [p.answers, p.value])) }),
    ...(forecast ? [svg("path", { class: "line ahead", d: path([[last.answers, last.value], [forecast.answers, forecast.accuracy]]) })] : []),
    svg("circle", { class: "now", cx: x(last.answers), cy: y(last.value), r: 4 }),
    svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, `${most.toLocaleString("en-US")} answers`),
    svg("text", { x: LEFT, y: HEIGHT - 6 }, "0"));
}
