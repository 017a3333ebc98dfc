"""Gaussians: a variance per column (Gaussian NB), one covariance (LDA), or one per class (QDA).

All three are estimated from exact sums of weighted rows, so batches and order have no effect, and a
row of weight 3 is three rows. As in scikit-learn from version 1.9 on, covariances divide by n;
those of `likely.Gaussian` by n − K and n_c − 1.
"""

import warnings
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from likely import _kernel
from likely.errors import OptionError, SingularError
from likely.numbers import is_number
from likely.sklearn.base import Array, Generative, Slots, log_of, prior_of

# What a column without any spread within the classes gets of its spread over all rows.
_FLOOR = 1e-9

# The least that a singular covariance is shrunk.
_LEAST_SHRINKAGE = 1e-4


class Moments:
    """What was estimated of each class and of all rows: weight, mean, spread over the weight.

    A class without rows is taken to be as all rows are.
    """

    def __init__(self, sums: _kernel.WeightedMoments, *, together: bool):
        weights, means, spread = sums.estimates()
        if together:
            spread = spread.reshape(-1, means.shape[1], means.shape[1])
        seen = weights[:-1] > 0
        self.counts = weights[:-1]
        self.means = np.where(seen[:, None], means[:-1], means[-1])
        self.spread = np.where(seen.reshape(-1, *[1] * (spread.ndim - 1)), spread[:-1], spread[-1])
        self.spread_of_all = spread[-1]


