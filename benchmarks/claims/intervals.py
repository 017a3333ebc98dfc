"""Means over draws, and how they are printed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import t

from likely.evaluation.intervals import Figure


def mean(values: Sequence[float] | Any) -> Figure:
    """The mean of some draws with its 95 % interval, by Student's t."""
    middle, n = float(np.mean(values)), len(values)
    half = float(t.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return Figure(middle, middle - half, middle + half)


def turned(figure: Figure) -> Figure:
    """The same with the opposite sign."""
    return Figure(-float(figure), -figure.high, -figure.low)


def percent(figure: Figure) -> str:
    """A share, with half the width of its interval: 81.2 ± 0.4."""
    return f"{100 * figure:.1f} ± {50 * (figure.high - figure.low):.1f}"


def points(figure: Figure) -> str:
    """A difference of shares, with the ends of its interval: +1.2 [+0.8, +1.6]."""
    ends = (f"{100 * end:+.1f}" for end in (figure, figure.low, figure.high))
    return "{} [{}, {}]".format(*ends)
