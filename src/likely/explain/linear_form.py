"""In log space, discrete Naive Bayes and LDA are linear classifiers.

score_c(x) = b_c + Σ_f w_cf · x_f
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.data.labels import Label
from likely.data.table import FactorInput, Table
from likely.errors import DataError, OptionError
from likely.explain.explanation import bar
from likely.explain.linear_row import LinearRow, against, named, reach, spelled, title
from likely.likelihoods.base import LinearPart, not_linear
from likely.likelihoods.product import Factor
from likely.model.fitted import Fitted
from likely.numbers import json_number

Array = NDArray[np.float64]

_MOST_CELLS = 200_000_000
# So many weights are printed, and of so many classes.
_SHOWN, _SHOWN_CLASSES = 20, 6


@dataclass(frozen=True, eq=False)
class LinearForm:
    """A row of weights per class over named features, and an intercept each; print it.

    >>> from likely import Classifier, Multinomial
    >>> model = Classifier(Multinomial()).fit(["good good fun", "dull"], ["pos", "neg"])
    >>> form = model.linear_form()
    >>> form.features
    ('dull', 'fun', 'good')
    >>> bool(np.allclose(form.scores(["good fun"]), model.log_joint(["good fun"])))
    True
    >>> print(form)
    log-odds of pos against neg = intercept + Σ weight · count
    <BLANKLINE>
    intercept  +0.000
    dull       −1.099  ░░░░░░░░░░░░░░░░░░░░░░░░
    good       +0.693  ███████████████
    fun        +0.288  ██████

    What LDA leaves out is the same for all classes, so there the scores differ from `log_joint` by
    one number per row. Rows must not have gaps.
    """

    classes: tuple[Label, ...]
    features: tuple[str, ...]
    weights: Array
    intercepts: Array
    _fitted: Fitted
    _parts: tuple[LinearPart[Any], ...]

    def matrix(self, x: Any) -> Array:
        """The features of each row: counts, ones and zeros, or the numbers themselves."""
        table = Table.of(x)
        if len(table) * len(self.features) > _MOST_CELLS:
            raise DataError(
                f"{len(table):,} rows of {len(self.features):,} features are too many to write "
                "out; take fewer rows at a time"
            )
        read: tuple[FactorInput, ...] = self._fitted.read(table)
        both = zip(self._parts, read, strict=True)
        return np.hstack([part.design(cells) for part, cells in both])

    def scores(self, x: Any) -> Array:
        return np.asarray(self.matrix(x) @ self.weights.T + self.intercepts)

    def of_row(self, row: Any) -> LinearRow:
        """The sum of one row: weight · count of each feature that it has; print it.

        >>> from likely import Classifier, Multinomial
        >>> model = Classifier(Multinomial()).fit(["good good fun", "dull"], ["pos", "neg"])
        >>> print(model.linear_form().of_row("good good film"))
        log-odds of pos against neg = intercept + Σ weight · count
        <BLANKLINE>
                               count  weight  weight · count
        intercept                                     +0.000
        good                       2  +0.693          +1.386
        sum                                           +1.386
        computed by the model                         +1.386
        P(pos | row)                                  0.8000
        """
        table = self._fitted.one_row(row)
        (x,), (computed,) = self.matrix(table), self._fitted.scores_of(table, 1)
        there = np.flatnonzero(x)
        found = LinearRow(
            self.classes,
            tuple(self.features[place] for place in there),
            x[there],
            self.weights[:, there],
            self.intercepts,
            computed,
            self._fitted.posterior(computed[None], 1)[0],
            self.unit,
        )
        if not found.is_the_models:
            raise DataError(
                "cells of the row are missing or were never seen in training, and the linear form "
                "is one of whole rows\n"
                "hint: `explain` without the linear form shows what such a row adds up to"
            )
        return found

    @property
    def unit(self) -> str:
        """What features are: counts, or values where there are numbers."""
        factors = self._fitted.product.factors
        return "value" if any(factor.likelihood.reads_numbers for factor in factors) else "count"

    def to_json(self) -> dict[str, Any]:
        """All weights."""
        names = list(map(str, self.classes))
        intercepts = zip(names, map(json_number, self.intercepts), strict=True)
        weights = zip(self.features, self.weights.T.tolist(), strict=True)
        return {
            "classes": list(self.classes),
            "intercepts": dict(intercepts),
            "weights": [
                {"feature": feature, "weights": dict(zip(names, of, strict=True))}
                for feature, of in weights
            ],
        }

    def __str__(self) -> str:
        places = list(range(len(self.classes)))[:_SHOWN_CLASSES]
        heads, (weights, intercepts) = against(self.classes, places, self.weights, self.intercepts)
        shown = np.argsort(-reach(weights), kind="stable")[:_SHOWN]
        values = [("intercept", intercepts)]
        values += [(named(self.features[f]), weights[:, f]) for f in shown]
        table = render.Table(
            ("", *heads), [(name, *map(spelled, of)) for name, of in values]
        ).text()
        if len(self.classes) == 2:
            largest = float(np.abs(weights).max(initial=0.0))
            bars = ["", *(bar(float(value), largest) for _, (value,) in values[1:])]
            lines = zip(table.splitlines(), bars, strict=True)
            table = "\n".join(f"{line}  {drawn}".rstrip() for line, drawn in lines)
        more = []
        if len(self.features) > len(shown):
            more.append(f"{len(self.features):,} features in all")
        if (n := len(self.classes) - len(places)) > 0:
            more.append(f"{render.counted(n, 'class', 'classes')} more")
        tail = [", ".join(more)] if more else []
        return "\n\n".join([title(self.classes, self.unit), table, *tail])


def linear_form(fitted: Fitted) -> LinearForm:
    """The linear form of a model; one that is not linear is refused."""
    fitted.check_fitted()
    fitted.check_single("linear_form")
    fitted.check_compares_classes("linear_form")
    fitted.check_no_group_thresholds("the linear form")
    if fitted.stacked is not None:
        raise not_linear(
            "the model has a stacked linear model beside its counts, and the two read different "
            "features"
        )
    product, classes = fitted.product, fitted.classes
    both = zip(product.factors, fitted.counted.statistics, strict=True)
    parts = tuple(_part(factor, statistic, fitted) for factor, statistic in both)
    intercepts = np.sum([part.intercepts for part in parts], axis=0)
    return LinearForm(
        classes.labels,
        tuple(name for part in parts for name in part.features),
        np.vstack([part.weights for part in parts]).T,
        intercepts + fitted.log_prior if product.takes_prior else intercepts,
        fitted,
        parts,
    )


def _part(factor: Factor, statistic: Any, fitted: Fitted) -> LinearPart[Any]:
    found = factor.likelihood.linear(statistic, fitted.classes, factor.columns)
    if not np.isfinite(found.weights).all() or not np.isfinite(found.intercepts).all():
        raise OptionError(
            f"without smoothing, `{factor.likelihood!r}` has weights that are infinite\n"
            "hint: `--alpha` or `--m` above 0 smooths them"
        )
    if factor.weight is None:
        return found
    scaled = factor.weight * found.weights, factor.weight * found.intercepts
    return replace(found, weights=scaled[0], intercepts=scaled[1])
