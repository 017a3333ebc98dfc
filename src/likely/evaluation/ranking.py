"""Figures that are made of an order: whether a score puts the right rows, or labels, first."""

import numpy as np
from numpy.typing import NDArray

from likely.data.label_sets import Codes
from likely.evaluation.counts import Array
from likely.evaluation.metrics import ratio

_AT_ONCE = 10_000_000


class Ranking:
    """Rows from the highest score down, and those of one class among them."""

    def __init__(self, scores: Array, positive: NDArray[np.bool_]):
        self._order = np.argsort(-scores, kind="stable")
        ranked = -scores[self._order]
        self._places = np.flatnonzero(positive[self._order])
        self._is_other = 1.0 - positive[self._order]
        # Rows with the same score share a rank: from `_first` on, up to before `_last`.
        self._first = np.searchsorted(ranked, ranked[self._places], side="left")
        self._last = np.searchsorted(ranked, ranked[self._places], side="right")
        self._has_ties = bool((self._last - self._first > 1).any())

    def figures(self, weights: Array) -> tuple[Array, Array]:
        """ROC-AUC and average precision, a line of weights per resample; NaN where undefined.

        ROC-AUC is the chance that a row of the class outranks one that is not, ties counting half;
        average precision the mean, over the rows of the class, of the precision down to their rank.
        """
        ranked = weights.take(self._order, axis=1)
        own = ranked.take(self._places, axis=1)
        ranked *= self._is_other
        rest, hits = _running(ranked), _running(own)
        others, hits_down = rest.take(self._last, axis=1), hits[:, 1:]
        if self._has_ties:
            hits_down = hits.take(np.searchsorted(self._places, self._last), axis=1)
        precision = ratio(hits_down, hits_down + others)
        if self._has_ties:
            others = (others + rest.take(self._first, axis=1)) / 2
        n_own, n_others = hits[:, -1], rest[:, -1]
        with np.errstate(invalid="ignore"):
            auc = 1 - np.einsum("ij,ij->i", own, others) / (n_own * n_others)
            return auc, np.einsum("ij,ij->i", own, precision) / n_own


def label_ranking(scores: Array, rows: Codes, classes: Codes) -> Array:
    """For each row, the mean over its labels of the precision down to their rank.

    Row `rows[i]` has the label `classes[i]`. A row without labels, or with all of them, has nothing
    to rank and counts as 1.
    """
    n_rows, n_classes = scores.shape
    given = scores[rows, classes]
    order = np.lexsort((-given, rows))
    rows, given = rows[order], given[order]
    sizes = np.bincount(rows, minlength=n_rows)
    # How many of the row's own labels stand as high: up to the last one of the same score.
    last = np.append(np.flatnonzero((np.diff(rows) != 0) | (np.diff(given) != 0)), len(rows) - 1)
    ends = last[np.searchsorted(last, np.arange(len(rows)))]
    own = ends + 1 - (np.cumsum(sizes) - sizes)[rows]
    step = max(1, _AT_ONCE // max(n_classes, 1))
    ranks = np.concatenate(
        [
            np.count_nonzero(scores[rows[i : i + step]] >= given[i : i + step, None], axis=1)
            for i in range(0, len(rows), step)
        ]
        or [np.zeros(0, dtype=np.intp)]
    )
    means = ratio(np.bincount(rows, weights=ratio(own, ranks), minlength=n_rows), sizes)
    return np.where((sizes == 0) | (sizes == n_classes), 1.0, means)


def _running(weights: Array) -> Array:
    """The sum up to each place; it begins with 0."""
    sums = np.zeros((len(weights), weights.shape[1] + 1))
    np.cumsum(weights, axis=1, out=sums[:, 1:])
    return sums
