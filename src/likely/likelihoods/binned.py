"""Numbers in bins: the number line is halved, and each half again, and so on.

The bins are fixed before any row is seen: a number is rounded to some significant bits, and its
bits, from the first on, say left or right. What is counted is how many rows of each class have each
rounded number, so counts add and subtract exactly, and no cut has to be chosen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import RowLabels
from likely.data.table import Numbers, Table
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import (
    AnyLikelihood,
    Columns,
    Likelihood,
    Scores,
    TopFeature,
    amount,
    arguments,
)
from likely.likelihoods.categorical import CategoryCounts, counts_of, m_estimate
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.gaussian import Gaussian
from likely.tally import Arrays, Classes

Array = NDArray[np.float64]
Keys = NDArray[np.uint64]

BITS = 16
_MANTISSA = 52
_SIGN = np.uint64(1 << 63)

# The number line is halved twice over, in other places: what one line cuts, the other keeps whole.
_LINES = (1.0, float(np.sqrt(0.5)))

# Neighbours whose log-probabilities differ by less are shown as one bin.
_ALIKE = 0.1

# So many bins of about equally many rows are ranked among the most informative features.
_SHOWN = 10

_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
_NIBBLES = np.arange(60, -1, -4, dtype=np.uint64)


def _sortable(values: Array) -> Keys:
    """Whole numbers in the order of the values."""
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)
    return np.where(bits >> np.uint64(63) > 0, ~bits, bits | _SIGN)


def rounded(values: Array, bits: int) -> Keys:
    """The cell of each value on a grid of so many significant bits."""
    shift = np.uint64(_MANTISSA - bits)
    half = np.uint64(0) if bits == _MANTISSA else np.uint64(1) << (shift - np.uint64(1))
    return (_sortable(values) + half) >> shift


def _values(cells: Keys, bits: int) -> Array:
    """The value in the middle of each cell."""
    keys = cells << np.uint64(_MANTISSA - bits)
    return np.where(keys >= _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


def _spelled(values: Array, bits: int) -> _kernel.Texts:
    """Each cell as sixteen digits, which sort as the values do; a missing value is empty."""
    is_there = ~np.isnan(values)
    digits = (rounded(values[is_there], bits)[:, None] >> _NIBBLES) & np.uint64(15)
    offsets = np.concatenate([[0], np.cumsum(16 * is_there, dtype=np.int64)])
    return _kernel.Texts.from_arrow(_HEX[digits.astype(np.intp)].ravel(), offsets)


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes that are as many halvings from the root: leaves start … cut … stop."""

    start: NDArray[np.intp]
    cut: NDArray[np.intp]
    stop: NDArray[np.intp]

    def node_of(self, leaves: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Of some leaves those that have a node here, and which node."""
        node = np.searchsorted(self.start, leaves, side="right") - 1
        inside = np.flatnonzero((node >= 0) & (leaves < self.stop[node]))
        return inside, node[inside]


@dataclass(frozen=True, eq=False)
class Line:
    """A number line that is halved until each cell that rows have is alone."""

    keys: Keys

    @classmethod
    def of(cls, values: Array, scale: float) -> "Line":
        return cls(_sortable(values * scale))

    @cached_property
    def levels(self) -> list[Level]:
        start, stop = np.zeros(1, dtype=np.intp), np.array([len(self.keys)])
        found: list[Level] = []
        while len(self.keys):
            first, last = self.keys[start], self.keys[stop - 1]
            has_two = (stop - start > 1) & (first != last)
            start, stop, last, apart = (
                start[has_two], stop[has_two], last[has_two], (first ^ last)[has_two],
            )  # fmt: skip
            if not len(start):
                break
            cut = np.searchsorted(self.keys, last >> (bit := _highest(apart)) << bit)
            found.append(Level(start, cut, stop))
            start, stop = np.stack([start, cut], 1).ravel(), np.stack([cut, stop], 1).ravel()
        return found

    @cached_property
    def _ends(self) -> Keys:
        """Where each leaf but the last ends."""
        bit = _highest(self.keys[1:] ^ self.keys[:-1])
        return self.keys[1:] >> bit << bit

    def leaves(self, values: Array, scale: float) -> NDArray[np.intp]:
        """The leaf of each value, whether rows had it or not."""
        return np.searchsorted(self._ends, _sortable(values * scale), side="right")


def _highest(keys: Keys) -> Keys:
    """The place of the highest bit of each."""
    found = np.zeros(len(keys), dtype=np.uint64)
    for step in (32, 16, 8, 4, 2, 1):
        is_above = keys >> (found + np.uint64(step)) > 0
        found += np.uint64(step) * is_above
    return found


@dataclass(frozen=True, eq=False)
class Column:
    """The rows of one column: how many each class has in each cell, in order, and without any."""

    values: Array
    counts: Array
    rows: Array
    """How many rows each class has, missing values too."""

    @classmethod
    def of(cls, counted: _kernel.TextCounts, classes: Classes, bits: int) -> "Column":
        cells = np.array([int(name, 16) for name in counted.codes().names], dtype=np.uint64)
        return cls(_values(cells, bits), counts_of(counted, classes), classes.weights)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return tuple(Line.of(self.values, scale) for scale in _LINES)

    @cached_property
    def _below(self) -> Array:
        """How many rows each class has before each cell."""
        return np.concatenate([np.zeros((1, self.counts.shape[1])), self.counts.cumsum(axis=0)])

    def log_probabilities(self, line: Line, m: float) -> Array:
        """log P(cell | class)."""
        total = np.zeros_like(self.counts)
        for level in line.levels:
            for shares, start, stop in self._halves(level, m):
                lengths = stop - start
                total[_spans(start, lengths)] += np.repeat(shares, lengths, axis=0)
        return total

    def _halves(self, level: Level, m: float) -> Iterator[tuple[Array, Any, Any]]:
        """log P(half | node, class) of the left halves of some nodes, then of the right ones."""
        below = self._below
        node = below[level.stop] - below[level.start]
        for start, stop in ((level.start, level.cut), (level.cut, level.stop)):
            yield _log_share(below[stop] - below[start], node, m), start, stop

    def left_out(self, line: Line, leaves: NDArray[np.intp], own: Any, m: float) -> Array:
        """log P(cell | class) of rows in these leaves, each without itself, of class `own`."""
        below, total = self._below, self.log_probabilities(line, m)
        scores, reached = np.zeros((len(leaves), self.counts.shape[1])), np.zeros_like(total)
        one = np.zeros_like(scores)
        one[np.arange(len(leaves)), own] = 1.0
        alone = self.counts.sum(axis=1)[leaves] <= 1
        for level in line.levels:
            for shares, start, stop in self._halves(level, m):
                lengths = stop - start
                reached[_spans(start, lengths)] += np.repeat(shares, lengths, axis=0)
            rows, node = level.node_of(leaves)
            start, cut, stop = level.start[node], level.cut[node], level.stop[node]
            is_right = leaves[rows] >= cut
            first, last = np.where(is_right, cut, start), np.where(is_right, stop, cut)
            # The last of its half is gone with it: the node is then that of the other half, whose
            # nearest leaf is where the value falls.
            goes = alone[rows] & (last - first == 1)
            stays = ~goes
            half = below[last] - below[first] - one[rows]
            whole = below[stop] - below[start] - one[rows]
            scores[rows[stays]] += _log_share(half[stays], whole[stays], m)
            nearest = np.where(is_right, cut - 1, cut)[goes]
            scores[rows[goes]] += total[nearest] - reached[nearest]
        return scores

    def presence(self, m: float, own: Any = None) -> tuple[Array, Array]:
        """log P(a number is there | class), and that it is missing; without a row of class `own`.

        Where no row lacks one, it says nothing.
        """
        there, rows = self.counts.sum(axis=0), self.rows
        gone = rows - there
        if own is not None:
            one = np.eye(len(rows))[own]
            return _log_share(there - one, rows - one, m), _log_share(gone - one, rows - one, m)
        return _log_share(there, rows, m), _log_share(gone, rows, m)


def _spans(start: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """start, start + 1, … of each span."""
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1] if len(ends) else 0)
    return np.asarray(within + np.repeat(start - (ends - lengths), lengths))


def _log_share(part: Array, whole: Array, m: float) -> Array:
    """log (n_c + m·p) / (n + m), where p is the share of all classes; nothing where it is zero."""
    part, whole = np.maximum(part, 0.0), np.maximum(whole, 0.0)
    total = whole.sum(axis=-1, keepdims=True)
    p = np.divide(
        part.sum(axis=-1, keepdims=True), total, where=total > 0, out=np.zeros_like(total)
    )
    with np.errstate(divide="ignore"):
        return np.where(p > 0, np.log(m_estimate(part, whole, m, p)), 0.0)


@dataclass(frozen=True, eq=False)
class BinnedWeights:
    """Of each column, the cells and log P(cell | class) by either line, and of being there."""

    columns: Columns
    bins: tuple[Column, ...]
    tables: tuple[tuple[Array, ...], ...]
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

    def __init__(
        self,
        m: float = 8.0,
        *,
        bits: int = BITS,
        missing: Literal["skip", "value"] = "skip",
    ):
        if isinstance(bits, bool) or not isinstance(bits, (int, np.integer)) or not 1 <= bits <= 52:
            raise OptionError(f"`bits` is a number from 1 to 52, not {bits!r}")
        if missing not in ("skip", "value"):
            raise OptionError(f'`missing` is "skip" or "value", not {missing!r}')
        self.m = amount("m", m)
        self.bits = int(bits)
        self.missing = missing

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
        tables = tuple(
            tuple(column.log_probabilities(line, self.m) for line in column.lines)
            for column in bins
        )
        return BinnedWeights(columns, bins, tables, tuple(c.presence(self.m) for c in bins))

    def score(self, weights: BinnedWeights, part: Numbers, threads: int) -> Scores:
        scores = np.zeros((len(part), len(weights.presence[0][0])))
        for values, column, tables, presence in zip(
            part.values.T, weights.bins, weights.tables, weights.presence, strict=True
        ):
            there = self._mixed(column, tables, values[~np.isnan(values)])
            scores += self._with_missing(values, there, presence)
        return scores

    def _with_missing(self, values: Array, there: Array, presence: tuple[Array, Array]) -> Array:
        """What each value says, given what those say that are there."""
        is_there = ~np.isnan(values)
        found = np.zeros((len(values), there.shape[1]))
        found[is_there] = there
        if self.missing == "value":
            found += np.where(is_there[:, None], *presence)
        return found

    def _mixed(self, column: Column, tables: tuple[Array, ...], values: Array) -> Array:
        if not len(column.values):
            return np.zeros((len(values), column.counts.shape[1]))
        values = _values(rounded(values, self.bits), self.bits)
        return _mean_log(
            [
                table[line.leaves(values, scale)]
                for line, table, scale in zip(column.lines, tables, _LINES, strict=True)
            ]
        )

    def leave_one_out(
        self,
        statistic: CategoryCounts,
        classes: Classes,
        columns: Columns,
        part: Numbers,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        scores, own = np.zeros((len(part), len(classes))), truth.astype(np.intp)
        for values, column in zip(part.values.T, self._columns(statistic, classes), strict=True):
            is_there = ~np.isnan(values)
            cells = _values(rounded(values[is_there], self.bits), self.bits)
            leaves = np.searchsorted(column.values, cells)
            # Rows of the same cell and class are left out alike.
            pairs, of_row = np.unique(leaves * len(classes) + own[is_there], return_inverse=True)
            leaf, label = np.divmod(pairs, len(classes))
            lines = [column.left_out(line, leaf, label, self.m) for line in column.lines]
            there = _mean_log(lines)[of_row]
            scores += self._with_missing(values, there, column.presence(self.m, own))
        return scores

    def contributions(self, weights: BinnedWeights, part: Numbers) -> list[Contribution]:
        found = []
        for place, (name, value) in enumerate(zip(weights.columns, part.values[0], strict=True)):
            (scores,) = self.score(weights.of_column(place), Numbers(np.array([[value]])), 1)
            if not np.isnan(value):
                shown = self._range(weights.bins[place], weights.tables[place], float(value))
                found.append(Contribution(f"{name} {shown}", "numeric", 1, scores))
            elif self.missing == "value":
                found.append(Contribution(f"{name} missing", "numeric", 1, scores))
        return found

    def _range(self, column: Column, tables: tuple[Array, ...], value: float) -> str:
        """The values around one that say the same."""
        if not len(column.values):
            return _spelled_range(value, value)
        cell = _values(rounded(np.array([value]), self.bits), self.bits)
        (at,) = column.lines[0].leaves(cell, _LINES[0]).tolist()
        own, all_cells = _mean_log([table[at] for table in tables]), _mean_log(list(tables))
        differ = np.flatnonzero((np.abs(all_cells - own) > _ALIKE).any(axis=1))
        place = int(np.searchsorted(differ, at))
        first = differ[place - 1] + 1 if place else 0
        last = differ[place] - 1 if place < len(differ) else len(all_cells) - 1
        return _spelled_range(min(column.values[first], value), max(column.values[last], value))

    def parameters(self, statistic: CategoryCounts, n_classes: int) -> tuple[int, int]:
        cells = sum(column.features() for column in statistic.columns)
        return cells * n_classes, (cells - len(statistic.columns)) * n_classes

    def strongest(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        ranked: list[list[TopFeature]] = [[] for _ in classes.labels]
        for name, column in zip(columns, self._columns(statistic, classes), strict=True):
            for start, stop in _equal_bins(column.counts.sum(axis=1)):
                here = column.counts[start:stop].sum(axis=0)
                totals = column.counts.sum(axis=0)
                shown = _spelled_range(column.values[start], column.values[stop - 1])
                for place, found in enumerate(ranked):
                    rest, all_rest = here.sum() - here[place], totals.sum() - totals[place]
                    p = np.array(here.sum() / totals.sum())
                    ours = m_estimate(here[place], totals[place], self.m, p)
                    theirs = m_estimate(rest, all_rest, self.m, p)
                    if not ours > theirs or not here[place]:
                        continue
                    odds = float(np.log(ours) - np.log(theirs)) if theirs > 0 else float("inf")
                    error = np.sqrt(1 / (here[place] + 0.5) + 1 / (rest + 0.5))
                    found.append(TopFeature(f"{name} {shown}", odds, float(odds / error)))
        return [sorted(found, key=lambda one: -one.strength)[:n] for found in ranked]

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
            ("m", self.m, 8.0), ("bits", self.bits, BITS), ("missing", self.missing, "skip")
        )
        return f"Binned({shown})"


def _mean_log(logs: list[Array]) -> Array:
    """The log of the mean of probabilities."""
    total = logs[0]
    for more in logs[1:]:
        total = np.logaddexp(total, more)
    return np.asarray(total - np.log(len(logs)))


def _spelled_range(first: float, last: float) -> str:
    low, high = f"{first:.4g}", f"{last:.4g}"
    return low if low == high else f"{low}–{high}"


def _equal_bins(rows: Array) -> Iterator[tuple[int, int]]:
    """Cells in order, cut into bins of about equally many rows."""
    if not len(rows):
        return
    below = rows.cumsum()
    cuts = np.searchsorted(below, below[-1] * np.arange(1, _SHOWN) / _SHOWN) + 1
    edges = np.unique(np.clip(np.concatenate([[0], cuts, [len(rows)]]), 0, len(rows)))
    yield from zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