class GaussianNB(Generative):
    """A Gaussian per class and column.

        log P(x | c) = − ½ Σ_j [ log 2πσ²_cj + (x_j − μ_cj)² / σ²_cj ]

    >>> GaussianNB().fit([[1.0], [2.0], [7.0], [8.0]], [0, 0, 1, 1]).predict([[3.0]])
    array([0])

    Parameters and attributes are those of `sklearn.naive_bayes.GaussianNB`. `epsilon_` is
    `var_smoothing` times the largest variance of all rows learned, where scikit-learn's
    `partial_fit` takes the batch at hand.
    """

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9):
        self.priors = priors
        self.var_smoothing = var_smoothing

    predict_joint_log_proba = Generative._scores

    def _check_options(self) -> None:
        _check_number("var_smoothing", self.var_smoothing, np.inf)

    def _zero(self, n_classes: int, n_features: int) -> _kernel.WeightedMoments:
        return _kernel.WeightedMoments(n_classes, n_features, False)

    def _plus(
        self, sums: _kernel.WeightedMoments, X: Any, slots: Slots, weights: Array | None
    ) -> _kernel.WeightedMoments:
        return sums.plus(np.ascontiguousarray(X), slots, weights)

    def _estimate(self, sums: _kernel.WeightedMoments) -> None:
        found = Moments(sums, together=False)
        largest = found.spread_of_all.max()
        self.epsilon_ = self.var_smoothing * largest
        self.class_count_, self.theta_ = found.counts, found.means
        self.var_ = found.spread + self.epsilon_
        self.class_prior_ = prior_of(self.priors, found.counts, "priors")
        self._log_prior = log_of(self.class_prior_)
        if largest > 0 and not self.var_.all():
            label = self.classes_[int((self.var_ == 0).any(axis=1).argmax())]
            raise SingularError(
                f"the rows of `{label}` have no spread in some column, "
                "and `var_smoothing=0` lends them none\nhint: `var_smoothing=1e-9` does"
            )

    def _log_joint(self, X: Any) -> Array:
        # Where nothing varies, nothing is said.
        variances = np.where(self.var_ > 0, self.var_, np.inf)
        constants = np.log(2 * np.pi * np.where(self.var_ > 0, self.var_, 1 / (2 * np.pi)))
        scores = np.empty((len(X), len(self.classes_)))
        for place, (mean, variance) in enumerate(zip(self.theta_, variances, strict=True)):
            scores[:, place] = -0.5 * ((X - mean) ** 2 / variance).sum(axis=1)
        return np.asarray(scores - 0.5 * constants.sum(axis=1) + self._log_prior)


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Generative):
    """A Gaussian per class with one shared covariance; decision boundaries are linear.

        log P(x, c) = μ_cᵀ Σ⁻¹ x − ½ μ_cᵀ Σ⁻¹ μ_c + log P(c) + what all classes share

    >>> x, y = [[0.0, 1.0], [1.0, 0.0], [4.0, 5.5], [6.0, 4.0]], [0, 0, 1, 1]
    >>> LinearDiscriminantAnalysis().fit(x, y).predict([[4.0, 4.0]])
    array([1])

    Parameters, attributes and solvers are those of scikit-learn's class of this name, but for
    `covariance_estimator` and `shrinkage="auto"`, which look at rows where only sums are kept. New
    are `partial_fit` and `sample_weight`. If no column varies within the classes, their spread over
    all rows, times 1e-9, stands in.
    """

    _fewest_classes = 2

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: float | None = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol

    def _check_options(self) -> None:
        _check_solver(self.solver, ("svd", "lsqr", "eigen"))
        _check_shrinkage(self.shrinkage)
        _check_number("tol", self.tol, np.inf)
        if self.solver == "svd" and self.shrinkage is not None:
            raise OptionError('`shrinkage` is for the solvers "lsqr" and "eigen"')
        whole = self.n_components is None or isinstance(self.n_components, (int, np.integer))
        if not whole or (self.n_components is not None and self.n_components < 1):
            raise OptionError(f"`n_components` is a number from 1 up, not {self.n_components!r}")

    def _zero(self, n_classes: int, n_features: int) -> _kernel.WeightedMoments:
        most = min(n_classes - 1, n_features)
        if self.n_components is not None and self.n_components > most:
            raise OptionError(f"there are {most} components at most, not {self.n_components}")
        return _kernel.WeightedMoments(n_classes, n_features, True)

    _plus = GaussianNB._plus

    def _estimate(self, sums: _kernel.WeightedMoments) -> None:
        found = Moments(sums, together=True)
        self.means_ = found.means
        self.priors_ = prior_of(self.priors, found.counts, "priors")
        self._log_prior = log_of(self.priors_)
        self.xbar_ = self.priors_ @ self.means_
        most = min(len(self.classes_) - 1, self.n_features_in_)
        self._n_features_out = most if self.n_components is None else int(self.n_components)
        shrunk = [_drawn(spread, self.shrinkage or 0.0) for spread in found.spread]
        if self.solver != "svd" or self.store_covariance:
            self.covariance_ = np.einsum("c,cij->ij", self.priors_, np.array(shrunk))
        if self.solver == "svd":
            coefficients, origin = self._whitened(found), self.xbar_
        elif self.solver == "lsqr":
            coefficients = scipy.linalg.lstsq(self.covariance_, self.means_.T)[0].T
            origin = np.zeros_like(self.xbar_)
        else:
            coefficients, origin = self._eigen(found), np.zeros_like(self.xbar_)
        centred = self.means_ - origin
        constants = self._log_prior - 0.5 * (centred * coefficients).sum(axis=1)
        self._linear = coefficients, constants - origin @ coefficients.T
        self.coef_, self.intercept_ = self._linear
        if len(self.classes_) == 2:
            self.coef_ = np.diff(self.coef_, axis=0)
            self.intercept_ = np.diff(self.intercept_)

    def _whitened(self, found: Moments) -> Array:
        """Coefficients and `scalings_`, leaving out directions without spread."""
        within = _pooled(found)
        deviations = np.sqrt(np.diag(within))
        deviations[deviations == 0] = 1.0
        values, vectors = np.linalg.eigh(within / np.outer(deviations, deviations))
        size, vectors = np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1]
        rank = int((size > self.tol).sum())
        whitening = vectors[:, :rank] / deviations[:, None] / size[:rank]
        weights = np.sqrt(found.counts.sum() * self.priors_ / max(len(self.classes_) - 1, 1))
        centred = self.means_ - self.xbar_
        _, size, axes = np.linalg.svd((weights[:, None] * centred) @ whitening, full_matrices=False)
        squares = size**2 / max((size**2).sum(), np.finfo(float).tiny)
        self.explained_variance_ratio_ = squares[: self._n_features_out]
        rank = int((size > self.tol * size.max(initial=0.0)).sum())
        self.scalings_ = _signed(whitening @ axes[:rank].T)
        return np.asarray(centred @ self.scalings_ @ self.scalings_.T)

    def _eigen(self, found: Moments) -> Array:
        """Coefficients and `scalings_`, by the spread between over the spread within."""
        within = self.covariance_
        between = _drawn(found.spread_of_all, self.shrinkage or 0.0) - within
        try:
            values, vectors = scipy.linalg.eigh(between, within)
        except np.linalg.LinAlgError:
            raise SingularError(
                "the covariance within the classes is singular\nhint: "
                '`solver="svd"` leaves such directions out, `shrinkage=0.1` lends some spread'
            ) from None
        self.explained_variance_ratio_ = (values / values.sum())[::-1][: self._n_features_out]
        self.scalings_ = _signed(vectors[:, ::-1])
        return np.asarray(self.means_ @ self.scalings_ @ self.scalings_.T)

    def _log_joint(self, X: Any) -> Array:
        coefficients, constants = self._linear
        return np.asarray(X @ coefficients.T + constants)

    def decision_function(self, X: Any) -> Array:
        """log P(x, c) up to what the classes share; of two classes, the second minus the first."""
        return _of_two(self._scores(X))

    def transform(self, X: Any) -> Array:
        """Rows projected on the directions that separate the classes most."""
        check_is_fitted(self, "classes_")
        if self.solver == "lsqr":
            raise OptionError('the solver "lsqr" has no `transform`; "svd" and "eigen" have')
        X = validate_data(self, X, reset=False, **self._accepts)
        origin = self.xbar_ if self.solver == "svd" else 0.0
        return np.asarray(((X - origin) @ self.scalings_)[:, : self._n_features_out])


