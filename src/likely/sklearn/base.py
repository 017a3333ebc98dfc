"""What the estimators of matrices share: rows are checked, added to exact sums, and estimated from.

`fit` begins with empty sums, `partial_fit` adds to the existing ones. That is the only difference,
so rows in any batches and any order give the same estimator, bit by bit.
"""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from numbers import Real
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from likely.errors import DataError, OptionError
from likely.model.prior import decide, log_sum, posterior

Array = NDArray[np.float64]
Slots = NDArray[np.uint32]
Estimator = TypeVar("Estimator", bound=BaseEstimator)


@contextmanager
def all_or_nothing(estimator: Estimator) -> Iterator[Estimator]:
    """A copy that learns, and takes the estimator's place once it has learned everything."""
    learning = copy(estimator)
    yield learning
    estimator.__dict__ = learning.__dict__


class Generative(ClassifierMixin, BaseEstimator):
    """A prior times a likelihood, estimated from sums.

    A subclass says which sums it keeps (`_zero`, `_plus`), what it makes of them (`_estimate`,
    which sets the public attributes and `_log_prior`), and how it scores rows (`_log_joint`).
    """

    _accepts: ClassVar[dict[str, Any]] = {"dtype": np.float64}
    """What `validate_data` is told of the rows."""

    _fewest_classes: ClassVar[int] = 1

    _log_prior: Array

    @abstractmethod
    def _zero(self, n_classes: int, n_features: int) -> Any: ...

    @abstractmethod
    def _plus(self, sums: Any, X: Any, slots: Slots, weights: Array | None) -> Any: ...

    @abstractmethod
    def _estimate(self, sums: Any) -> None: ...

    @abstractmethod
    def _log_joint(self, X: Any) -> Array: ...

    def _check_options(self) -> None:
        """Refuse parameters that make no sense, before anything is learned."""

    # Learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from these rows alone. A weight is how often a row counts; 0 is never."""
        with all_or_nothing(self) as new:
            X, y, weights = new._rows(X, y, sample_weight, reset=True)
            new._learn(X, y, weights, classes_of(y, self._fewest_classes), None)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows. The first call names all classes; other labels are refused.

        Rows that are refused leave everything as it was.
        """
        first = not hasattr(self, "classes_")
        with all_or_nothing(self) as new:
            X, y, weights = new._rows(X, y, sample_weight, reset=first)
            labels = announced(classes, None if first else self.classes_)
            new._learn(X, y, weights, labels, None if first else self._sums)
        return self

    def _rows(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Any, Any, Any]:
        """Checked rows, labels and weights, without the rows of weight 0."""
        self._check_options()
        X, y = validate_data(self, X, y, reset=reset, **self._accepts)
        check_classification_targets(y)
        weights = checked_weights(sample_weight, len(y))
        if weights is None or weights.all():
            return X, y, weights
        there = np.flatnonzero(weights)
        return X[there], y[there], weights[there]

    def _learn(self, X: Any, y: Any, weights: Array | None, labels: Any, sums: Any) -> None:
        slots = places(y, labels)
        if sums is None:
            sums = self._zero(len(labels), X.shape[1])
        self.classes_, self._sums = labels, self._plus(sums, X, slots, weights)
        self._estimate(self._sums)

    # Predicting

    def _scores(self, X: Any) -> Array:
        """log P(x, c), a column per class."""
        check_is_fitted(self, "classes_")
        return self._log_joint(validate_data(self, X, reset=False, **self._accepts))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each row; of equals, the one that sorts first."""
        scores = self._scores(X)
        return np.asarray(self.classes_[decide(scores, self._log_prior)])

    def predict_proba(self, X: Any) -> Array:
        """P(c | x), a column per class."""
        scores = self._scores(X)
        return posterior(scores, self._log_prior)

    def predict_log_proba(self, X: Any) -> Array:
        """log P(c | x), a column per class."""
        scores = self._scores(X)
        total = log_sum(scores)[:, None]
        hopeless = np.isneginf(total)
        shares = scores - np.where(hopeless, 0.0, total)
        return np.asarray(np.where(hopeless, self._log_prior, shares))


def checked_weights(given: Any, rows: int) -> Array | None:
    """A weight per row, none negative and not all zero."""
    if given is None:
        return None
    if isinstance(given, Real):
        given = np.full(rows, given)
    weights = check_array(given, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.ndim != 1:
        raise DataError(f"`sample_weight` is one number per row, not {weights.ndim}-dimensional")
    check_consistent_length(weights, range(rows))
    if (weights < 0).any():
        raise DataError(f"the weight of row {int((weights < 0).argmax()) + 1} is negative")
    if not weights.any():
        raise DataError("there is nothing to learn from: the weight of every row is zero")
    return np.ascontiguousarray(weights)


def classes_of(y: NDArray[Any], fewest: int) -> NDArray[Any]:
    """The labels that there are, sorted; too few are refused."""
    labels = np.unique(y)
    if len(labels) < fewest:
        raise DataError(f"there is only one class, `{labels[0]}`; it takes two to choose")
    return labels


def announced(classes: Any, known: Any) -> NDArray[Any]:
    """The classes that `partial_fit` is told of, in its first call or before."""
    if classes is None and known is None:
        raise OptionError("the first call to `partial_fit` needs `classes`, a list of all of them")
    if classes is None:
        return np.asarray(known)
    labels = unique_labels(classes)
    if known is not None and not np.array_equal(labels, known):
        raise OptionError(f"`classes` were {known.tolist()} and are now {labels.tolist()}")
    return np.asarray(labels)


def places(y: NDArray[Any], classes: NDArray[Any]) -> Slots:
    """Where each label stands among the classes; a label that is none of them is refused."""
    known = {label: place for place, label in enumerate(classes.tolist())}
    labels, found = np.unique(y, return_inverse=True)
    strangers = [label for label in labels.tolist() if label not in known]
    if strangers:
        listed = ", ".join(f"`{label}`" for label in list(known)[:12])
        raise DataError(f"label `{strangers[0]}` is none of the classes {listed}")
    order = np.array([known[label] for label in labels.tolist()], dtype=np.uint32)
    return np.ascontiguousarray(order[found])


def prior_of(given: Any, counts: Array, name: str, *, empirical: bool = True) -> Array:
    """P(c): as given, as the classes were seen, or the same for all."""
    if given is None:
        return np.asarray(
            counts / counts.sum() if empirical else np.ones_like(counts) / len(counts)
        )
    prior = np.asarray(given, dtype=np.float64)
    if prior.shape != counts.shape:
        raise OptionError(f"`{name}` has {prior.size} numbers for {len(counts)} classes")
    if (prior < 0).any() or abs(prior.sum() - 1) > 1e-8:
        raise OptionError(f"`{name}` are probabilities that sum to 1, not {prior.tolist()}")
    return prior


def log_of(shares: Array) -> Array:
    """log p, where that of nothing is minus infinity."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shares))
