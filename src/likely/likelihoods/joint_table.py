"""The full table: a probability for every combination of values. No independence is assumed."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import RowLabels
from likely.data.table import Categories, Table
from likely.errors import DataError, ModelError, OptionError
from likely.likelihoods.base import (
    Columns,
    Draw,
    Likelihood,
    LinearPart,
    Scores,
    Unseen,
    amount,
    arguments,
)
from likely.likelihoods.categorical import (
    WHOLE,
    CategoryCounts,
    counts_of,
    m_estimate,
    smoothing_log_prior,
    unseen,
)
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.counted import CountedFactor, exact, m_share
from likely.likelihoods.linear_inputs import CategoryInput
from likely.tally import Arrays, Classes

Array = NDArray[np.float64]

_MOST_CELLS = 1_000_000
# The upper limit of `max_cells`; more would not fit into memory.
_NEVER_MORE = 10_000_000
_MOST_COLUMNS = 32

# The kernel joins the values of a row with this.
_JOINT = "\x1f"


@dataclass(frozen=True, eq=False)
class _Weights:
    columns: Columns
    codes: tuple[_kernel.Codes, ...]
    # Counts and probabilities, with an axis per column and a last one for the classes.
    counts: Array
    theta: Array

    @property
    def cells(self) -> int:
        return math.prod(self.counts.shape[:-1])

    def places(self, part: Categories, threads: int) -> list[NDArray[np.int32]]:
        return [
            codes.of(texts, threads) for codes, texts in zip(self.codes, part.columns, strict=True)
        ]


class JointTable(Likelihood[Categories, CategoryCounts, _Weights]):
    """Each class is one table with a cell for every combination of values.

        P(x₁ … x_n | c) = (n_c,x + m/cells) / (n_c + m)

    Nothing is assumed about the columns, so the table grows as the product of their values: it is
    for a few columns with a few values each, and more than `max_cells` numbers are refused. With
    `alpha` in place of `m`, there are `alpha` virtual examples of each cell. Values that are
    missing or were never seen in training are marginalized; nothing is learned from a row with a
    missing value.
    """

    name = "joint"
    is_naive = False

    def __init__(self, m: float = 1.0, *, alpha: float | None = None, max_cells: int = _MOST_CELLS):
        self.m = amount("m", m)
        self.alpha = None if alpha is None else amount("alpha", alpha)
        if alpha is not None and m != 1.0:
            raise OptionError("`alpha` takes the place of `m`; give one or the other")
        whole = isinstance(max_cells, (int, np.integer)) and not isinstance(max_cells, bool)
        if not whole or not 1 <= max_cells <= _NEVER_MORE:
            raise OptionError(
                f"`max_cells` is a whole number from 1 to {_NEVER_MORE:,}, not {max_cells!r}"
            )
        self.max_cells = int(max_cells)

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        return {"kind": "joint categories"}

    def read(self, table: Table, columns: Columns) -> Categories:
        if len(columns) > _MOST_COLUMNS:
            raise OptionError(
                f"a joint table of {len(columns)} columns is beyond all counting; "
                f"it takes up to {_MOST_COLUMNS}"
            )
        part = table.categories(columns)
        for name, texts in zip(columns, part.columns, strict=True):
            row = texts.first_joint()
            if row is not None:
                raise DataError(
                    f"row {table.number(row)} of `{name}` holds the character U+001F, which joins "
                    "columns here"
                )
        return part

    def zero(self, columns: Columns, classes: int) -> CategoryCounts:
        return CategoryCounts.zero(1, classes)

    def observe(self, part: Categories, labels: RowLabels, threads: int) -> CategoryCounts:
        return CategoryCounts.observe((_kernel.Texts.joined(part.columns),), labels, threads)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> CategoryCounts:
        counts = CategoryCounts.from_arrays(arrays, rows, is_multilabel, 1)
        for name in counts.columns[0].codes().names:
            if name.count(_JOINT) != len(columns) - 1 or "" in name.split(_JOINT):
                raise ModelError("a cell has not one value per column")
        return counts

    # Estimating and scoring

    def estimate(self, statistic: CategoryCounts, classes: Classes, columns: Columns) -> _Weights:
        values, rows = self._values(statistic, len(columns))
        self._check_size(values, len(classes), columns)
        codes = tuple(_codes(each) for each in values)
        orders = [{value: at for at, value in enumerate(known)} for known in values]
        places = tuple(
            np.array([order[row[place]] for row in rows], dtype=np.intp)
            for place, order in enumerate(orders)
        )
        counts = np.zeros((*map(len, values), len(classes)))
        counts[places] = counts_of(statistic.columns[0], classes)
        cells = max(math.prod(map(len, values)), 1)
        totals = counts.reshape(-1, len(classes)).sum(axis=0)
        theta = m_estimate(counts, totals, self._m(cells), np.array(1 / cells))
        return _Weights(columns, codes, counts, theta)

    def _m(self, cells: int) -> float:
        return self.m if self.alpha is None else self.alpha * cells

    def _values(
        self, statistic: CategoryCounts, columns: int
    ) -> tuple[list[list[str]], list[list[str]]]:
        """The values of each column, sorted, and the combinations that were seen."""
        rows = [name.split(_JOINT) for name in statistic.columns[0].codes().names]
        return [sorted({row[place] for row in rows}) for place in range(columns)], rows

    def _check_size(self, values: list[list[str]], n_classes: int, columns: Columns) -> None:
        cells = math.prod(map(len, values))
        if cells * n_classes > self.max_cells:
            sizes = ", ".join(f"`{c}` {len(v):,}" for c, v in zip(columns, values, strict=True))
            naive = sum(map(len, values)) * n_classes
            raise DataError(
                f"the joint table would need {cells:,} cells for each of {n_classes} classes, "
                f"{cells * n_classes:,} in all, of which there may be {self.max_cells:,} "
                f"(values: {sizes})\n"
                "hint: leave columns out, or take them one by one: "
                f"`Categorical()` has {naive:,} numbers"
            )

    def linear_inputs(self, columns: Columns) -> list[CategoryInput[Categories, CategoryCounts]]:
        def named(values: str) -> str:
            both = zip(columns, values.split(_JOINT), strict=True)
            return ", ".join(f"{column}={value}" for column, value in both)

        return [
            CategoryInput(
                columns,
                lambda part: _kernel.Texts.joined(part.columns),
                lambda counts: counts.columns[0],
                WHOLE,
                named,
            )
        ]

    def score(self, weights: _Weights, part: Categories, threads: int) -> Scores:
        scores = np.zeros((len(part), weights.counts.shape[-1]))
        for rows, there, gone, cell in _by_gaps(weights.places(part, threads)):
            if there:
                with np.errstate(divide="ignore"):
                    scores[rows] = np.log(weights.theta.sum(axis=gone)[cell])
        return scores

    def smoothing(
        self, weights: _Weights, classes: Classes, columns: Columns
    ) -> tuple[float, Scores | float]:
        with np.errstate(divide="ignore"):
            log_theta = np.log(weights.theta)
        return smoothing_log_prior(log_theta, self._m(weights.cells) / max(weights.cells, 1)), 0.0

    def leave_one_out(
        self,
        statistic: CategoryCounts,
        classes: Classes,
        columns: Columns,
        part: Categories,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        weights = self.estimate(statistic, classes, columns)
        scores = self.score(weights, part, threads)
        counts, axes = weights.counts, range(len(columns))
        places = weights.places(part, threads)
        learned = np.all([code >= 0 for code in places], axis=0)
        # A value that only this row has is unseen without it, and is marginalized.
        for place, code in enumerate(places if learned.any() else []):
            others = tuple(axis for axis in range(len(columns) + 1) if axis != place)
            code[learned & (counts.sum(axis=others)[code] == 1)] = -1
        totals = counts.reshape(-1, len(classes)).sum(axis=0)
        for rows, there, gone, cell in _by_gaps(places):
            rows, kept = rows[learned[rows]], learned[rows]
            scores[rows] = 0.0
            if not there or not len(rows):
                continue
            sizes = [counts.shape[axis] - (axis in gone) for axis in axes]
            share = np.array(1 / math.prod(sizes[axis] for axis in there))
            own = truth[rows]
            here = counts.sum(axis=gone)[tuple(code[kept] for code in cell)]
            left = np.tile(totals, (len(rows), 1))
            here[np.arange(len(rows)), own] -= 1
            left[np.arange(len(rows)), own] -= 1
            with np.errstate(divide="ignore"):
                scores[rows] = np.log(m_estimate(here, left, self._m(math.prod(sizes)), share))
        return scores

    def contributions(self, weights: _Weights, part: Categories) -> list[Contribution]:
        codes = [int(code[0]) for code in weights.places(part, 1)]
        said = [
            f"{column}={known.names[code]}"
            for column, known, code in zip(weights.columns, weights.codes, codes, strict=True)
            if code >= 0
        ]
        scores = self.score(weights, part, 1)[0]
        whole = Contribution(", ".join(said), "categories", 1, scores, weights.columns)
        return [whole] if scores.any() else []

    def counted_factors(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, part: Categories
    ) -> list[CountedFactor] | None:
        weights = self.estimate(statistic, classes, columns)
        codes = [int(code[0]) for code in weights.places(part, 1)]
        there = {
            f"{column}={known.names[code]}": code
            for column, known, code in zip(columns, weights.codes, codes, strict=True)
            if code >= 0
        }
        if not there:
            return []
        gone = tuple(place for place, code in enumerate(codes) if code < 0)
        counts = weights.counts.sum(axis=gone)[tuple(there.values())]
        totals = weights.counts.reshape(-1, len(classes)).sum(axis=0)
        # The virtual examples of a cell, or of all cells with these values.
        cells = math.prod(weights.counts.shape[place] for place in gone)
        m = exact(self.m) if self.alpha is None else exact(self.alpha) * weights.cells
        pairs = zip(counts.tolist(), totals.tolist(), strict=True)
        shares = [m_share(int(n_x), int(n), m, Fraction(cells, weights.cells)) for n_x, n in pairs]
        return [CountedFactor.of(", ".join(there), shares)]

    def unseen(self, weights: _Weights, part: Categories, threads: int) -> dict[str, Unseen]:
        return unseen(weights.columns, weights.codes, part, threads)

    def sample(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        weights = self.estimate(statistic, classes, columns)
        shares = weights.theta[..., asked.place]
        if not shares.size:
            return {name: [None] * asked.rows for name in columns}
        places = np.unravel_index(asked.of(shares.ravel()), shares.shape)
        return {
            name: [known.names[place] for place in at]
            for name, known, at in zip(columns, weights.codes, places, strict=True)
        }

    def values(self, statistic: CategoryCounts) -> list[int]:
        """How many values each column has."""
        names = statistic.columns[0].codes().names
        columns = names[0].count(_JOINT) + 1 if names else 0
        return [len(values) for values in self._values(statistic, columns)[0]]

    def parameters(self, statistic: CategoryCounts, n_classes: int) -> tuple[int, int]:
        cells = math.prod(self.values(statistic))
        return cells * n_classes, (cells - 1) * n_classes

    def linear(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns
    ) -> LinearPart[Categories]:
        weights = self.estimate(statistic, classes, columns)
        values = [codes.names for codes in weights.codes]
        features = [
            ", ".join(f"{column}={value}" for column, value in zip(columns, cell, strict=True))
            for cell in itertools.product(*values)
        ]

        def design(part: Categories) -> Scores:
            places = weights.places(part, 1)
            known = np.all([code >= 0 for code in places], axis=0)
            cells = np.full(len(part), len(features))
            shape = weights.counts.shape[:-1]
            cells[known] = np.ravel_multi_index(tuple(code[known] for code in places), shape)
            matrix = np.zeros((len(part), len(features) + 1))
            matrix[np.arange(len(part)), cells] = 1.0
            return matrix[:, :-1]

        with np.errstate(divide="ignore"):
            table = np.log(weights.theta.reshape(len(features), -1))
        return LinearPart(features, table, np.zeros(len(classes)), design)

    # Inspection

    def check(self, statistic: CategoryCounts, classes: Classes, columns: Columns) -> None:
        self._check_size(self._values(statistic, len(columns))[0], len(classes), columns)

    def estimates(self, weights: _Weights) -> Array:
        """P(x | c), with an axis per column and a last one for the classes."""
        return weights.theta

    # Storage and repr

    @property
    def settings(self) -> dict[str, Any]:
        cells = self.max_cells
        return {"likelihood": self.name, "m": self.m, "alpha": self.alpha, "max_cells": cells}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            return cls(settings["m"], alpha=settings["alpha"], max_cells=settings["max_cells"])
        except (KeyError, TypeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        shown = arguments(
            ("m", self.m, 1.0),
            ("alpha", self.alpha, None),
            ("max_cells", self.max_cells, _MOST_CELLS),
        )
        return f"JointTable({shown})"


def _by_gaps(
    places: list[NDArray[np.int32]],
) -> Iterator[tuple[NDArray[np.intp], list[int], tuple[int, ...], tuple[NDArray[np.int32], ...]]]:
    """Rows with the same missing columns: the rows, both sets of columns, the values."""
    gaps = np.column_stack([code < 0 for code in places])
    for pattern in np.unique(gaps, axis=0):
        rows = np.flatnonzero((gaps == pattern).all(axis=1))
        there = [place for place, gap in enumerate(pattern) if not gap]
        gone = tuple(place for place, gap in enumerate(pattern) if gap)
        yield rows, there, gone, tuple(places[place][rows] for place in there)


def _codes(values: list[str]) -> _kernel.Codes:
    """The index of these values."""
    slots = np.zeros(len(values), dtype=np.uint32)
    return _kernel.TextCounts.observe(WHOLE, _kernel.Texts(values), slots, 1, 1).codes()