class QuadraticDiscriminantAnalysis(Generative):
    """A Gaussian per class with a covariance of its own.

        log P(x | c) = − ½ [ log |2πΣ_c| + (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c) ]

    >>> x = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.5], [4.0, 5.5], [6.0, 4.0], [5.0, 5.5]]
    >>> QuadraticDiscriminantAnalysis().fit(x, [0, 0, 0, 1, 1, 1]).predict([[4.0, 4.0]])
    array([1])

    Parameters and attributes are those of scikit-learn's class of this name, but for
    `covariance_estimator` and `shrinkage="auto"`, which look at rows where only sums are kept. New
    are `partial_fit` and `sample_weight`. Where scikit-learn raises because a covariance is
    singular, it is shrunk as far as it must be, with a warning; a class whose rows are all alike
    takes what all classes share. Singular is a covariance in which a column adds less than `tol` of
    its variance to the others.
    """

    _fewest_classes = 2

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: float | None = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-10,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol

    def _check_options(self) -> None:
        _check_solver(self.solver, ("svd", "eigen"))
        _check_shrinkage(self.shrinkage)
        _check_number("reg_param", self.reg_param, 1.0)
        _check_number("tol", self.tol, 1.0)

    def _zero(self, n_classes: int, n_features: int) -> _kernel.WeightedMoments:
        return _kernel.WeightedMoments(n_classes, n_features, True)

    _plus = GaussianNB._plus

    def _estimate(self, sums: _kernel.WeightedMoments) -> None:
        found = Moments(sums, together=True)
        self.means_ = found.means
        self.priors_ = prior_of(self.priors, found.counts, "priors")
        self._log_prior = log_of(self.priors_)
        pooled = _pooled(found)
        shapes = []
        for label, spread, count in zip(self.classes_, found.spread, found.counts, strict=True):
            shapes.append(self._shape(label, spread, count, pooled, found.spread_of_all))
        eigen = [np.linalg.eigh(shape) for shape in shapes]
        self.scalings_ = [values[::-1] for values, _ in eigen]
        self.rotations_ = [_signed(vectors[:, ::-1]) for _, vectors in eigen]
        self._whitening = [_whitening(shape) for shape in shapes]
        if self.store_covariance:
            self.covariance_ = shapes

    def _shape(self, label: Any, spread: Array, count: float, pooled: Array, all_: Array) -> Array:
        """The covariance of one class, made usable."""
        if self.shrinkage is not None:
            spread = _drawn(spread, self.shrinkage)
        if self.reg_param:
            spread = (1 - self.reg_param) * spread + self.reg_param * np.eye(len(spread))
        if not spread.any() and all_.any():
            _say(f"the rows of `{label}` are all alike; it takes the covariance all classes share")
            spread = pooled
        # A column that is the same in all rows says nothing.
        spread = spread + np.diag(np.diag(all_) == 0) * (np.diag(spread) == 0)
        if not _is_singular(spread, self.tol):
            return np.asarray(spread)
        # Units make the columns comparable.
        units = np.sqrt(np.where(np.diag(pooled) > 0, np.diag(pooled), 1.0))
        plain = spread / np.outer(units, units)
        amount = max(_oracle(plain, count), _LEAST_SHRINKAGE)
        _say(f"the covariance of `{label}` is singular; it was shrunk by {amount:.3g}")
        return np.asarray(_drawn(plain, amount) * np.outer(units, units))

    def _log_joint(self, X: Any) -> Array:
        scores = np.empty((len(X), len(self.classes_)))
        shapes = zip(self.means_, self._whitening, strict=True)
        for place, (mean, (whitening, log_det)) in enumerate(shapes):
            distances = (((X - mean) @ whitening) ** 2).sum(axis=1)
            scores[:, place] = -0.5 * (distances + log_det)
        return np.asarray(scores + self._log_prior)

    def decision_function(self, X: Any) -> Array:
        """log P(x, c) up to what the classes share; of two classes, the second minus the first."""
        return _of_two(self._scores(X))


