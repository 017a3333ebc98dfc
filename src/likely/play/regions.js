// The regions of two Gaussian classes, and the boundary between them, painted pixel by pixel.

/** log P(1st, x) − log P(2nd, x) = A·u² + B·u·v + C·v² + D·u + E·v + F, (u, v) from a center. */
function logOdds(classes, sigmas, [x0, y0]) {
  const total = classes.reduce((sum, one) => sum + one.n, 0);
  const terms = classes.map((one, i) => {
    const [a, b, d] = sigmas[i].map(Number);
    const det = +determinant(sigmas[i]);
    const [p, q] = [one.mean[0] - x0, one.mean[1] - y0];
    const distance = (d * p * p - 2 * b * p * q + a * q * q) / det;
    return [
      -d / (2 * det),
      b / det,
      -a / (2 * det),
      (d * p - b * q) / det,
      (a * q - b * p) / det,
      Math.log(one.n / total) - 0.5 * (Math.log(det) + distance),
    ];
  });
  return terms[0].map((term, i) => term - terms[1][i]);
}

/** Tints each pixel by its posterior, and draws the line where both classes are as probable. */
function paintRegions(canvas, [width, height], x, y, [x0, y0], [A, B, C, D, E, F]) {
  const density = Math.min(devicePixelRatio, 2);
  const [columns, rows] = [Math.round(width * density), Math.round(height * density)];
  Object.assign(canvas, { width: columns, height: rows });
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const [first, second, ink] = ["--c0", "--c1", "--ink"].map(color);
  const [dx, dy] = [x.back(1 / density) - x.back(0), y.back(1 / density) - y.back(0)];
  const [left, top] = [x.back(0.5 / density) - x0, y.back(0.5 / density) - y0];
  for (let row = 0, at = 0; row < rows; row += 1) {
    const v = top + row * dy;
    for (let column = 0; column < columns; column += 1, at += 1) {
      const u = left + column * dx;
      const odds = A * u * u + B * u * v + C * v * v + D * u + E * v + F;
      const size = Math.abs(odds);
      const [across, up] = [(2 * A * u + B * v + D) * dx, (B * u + 2 * C * v + E) * dy];
      const isLine = size * size < (across * across + up * up) * density * density;
      // 2·P − 1, the lead of the more probable class, is tanh(odds / 2).
      const tint = size > 8 ? 60 : 16 + 44 * Math.tanh(size / 2);
      pixels[at] = isLine ? (255 << 24) | ink : (tint << 24) | (odds > 0 ? first : second);
    }
  }
  context.putImageData(image, 0, 0);
}

/** Points over the regions, where there is no room for marks. */
function dotRegions(canvas, points) {
  const context = canvas.getContext("2d");
  const density = Math.min(devicePixelRatio, 2);
  for (const [px, py, c] of points) {
    context.fillStyle = `#${value(`--c${c}`)}`;
    context.beginPath();
    context.arc(px * density, py * density, 2.5 * density, 0, 2 * Math.PI);
    context.fill();
  }
}

/** A color of the style sheet, in hexadecimal digits. */
const value = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1);

/** A color as a pixel has it, blue before red. */
const color = (name) => parseInt(value(name).match(/../g).reverse().join(""), 16);
