"""A column of vectors, such as embeddings: a Gaussian per class, with one covariance for all.

Entries are counted as whole multiples of a step. The step, and the variance that the covariance is
drawn to, are settled by a sample before the first row is counted, so that sums are exact and a row
can be left out in closed form.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import RowLabels
from likely.data.labels import Labels
from likely.data.table import Table
from likely.data.vectors import LONGEST, VectorRows
from likely.errors import DataError, ModelError, OptionError, SingularError
from likely.likelihoods.base import (
    Columns,
    Judge,
    Likelihood,
    LinearPart,
    Scores,
    amount,
    arguments,
    best_by,
    not_linear,
)
from likely.likelihoods.contribution import Contribution
from likely.numbers import is_number
from likely.tally import Arrays, Classes

# The largest entry of the sample is between 2¹² and 2¹³ steps. The kernel clips entries at `_MOST`.
_BITS = 13
_MOST = 32_767

# The equivalent sample size where tuning chooses none, and those that it chooses from, each times
# the length of a vector.
_M = 4.0
_MS = (4.0, 1.0, 16.0)

# Steps of numbers that fit a float, and of their squares.
_STEPS = 2.0**-200, 2.0**200
_VARIANCES = 1e-100, 1e100


@dataclass(frozen=True, eq=False)
class VectorWeights:
    """The estimates, and how many rows they are from."""

    column: str
    kernel: _kernel.VectorWeights
    rows: NDArray[np.float64]


class Vectors(Likelihood[VectorRows, _kernel.VectorSums, VectorWeights]):
    """A Gaussian per class over the vectors of one column, with a covariance that all share (LDA).

        log P(x | c) = − ½ [ log |2πΣ| + (x − μ_c)ᵀ Σ⁻¹ (x − μ_c) ]
        Σ = (S + m·τ²·I) / (n − K + m)

    S is the scatter within the K classes of n rows. It is drawn to independent entries of variance
    τ² by `m` virtual rows; tuning chooses `m` if it is not given, and without tuning it is four
    times the length. `length`, `step` (entries are rounded to multiples of it, a power of two, and
    clipped beyond 32,767 of them) and `variance` (τ²) are taken from a sample of the rows if they
    are not given. No class is ruled out by its vector alone: to P(x | c) is added 1/n of the mean
    over the classes. A missing vector is left out.
    """

    name = "vectors"

    def __init__(
        self,
        m: float | None = None,
        *,
        length: int | None = None,
        step: float | None = None,
        variance: float | None = None,
    ):
        self.m = None if m is None else amount("m", m)
        if self.m == 0:
            raise OptionError("`m` is a number above 0, since a covariance may be singular")
        whole = isinstance(length, (int, np.integer)) and not isinstance(length, bool)
        if length is not None and not (whole and 2 <= length <= LONGEST):
            raise OptionError(f"`length` is a number from 2 to {LONGEST:,}, not {length!r}")
        self.length = None if length is None else int(length)
        self.step = _positive("step", step, *_STEPS)
        if self.step is not None and np.frexp(self.step)[0] != 0.5:
            raise OptionError(f"`step` is a power of two, not {step!r}")
        self.variance = _positive("variance", variance, *_VARIANCES)

    # Sums of products are those of all rows, not of each label.
    compares_rows = False

    @property
    def is_naive(self) -> bool:
        return False

    @property
    def is_joint(self) -> bool:
        return False

    # Counting

    @property
    def is_settled(self) -> bool:
        return None not in (self.length, self.step, self.variance)

    def settled(self, sample: Table, columns: Columns) -> "Vectors":
        """The same for vectors like those of a sample, whatever the order of its rows."""
        rows = self.read(sample, columns)
        there = rows.values[~np.isnan(rows.values).any(axis=1)].astype(np.float64)
        if not there.size:
            raise DataError(f"no row of `{columns[0]}` has a vector")
        largest = float(np.abs(there).max())
        step = self.step or float(2.0 ** (int(np.frexp(largest)[1]) - _BITS))
        multiples = np.clip(np.rint(there / step), -_MOST, _MOST).astype(np.int64)
        # Whole numbers, so that the order of the rows does not show.
        n, squares, sums = len(there), int((multiples**2).sum()), multiples.sum(axis=0).tolist()
        spread = (n * squares - sum(each**2 for each in sums)) / (n**2 * rows.length)
        variance = self.variance or float(f"{spread * step**2 or largest**2 or 1.0:.3g}")
        return Vectors(self.m, length=rows.length, step=step, variance=variance)

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "kind": "vectors",
            "length": self.length,
            "step": self.step,
            "variance": self.variance,
        }

    @property
    def _grid(self) -> tuple[int, float, float]:
        """Length, step and variance, once they are settled."""
        assert self.length is not None
        assert self.step is not None
        assert self.variance is not None
        return self.length, self.step, self.variance

    def read(self, table: Table, columns: Columns) -> VectorRows:
        if len(columns) != 1:
            raise OptionError(
                f"Vectors reads one column of vectors, but there are {len(columns):,} columns\n"
                'hint: a matrix `x` with a row per vector is a column of `{"embedding": x}`'
            )
        return table.vectors(columns[0], self.length)

    def zero(self, columns: Columns, classes: int) -> _kernel.VectorSums:
        return _kernel.VectorSums.zero(self._grid[0], classes)

    def observe(self, part: VectorRows, labels: RowLabels, threads: int) -> _kernel.VectorSums:
        # Multi-label rows have texts only, and soft assignments need a probability of rows.
        assert isinstance(labels, Labels)
        _, step, _ = self._grid
        n_slots = len(labels.values)
        return _kernel.VectorSums.observe(step, part.values, labels.slots, n_slots, threads)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> _kernel.VectorSums:
        return _kernel.VectorSums.from_arrays(self._grid[0], rows, arrays)

    # Estimating and scoring

    @property
    def _view(self) -> tuple[float, tuple[float, float]]:
        length, step, variance = self._grid
        return step, (_M * length if self.m is None else self.m, variance)

    def estimate(
        self, statistic: _kernel.VectorSums, classes: Classes, columns: Columns
    ) -> VectorWeights:
        try:
            found = statistic.estimate(*self._view, classes.slots)
        except SingularError:
            raise self._singular(columns) from None
        return VectorWeights(columns[0], found, classes.weights)

    def _singular(self, columns: Columns) -> SingularError:
        return SingularError(
            f"the covariance of `{columns[0]}` is singular with so few virtual rows\n"
            f"hint: `m={self._grid[0]}`, the length of the vectors, is enough"
        )

    def score(self, weights: VectorWeights, part: VectorRows, threads: int) -> Scores:
        return _kernel.doubted(weights.kernel.score(part.values, threads), weights.rows)

    def leave_one_out(
        self,
        statistic: _kernel.VectorSums,
        classes: Classes,
        columns: Columns,
        part: VectorRows,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        try:
            scores = statistic.leave_one_out(
                *self._view, classes.slots, part.values, truth, threads
            )
        except SingularError:
            raise self._singular(columns) from None
        return _kernel.doubted(scores, classes.weights, truth)

    def chosen(
        self,
        statistic: _kernel.VectorSums,
        classes: Classes,
        columns: Columns,
        part: VectorRows,
        truth: NDArray[np.uint32],
        judge: Judge,
        threads: int,
        **beside: Any,
    ) -> "Vectors":
        if self.m is not None:
            return self
        candidates = [self._with(times * self._grid[0]) for times in _MS]
        given = (statistic, classes, columns, part, truth, threads)
        return best_by(judge, candidates, lambda one: one.leave_one_out(*given))

    @property
    def plain_terms(self) -> tuple[bool, ...]:
        # Embeddings are made to tell things apart, so few rows need not show first that they do.
        return (True,)

    def _with(self, m: float | None) -> "Vectors":
        return Vectors(m, length=self.length, step=self.step, variance=self.variance)

    def tuned_to_json(self) -> dict[str, Any]:
        return {"m": self.m}

    def tuned_from_json(self, stored: dict[str, Any], columns: Columns) -> "Vectors":
        return self._with(stored["m"])

    def contributions(self, weights: VectorWeights, part: VectorRows) -> list[Contribution]:
        if np.isnan(part.values[0]).any():
            return []
        (scores,) = self.score(weights, part, 1)
        name = f"{weights.column} ({part.length:,} numbers)"
        return [Contribution(name, "vector", 1, scores, (weights.column,))]

    def parameters(self, statistic: _kernel.VectorSums, n_classes: int) -> tuple[int, int]:
        length = self._grid[0]
        total = length * n_classes + length * (length + 1) // 2
        return total, total

    def linear(
        self, statistic: _kernel.VectorSums, classes: Classes, columns: Columns
    ) -> LinearPart[VectorRows]:
        raise not_linear(
            f"`{self!r}` is not linear: log-odds are bounded, however far from a class a vector is"
        )

    # Inspection

    def check(self, statistic: _kernel.VectorSums, classes: Classes, columns: Columns) -> None:
        self.estimate(statistic, classes, columns)

    def notes(self, weights: VectorWeights, classes: Classes, columns: Columns) -> list[str]:
        there = int(weights.kernel.counts.sum())
        if there >= (rows := weights.rows.sum()):
            return []
        return [f"{there:,} of {rows:,.0f} rows have a vector in `{columns[0]}`"]

    # Storage and repr

    @property
    def settings(self) -> dict[str, Any]:
        return {"likelihood": self.name, "m": self.m}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            grid = {name: schema[name] for name in ("length", "step", "variance")}
            return cls(settings["m"], **grid)
        except (KeyError, TypeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        shown = arguments(
            ("m", self.m, None),
            ("length", self.length, None),
            ("step", self.step, None),
            ("variance", self.variance, None),
        )
        return f"Vectors({shown})"


def _positive(name: str, given: Any, least: float, most: float) -> float | None:
    if given is None:
        return None
    if not is_number(given) or not least <= given <= most:
        raise OptionError(f"`{name}` is a number from {least:.3g} to {most:.3g}, not {given!r}")
    return float(given)
