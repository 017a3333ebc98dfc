"""Means over draws, and how they are printed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import t

from benchmarks.table import Cell
from likely.evaluation.intervals import Figure


def mean(values: Sequence[float] | Any) -> Figure:
    """The mean of some draws with its 95 % interval, by Student's t."""
    middle, n = float(np.mean(values)), len(values)
    half = float(t.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return Figure(middle, middle - half, middle + half)


def negated(figure: Figure) -> Figure:
    """The same with the opposite sign."""
    return Figure(-float(figure), -figure.high, -figure.low)


def percent(figure: Figure) -> Cell:
    """A share, with half the width of its interval: 81.2 ± 0.4."""
    return half_width(figure, 1, 100)


def half_width(figure: Figure, digits: int, scale: float = 1) -> Cell:
    half = scale * (figure.high - figure.low) / 2
    return Cell(ends(figure), f"{scale * figure:.{digits}f} ± {half:.{digits}f}")


def points(figure: Figure) -> Cell:
    """A difference of shares, with the ends of its interval: +1.2 [+0.8, +1.6]."""
    shown = (f"{100 * end:+.1f}" for end in ends(figure))
    return Cell(ends(figure), "{} [{}, {}]".format(*shown))


def ends(figure: Figure) -> tuple[float, float, float]:
    """The figure and both ends of its interval."""
    return float(figure), figure.low, figure.high
