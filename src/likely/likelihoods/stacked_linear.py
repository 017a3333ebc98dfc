"""A linear model of the same features, stacked on the counts.

    score_c(x) = views_c(x) + weight · ( b_c + Σ_f w_cf · v_f(x) )

The text views are generative; the linear model is discriminative, one class against the rest. It is
learned, not counted: rows cannot be added to it or subtracted, so it stays as it is until the model
is tuned again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import Label, plain_label
from likely.errors import ModelError
from likely.likelihoods.base import Scores, amount
from likely.likelihoods.contribution import Contribution
from likely.tally import Arrays, Classes
from likely.tally.encoded import Encoded
from likely.text import Text

FOLDS = 5

# The target for rows of other classes, and so the score of a class that it has not learned.
# Multi-label rows have 0 instead.
_NOT_THIS = -1.0
_AS_USUAL = 0.0


@dataclass(frozen=True, eq=False)
class StackedLinear:
    """The linear model, its classes and its weight."""

    labels: tuple[Label, ...]
    model: _kernel.LinearModel
    weight: float = 0.0

    def score(self, classes: Classes, part: _kernel.Texts, threads: int) -> Scores:
        return self._of(classes, self.model.score(part, threads))

    def _of(self, classes: Classes, scores: Scores) -> Scores:
        """Weighted scores of its classes, on the last axis, extended to all classes."""
        places = {label: place for place, label in enumerate(self.labels)}
        unknown = _AS_USUAL if classes.is_multilabel else _NOT_THIS
        found = np.full((*scores.shape[:-1], len(classes)), unknown)
        for place, label in enumerate(classes.labels):
            if label in places:
                found[..., place] = scores[..., places[label]]
        return self.weight * found

    def contributions(self, classes: Classes, part: _kernel.Texts) -> list[Contribution]:
        ours = np.array([label in self.labels for label in classes.labels])
        contributions = [
            Contribution(name, kind, count, self._of(classes, np.array(scores)) * ours)
            for kind, name, count, scores in self.model.contributions(part)
        ]
        start = self._of(classes, np.array(self.model.intercepts))
        return [Contribution("stacked linear model", "intercept", 1, start), *contributions]

    def to_json(self) -> list[Any]:
        return [list(self.labels), self.model.rows, self.weight]

    @classmethod
    def restored(cls, stored: list[Any], text: Text, arrays: Arrays) -> "StackedLinear":
        given, rows, weight = stored
        labels = tuple(plain_label(label) for label in given)
        if list(labels) != sorted(set(labels)) or not amount("weight", weight):
            raise ModelError("its stacked linear model is one of no classes, or has no weight")
        try:
            model = _kernel.LinearModel.from_arrays(text.reading, rows, len(labels), arrays)
        except KeyError as error:
            raise ModelError(f"its stacked linear model has no {error}") from error
        return cls(labels, model, weight)


def form(
    statistic: _kernel.TextCounts,
    classes: Classes,
    parts: Iterable[_kernel.Texts],
    truth: Encoded,
    hashes: NDArray[np.uint64],
    threads: int,
) -> tuple[StackedLinear, Scores]:
    """The linear model of all rows, and cross-validated scores of each row.

    Rows are sorted by the hashes of their texts and assigned to stratified folds, so that their
    order has no effect.
    """
    every, rows = classes.every or (None, int(classes.rows.sum()))
    learner = _kernel.LinearLearner(statistic, rows, every)
    for part in parts:
        learner.read(part, threads)
    order = np.lexsort((truth.ranks, hashes)).astype(np.uint32)
    folds = assign_folds(truth.strata, hashes)
    model, scores = learner.learn(
        len(classes), classes.is_multilabel, truth.sets, folds, order, threads
    )
    return StackedLinear(classes.labels, model), scores


def assign_folds(truth: NDArray[np.uint32], hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The fold of each row: stratified by class, exact duplicates together."""
    texts, of_row = np.unique(hashes, return_inverse=True)
    first = np.full(len(texts), np.iinfo(np.uint32).max, dtype=np.uint32)
    np.minimum.at(first, of_row, truth)
    fold = np.empty(len(texts), dtype=np.uint32)
    fold[np.lexsort((texts, first))] = np.arange(len(texts)) % FOLDS
    return np.asarray(fold[of_row])
