"""Any Likely model as a scikit-learn estimator."""

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from likely.classifier import Classifier
from likely.errors import DataError
from likely.likelihoods import Gaussian
from likely.sklearn.base import (
    Array,
    all_or_nothing,
    announced,
    checked_weights,
    classes_of,
    places,
)


class LikelyClassifier(ClassifierMixin, BaseEstimator):
    """`likely.Classifier` where scikit-learn expects an estimator.

    >>> model = LikelyClassifier().fit(["free money", "see you at lunch"], ["spam", "ham"])
    >>> model.predict(["lunch money, free"])
    array(['spam'], dtype='<U4')
    >>> [term.name for term in model.model_.explain("free lunch").contributions]
    ['prior', 'free', 'lunch']

    Rows are texts, an array of numbers, or a table of any columns (pandas, Polars). `likelihood`
    and the rest are as in `likely.Classifier`; without a likelihood, an array of numbers gets a
    `Gaussian`, and the columns of a table get what suits each. Missing cells are left out, not
    refused. `model_` is the model itself: it explains, forgets, merges and saves.
    """

    model_: Classifier

    def __init__(
        self,
        likelihood: Any = None,
        *,
        prior: Any = "empirical",
        columns: Any = None,
        stack_linear: bool = False,
        ledger: Any = True,
        threads: int = 1,
    ):
        self.likelihood = likelihood
        self.prior = prior
        self.columns = columns
        self.stack_linear = stack_linear
        self.ledger = ledger
        self.threads = threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags

    # Learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from these rows alone. A weight is an integer: how often a row counts."""
        with all_or_nothing(self) as new:
            X, y = new._rows(X, y, sample_weight, reset=True)
            new.classes_ = classes_of(y, 2)
            new.model_ = self._model(X, ()).fit(X, y)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows. The first call names all classes; other labels are refused.

        Rows that are refused leave everything as it was.
        """
        first = not hasattr(self, "classes_")
        with all_or_nothing(self) as new:
            X, y = new._rows(X, y, sample_weight, reset=first)
            new.classes_ = announced(classes, None if first else self.classes_)
            places(y, new.classes_)
            new.model_ = self._model(X, new.classes_.tolist()) if first else copy(self.model_)
            new.model_.update(X, y)
        return self

    def _model(self, X: Any, classes: Any) -> Classifier:
        numbers = isinstance(X, np.ndarray) and X.dtype.kind == "f"
        return Classifier(
            Gaussian() if self.likelihood is None and numbers else self.likelihood,
            columns=self.columns,
            prior=self.prior,
            classes=classes,
            stack_linear=self.stack_linear,
            ledger=self.ledger,
            threads=self.threads,
        )

    def _rows(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Any, Any]:
        """Checked rows and labels, each as often as it weighs."""
        if y is None:
            raise DataError("this classifier requires y to be passed, but the target y is None")
        X = self._read(X, reset=reset)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        check_consistent_length(X, y)
        weights = checked_weights(sample_weight, len(y))
        if weights is None or (weights == 1).all():
            return X, y
        if (weights != np.floor(weights)).any():
            raise DataError("weights are how often rows are there, so they are whole numbers")
        rows = np.repeat(np.arange(len(y)), weights.astype(np.int64))
        return _safe_indexing(X, rows), y[rows]

    # Predicting

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> Array:
        """P(c | x), a column per class."""
        check_is_fitted(self)
        return self.model_.predict_proba(self._read(X, reset=False))

    def predict_log_proba(self, X: Any) -> Array:
        """log P(c | x), a column per class."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    # Reading

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Texts and tables as they are, all else as an array of numbers."""
        if _are_texts(X):
            # Texts are one column without a name.
            validate_data(self, np.empty((len(X), 1)), reset=reset, skip_check_array=True)
            return list(X)
        if _is_frame(X) or _has_words(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            if hasattr(self, "feature_names_in_") and _is_frame(X):
                return X
            cells = np.asarray(X, dtype=object)
            if _has_words(cells):
                return self._named(cells) or cells.tolist()
            X = cells
        X = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
        return self._named(X) or X

    def _named(self, cells: NDArray[Any]) -> dict[str, Any] | None:
        """Columns of an array under the names that a frame gave them, if one did."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else dict(zip(names.tolist(), cells.T.tolist(), strict=True))


def _are_texts(X: Any) -> bool:
    """Whether rows are texts: one dimension, and some of them strings."""
    shape = getattr(X, "shape", None)
    one = isinstance(X, (list, tuple)) if shape is None else len(shape) == 1
    return one and any(isinstance(row, (str, bytes)) for row in X)


def _is_frame(X: Any) -> bool:
    """Whether rows have named columns."""
    return hasattr(X, "columns") and len(getattr(X, "shape", ())) == 2


def _has_words(X: Any) -> bool:
    """Whether an array or a list of rows has a cell that is a string."""
    if isinstance(X, np.ndarray):
        words = X.ndim == 2 and X.dtype.kind in "OUS"
        return words and any(isinstance(cell, str) for cell in X.ravel())
    rows = isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], (list, tuple))
    return rows and any(isinstance(cell, str) for row in X for cell in row)
