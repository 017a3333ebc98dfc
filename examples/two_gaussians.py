"""EM finds the means of a mixture of two Gaussians with known variance.

It computes the responsibilities of both for every point, takes the weighted means, and repeats.
`python examples/two_gaussians.py > two_gaussians.svg` draws every step.
"""

import numpy as np

from likely import Gaussian, Mixture

WIDTH, HEIGHT, MARGIN = 640, 300, 40
LOW, HIGH = -5.0, 9.0
COLOURS = ("#0072b2", "#d55e00")


def points():
    """Sixty points around 0, forty around 4, all with a standard deviation of 1."""
    random = np.random.default_rng(11)
    return np.concatenate([random.normal(0, 1, 60), random.normal(4, 1, 40)])[:, None]


def steps():
    """The two means after each step, from a guess that barely tells the points apart."""
    x = points()
    right = np.where(x[:, 0] > 4.5, 0.6, 0.5)
    known = Mixture(Gaussian(deviation=1.0), 2, prior={0: 0.6, 1: 0.4}, tolerance=1e-9, trace=True)
    found = known.fit(x, start=np.column_stack([1 - right, right]))
    return [step.means["x0"].tolist() for step in found.trace.steps]


def place(value):
    return MARGIN + (value - LOW) / (HIGH - LOW) * (WIDTH - 2 * MARGIN)


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
            f'<text x="{place(tick):.1f}" y="{line + 18}" text-anchor="middle">{tick}</text>'
        )
    for (x,) in points():
        drawn.append(f'<path d="M{place(x):.1f},{line}v-10" stroke="#222" stroke-opacity=".5"/>')
    last = path[-1]
    for share, mean, colour in zip((0.6, 0.4), last, COLOURS, strict=True):
        grid = np.linspace(LOW, HIGH, 141)
        density = share * np.exp(-0.5 * (grid - mean) ** 2) / np.sqrt(2 * np.pi)
        curve = "L".join(
            f"{place(x):.1f},{line - 620 * y:.1f}" for x, y in zip(grid, density, strict=True)
        )
        drawn.append(f'<path d="M{curve}" fill="none" stroke="{colour}" stroke-width="2"/>')
    # The steps run down from the top, each a row of two dots.
    down = np.linspace(30, 100, len(path))
    for group, colour in enumerate(COLOURS):
        trail = "L".join(
            f"{place(means[group]):.1f},{y:.1f}" for means, y in zip(path, down, strict=True)
        )
        drawn.append(f'<path d="M{trail}" fill="none" stroke="{colour}" stroke-opacity=".6"/>')
        for means, y in zip(path, down, strict=True):
            drawn.append(
                f'<circle cx="{place(means[group]):.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'
            )
    said = f"{len(path) - 1} steps: means {path[0][0]:.2f} and {path[0][1]:.2f} become "
    said += f"{last[0]:.2f} and {last[1]:.2f}"
    drawn.append(f'<text x="{MARGIN}" y="18" fill="#222">{said}</text></svg>')
    return "\n".join(drawn)


if __name__ == "__main__":
    print(picture())
