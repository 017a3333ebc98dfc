"""EM finds the means of a mixture of two Gaussians with known variance.

It computes the responsibilities of both for every point, takes the weighted means, and repeats.
`python examples/two_gaussians.py > two-gaussians.svg` draws every step.
"""

import numpy as np

from likely import Gaussian, Mixture, open_table
from likely.examples import path as file

WIDTH, HEIGHT, MARGIN = 640, 320, 40
LOW, HIGH = -5.0, 9.0
COLOURS = ("#0072b2", "#d55e00")


def points():
    """Thirty points around 0 and thirty around 4, with a standard deviation of 1."""
    (table,) = open_table(file("two-gaussians.csv")).batches()
    return table.numbers(["x"]).values


def steps():
    """The two means after each step, from a guess that barely tells the points apart."""
    x = points()
    right = np.where(x[:, 0] > 4.5, 0.6, 0.5)
    known = Mixture(Gaussian(deviation=1.0), 2, prior="uniform", tolerance=1e-9, trace=True)
    found = known.fit(x, start=np.column_stack([1 - right, right]))
    return [step.means["x0"].tolist() for step in found.trace.steps]


def density(x, mean):
    """One of the two Gaussians, times its share."""
    return 0.5 * np.exp(-0.5 * (x - mean) ** 2) / np.sqrt(2 * np.pi)


def place(value):
    return MARGIN + (value - LOW) / (HIGH - LOW) * (WIDTH - 2 * MARGIN)


def blend(share):
    """The colour of a point for which the second Gaussian has this responsibility."""
    first, second = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in COLOURS)
    mixed = np.rint((1 - share) * first + share * second).astype(int)
    return "#" + "".join(f"{part:02x}" for part in mixed)


def minus(text):
    """The text with minus signs instead of hyphens."""
    return str(text).replace("-", "−")


def picture():
    path = steps()
    line = HEIGHT - MARGIN
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<path d="M{MARGIN},{line}H{WIDTH - MARGIN}" stroke="#bbb"/>',
    ]
    for tick in range(-4, 9, 2):
        drawn.append(
            f'<text x="{place(tick):.1f}" y="{line + 28}" text-anchor="middle">{minus(tick)}</text>'
        )
    last = path[-1]
    for (x,) in points():
        first, second = (density(x, mean) for mean in last)
        colour = blend(second / (first + second))
        drawn.append(f'<path d="M{place(x):.1f},{line + 2}v10" stroke="{colour}"/>')
    for mean, colour in zip(last, COLOURS, strict=True):
        grid = np.linspace(LOW, HIGH, 141)
        curve = "L".join(
            f"{place(x):.1f},{line - 620 * y:.1f}"
            for x, y in zip(grid, density(grid, mean), strict=True)
        )
        drawn.append(f'<path d="M{curve}" fill="none" stroke="{colour}" stroke-width="2"/>')
    # The steps run down from the top, each a row of two dots.
    down = np.linspace(42, 130, len(path))
    for name, y in (("start", down[0]), (f"step {len(path) - 1}", down[-1])):
        drawn.append(f'<text x="{MARGIN}" y="{y + 4:.1f}" fill="#555">{name}</text>')
    for group, colour in enumerate(COLOURS):
        trail = "L".join(
            f"{place(means[group]):.1f},{y:.1f}" for means, y in zip(path, down, strict=True)
        )
        drawn.append(f'<path d="M{trail}" fill="none" stroke="{colour}" stroke-opacity=".6"/>')
        for means, y in zip(path, down, strict=True):
            drawn.append(
                f'<circle cx="{place(means[group]):.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'
            )
    said = f"The means {path[0][0]:.2f} and {path[0][1]:.2f} become {last[0]:.2f} and {last[1]:.2f}"
    drawn.append(f'<text x="{MARGIN}" y="20" fill="#222">{minus(said)}</text></svg>')
    return "\n".join(drawn)


if __name__ == "__main__":
    print(picture())
