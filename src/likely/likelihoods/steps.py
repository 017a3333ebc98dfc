"""What the values of one column say, and the steps of a numeric column.

The values of a column have log-likelihoods in each class. Of a numeric column there may be
thousands: neighbours that say nearly the same are one step, known by its first and last value.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A column has at most so many steps.
MOST_STEPS = 30

# Neighbours whose log-odds differ by less say the same.
ALIKE = 0.1

# A step has at least so many rows, and at least this share of all.
_FEWEST_ROWS, _LEAST_SHARE = 5, 0.001

# What a class has less of than e⁻³⁰ times another, it has nothing of.
_NOTHING = -30.0

# Numbers below the first are spelled out; above it, in the largest unit that leaves a digit.
_SPELLED_OUT = 10_000
_UNITS = ((1e3, "k"), (1e6, "M"), (1e9, "B"), (1e12, "T"))
_MOST_DIGITS = 17


@dataclass(frozen=True, eq=False)
class ValueScores:
    """What the values of a column say: of each, its log-likelihood in every class, and its rows."""

    scores: Array
    """A row per value and a column per class; multiplied by `weight`."""
    rows: Array
    """How many rows of each class have the value; under a Gaussian, how many are expected to."""
    categories: tuple[str, ...] = ()
    """The values of a categorical column."""
    ranges: Array | None = None
    """The values of a numeric column, in order: where each begins and ends."""
    missing: tuple[Array, Array] | None = None
    """The scores and the rows of missing cells, if these are a value."""
    virtual: Array | None = None
    """How many virtual rows of each class smoothing adds to the value,"""
    m: float = 0.0
    """and to all values together."""
    variances: Array | None = None
    """The sampling variances of the log-likelihoods, if they are not those of counts."""
    weight: float = 1.0
    beside: tuple[str, ...] = ()
    """The views that read the column together with others: they say more than is told here."""


def log_odds(scores: Array) -> Array:
    """Scores against the mean of the classes; what a class has nothing of is bounded."""
    if not scores.size:
        return scores
    with np.errstate(invalid="ignore"):
        below = scores - scores.max(axis=1, keepdims=True)
    bounded = np.nan_to_num(np.maximum(below, _NOTHING))
    return np.asarray(bounded - bounded.mean(axis=1, keepdims=True))


def step_starts(said: Array, rows: Array, most: int = MOST_STEPS) -> NDArray[np.intp]:
    """Where the steps of values in order begin, given what each says and how many rows it has.

    Neighbours are merged, those that lose least first (Ward's criterion, the squared error over the
    rows), while they say the same, or a step has too few rows, or there are too many steps.
    """
    starts = np.arange(len(rows))
    rows, fewest = np.maximum(rows, 1e-9), max(_FEWEST_ROWS, _LEAST_SHARE * rows.sum())
    while len(starts) > 1:
        apart = said[1:] - said[:-1]
        loss = rows[1:] * rows[:-1] / (rows[1:] + rows[:-1]) * (apart**2).sum(axis=1)
        few = np.minimum(rows[1:], rows[:-1]) < fewest
        is_due = (np.abs(apart).max(axis=1) < ALIKE) | few
        if not is_due.any():
            too_many = len(starts) - most
            if too_many <= 0:
                break
            is_due = loss <= np.partition(loss, too_many - 1)[too_many - 1]
        # Pairs that lose less than the pairs beside them are merged at once; no two share a value.
        loss = np.where(is_due, loss, np.inf)
        beside = np.concatenate([[np.inf], loss, [np.inf]])
        gone = np.flatnonzero(is_due & (loss < beside[:-2]) & (loss <= beside[2:]))
        kept = np.delete(np.arange(len(starts)), gone + 1)
        total = np.add.reduceat(rows, kept)
        said = np.add.reduceat(said * rows[:, None], kept) / total[:, None]
        starts, rows = starts[kept], total
    return starts


def round_edges(low: float, high: float, most: int) -> Array:
    """The edges of equal steps from `low` to `high`, at round numbers; at most about so many.

    >>> round_edges(0.7, 9.2, 5).tolist(), round_edges(3.0, 3.0, 5).tolist()
    ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [3.0, 3.0])
    """
    rough = (high - low) / most
    if not rough > 0:
        return np.array([low, high])
    magnitude = 10.0 ** np.floor(np.log10(rough))
    step = next(n * magnitude for n in (1, 2, 5, 10) if n * magnitude >= rough * (1 - 1e-9))
    return np.asarray(np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step)


def spelled_range(first: float, last: float) -> str:
    """A range of numbers, its ends rounded by no more than half of its width.

    >>> spelled_range(37, 43), spelled_range(77520, 77580), spelled_range(1.5, 1.5)
    ('37–43', '77.5k–77.6k', '1.5')
    >>> spelled_range(-3, 0.25), spelled_range(77516, 77516), spelled_range(114, 99999)
    ('−3 to 0.25', '77,516', '114–100k')
    """
    if first != last:
        for digits in range(3, _MOST_DIGITS):
            low, high = spelled_number(first, digits), spelled_number(last, digits)
            rounding = max(_rounding(first, digits), _rounding(last, digits))
            if low != high and rounding <= last / 2 - first / 2:
                return f"{low} to {high}" if first < 0 else f"{low}–{high}"
    if _SPELLED_OUT <= abs(first) < 100 * _SPELLED_OUT:
        return f"{first:,.0f}".replace("-", "−")
    return spelled_number(first, 5)


def _rounding(value: float, digits: int) -> float:
    return abs(float(f"{value:.{_digits(value, digits)}g}") - value)


def _digits(value: float, digits: int) -> int:
    return max(digits, 4) if abs(value) < _SPELLED_OUT else digits


def spelled_number(value: float, digits: int = 3) -> str:
    """A number with so many digits, and in units if it is large; a small one has at least four.

    >>> spelled_number(0.1234567), spelled_number(1984), spelled_number(12345), spelled_number(2e6)
    ('0.1235', '1984', '12.3k', '2M')
    """
    if abs(value) < _SPELLED_OUT:
        return f"{value:.{_digits(value, digits)}g}".replace("-", "−")
    for unit, sign in _UNITS:
        shown = f"{value / unit:.{digits}g}"
        if abs(float(shown)) < 1000:
            return f"{shown}{sign}".replace("-", "−")
    return f"{value:.{digits}g}".replace("-", "−")
