"""Naive Bayes over matrices of counts: multinomial, binary, Bernoulli, complement.

The sums are exact: whole numbers as such, beyond 2^53 too, and fractions (TF-IDF, weights) without
rounding. The formulas are those of `likely.likelihoods.text`, here for counts that need not be
whole.
"""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_non_negative

from likely import _kernel
from likely.errors import OptionError
from likely.sklearn.base import Array, Generative, Slots, log_of, prior_of

# What `force_alpha=False` takes in place of a smaller alpha.
_LEAST_ALPHA = 1e-10


class MultinomialNB(Generative):
    """Each class is an urn of features; a row is a handful drawn from it.

        log P(x | c) = Σ_f x_f · log θ_cf        θ_cf = (N_cf + α) / (N_c + α·V)

    >>> MultinomialNB().fit([[3, 0], [0, 2]], ["spam", "ham"]).predict([[1, 0]])
    array(['spam'], dtype='<U4')

    Parameters and attributes are those of `sklearn.naive_bayes.MultinomialNB`. With `alpha=0` a
    feature that a class never had makes the class impossible; where all are, the prior decides.
    """

    _accepts: ClassVar = {"accept_sparse": "csr"}

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    predict_joint_log_proba = Generative._scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _check_options(self) -> None:
        smoothing(self.alpha, self.force_alpha)

    def _counts(self, X: Any) -> Any:
        """The counts that a matrix stands for."""
        check_non_negative(X, f"{type(self).__name__} (input X)")
        return X

    def _zero(self, n_classes: int, n_features: int) -> _kernel.Totals:
        return _kernel.Totals(n_classes, n_features)

    def _plus(
        self, sums: _kernel.Totals, X: Any, slots: Slots, weights: Array | None
    ) -> _kernel.Totals:
        return with_rows(sums, self._counts(X), slots, weights)

    def _smoothing(self, n_features: int) -> Any:
        alpha = smoothing(self.alpha, self.force_alpha)
        if np.ndim(alpha) and np.shape(alpha) != (n_features,):
            raise OptionError(f"`alpha` has {np.size(alpha)} numbers for {n_features} features")
        return alpha

    def _estimate(self, sums: _kernel.Totals) -> None:
        self.class_count_, self.feature_count_ = sums.rows, sums.counts
        prior = prior_of(
            self.class_prior, self.class_count_, "class_prior", empirical=self.fit_prior
        )
        self.class_log_prior_ = self._log_prior = log_of(prior)
        smoothed = self.feature_count_ + self._smoothing(self.n_features_in_)
        self.feature_log_prob_ = log_shares(smoothed, smoothed.sum(axis=1, keepdims=True))

    def _log_joint(self, X: Any) -> Array:
        return weighted_sum(self._counts(X), self.feature_log_prob_) + self.class_log_prior_


class BinaryNB(MultinomialNB):
    """The multinomial with every feature counted once per row, in training and in prediction.

    It often does better than counts on short texts, and scikit-learn has no such estimator.

    >>> BinaryNB().fit([[3, 0], [1, 2]], [0, 1]).feature_count_
    array([[1., 0.],
           [1., 1.]])
    """

    def _counts(self, X: Any) -> Any:
        return above(super()._counts(X), 0.0)


