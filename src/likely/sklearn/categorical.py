"""Naive Bayes over categorical columns."""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_non_negative

from likely import _kernel
from likely.errors import OptionError
from likely.sklearn.base import Array, Generative, Slots, log_of, prior_of
from likely.sklearn.counts import log_shares, smoothing, with_rows


class CategoricalNB(Generative):
    """Each class is a spinning wheel per column; a row is one spin of each.

        log P(x | c) = Σ_j log P(x_j | c)        P(v | c) = (n_cv + α) / (n_c + α·V_j)

    >>> model = CategoricalNB().fit([[0, 1], [1, 1], [1, 0]], ["a", "b", "b"])
    >>> model.predict([[0, 7]])
    array(['a'], dtype='<U1')

    Categories are whole numbers from 0 up (`OrdinalEncoder` makes them). Parameters and attributes
    are those of `sklearn.naive_bayes.CategoricalNB`. A category never seen is ignored, where
    scikit-learn's raises an `IndexError`.
    """

    _accepts: ClassVar = {"dtype": np.int64}

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    predict_joint_log_proba = Generative._scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _check_options(self) -> None:
        if np.ndim(smoothing(self.alpha, self.force_alpha)):
            raise OptionError("`alpha` is one number for all categories")

    def _least(self, n_features: int) -> list[int]:
        """How many categories each column has at least."""
        least = np.asarray(0 if self.min_categories is None else self.min_categories)
        if least.dtype.kind not in "iu" or (least < 0).any():
            raise OptionError(
                f"`min_categories` are whole numbers from 0 up, not {self.min_categories!r}"
            )
        if least.shape not in [(), (n_features,)]:
            raise OptionError(f"`min_categories` has {least.size} numbers for {n_features} columns")
        return [int(number) for number in np.broadcast_to(least, n_features)]

    def _zero(self, n_classes: int, n_features: int) -> list[_kernel.Totals]:
        return [_kernel.Totals(n_classes, least) for least in self._least(n_features)]

    def _plus(
        self, sums: list[_kernel.Totals], X: Any, slots: Slots, weights: Array | None
    ) -> list[_kernel.Totals]:
        check_non_negative(X, "CategoricalNB (input X)")
        starts = np.arange(len(X) + 1)
        ones = np.ones(len(X), dtype=np.int64)
        more = []
        for column, categories in zip(sums, X.T, strict=True):
            width = int(categories.max(initial=-1)) + 1
            rows = sp.csr_array((ones, categories, starts), (len(X), width))
            more.append(with_rows(column, rows, slots, weights))
        return more

    def _estimate(self, sums: list[_kernel.Totals]) -> None:
        alpha = smoothing(self.alpha, self.force_alpha)
        self.class_count_ = sums[0].rows
        prior = prior_of(
            self.class_prior, self.class_count_, "class_prior", empirical=self.fit_prior
        )
        self.class_log_prior_ = self._log_prior = log_of(prior)
        self.category_count_ = [column.counts for column in sums]
        self.n_categories_ = np.array([counts.shape[1] for counts in self.category_count_])
        smoothed = [counts + alpha for counts in self.category_count_]
        self.feature_log_prob_ = [log_shares(s, s.sum(axis=1, keepdims=True)) for s in smoothed]

    def _log_joint(self, X: Any) -> Array:
        check_non_negative(X, "CategoricalNB (input X)")
        scores = np.tile(self.class_log_prior_, (len(X), 1))
        for logs, categories in zip(self.feature_log_prob_, X.T, strict=True):
            # A last column, of zeros, is for categories that nobody has seen.
            silent = np.hstack([logs, np.zeros((len(logs), 1))])
            scores += silent.T[np.minimum(categories, logs.shape[1])]
        return scores
