"""Groups of rows for EM to start from: k-means++, and some steps of k-means.

Rows become points. A number is standardized. A category is one-hot, so that two values are a
deviation apart. A text has length one, in the direction of log(1 + n_f) · log(N / N_f)² for each
feature f that occurs n_f times in it and in N_f of N texts: what occurs in most texts separates
none, and squared, the weight of a topic's words exceeds that of the rest.

Centers are found among the rows with the smallest hashes, in the order of their hashes, so that the
order of rows does not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.table import FactorInput, Numbers, concatenated, row_hashes, rows_at
from likely.likelihoods.product import Product
from likely.likelihoods.text import TextLikelihood

Array = NDArray[np.float64]
Places = NDArray[np.int64]

# Centers are found among so many rows.
_MOST_ROWS = 2_000
_STEPS = 20

# So often they are means, and otherwise rows.
_SHARE_OF_MEANS = 0.5

# A feature has to occur in one text of a hundred, or in so many.
_SHARE, _ENOUGH = 100, 5


@dataclass(frozen=True, eq=False)
class Points:
    """Sparse points: the row, the dimension and the value of each entry."""

    length: int
    width: int
    rows: Places
    dimensions: Places
    values: Array

    def products(self, center: Array) -> Array:
        """The inner product of each point with a center."""
        terms = self.values * center[self.dimensions]
        return _sums(self.rows, terms, self.length)

    def nearest(self, centers: Array) -> tuple[NDArray[np.intp], Array]:
        """The nearest center of each point, and its squared distance."""
        squares = _sums(self.rows, self.values**2, self.length)
        apart = np.stack([(each**2).sum() - 2 * self.products(each) for each in centers], axis=1)
        found = apart.argmin(axis=1)
        best = np.take_along_axis(apart, found[:, None], axis=1)[:, 0]
        return found, np.maximum(squares + best, 0.0)

    def at(self, row: int) -> Array:
        """One of the points."""
        here = self.rows == row
        return _sums(self.dimensions[here], self.values[here], self.width)

    def means(self, groups: NDArray[np.intp], centers: Array) -> Array:
        """The mean of each group; one without points keeps its center."""
        k = len(centers)
        cell = groups[self.rows] * self.width + self.dimensions
        sums = _sums(cell, self.values, k * self.width)
        sizes = np.bincount(groups, minlength=k)[:, None]
        return np.where(sizes > 0, sums.reshape(k, -1) / np.maximum(sizes, 1), centers)


@dataclass(frozen=True, eq=False)
class Space:
    """How rows become points: for each factor, what a sample of them says."""

    factors: tuple["_Numbers | _Categories | _Texts | None", ...]
    threads: int

    @classmethod
    def of(cls, product: Product, sample: Sequence[FactorInput], threads: int) -> "Space":
        found: list[_Numbers | _Categories | _Texts | None] = []
        for factor, part in zip(product.factors, sample, strict=True):
            likelihood = factor.likelihood
            if isinstance(part, Numbers):
                found.append(_Numbers.of(part))
            elif isinstance(part, _kernel.Texts) and isinstance(likelihood, TextLikelihood):
                found.append(_Texts.of(likelihood.text.reading, part, threads))
            elif isinstance(columns := getattr(part, "columns", None), tuple):
                found.append(_Categories.of(columns))
            else:
                found.append(None)
        return cls(tuple(found), threads)

    def points(self, parts: Sequence[FactorInput]) -> Points:
        """The points of rows, the dimensions of one factor after those of another."""
        width, length = 0, len(parts[0])
        rows, dimensions, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
        for factor, part in zip(self.factors, parts, strict=True):
            if factor is None:
                continue
            points = factor.points(part, self.threads)
            rows.append(points.rows)
            dimensions.append(points.dimensions + width)
            values.append(points.values)
            width += points.width
        places = np.concatenate(rows), np.concatenate(dimensions)
        return Points(length, max(width, 1), *places, np.concatenate(values))


def _sums(places: Places, values: Array, n: int) -> Array:
    return np.asarray(np.bincount(places, weights=values, minlength=n), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Numbers:
    means: Array
    deviations: Array

    @classmethod
    def of(cls, part: Numbers) -> "_Numbers":
        there = ~np.isnan(part.values)
        counts = np.maximum(there.sum(axis=0), 1)
        largest = np.abs(np.where(there, part.values, 0.0)).max(axis=0, initial=0.0)
        # So that no square leaves the range of a float.
        unit = np.where(largest > 0, largest, 1.0)
        x = np.where(there, part.values, 0.0) / unit
        means = x.sum(axis=0) / counts
        squares = np.where(there, x - means, 0.0) ** 2
        return cls(means * unit, np.sqrt(squares.sum(axis=0) / counts) * unit)

    def points(self, part: Any, threads: int) -> Points:
        x = part.values
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            standard = np.where(self.deviations > 0, (x - self.means) / self.deviations, 0.0)
        standard = np.nan_to_num(standard, nan=0.0, posinf=0.0, neginf=0.0)
        n, width = x.shape
        rows = np.repeat(np.arange(n), width)
        return Points(n, width, rows, np.tile(np.arange(width), n), standard.ravel())


@dataclass(frozen=True, eq=False)
class _Categories:
    codes: tuple[dict[str, int], ...]

    @classmethod
    def of(cls, columns: tuple[_kernel.Texts, ...]) -> "_Categories":
        return cls(
            tuple(
                {value: code for code, value in enumerate(sorted(set(texts.tolist()) - {""}))}
                for texts in columns
            )
        )

    def points(self, part: Any, threads: int) -> Points:
        first, rows, dimensions = 0, [], []
        for codes, texts in zip(self.codes, part.columns, strict=True):
            found = np.array([codes.get(value, -1) for value in texts.tolist()], dtype=np.int64)
            there = np.flatnonzero(found >= 0)
            rows.append(there)
            dimensions.append(found[there] + first)
            first += len(codes)
        every = np.concatenate(rows)
        values = np.full(len(every), np.sqrt(0.5))
        return Points(len(part), first, every, np.concatenate(dimensions), values)


@dataclass(frozen=True, eq=False)
class _Texts:
    counts: _kernel.TextCounts
    weights: Array

    @classmethod
    def of(cls, reading: _kernel.Reading, part: _kernel.Texts, threads: int) -> "_Texts":
        n = len(part)
        counts = _kernel.TextCounts.observe(reading, part, np.zeros(n, np.uint32), 1, threads)
        _, columns, _, names = counts.matrix(part, threads)
        texts = np.bincount(columns, minlength=len(names))
        least = min(_ENOUGH, n // _SHARE)
        with np.errstate(divide="ignore"):
            weights = np.where(texts >= max(least, 1), np.log(n / texts) ** 2, 0.0)
        return cls(counts, weights)

    def points(self, part: Any, threads: int) -> Points:
        starts, columns, counts, _ = self.counts.matrix(part, threads)
        ends = starts.astype(np.int64)
        rows = np.repeat(np.arange(len(part)), ends[1:] - ends[:-1])
        dimensions = columns.astype(np.int64)
        values = np.log1p(counts) * self.weights[dimensions]
        lengths = np.sqrt(_sums(rows, values**2, len(part)))
        values /= np.where(lengths > 0, lengths, 1.0)[rows]
        return Points(len(part), len(self.weights), rows, dimensions, values)


class Groupings:
    """Groupings of all rows into k, found from one seed after another."""

    def __init__(
        self, product: Product, batches: Sequence[Sequence[FactorInput]], threads: int
    ) -> None:
        parts = [concatenated(column) for column in zip(*batches, strict=True)]
        order = np.argsort(row_hashes(parts), kind="stable")[:_MOST_ROWS]
        sample = [rows_at(part, order) for part in parts]
        space = Space.of(product, sample, threads)
        self._sample, self._all = space.points(sample), space.points(parts)
        self.has_texts = any(isinstance(factor, _Texts) for factor in space.factors)

    @cached_property
    def weights(self) -> Array | None:
        """What the log-likelihood of a row counts where rows are compared as wholes.

        That of a text grows with its length, and a few long ones would decide alone; so it is
        divided by the root of the features it has. Rows without texts count the same: None.
        """
        entries = np.bincount(self._all.rows, minlength=self._all.length)
        if not self.has_texts:
            return None
        weights: Array = 1 / np.sqrt(np.maximum(entries, 1))
        return weights * len(weights) / float(np.sort(weights).sum())

    def draw(self, k: int, random: np.random.Generator) -> NDArray[np.intp]:
        """A group for each row: of k-means, or of k-means++ alone.

        EM finds some maxima from the one and some from the other. Of texts, a single one says too
        little of its group.
        """
        points = self._sample
        centers = self._seeds(k, random)
        groups, _ = points.nearest(centers)
        for _ in range(_STEPS if self.has_texts or random.random() < _SHARE_OF_MEANS else 0):
            centers = points.means(groups, centers)
            before, (groups, _) = groups, points.nearest(centers)
            if (groups == before).all():
                break
        # Equal groupings have equal numbers: in the order of their first rows.
        _, firsts = np.unique(groups, return_index=True)
        there = groups[np.sort(firsts)]
        order = np.concatenate([there, np.setdiff1d(np.arange(k), there)])
        return self._all.nearest(centers[order])[0]

    def _seeds(self, k: int, random: np.random.Generator) -> Array:
        """k-means++: rows drawn by the squared distance from those drawn before."""
        points = self._sample
        centers = points.at(int(random.integers(points.length)))[None]
        while len(centers) < k:
            _, apart = points.nearest(centers)
            total, drawn = apart.cumsum(), random.random()
            if total[-1] > 0:
                place = int(np.searchsorted(total, drawn * total[-1], side="right"))
            else:
                place = int(drawn * points.length)
            centers = np.vstack([centers, points.at(min(place, points.length - 1))])
        return centers
