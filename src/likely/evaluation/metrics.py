"""Figures that are made of counts; 0/0 is 0.

precision = right / predicted        recall = right / gold

F_β = (1 + β²) · right / (β² · gold + predicted)

*Macro* is the mean over the classes, *micro* takes the sums over all classes first, *weighted* is
the mean over the classes by their rows in the truth.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.evaluation.counts import Array, Counts

Metric = Callable[[Counts], Array]


def ratio(top: NDArray[Any], bottom: NDArray[Any]) -> Array:
    """One over the other, and 0 where that is 0/0."""
    out = np.zeros(np.broadcast_shapes(np.shape(top), np.shape(bottom)))
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out


# By class


def precision(counts: Counts) -> Array:
    return ratio(counts.right, counts.predicted)


def recall(counts: Counts) -> Array:
    return ratio(counts.right, counts.gold)


def f_beta(beta: float) -> Metric:
    """The weighted harmonic mean of precision and recall; recall counts β times as much."""
    share = beta**2 / (1 + beta**2)

    def f(counts: Counts) -> Array:
        return ratio(counts.right, share * counts.gold + (1 - share) * counts.predicted)

    return f


# Over the classes


def macro(metric: Metric) -> Metric:
    def mean(counts: Counts) -> Array:
        if counts.of_all is None:
            return ratio(metric(counts).sum(axis=-1), counts.n_classes)
        return np.asarray(_of_every_class(metric, counts).mean(axis=-1))

    return mean


def _of_every_class(metric: Metric, counts: Counts) -> Array:
    """A figure of each class; of one that was not drawn, that of all rows.

    If it were skipped, the mean would be biased upward: rare classes, which are hard to predict,
    are often not drawn.
    """
    assert counts.of_all is not None
    drawn = counts.gold + counts.predicted > 0
    return np.where(drawn, metric(counts), metric(counts.of_all))


def micro(metric: Metric) -> Metric:
    def pooled(counts: Counts) -> Array:
        sums = {name: getattr(counts, name).sum(axis=-1) for name in ("gold", "predicted", "right")}
        return metric(replace(counts, **sums))

    return pooled


def weighted(metric: Metric) -> Metric:
    def mean(counts: Counts) -> Array:
        return ratio((metric(counts) * counts.gold).sum(axis=-1), counts.gold.sum(axis=-1))

    return mean


def accuracy(counts: Counts) -> Array:
    return ratio(counts.whole, counts.rows)


def majority_baseline(counts: Counts) -> Array:
    """The accuracy of always giving the commonest answer."""
    return ratio(counts.common, counts.rows)


def balanced_accuracy(counts: Counts) -> Array:
    """The mean recall of the classes that are in the truth."""
    if counts.of_all is None:
        return ratio(recall(counts).sum(axis=-1), np.count_nonzero(counts.gold, axis=-1))
    every = np.where(counts.gold > 0, recall(counts), recall(counts.of_all))
    there = counts.of_all.gold[0] > 0
    return np.asarray(every[:, there].mean(axis=-1))


def mcc(counts: Counts) -> Array:
    """Matthews' correlation of truth and prediction: 1 perfect, 0 chance."""

    def variance(rows: Array) -> Array:
        # Not a difference of squares, which rounding could keep from being 0.
        return np.asarray((rows * (rows.sum(axis=-1, keepdims=True) - rows)).sum(axis=-1))

    by_chance = (counts.gold * counts.predicted).sum(axis=-1)
    covariance = counts.rows * counts.right.sum(axis=-1) - by_chance
    found = ratio(covariance, np.sqrt(variance(counts.gold) * variance(counts.predicted)))
    return np.clip(found, -1.0, 1.0)


def hamming_loss(counts: Counts) -> Array:
    """The share of wrong label decisions, over all rows and classes."""
    wrong = (counts.gold + counts.predicted - 2 * counts.right).sum(axis=-1)
    return ratio(wrong, counts.rows * counts.gold.shape[-1])


def metrics(is_multilabel: bool, beta: float = 1.0) -> dict[str, Metric]:
    """Every figure made of counts, by name."""
    only: dict[str, Metric] = (
        {"hamming_loss": hamming_loss}
        if is_multilabel
        else {"balanced_accuracy": balanced_accuracy, "mcc": mcc}
    )
    by_class = {"precision": precision, "recall": recall, "f1": f_beta(1.0)}
    if beta != 1:
        by_class["f_beta"] = f_beta(beta)
    averages = {"macro": macro, "micro": micro, "weighted": weighted}
    return {
        "accuracy": accuracy,
        "majority_baseline": majority_baseline,
        **only,
        **{
            f"{average}_{name}": mean(metric)
            for average, mean in averages.items()
            for name, metric in by_class.items()
        },
    }
