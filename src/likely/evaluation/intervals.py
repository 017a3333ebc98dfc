"""A figure and how far it can be trusted: percentiles of the bootstrap."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from likely.errors import OptionError
from likely.evaluation.counts import Array


class Figure(float):
    """A number that knows its interval.

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
