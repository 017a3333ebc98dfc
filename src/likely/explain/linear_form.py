"""In log space, discrete Naive Bayes and LDA are linear classifiers.

score_c(x) = b_c + Σ_f w_cf · x_f
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.labels import Label
from likely.data.table import FactorInput, Table
from likely.errors import DataError
from likely.likelihoods.base import LinearPart
from likely.likelihoods.product import Factor, Product
from likely.tally import Classes, Tally

Array = NDArray[np.float64]

_MOST_CELLS = 200_000_000


@dataclass(frozen=True, eq=False)
class LinearForm:
    """A row of weights per class over named features, and an intercept each.

    >>> from likely import Classifier, Multinomial
    >>> model = Classifier(Multinomial()).fit(["good good fun", "dull"], ["pos", "neg"])
    >>> form = model.linear_form()
    >>> form.features
    ('dull', 'fun', 'good')
    >>> bool(np.allclose(form.scores(["good fun"]), model.log_joint(["good fun"])))
    True

    What LDA leaves out is the same for all classes, so there the scores differ from `log_joint` by
    one number per row. Rows must not have gaps.
    """

    classes: tuple[Label, ...]
    features: tuple[str, ...]
    weights: Array
    intercepts: Array
    _design: Callable[[Any], Array]

    def matrix(self, x: Any) -> Array:
        """The features of each row: counts, ones and zeros, or the numbers themselves."""
        return self._design(x)

    def scores(self, x: Any) -> Array:
        return np.asarray(self.matrix(x) @ self.weights.T + self.intercepts)


def linear_form(
    product: Product, tally: Tally, classes: Classes, log_prior: Array, threads: int
) -> LinearForm:
    """The linear form of a product; one that is quadratic is refused."""
    both = zip(product.factors, tally.statistics, strict=True)
    parts = [_part(factor, statistic, classes) for factor, statistic in both]
    features = [name for part in parts for name in part.features]

    def design(x: Any) -> Array:
        table = Table.of(x)
        if len(table) * len(features) > _MOST_CELLS:
            raise DataError(
                f"{len(table):,} rows of {len(features):,} features are too many to write out; "
                "take fewer rows at a time"
            )
        read: tuple[FactorInput, ...] = product.read(table)
        return np.hstack([part.design(cells) for part, cells in zip(parts, read, strict=True)])

    intercepts = np.sum([part.intercepts for part in parts], axis=0)
    return LinearForm(
        classes.labels,
        tuple(features),
        np.vstack([part.weights for part in parts]).T,
        intercepts + log_prior if product.takes_prior else intercepts,
        design,
    )


def _part(factor: Factor, statistic: Any, classes: Classes) -> LinearPart[Any]:
    found = factor.likelihood.linear(statistic, classes, factor.columns)
    if factor.weight is None:
        return found
    scaled = factor.weight * found.weights, factor.weight * found.intercepts
    return replace(found, weights=scaled[0], intercepts=scaled[1])
