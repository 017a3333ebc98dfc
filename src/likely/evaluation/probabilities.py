"""Figures that are made of probabilities.

log-loss = mean of −log max(p(truth), 2.2·10⁻¹⁶)     Brier = mean of Σ_c (p_c − [c is true])²

Of two classes both terms of the Brier score are equal, and one is counted, as is the custom; so it
lies between 0 and 1, and that of more classes between 0 and 2.

The expected calibration error (ECE) sorts the rows into 15 bins by the probability of the
prediction, and takes the mean distance, over the rows, between a bin's average probability and its
share of right answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.label_sets import Codes
from likely.data.labels import Label
from likely.errors import DataError, DataTypeError
from likely.evaluation.counts import Array, numbers_of_rows

BINS = 15

# A smaller probability of what is true counts as this one, so that the log-loss stays finite.
SMALLEST = float(np.finfo(np.float64).eps)

# Probabilities in single precision may miss 1 by so much.
_NEAR = 1e-5


@dataclass(frozen=True)
class Bin:
    """Rows that were answered with about the same probability."""

    low: float
    high: float
    rows: float
    confidence: float
    """The mean probability of the predictions,"""
    accuracy: float
    """and their accuracy."""


@dataclass(frozen=True, eq=False)
class PredictedProbabilities:
    """Rows with their predicted probabilities, by bin, whatever the order of the input."""

    probabilities: Array
    truth: Codes
    said: Codes
    weights: Array

    @classmethod
    def of(
        cls, probabilities: Array, truth: Codes, said: Codes, weights: Array
    ) -> "PredictedProbabilities":
        confidence = probabilities[np.arange(len(said)), said]
        by_hash = _hashes(probabilities, truth, said, weights)
        order = np.lexsort((by_hash, _bins(confidence)))
        return cls(probabilities[order], truth[order], said[order], weights[order])

    def confidence(self) -> Array:
        """The probability of each prediction."""
        return self._of(self.said)

    def losses(self) -> dict[str, Array]:
        """What each row adds to the figures that are means over the rows."""
        given = self._of(self.truth)
        squares = (self.probabilities**2).sum(axis=1) - 2 * given + 1
        # Of two classes one is as wrong as the other, and by custom only one is counted.
        if self.probabilities.shape[1] == 2:
            squares = (1 - given) ** 2
        return {"log_loss": -np.log(np.maximum(given, SMALLEST)), "brier": squares}

    def clipped(self) -> int:
        """In how many rows the probability of the truth was clipped for the log-loss."""
        return int(np.count_nonzero(self._of(self.truth) < SMALLEST))

    def unlikely(self) -> int:
        """In how many rows another class was more probable than the prediction."""
        return int(np.count_nonzero(self.confidence() < self.probabilities.max(axis=1)))

    def reliability(self) -> tuple[Bin, ...]:
        """How often the rows of each bin were right; bins without rows are left out."""
        bins, right = _bins(self.confidence()), self.said == self.truth
        rows, confidence, hits = (
            np.bincount(bins, weights=self.weights * values, minlength=BINS)
            for values in (1.0, self.confidence(), right)
        )
        sizes = numbers_of_rows(rows)
        return tuple(
            Bin(
                place / BINS,
                (place + 1) / BINS,
                sizes[place],
                float(confidence[place] / rows[place]),
                float(hits[place] / rows[place]),
            )
            for place in np.flatnonzero(rows).tolist()
        )

    def gaps(self) -> tuple[Array, Codes]:
        """The difference between confidence and correctness of each row, and where bins begin."""
        starts = np.unique(_bins(self.confidence()), return_index=True)[1]
        return self.confidence() - (self.said == self.truth), starts

    def _of(self, classes: Codes) -> Array:
        return self.probabilities[np.arange(len(classes)), classes]


def checked(proba: Any, n_rows: int, classes: Sequence[Label], sum_to_one: bool) -> Array:
    """Probabilities, or scores, with a row per row and a column per class."""
    what = "probabilities" if sum_to_one else "scores"
    try:
        found = np.asarray(proba, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataTypeError(f"the {what} are no matrix of numbers") from None
    if found.ndim != 2:
        raise DataError(
            f"the {what} have a row per row and a column per class, not the shape {found.shape}"
        )
    if len(found) != n_rows:
        raise DataError(f"there are {n_rows:,} rows but {len(found):,} of {what}")
    if found.shape[1] != len(classes):
        raise DataError(
            f"the {what} have {found.shape[1]:,} columns, but there are {len(classes):,} classes\n"
            "hint: `classes=model.classes` says what the columns are"
        )
    _refuse(np.isnan(found), f"row {{row}} of the {what} has NaN", found)
    if sum_to_one:
        outside = (found < 0) | (found > 1)
        _refuse(outside, "row {row} of the probabilities has {value}, not between 0 and 1", found)
        sums = found.sum(axis=1, keepdims=True)
        _refuse(
            abs(sums - 1) > _NEAR, "row {row} of the probabilities sums to {value}, not 1", sums
        )
    return found


def _refuse(wrong: NDArray[np.bool_], message: str, cells: Array) -> None:
    if wrong.any():
        row, column = map(int, np.argwhere(wrong)[0])
        raise DataError(message.format(row=row + 1, value=f"{cells[row, column]:g}"))


def _bins(confidence: Array) -> Codes:
    return np.minimum((confidence * BINS).astype(np.intp), BINS - 1)


def _hashes(probabilities: Array, *columns: NDArray[Any]) -> NDArray[np.uint64]:
    """A hash of each row; sorting by it makes the result independent of the order of rows."""
    cells = np.column_stack([probabilities, *columns]) + 0.0
    mixed = cells.view(np.uint64)
    mixed ^= mixed >> np.uint64(29)
    factors = np.random.default_rng(0).integers(0, 2**64, cells.shape[1], dtype=np.uint64)
    hashes: NDArray[np.uint64] = (mixed * (factors | np.uint64(1))).sum(axis=1)
    return hashes
