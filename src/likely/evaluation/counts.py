"""Counts of answers, and the same counts in bootstrap resamples.

Rows that are equal in all that is counted are one kind of row. The bootstrap draws as many rows as
there are, with replacement; how often each kind is drawn is then a multinomial over the kinds, so a
million rows in a table of four cells cost four numbers per resample.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.label_sets import Codes
from likely.evaluation.answers import Answers, Column

Array = NDArray[np.float64]

# How many numbers are made at a time; what fits into the cache is faster.
_AT_ONCE = 100_000


@dataclass(frozen=True, eq=False)
class Counts:
    """Rows by class in the truth, among the answers, and in both; a line per resample."""

    gold: Array
    predicted: Array
    right: Array
    rows: Array
    """All rows,"""
    whole: Array
    """those answered correctly,"""
    common: Array
    """and those whose truth is the commonest one."""
    n_classes: NDArray[np.intp]
    """What a macro average divides by."""
    of_all: "Counts | None" = None
    """For a resample, the counts of all rows, for classes that were not drawn."""


class DistinctRows:
    """The distinct kinds of rows: equal truth, answers and weight.

    `sizes` has the number of rows of each kind, `weight` what one of them counts for, `of_row` the
    kind of each row.
    """

    def __init__(self, answers: Answers, weights: Array | None = None):
        self.n_classes = len(answers.classes)
        columns = (answers.truth, *answers.said)
        code = np.zeros(len(answers.truth.codes), dtype=np.intp)
        for column in columns:
            code = _paired(code, column.codes)
        if weights is not None:
            code = _paired(code, np.unique(weights, return_inverse=True)[1])
        _, first, self.of_row, self.sizes = np.unique(
            code, return_index=True, return_inverse=True, return_counts=True
        )
        if answers.times is not None:
            # In whole numbers, which stay exact.
            self.sizes = np.zeros_like(answers.times, shape=len(first))
            np.add.at(self.sizes, self.of_row, answers.times)
        self._every = self.sizes[None]
        self.weight = np.ones(len(first)) if weights is None else weights[first]
        found = [column.codes[first] for column in columns]
        self.truth, self.said = found[0], tuple(found[1:])
        shares = np.bincount(self.truth, weights=self.sizes * self.weight)
        self.commonest = int(shares.argmax())
        gold = _Incidence.of(answers.truth, self.truth, self.n_classes)
        self.systems = tuple(
            _System(gold, _Incidence.of(column, codes, self.n_classes))
            for column, codes in zip(answers.said, self.said, strict=True)
        )
        there = self.weight > 0
        seen = [column.pairs(codes[there])[1] for column, codes in zip(columns, found, strict=True)]
        self._unseen = self.n_classes - len(np.unique(np.concatenate(seen)))

    def all(self) -> NDArray[np.intp]:
        """Every row once: a line of numbers by kind, as `draws` gives them."""
        return self._every

    @property
    def rows_each(self) -> float:
        """How many rows a unit of weight stands for: Σw / Σw², 1 if every row counts once."""
        total = (self.sizes * self.weight).sum()
        return float(total / (self.sizes * self.weight**2).sum())

    @property
    def width(self) -> int:
        """How many numbers counting takes, for a resample."""
        return max(self.n_classes, len(self.sizes), *map(len, self.systems))

    def draws(self, resamples: int, seed: list[int]) -> Iterator[NDArray[np.intp]]:
        """Rows drawn with replacement: how many of each kind, a line per resample."""
        return draws(self.sizes, resamples, seed, self.width)

    def counts(self, *drawn: NDArray[np.intp] | None) -> Counts:
        """What is counted when each system answers so many rows of each kind, a line per resample.

        `counts(a)` has the rows of `a` answered by the first system, `counts(None, b)` those of `b`
        by the second, and `counts(a, b)` all of them, each by its own.
        """
        parts = [
            (system, rows * self.weight)
            for system, rows in zip(self.systems, drawn, strict=False)
            if rows is not None
        ]
        base = None
        (answering, *more) = [place for place, rows in enumerate(drawn) if rows is not None]
        if not more and drawn[answering] is not self._every:
            base = self.counts(*[None] * answering, self._every)
        weights = _sum(weights for _, weights in parts)
        gold = self.systems[0].gold.totals(weights)
        predicted = _sum(system.predicted.totals(weights) for system, weights in parts)
        right = _sum(system.right.totals(weights) for system, weights in parts)
        # A class that is in the data but not in a resample has no figures there.
        n_present = np.count_nonzero((gold > 0) | (predicted > 0), axis=1)
        return Counts(
            gold,
            predicted,
            right,
            weights.sum(axis=1),
            _sum(_of_these(weights, system.whole) for system, weights in parts),
            _of_these(weights, self.truth == self.commonest),
            n_present + self._unseen,
            base,
        )


class _Incidence:
    """Which kinds of rows have which classes; pairs are sorted by kind."""

    def __init__(self, kinds: Codes, classes: Codes, n_kinds: int, n_classes: int):
        self.n_kinds, self.n_classes = n_kinds, n_classes
        self.keys = kinds * n_classes + classes
        order = np.argsort(classes, kind="stable")
        self._kinds = kinds[order]
        self._present, self._starts = np.unique(classes[order], return_index=True)

    @classmethod
    def of(cls, column: Column, codes: Codes, n_classes: int) -> "_Incidence":
        return cls(*column.pairs(codes), len(codes), n_classes)

    def __len__(self) -> int:
        return len(self.keys)

    def __and__(self, other: "_Incidence") -> "_Incidence":
        both = np.intersect1d(self.keys, other.keys, assume_unique=True)
        return _Incidence(*np.divmod(both, self.n_classes), self.n_kinds, self.n_classes)

    def per_kind(self) -> NDArray[np.intp]:
        return np.bincount(self._kinds, minlength=self.n_kinds)

    def totals(self, weights: Array) -> Array:
        """The weight of each class, where `weights` has a column per kind."""
        totals = np.zeros((len(weights), self.n_classes))
        if len(self):
            of_pairs = weights.take(self._kinds, axis=1)
            totals[:, self._present] = np.add.reduceat(of_pairs, self._starts, axis=1)
        return totals


class _System:
    """What one system said of each kind of row, and whether it was right."""

    def __init__(self, gold: _Incidence, predicted: _Incidence):
        self.gold, self.predicted, self.right = gold, predicted, gold & predicted
        hits = self.right.per_kind()
        self.whole = (hits == gold.per_kind()) & (hits == predicted.per_kind())

    def __len__(self) -> int:
        return len(self.gold) + len(self.predicted)


def draws(
    sizes: NDArray[np.intp], resamples: int, seed: list[int], width: int = 0
) -> Iterator[NDArray[np.intp]]:
    """How often each kind of row is drawn, a line per resample, some lines at a time.

    As many rows are drawn as there are. `width` is how many numbers the caller makes of a line.
    """
    chance = np.random.default_rng(seed)
    n_rows, n_kinds = int(sizes.sum()), len(sizes)
    # A kind costs about eight times what a row does.
    by_kind = 8 * n_kinds < n_rows
    lines = max(1, _AT_ONCE // max(width, n_kinds, 0 if by_kind else n_rows))
    kind_of = None if by_kind else np.repeat(np.arange(n_kinds), sizes)  # by row
    for start in range(0, resamples, lines):
        n_lines = min(lines, resamples - start)
        if kind_of is None:
            yield chance.multinomial(n_rows, sizes / n_rows, n_lines)
            continue
        drawn = chance.integers(0, n_rows, (n_lines, n_rows))
        if n_kinds < n_rows:
            drawn = kind_of[drawn]
        drawn += np.arange(n_lines)[:, None] * n_kinds
        yield np.bincount(drawn.ravel(), minlength=n_lines * n_kinds).reshape(n_lines, n_kinds)


def numbers_of_rows(values: NDArray[Any]) -> list[int | float]:
    """Numbers of rows, whole unless weights made them otherwise."""
    return [int(value) if value.is_integer() else value for value in values.tolist()]


def _of_these(weights: Array, kinds: NDArray[np.bool_]) -> Array:
    """The weight of some kinds of rows."""
    # A matrix product would wake threads for so little.
    return np.asarray(weights.take(np.flatnonzero(kinds), axis=1).sum(axis=1))


def _sum(parts: Iterable[Array]) -> Array:
    return reduce(np.add, parts)


def _paired(first: Codes, second: Codes) -> Codes:
    """A code for each pair of codes, in their order."""
    pair = first * (int(second.max()) + 1) + second
    return np.asarray(np.unique(pair, return_inverse=True)[1])
