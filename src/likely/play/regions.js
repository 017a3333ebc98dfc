// The regions of two Gaussian classes, and the boundary between them, painted pixel by pixel.

/** log P(1st, x) − log P(2nd, x) as A·u² + B·u·v + C·v² + D·u + E·v + F, u and v from a center. */
function logOdds(classes, sigmas, [x0, y0]) {
  const total = classes.reduce((sum, one) => sum + one.n, 0);
  const terms = classes.map((one, i) => {
    const [a, b, d] = sigmas[i].map(Number);
    const det = +determinant(sigmas[i]);
    const [p, q] = [one.mean[0] - x0, one.mean[1] - y0];
    return [
      -d / (2 * det),
      b / det,
      -a / (2 * det),
      (d * p - b * q) / det,
      (a * q - b * p) / det,
      Math.log(one.n / total) - 0.5 * (Math.log(det) + (d * p * p - 2 * b * p * q + a * q * q) / det),
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
  const [first, second, ink] = ["--c0", "--c1", "--ink"].map(color);
  const [dx, dy] = [x.back(1 / density) - x.back(0), y.back(1 / density) - y.back(0)];
  for (let row = 0, at = 0; row < rows; row += 1) {
    const v = y.back((row + 0.5) / density) - y0;
    for (let column = 0; column < columns; column += 1, at += 4) {
      const u = x.back((column + 0.5) / density) - x0;
      const odds = A * u * u + B * u * v + C * v * v + D * u + E * v + F;
      const slope = Math.hypot((2 * A * u + B * v + D) * dx, (B * u + 2 * C * v + E) * dy);
      const isLine = Math.abs(odds) < slope * density;
      const side = isLine ? ink : odds > 0 ? first : second;
      image.data.set(side, at);
      // 2·P − 1, the lead of the more probable class, is tanh(odds / 2).
      image.data[at + 3] = isLine ? 255 : 16 + 44 * Math.tanh(Math.abs(odds) / 2);
    }
  }
  context.putImageData(image, 0, 0);
}

/** Points over the regions, where there is no room for marks. */
function dotRegions(canvas, points) {
  const context = canvas.getContext("2d");
  const density = Math.min(devicePixelRatio, 2);
  for (const [px, py, c] of points) {
    context.fillStyle = `rgb(${color(`--c${c}`).join()})`;
    context.beginPath();
    context.arc(px * density, py * density, 2.5 * density, 0, 2 * Math.PI);
    context.fill();
  }
}

/** A color of the style sheet, as three numbers. */
function color(name) {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(value.slice(i, i + 2), 16));
}
