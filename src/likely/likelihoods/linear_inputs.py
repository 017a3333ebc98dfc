"""What a linear model reads of a row: texts, categories and numbers, and its features of each.

A likelihood lists its inputs. The features of each are fit on what was counted, so they are the
same in any order of rows, and are kept with the linear model, since counts may change after it.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.errors import ModelError
from likely.likelihoods.contribution import Contribution
from likely.tally import Arrays, Classes

Array = NDArray[np.float64]

# What a likelihood reads of rows and counts of them, and what an input is of that.
P = TypeVar("P")
S = TypeVar("S")
X = TypeVar("X")

# So many deviations from the mean, and no more: an outlier is in the last bin.
_FARTHEST = 3.0


class LinearFeatures(ABC, Generic[X]):
    """The features that a linear model has of one input."""

    @property
    @abstractmethod
    def block(self) -> "_kernel.LinearText | int":
        """The features of a text, or how many others there are."""

    @property
    @abstractmethod
    def width(self) -> int: ...

    @abstractmethod
    def rows(self, cells: X, scale: float, threads: int) -> _kernel.SparseRows:
        """The features of each row. Those of a text have length one, others are scaled."""

    @abstractmethod
    def contributions(self, cells: X, scores: Array) -> list[Contribution]:
        """The contributions of one row, given what each of its features adds."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """What a model file holds."""


@dataclass(frozen=True, eq=False)
class LinearInput(ABC, Generic[P, S, X]):
    """One thing that a linear model reads: the cells of rows, and what was counted of them."""

    columns: tuple[str, ...]
    cells: Callable[[P], X]

    @abstractmethod
    def fitted(self, statistic: S, classes: Classes) -> LinearFeatures[X]:
        """The features of what was counted."""

    @abstractmethod
    def restored(self, arrays: Arrays, rows: int) -> LinearFeatures[X]:
        """The features that a model file holds, from so many rows."""


@dataclass(frozen=True, eq=False)
class TextInput(LinearInput[P, S, _kernel.Texts]):
    """A text: its n-grams by TF-IDF, of length one."""

    counts: Callable[[S], _kernel.TextCounts]
    reading: _kernel.Reading

    def _counted(self, statistic: S, classes: Classes) -> _kernel.LinearText:
        every, rows = classes.every or (None, classes.n_rows)
        return _kernel.LinearText(self.counts(statistic), rows, every)

    def fitted(self, statistic: S, classes: Classes) -> LinearFeatures[_kernel.Texts]:
        return _Text(self._counted(statistic, classes))

    def restored(self, arrays: Arrays, rows: int) -> LinearFeatures[_kernel.Texts]:
        return _Text(_kernel.LinearText.from_arrays(self.reading, rows, arrays))


@dataclass(frozen=True, eq=False)
class CategoryInput(TextInput[P, S]):
    """A category, one-hot, and whether it is missing; to the kernel it is a text read whole."""

    named: Callable[[str], str]
    """How a value is shown."""

    def fitted(self, statistic: S, classes: Classes) -> LinearFeatures[_kernel.Texts]:
        return _Category(self, self._counted(statistic, classes))

    def restored(self, arrays: Arrays, rows: int) -> LinearFeatures[_kernel.Texts]:
        return _Category(self, _kernel.LinearText.from_arrays(self.reading, rows, arrays))


@dataclass(frozen=True, eq=False)
class Spread:
    """How numbers are standardized, and cut into bins."""

    mean: float
    deviation: float
    cuts: Array

    @classmethod
    def of_cells(cls, values: Array, rows: Array) -> "Spread":
        """That of rising values, of which so many rows have each; as many bins as ∛rows.

        Bins have about equally many rows. Sums are exact, so nothing depends on their order.
        """
        total = float(rows.sum())
        if not total:
            return cls(0.0, 0.0, np.zeros(0))
        unit = float(np.abs(values).max()) or 1.0
        mean = math.fsum(values / unit * rows) / total
        deviation = math.sqrt(math.fsum((values / unit - mean) ** 2 * rows) / total)
        bins = round(total ** (1 / 3))
        firsts = np.searchsorted(rows.cumsum(), total * np.arange(1, bins) / bins, side="right")
        firsts = np.unique(firsts[(firsts > 0) & (firsts < len(values))])
        cuts = values[firsts - 1] / 2 + values[firsts] / 2
        return cls(mean * unit, deviation * unit, np.unique(cuts))

    @classmethod
    def of_moments(cls, rows: Array, means: Array, deviations: Array) -> "Spread":
        """That of classes with these means and deviations; without cuts."""
        total, there = float(rows.sum()), rows > 0
        if not total:
            return cls(0.0, 0.0, np.zeros(0))
        rows, means, deviations = rows[there], means[there], deviations[there]
        unit = max(float(np.abs(means).max()), float(deviations.max())) or 1.0
        means, deviations = means / unit, deviations / unit
        mean = math.fsum(means * rows) / total
        square = math.fsum(((means - mean) ** 2 + deviations**2) * rows) / total
        return cls(mean * unit, math.sqrt(square) * unit, np.zeros(0))

    def checked(self) -> "Spread":
        """The same; one that no numbers have is refused."""
        fine = math.isfinite(self.mean) and math.isfinite(self.deviation) and self.deviation >= 0
        if not fine or not np.isfinite(self.cuts).all() or (np.diff(self.cuts) <= 0).any():
            raise ModelError("its linear model has bins that are none")
        return self


@dataclass(frozen=True, eq=False)
class NumberInput(LinearInput[P, S, Array]):
    """A number: standardized, one-hot in bins, and whether it is missing."""

    spread: Callable[[S, Classes], Spread]
    name: str
    kind: str = "numeric"

    def fitted(self, statistic: S, classes: Classes) -> LinearFeatures[Array]:
        return _Number(self, self.spread(statistic, classes))

    def restored(self, arrays: Arrays, rows: int) -> LinearFeatures[Array]:
        if set(arrays) != {"standard", "cuts"}:
            raise ModelError("its linear model does not say how numbers are cut into bins")
        given = [np.asarray(arrays[name]) for name in ("standard", "cuts")]
        if any(array.dtype != np.float64 for array in given) or given[0].shape != (2,):
            raise ModelError("its linear model does not say how numbers are cut into bins")
        mean, deviation = given[0].tolist()
        return _Number(self, Spread(mean, deviation, given[1]).checked())


@dataclass(frozen=True, eq=False)
class _Text(LinearFeatures[_kernel.Texts]):
    text: _kernel.LinearText

    @property
    def block(self) -> "_kernel.LinearText | int":
        return self.text

    @property
    def width(self) -> int:
        return self.text.width

    def rows(self, cells: _kernel.Texts, scale: float, threads: int) -> _kernel.SparseRows:
        return self.text.read(cells, threads)

    def contributions(self, cells: _kernel.Texts, scores: Array) -> list[Contribution]:
        named = zip(self.text.named(cells), scores, strict=True)
        return [
            Contribution(name, kind, count, own) for (kind, name, count), own in named if own.any()
        ]

    def arrays(self) -> Arrays:
        return self.text.arrays()


@dataclass(frozen=True, eq=False)
class _Category(LinearFeatures[_kernel.Texts]):
    """A feature for each value, and the last for none."""

    input: CategoryInput[Any, Any]
    text: _kernel.LinearText

    @property
    def block(self) -> "_kernel.LinearText | int":
        return self.width

    @property
    def width(self) -> int:
        return self.text.width + 1

    def rows(self, cells: _kernel.Texts, scale: float, threads: int) -> _kernel.SparseRows:
        starts, columns = self.text.read(cells, threads).entries()
        # An unknown value has no feature.
        codes = np.full((len(cells), 1), -1, dtype=np.int64)
        codes[np.diff(starts) > 0, 0] = columns
        codes[cells.empty(), 0] = self.text.width
        return _sparse(codes, np.full(codes.shape, scale))

    def contributions(self, cells: _kernel.Texts, scores: Array) -> list[Contribution]:
        if not len(scores):
            return []
        (cell,) = cells.tolist()
        columns = self.input.columns
        name = self.input.named(cell) if cell else f"{', '.join(columns)} missing"
        return [Contribution(name, "categorical", 1, scores.sum(axis=0), columns)]

    def arrays(self) -> Arrays:
        return self.text.arrays()


@dataclass(frozen=True, eq=False)
class _Number(LinearFeatures[Array]):
    """The number itself, whether it is missing, and its bin."""

    input: NumberInput[Any, Any]
    spread: Spread

    @property
    def block(self) -> "_kernel.LinearText | int":
        return self.width

    @property
    def width(self) -> int:
        return 3 + len(self.spread.cuts)

    def rows(self, cells: Array, scale: float, threads: int) -> _kernel.SparseRows:
        mean, deviation, cuts = self.spread.mean, self.spread.deviation, self.spread.cuts
        is_missing = np.isnan(cells)
        numbers = np.where(is_missing, mean, cells)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            apart = (numbers - mean) / deviation if deviation else np.zeros(len(cells))
        standard = np.clip(np.nan_to_num(apart, nan=0.0), -_FARTHEST, _FARTHEST)
        bins = 2 + np.searchsorted(cuts, numbers, side="right")
        codes = np.stack([np.where(is_missing, 1, 0), np.where(is_missing, -1, bins)], axis=1)
        values = np.stack([np.where(is_missing, 1.0, standard), np.ones(len(cells))], axis=1)
        return _sparse(codes, values * scale)

    def contributions(self, cells: Array, scores: Array) -> list[Contribution]:
        (value,), name = cells, self.input.name
        shown = f"{name} missing" if np.isnan(value) else f"{name}={value:.12g}"
        total = scores.sum(axis=0)
        return [Contribution(shown, self.input.kind, 1, total, self.input.columns)]

    def arrays(self) -> Arrays:
        standard = np.array([self.spread.mean, self.spread.deviation])
        return {"standard": standard, "cuts": self.spread.cuts}


def _sparse(codes: NDArray[np.int64], values: Array) -> _kernel.SparseRows:
    """A feature for each code of a row, but for those below zero."""
    kept = codes >= 0
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
    return _kernel.SparseRows(
        starts, codes[kept].astype(np.uint32), values[kept].astype(np.float32)
    )
