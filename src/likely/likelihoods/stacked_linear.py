"""A linear model of all columns of a row, stacked on the counts.

    score_c(x) = views_c(x) + weight · ( b_c + Σ_f w_cf · v_f(x) )

The likelihoods are generative; the linear model is discriminative, one class against the rest. It
is learned, not counted: rows cannot be added to it or subtracted, so it stays as it is until the
model is tuned again. Its features are those of the inputs that the likelihoods list.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import Label, plain_label
from likely.data.table import FactorInput, rows_at
from likely.errors import ModelError
from likely.likelihoods.base import Scores, amount
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.linear_inputs import LinearFeatures, LinearInput
from likely.likelihoods.product import Product
from likely.tally import Arrays, Classes, Statistic
from likely.tally.container import of_places
from likely.tally.encoded import Encoded

FOLDS = 5

# The target for rows of other classes, and so the score of a class that it has not learned.
# Multi-label rows have 0 instead.
_NOT_THIS = -1.0
_AS_USUAL = 0.0

# So many rows are read at once, so that their features take little memory.
_AT_ONCE = 8192

# The arrays of weights in a model file.
_WEIGHTS = ("cells", "classes", "weights", "intercepts")


@dataclass(frozen=True, eq=False)
class StackedLinear:
    """The linear model, its features and classes, the rows it learned from, and its weight."""

    labels: tuple[Label, ...]
    features: tuple[LinearFeatures[Any], ...]
    """Those of each input of the product, in their order."""
    model: _kernel.LinearModel
    rows: int
    weight: float = 0.0

    def columns(self, product: Product) -> tuple[str, ...]:
        """The columns that it reads."""
        factors = dict.fromkeys(place for place, _ in _inputs(product))
        names = (name for place in factors for name in product.factors[place].columns)
        return tuple(dict.fromkeys(names))

    def score(
        self, product: Product, classes: Classes, parts: tuple[FactorInput, ...], threads: int
    ) -> Scores:
        inputs = _inputs(product)
        scores = [
            self.model.score(_blocks(inputs, self.features, some, threads), threads)
            for some in _cut(parts)
        ]
        return self._of(classes, np.concatenate(scores))

    def _of(self, classes: Classes, scores: Scores) -> Scores:
        """Weighted scores of its classes, on the last axis, extended to all classes."""
        places = {label: place for place, label in enumerate(self.labels)}
        unknown = _AS_USUAL if classes.is_multilabel else _NOT_THIS
        found = np.full((*scores.shape[:-1], len(classes)), unknown)
        for place, label in enumerate(classes.labels):
            if label in places:
                found[..., place] = scores[..., places[label]]
        return self.weight * found

    def intercept(self, classes: Classes) -> Contribution:
        """What each class gets whatever the row."""
        start = self._of(classes, np.array(self.model.intercepts))
        return Contribution("stacked linear model", "intercept", 1, start)

    def contributions(
        self, product: Product, classes: Classes, parts: tuple[FactorInput, ...]
    ) -> list[list[Contribution]]:
        """The contributions of one row, but for the intercept, those of each factor together."""
        ours = np.array([label in self.labels for label in classes.labels])
        inputs = _inputs(product)
        blocks = _blocks(inputs, self.features, parts, 1)
        scores = self._of(classes, self.model.contributions(blocks)) * ours
        found: list[list[Contribution]] = [[] for _ in product.factors]
        start = 0
        for (place, one), features, block in zip(inputs, self.features, blocks, strict=True):
            until = start + len(block.entries()[1])
            cells = one.cells(parts[place])
            found[place] += features.contributions(cells, scores[start:until])
            start = until
        return found

    def to_json(self) -> list[Any]:
        return [list(self.labels), self.rows, self.weight]

    def arrays(self) -> Arrays:
        """What was learned."""
        features = {
            f"{place}/{name}": array
            for place, one in enumerate(self.features)
            for name, array in one.arrays().items()
        }
        return features | self.model.arrays()

    @classmethod
    def restored(cls, stored: list[Any], product: Product, arrays: Arrays) -> "StackedLinear":
        given, rows, weight = stored
        labels = tuple(plain_label(label) for label in given)
        if list(labels) != sorted(set(labels)) or not amount("weight", weight):
            raise ModelError("its stacked linear model is one of no classes, or has no weight")
        if type(rows) is not int or not 0 <= rows < 2**63:
            raise ModelError("the rows of its stacked linear model make no sense")
        inputs = _inputs(product)
        parts = of_places(arrays, len(inputs), _WEIGHTS)
        try:
            features = tuple(
                one.restored(part, rows) for (_, one), part in zip(inputs, parts, strict=True)
            )
            weights = {name: arrays[name] for name in _WEIGHTS}
        except KeyError as error:
            raise ModelError(f"its stacked linear model has no {error}") from error
        widths = [one.width for one in features]
        model = _kernel.LinearModel.from_arrays(widths, len(labels), weights)
        return cls(labels, features, model, rows, weight)


def form(
    product: Product,
    statistics: Sequence[Statistic],
    classes: Classes,
    batches: Iterable[tuple[FactorInput, ...]],
    truth: Encoded,
    groups: NDArray[np.uint64],
    hashes: NDArray[np.uint64],
    threads: int,
) -> tuple[StackedLinear, Scores]:
    """The linear model of all rows, and cross-validated scores of each row.

    Rows are sorted by their hashes and assigned to stratified folds, those of one group together,
    so that their order has no effect.
    """
    inputs = _inputs(product)
    features = tuple(one.fitted(statistics[place], classes) for place, one in inputs)
    learner = _kernel.LinearLearner([one.block for one in features])
    for batch in batches:
        for some in _cut(batch):
            learner.read(_blocks(inputs, features, some, threads))
    order = np.lexsort((truth.ranks, hashes, groups)).astype(np.uint32)
    folds = assign_folds(truth.strata, groups)
    model, scores = learner.learn(
        len(classes), classes.is_multilabel, truth.sets, folds, order, threads
    )
    return StackedLinear(classes.labels, features, model, classes.n_rows), scores


def is_stackable(product: Product) -> bool:
    """Whether there is anything that a linear model reads."""
    return bool(_inputs(product))


Inputs = list[tuple[int, LinearInput[Any, Any, Any]]]


def _inputs(product: Product) -> Inputs:
    """What the linear model reads, each with the position of its factor."""
    return [
        (place, one)
        for place, factor in enumerate(product.factors)
        for one in factor.likelihood.linear_inputs(factor.columns)
    ]


def _blocks(
    inputs: Inputs,
    features: Sequence[LinearFeatures[Any]],
    parts: tuple[FactorInput, ...],
    threads: int,
) -> list[_kernel.SparseRows]:
    """The features of rows, input by input.

    A text has length one. Other columns are scaled, so that the categories and bins of a row have
    length one together, as its standardized numbers have on average: none drowns out the others.
    """
    columns = sum(isinstance(one.block, int) for one in features)
    scale = 1 / float(np.sqrt(max(columns, 1)))
    return [
        own.rows(one.cells(parts[place]), scale, threads)
        for (place, one), own in zip(inputs, features, strict=True)
    ]


def _cut(parts: tuple[FactorInput, ...]) -> Iterator[tuple[FactorInput, ...]]:
    """The rows, a few at a time; no rows are one part too."""
    rows = len(parts[0])
    for start in range(0, max(rows, 1), _AT_ONCE):
        here = np.arange(start, min(start + _AT_ONCE, rows))
        yield tuple(rows_at(part, here) for part in parts)


def assign_folds(truth: NDArray[np.uint32], hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The fold of each row: stratified by class, rows with the same hash together."""
    found, of_row = np.unique(hashes, return_inverse=True)
    first = np.full(len(found), np.iinfo(np.uint32).max, dtype=np.uint32)
    np.minimum.at(first, of_row, truth)
    fold = np.empty(len(found), dtype=np.uint32)
    fold[np.lexsort((found, first))] = np.arange(len(found)) % FOLDS
    return np.asarray(fold[of_row])