def _of_two(scores: Array) -> Array:
    return np.asarray(scores[:, 1] - scores[:, 0]) if scores.shape[1] == 2 else scores


def _pooled(found: Moments) -> Array:
    """The covariance within the classes, divided by n."""
    shares = found.counts / found.counts.sum()
    pooled = np.einsum("c,cij->ij", shares, found.spread)
    floor = np.diag(np.diag(found.spread_of_all)) * _FLOOR
    return np.asarray(pooled if pooled.any() else floor)


def _drawn(matrix: Array, amount: float) -> Array:
    """A covariance drawn to a multiple of the identity."""
    target = np.trace(matrix) / len(matrix)
    return np.asarray((1 - amount) * matrix + amount * target * np.eye(len(matrix)))


def _oracle(matrix: Array, n: float) -> float:
    """How far to shrink: the oracle approximating shrinkage, as `likely.Gaussian` uses it."""
    trace, squares = np.trace(matrix), (matrix**2).sum()
    over = squares - trace**2 / len(matrix)
    return min((squares + trace**2) / (max(n, 1.0) * over), 1.0) if over > 0 else 1.0


def _whitening(matrix: Array) -> tuple[Array, float]:
    """What makes a covariance the identity, and log |Σ|; by way of the correlations.

    Columns of very different size would lose their digits otherwise.
    """
    deviations = np.sqrt(np.diag(matrix))
    values, vectors = np.linalg.eigh(matrix / np.outer(deviations, deviations))
    log_det = np.log(values).sum() + 2 * np.log(deviations).sum()
    return vectors / deviations[:, None] / np.sqrt(values), float(log_det)


def _say(what: str) -> None:
    """Warn whoever called `fit` or `partial_fit`."""
    warnings.warn(what, UserWarning, stacklevel=6)


def _is_singular(matrix: Array, tol: float) -> bool:
    variances = np.diag(matrix)
    if not (variances > 0).all():
        return True
    deviations = np.sqrt(variances)
    return bool(np.linalg.eigvalsh(matrix / np.outer(deviations, deviations))[0] <= tol)


def _signed(vectors: Array) -> Array:
    """Directions turned so that the largest part of each is positive; nothing else settles it."""
    if not vectors.size:
        return vectors
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(largest < 0, -1.0, 1.0)


def _check_solver(given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise OptionError(f"`solver` is one of {', '.join(map(repr, known))}, not {given!r}")


def _check_shrinkage(given: Any) -> None:
    if isinstance(given, str):
        raise OptionError(
            "`shrinkage` is None or a number from 0 to 1: Ledoit and Wolf's amount, which "
            f"scikit-learn calls {given!r}, needs the rows, and only sums are kept"
        )
    if given is not None:
        _check_number("shrinkage", given, 1.0)


def _check_number(name: str, given: Any, most: float) -> None:
    plain = is_number(given)
    if not plain or not 0 <= given <= most:
        upper = "up" if most == np.inf else f"to {most:g}"
        raise OptionError(f"`{name}` is a number from 0 {upper}, not {given!r}")