class BernoulliNB(MultinomialNB):
    """Every feature of a row is present or absent, and absence counts too.

        log P(x | c) = Σ_f log (x_f ? p_cf : 1 − p_cf)        p_cf = (D_cf + α) / (n_c + 2α)

    >>> BernoulliNB().fit([[1, 0], [0, 1]], [0, 1]).predict([[0, 0.5]])
    array([1])

    Numbers above `binarize` are there; None takes the rows to be zeros and ones already. Parameters
    and attributes are those of `sklearn.naive_bayes.BernoulliNB`.
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ):
        super().__init__(
            alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior
        )
        self.binarize = binarize

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        return tags

    def _check_options(self) -> None:
        super()._check_options()
        if self.binarize is not None and not isinstance(self.binarize, Real):
            raise OptionError(f"`binarize` is a number or None, not {self.binarize!r}")

    def _counts(self, X: Any) -> Any:
        return X if self.binarize is None else above(X, self.binarize)

    def _estimate(self, sums: _kernel.Totals) -> None:
        super()._estimate(sums)
        alpha = self._smoothing(self.n_features_in_)
        rows = self.class_count_[:, None] + alpha * 2
        self.feature_log_prob_ = log_shares(self.feature_count_ + alpha, rows)
        absent = self.class_count_[:, None] - self.feature_count_ + alpha
        self._log_absent = log_shares(absent, rows)

    def _log_joint(self, X: Any) -> Array:
        X = self._counts(X)
        # All absent, then those that are there in place of their absence: sparse stays sparse.
        there, absent = self.feature_log_prob_, self._log_absent
        if np.isfinite(there).all() and np.isfinite(absent).all():
            scores = np.asarray(X @ (there - absent).T) + absent.sum(axis=1)
        else:
            gone = np.isneginf(absent)
            finite = np.where(gone, 0.0, absent)
            scores = weighted_sum(X, there) + finite.sum(axis=1) - np.asarray(X @ finite.T)
            missing = gone.sum(axis=1) - np.asarray(X @ gone.T.astype(np.float64))
            scores[missing > 0] = -np.inf
        return np.asarray(scores + self.class_log_prior_)


class ComplementNB(MultinomialNB):
    """A class is scored by the features of all other classes, and wins if they fit least.

        score_c = − Σ_f x_f · log θ'_cf        θ'_cf = (N_f − N_cf + α) / (N − N_c + α·V)

    >>> ComplementNB().fit([[3, 0], [0, 2]], ["spam", "ham"]).predict([[1, 0]])
    array(['spam'], dtype='<U4')

    Parameters and attributes are those of `sklearn.naive_bayes.ComplementNB`; the complement is
    subtracted exactly. The scores are not a joint probability, and there is no prior. `alpha` is
    above 0: without it, two features that only one class has could not be compared.
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ):
        super().__init__(
            alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior
        )
        self.norm = norm

    def _check_options(self) -> None:
        if not np.all(smoothing(self.alpha, self.force_alpha)):
            raise OptionError("`alpha` of ComplementNB is above 0")

    def _estimate(self, sums: _kernel.Totals) -> None:
        super()._estimate(sums)
        self.feature_all_ = self.feature_count_.sum(axis=0)
        others = sums.complements + self._smoothing(self.n_features_in_)
        logs = log_shares(others, others.sum(axis=1, keepdims=True))
        self.feature_log_prob_ = logs / logs.sum(axis=1, keepdims=True) if self.norm else -logs

    def _log_joint(self, X: Any) -> Array:
        scores = np.asarray(self._counts(X) @ self.feature_log_prob_.T)
        return scores + self.class_log_prior_ if len(self.classes_) == 1 else scores


def smoothing(alpha: Any, force: bool) -> Any:
    """A number from 0 up, or one per feature."""
    try:
        found = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"`alpha` is a number from 0 up, not {alpha!r}") from None
    if found.ndim > 1 or not np.isfinite(found).all() or (found < 0).any():
        raise OptionError(f"`alpha` is a number from 0 up, or one per feature, not {alpha!r}")
    return found if force else np.maximum(found, _LEAST_ALPHA)


def with_rows(sums: _kernel.Totals, X: Any, slots: Slots, weights: Array | None) -> _kernel.Totals:
    """Sums and the rows of a matrix, dense or sparse."""
    # SciPy knows only the common kinds of numbers.
    odd = X.dtype.kind == "f" and X.dtype.itemsize not in (4, 8)
    rows = sp.csr_array(X.astype(np.float64) if odd else X)
    whole = rows.dtype.kind in "bi" or (rows.dtype.kind == "u" and rows.dtype.itemsize < 8)
    return sums.plus(
        rows.shape[1],
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.int64),
        rows.data.astype(np.int64 if whole else np.float64),
        slots,
        weights,
    )


def above(X: Any, threshold: float) -> Any:
    """One where a matrix is above a threshold, else zero."""
    if not sp.issparse(X):
        return (X > threshold).astype(np.float64)
    if threshold < 0:
        raise OptionError("a sparse matrix is mostly zeros, so `binarize` has to be from 0 up")
    X = sp.csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    there = (X.data > threshold).astype(np.float64)
    return sp.csr_array((there, X.indices, X.indptr), X.shape)


def log_shares(parts: Array, wholes: Array) -> Array:
    """log(part / whole); of nothing, minus infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(parts > 0, np.log(parts) - np.log(wholes), -np.inf)


def weighted_sum(X: Any, logs: Array) -> Array:
    """Σ_f x_f · logs_cf, where zero times minus infinity is zero."""
    gone = np.isneginf(logs)
    if not gone.any():
        return np.asarray(X @ logs.T)
    scores = np.asarray(X @ np.where(gone, 0.0, logs).T, dtype=np.float64)
    scores[np.asarray((X != 0) @ gone.T.astype(np.float64)) > 0] = -np.inf
    return scores
