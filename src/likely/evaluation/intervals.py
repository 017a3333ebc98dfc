"""Figures with confidence intervals.

A share, k of n, has Wilson's interval, which is also sensible for 0 of 4. With z the quantile of
the normal distribution and p = k/n:

    (p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n)

The difference of two independent shares has Newcombe's, and their ratio Donner and Zou's, which
both combine Wilson's. All others have percentiles of the bootstrap.
"""

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from likely.errors import OptionError
from likely.evaluation.counts import Array

# Figures this close are the same, but for rounding.
_NEAR = 1e-12


class Figure(float):
    """A number with a confidence interval.

    >>> accuracy = Figure(0.75, 0.5, 1.0)
    >>> accuracy > 0.7, accuracy.low, accuracy.high
    (True, 0.5, 1.0)
    """

    low: float | None
    high: float | None

    def __new__(cls, value: float, low: float | None = None, high: float | None = None) -> "Figure":
        figure = super().__new__(cls, value)
        figure.low, figure.high = low, high
        return figure

    def __getnewargs__(self) -> tuple[float, float | None, float | None]:  # type: ignore[override]
        return float(self), self.low, self.high

    def __repr__(self) -> str:
        if self.low is None:
            return f"Figure({float(self)!r})"
        return f"Figure({float(self)!r}, {self.low!r}, {self.high!r})"


def figures(values: Array, resampled: list[Array], level: float) -> list[Figure]:
    """Figures with the middle `level` of their resamples, which have a line each, in some chunks.

    A resample in which a figure has no value, NaN, says nothing of it.
    """
    if not resampled:
        return [Figure(float(value)) for value in values]
    # NaN sorts behind all numbers.
    lines = np.sort(np.concatenate(resampled), axis=0)
    known = np.count_nonzero(~np.isnan(lines), axis=0)
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        place = share * np.maximum(known - 1, 0)
        below, above = (
            np.take_along_axis(lines, rounded(place).astype(np.intp)[None], axis=0)[0]
            for rounded in (np.floor, np.ceil)
        )
        ends.append(below + (above - below) * (place % 1))
    return [
        Figure(float(value), float(low), float(high)) if n else Figure(float(value))
        for value, low, high, n in zip(values, *ends, known, strict=True)
    ]


def shares(parts: Array, wholes: Array, level: float) -> list[Figure]:
    """Shares with Wilson's interval; of nothing there is no share, which is spelled NaN.

    >>> [(round(one.low, 3), round(one.high, 3)) for one in shares([0, 3], [4, 4], 0.95)]
    [(0.0, 0.49), (0.301, 0.954)]
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    found = []
    for part, n in zip(np.asarray(parts).tolist(), np.asarray(wholes).tolist(), strict=True):
        if not n:
            found.append(Figure(math.nan))
            continue
        p = part / n
        middle = p + z * z / (2 * n)
        half = z * math.sqrt(max(p * (1 - p), 0.0) / n + (z / (2 * n)) ** 2)
        low, high = ((middle + side) / (1 + z * z / n) for side in (-half, half))
        # Rounding must not leave the figure outside its interval.
        found.append(Figure(p, max(min(low, p), 0.0), min(max(high, p), 1.0)))
    return found


def difference(one: Figure, other: Figure) -> Figure:
    """The difference of two independent figures; its interval combines theirs (Newcombe 1998)."""
    value = float(one - other)
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return Figure(value)
    low = value - math.hypot(one - one.low, other.high - other)
    return Figure(value, low, value + math.hypot(one.high - one, other - other.low))


def quotient(one: Figure, other: Figure) -> Figure:
    """The ratio of two independent shares; its interval combines theirs (Donner and Zou 2012).

    Where the other may be nothing, the ratio has no upper end, and no interval.

    >>> none, half = shares([0, 5], [10, 10], 0.95)
    >>> found = quotient(none, half)
    >>> float(found), found.low, round(found.high, 2)
    (0.0, 0.0, 0.65)
    """
    if not other or math.isnan(one) or math.isnan(other):
        return Figure(math.nan)
    value = one / other
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return Figure(value)
    product = one * other
    below, above = (end * (2 * other - end) for end in (other.high, other.low))
    if below <= 0 or above <= 0:
        return Figure(value)
    low = product - math.sqrt(max(product**2 - one.low * (2 * one - one.low) * below, 0.0))
    high = product + math.sqrt(max(product**2 - one.high * (2 * one - one.high) * above, 0.0))
    return Figure(value, max(min(low / below, value), 0.0), max(high / above, value))


def centred(values: Array, resampled: list[Array]) -> list[Array]:
    """Resamples moved so that their mean is the figure: what they tell is how far it spreads.

    Figures that are not linear in the rows lie too high or too low in resamples, in which rows that
    stand twice agree with each other and rare classes are missing. Resamples without a value, NaN,
    stay so.
    """
    if not resampled:
        return []
    lines = np.concatenate(resampled)
    known = ~np.isnan(lines)
    means = np.where(known, lines, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return [lines - means + values]


def within(figure: Figure, least: float, most: float = 1.0) -> Figure:
    """A figure whose interval holds it and stays in range; one without width is none at all.

    If no resample differs, drawing rows again says nothing of other rows.
    """
    if figure.low is None or figure.high is None or figure.high - figure.low < _NEAR:
        return Figure(figure)
    return Figure(figure, max(min(figure.low, figure), least), min(max(figure.high, figure), most))


def mean_of(spread: Figure, parts: list[Figure]) -> Figure:
    """The mean of some figures, with the wider of two intervals at either end.

    One is that of resamples, `spread`, which hold nothing new of a class of a row or two. The other
    combines the intervals of the parts as if these were independent; a part without one may be
    anything up to 1.
    """
    if spread.low is None or spread.high is None:
        low = high = float(spread)
    else:
        low, high = spread.low, spread.high
    ends = [(one, one, 1.0) if one.low is None else (one, one.low, one.high) for one in parts]
    below = math.hypot(*(value - low for value, low, _ in ends)) / len(ends)
    above = math.hypot(*((high or 0.0) - value for value, _, high in ends)) / len(ends)
    return Figure(spread, max(min(low, spread - below), 0.0), min(max(high, spread + above), 1.0))


def flat(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as plain values, where a figure becomes three: itself, `…_low` and `…_high`."""
    plain: dict[str, Any] = {}
    for name, fact in facts.items():
        plain[name] = float(fact) if isinstance(fact, Figure) else fact
        if isinstance(fact, Figure) and fact.low is not None:
            plain |= {f"{name}_low": fact.low, f"{name}_high": fact.high}
    return plain


def check_resampling(level: float, resamples: int, seed: int) -> None:
    """Refuse options that make no sense."""
    if not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise OptionError(f"`level` lies between 0 and 1, {level!r} does not")
    if not isinstance(resamples, (int, np.integer)) or resamples < 1:
        raise OptionError(f"`resamples` is a whole number from 1 up, not {resamples!r}")
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise OptionError(f"`seed` is a whole number from 0 up, not {seed!r}")
