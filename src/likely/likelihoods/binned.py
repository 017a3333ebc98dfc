"""Numbers in bins: the number line is halved, and each half again, and so on.

The bins are fixed before any row is seen: a number is rounded to some significant bits, and its
bits, from the first on, say left or right. What is counted is how many rows of each class have each
rounded number, so counts add and subtract exactly, and no cut has to be chosen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import RowLabels
from likely.data.table import Numbers, Table
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import (
    AnyLikelihood,
    Columns,
    Draw,
    Judge,
    Likelihood,
    Scores,
    TopFeature,
    amount,
    arguments,
    best_by,
)
from likely.likelihoods.categorical import (
    CategoryCounts,
    Missing,
    checked_missing,
    counts_of,
    informative,
    presence,
    said_by_presence,
    with_gaps,
)
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.gaussian import Gaussian
from likely.likelihoods.linear_inputs import NumberInput, Spread
from likely.likelihoods.steps import ALIKE, ValueScores, log_odds, spelled_range, step_starts
from likely.tally import Arrays, Classes

Array = NDArray[np.float64]

BITS = 16
_MANTISSA = 52
_SIGN = np.uint64(1 << 63)

# The equivalent sample size where tuning chooses none, and those that it chooses from.
_M = 8.0
_MS = (8.0, 2.0, 32.0, 128.0)

# So many steps of a column, at most, are ranked among the most informative features.
_RANKED = 6

# So many quantiles of a column should be told apart.
_QUANTILES = 256

_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
_NIBBLES = np.arange(60, -1, -4, dtype=np.uint64)


def rounded(values: Array, bits: int) -> NDArray[np.uint64]:
    """The cell of each value on a grid of so many significant bits, in the order of the values."""
    shift = np.uint64(_MANTISSA - bits)
    half = np.uint64(0) if bits == _MANTISSA else np.uint64(1) << (shift - np.uint64(1))
    keys = np.ascontiguousarray(values + 0.0).view(np.uint64)
    keys = np.where(keys >> np.uint64(63) > 0, ~keys, keys | _SIGN)
    return (keys + half) >> shift


def _spelled(values: Array, bits: int) -> _kernel.Texts:
    """Each cell as sixteen digits, which sort as the values do; a missing value is empty."""
    is_there = ~np.isnan(values)
    digits = (rounded(values[is_there], bits)[:, None] >> _NIBBLES) & np.uint64(15)
    offsets = np.concatenate([[0], np.cumsum(16 * is_there, dtype=np.int64)])
    return _kernel.Texts.from_arrow(_HEX[digits.astype(np.intp)].ravel(), offsets)


def enough_bits(values: Array) -> int:
    """So many significant bits that quantiles of each column are in cells of their own.

    Years need few, seconds since 1970 within one day need many.
    """
    quantiles = []
    for column in values.T:
        there = np.sort(column[~np.isnan(column)])
        places = np.linspace(0, len(there) - 1, min(len(there), _QUANTILES)).astype(np.intp)
        quantiles.append(np.unique(there[places] + 0.0))

    def tells_apart(bits: int) -> bool:
        return all((np.diff(rounded(q, bits).view(np.int64)) != 0).all() for q in quantiles)

    return next((bits for bits in range(BITS, _MANTISSA) if tells_apart(bits)), _MANTISSA)


@dataclass(frozen=True, eq=False)
class Column:
    """The rows of one column: how many each class has in each cell, in order, and without any."""

    bins: _kernel.Bins
    counts: Array
    rows: Array
    """How many rows each class has, missing values too."""

    @classmethod
    def of(cls, counted: _kernel.TextCounts, classes: Classes, bits: int) -> "Column":
        counts = counts_of(counted, classes)
        return cls(_kernel.Bins(counted.codes().names, bits, counts), counts, classes.weights)

    @cached_property
    def values(self) -> Array:
        return self.bins.values

    @property
    def has_gaps(self) -> bool:
        """Whether some rows have no number."""
        return bool(self.counts.sum() < self.rows.sum())

    def presence(self, m: float, own: Any = None) -> tuple[Array, Array]:
        """log P(a number is there | class), and that it is missing."""
        return presence(self.counts.sum(axis=0), self.rows, m, own)


@dataclass(frozen=True, eq=False)
class BinnedEstimates:
    """P(number | class) of each column: the numbers, and a row of probabilities for each."""

    values: dict[str, Array]
    probabilities: dict[str, Array]


@dataclass(frozen=True, eq=False)
class BinnedWeights:
    """Of each column, the cells, log P(cell | class), and of being there."""

    columns: Columns
    bins: tuple[Column, ...]
    tables: tuple[_kernel.BinWeights, ...]
    presence: tuple[tuple[Array, Array], ...]

    def of_column(self, place: int) -> "BinnedWeights":
        """Those of one column."""
        here = slice(place, place + 1)
        return BinnedWeights(
            self.columns[here], self.bins[here], self.tables[here], self.presence[here]
        )


class Binned(Likelihood[Numbers, CategoryCounts, BinnedWeights]):
    """Each class has a share of each half of the number line, of each half of that, and so on.

        P(x | c) = Π (n_c(half) + m·p) / (n_c(node) + m)        p = n(half) / n(node)

    The product is over the halvings on the way to x, a Pólya tree: each share is an m-estimate that
    is drawn to the share of all classes, so that a class without rows there says nothing. Numbers
    are rounded to `bits` significant bits. `missing="value"` takes a missing number for one more
    value; by default it is left out.
    """

    name = "binned"
    reads_numbers = True

    def __init__(self, m: float | None = None, *, bits: int = BITS, missing: Missing | None = None):
        if isinstance(bits, bool) or not isinstance(bits, (int, np.integer)) or not 1 <= bits <= 52:
            raise OptionError(f"`bits` is a number from 1 to 52, not {bits!r}")
        self.m = None if m is None else amount("m", m)
        self.bits = int(bits)
        self.missing = checked_missing(missing)

    @property
    def _m(self) -> float:
        return _M if self.m is None else self.m

    def generative(self) -> AnyLikelihood:
        return Gaussian()

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        return {"kind": "bins", "bits": self.bits}

    def read(self, table: Table, columns: Columns) -> Numbers:
        return table.numbers(columns)

    def zero(self, columns: Columns, classes: int) -> CategoryCounts:
        return CategoryCounts.zero(len(columns), classes)

    def observe(self, part: Numbers, labels: RowLabels, threads: int) -> CategoryCounts:
        cells = tuple(_spelled(column, self.bits) for column in part.values.T)
        return CategoryCounts.observe(cells, labels, threads)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> CategoryCounts:
        found = CategoryCounts.from_arrays(arrays, rows, is_multilabel, len(columns))
        for column in found.columns:
            for name in column.codes().names:
                if len(name) != 16 or set(name) - set("0123456789abcdef"):
                    raise ModelError("a bin of the model is none")
        return found

    # Estimating and scoring

    def _columns(self, statistic: CategoryCounts, classes: Classes) -> Iterator[Column]:
        return (Column.of(column, classes, self.bits) for column in statistic.columns)

    def estimate(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns
    ) -> BinnedWeights:
        bins = tuple(self._columns(statistic, classes))
        tables = tuple(column.bins.estimate(self._m) for column in bins)
        return BinnedWeights(columns, bins, tables, tuple(c.presence(self._m) for c in bins))

    def score(self, weights: BinnedWeights, part: Numbers, threads: int) -> Scores:
        scores = np.zeros((len(part), len(weights.presence[0][0])))
        for values, table, of_cell in zip(
            part.values.T, weights.tables, weights.presence, strict=True
        ):
            scores += table.score(np.ascontiguousarray(values))
            if self.missing == "value":
                scores += said_by_presence(np.isnan(values), of_cell)
        return scores

    def leave_one_out(
        self,
        statistic: CategoryCounts,
        classes: Classes,
        columns: Columns,
        part: Numbers,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        bins = list(self._columns(statistic, classes))
        return self._left_out(bins, part, truth, threads)

    def _left_out(
        self, bins: list[Column], part: Numbers, truth: NDArray[np.uint32], threads: int
    ) -> Scores:
        scores = np.zeros((len(part), len(bins[0].rows)))
        for values, column in zip(part.values.T, bins, strict=True):
            there = np.ascontiguousarray(values)
            scores += column.bins.left_out(self._m, there, truth, threads)
            if self.missing == "value":
                scores += said_by_presence(np.isnan(values), column.presence(self._m, truth))
        return scores

    def chosen(
        self,
        statistic: CategoryCounts,
        classes: Classes,
        columns: Columns,
        part: Numbers,
        truth: NDArray[np.uint32],
        judge: Judge,
        threads: int,
        **beside: Any,
    ) -> "Binned":
        bins = list(self._columns(statistic, classes))
        ms = _MS if self.m is None else (self.m,)
        ways: tuple[Missing, ...] = (self.missing or "skip",)
        if self.missing is None and any(column.has_gaps for column in bins):
            ways = ("skip", "value")
        candidates = [Binned(m, bits=self.bits, missing=way) for way in ways for m in ms]
        return best_by(judge, candidates, lambda one: one._left_out(bins, part, truth, threads))

    def tuned_to_json(self) -> dict[str, Any]:
        return {"m": self.m, "missing": self.missing}

    def tuned_from_json(self, stored: dict[str, Any], columns: Columns) -> "Binned":
        return Binned(stored["m"], bits=self.bits, missing=stored["missing"])

    def linear_inputs(self, columns: Columns) -> list[NumberInput[Numbers, CategoryCounts]]:
        def one(place: int, name: str) -> NumberInput[Numbers, CategoryCounts]:
            def spread(statistic: CategoryCounts, classes: Classes) -> Spread:
                column = Column.of(statistic.columns[place], classes, self.bits)
                return Spread.of_cells(column.values, column.counts.sum(axis=1))

            return NumberInput((name,), lambda part: part.values[:, place], spread, name)

        return [one(place, name) for place, name in enumerate(columns)]

    def contributions(self, weights: BinnedWeights, part: Numbers) -> list[Contribution]:
        found = []
        for place, (name, value) in enumerate(zip(weights.columns, part.values[0], strict=True)):
            (scores,) = self.score(weights.of_column(place), Numbers(np.array([[value]])), 1)
            if not np.isnan(value):
                shown = _range(weights.bins[place], weights.tables[place], float(value))
                found.append(Contribution(f"{name} {shown}", "numeric", 1, scores, (name,)))
            elif self.missing == "value":
                found.append(Contribution(f"{name} missing", "numeric", 1, scores, (name,)))
        return found

    def sample(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        """Numbers drawn from the cells of the training rows, rounded as those are."""
        weights, found = self.estimate(statistic, classes, columns), dict[str, list[Any]]()
        for name, column, table, of_cell in zip(
            columns, weights.bins, weights.tables, weights.presence, strict=True
        ):
            shares = np.exp(table.cells[:, asked.place])
            cells = column.values[asked.of(shares)].tolist() if len(shares) else []
            found[name] = with_gaps(cells, of_cell, self.missing, asked)
        return found

    def parameters(self, statistic: CategoryCounts, n_classes: int) -> tuple[int, int]:
        cells = sum(column.features() for column in statistic.columns)
        return cells * n_classes, (cells - len(statistic.columns)) * n_classes

    def strongest(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        ranked: list[list[TopFeature]] = [[] for _ in classes.labels]
        for name, column in zip(columns, self._columns(statistic, classes), strict=True):
            if not len(column.values):
                continue
            cells = column.bins.estimate(self._m).cells
            starts = step_starts(log_odds(cells), column.counts.sum(axis=1), _RANKED)
            ends = [*(starts[1:] - 1), len(column.values) - 1]
            shown = [
                f"{name} {spelled_range(column.values[first], column.values[last])}"
                for first, last in zip(starts, ends, strict=True)
            ]
            counts = np.add.reduceat(column.counts, starts)
            p = counts.sum(axis=1) / counts.sum()
            for one, more in zip(ranked, informative(shown, counts, self._m, p), strict=True):
                one.extend(more)
        return [sorted(found, key=lambda one: -one.strength)[:n] for found in ranked]

    def estimates(self, weights: BinnedWeights) -> BinnedEstimates:
        tables = zip(weights.columns, weights.bins, weights.tables, strict=True)
        found = {name: (column.values, np.exp(table.cells)) for name, column, table in tables}
        return BinnedEstimates(
            {name: values for name, (values, _) in found.items()},
            {name: probabilities for name, (_, probabilities) in found.items()},
        )

    def value_scores(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, column: str
    ) -> ValueScores:
        own = CategoryCounts((statistic.columns[columns.index(column)],))
        weights = self.estimate(own, classes, (column,))
        values, rows = weights.bins[0].values, weights.bins[0].counts
        *there, gone = self.score(weights, Numbers(np.append(values, np.nan)[:, None]), 1)
        scores = np.array(there).reshape(rows.shape)
        missing = (gone, classes.weights - rows.sum(axis=0)) if self.missing == "value" else None
        virtual = self._m * rows.sum(axis=1) / max(rows.sum(), 1.0)
        return ValueScores(
            scores,
            rows,
            ranges=np.column_stack([values, values]),
            missing=missing,
            virtual=virtual,
            m=self._m,
        )

    # Being stored and shown

    @property
    def settings(self) -> dict[str, Any]:
        return {"likelihood": self.name, "m": self.m, "missing": self.missing}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            return cls(settings["m"], bits=schema["bits"], missing=settings["missing"])
        except (KeyError, TypeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        shown = arguments(
            ("m", self.m, None), ("bits", self.bits, BITS), ("missing", self.missing, None)
        )
        return f"Binned({shown})"


def _range(column: Column, table: _kernel.BinWeights, value: float) -> str:
    """The values around one that say the same."""
    if not len(column.values):
        return spelled_range(value, value)
    (own,), cells = log_odds(table.score(np.array([value]))), log_odds(table.cells)
    at = int(np.searchsorted(column.values, value))
    differ = np.flatnonzero((np.abs(cells - own) > ALIKE).any(axis=1))
    place = int(np.searchsorted(differ, at))
    first = int(differ[place - 1]) + 1 if place else 0
    last = int(differ[place]) - 1 if place < len(differ) else len(cells) - 1
    around = column.values[first : last + 1]
    return spelled_range(min([value, *around[:1]]), max([value, *around[-1:]]))
