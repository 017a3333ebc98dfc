"""Which columns go together within the classes, as far as a tally tells.

Covariances and joint tables have counted pairs of columns. Where columns were counted one by one,
only rows can tell (`dependence`).
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from likely import render
from likely.explain.dependence import of_tables
from likely.likelihoods.base import AnyLikelihood, Columns
from likely.likelihoods.gaussian import Gaussian, GaussianEstimates
from likely.likelihoods.joint_table import JointTable
from likely.likelihoods.number_views import NumberCounts, NumberViews
from likely.likelihoods.one_vs_rest import OneVsRest
from likely.likelihoods.product import Product
from likely.likelihoods.text import TextLikelihood
from likely.tally import Classes, Tally

# Weaker dependences are not shown.
TELLING = 0.3
_SHOWN = 5

_Pair = tuple[float, str]


def strongest(product: Product, tally: Tally, classes: Classes) -> list[str]:
    """The columns that depend on each other most within the classes, a sentence each."""
    found: list[_Pair] = []
    for factor, statistic in zip(product.factors, tally.statistics, strict=True):
        found += _of_factor(factor.likelihood, statistic, classes, factor.columns)
    found.sort(key=lambda pair: -pair[0])
    return [sentence for value, sentence in found[:_SHOWN] if value >= TELLING]


def are_all_counted(product: Product, tally: Tally) -> bool:
    """Whether there is no pair of columns, or of words, that the tally tells nothing of."""
    (first, *others) = product.factors
    if others or isinstance(first.likelihood, TextLikelihood):
        return False
    likelihood, statistic = first.likelihood, tally.statistics[0]
    if len(first.columns) == 1 and len(likelihood.counted(first.columns)) == 1:
        return True
    if isinstance(statistic, NumberCounts):
        return statistic.moments is not None
    return isinstance(likelihood, (Gaussian, JointTable)) and not likelihood.is_naive


def _of_factor(
    likelihood: AnyLikelihood, statistic: Any, classes: Classes, columns: Columns
) -> Iterator[_Pair]:
    if isinstance(likelihood, OneVsRest) or classes.is_multilabel:
        return
    if isinstance(likelihood, NumberViews) and statistic.moments is not None and len(columns) > 1:
        likelihood, statistic = Gaussian("shared"), statistic.moments
    if isinstance(likelihood, Gaussian):
        weights = likelihood.estimate(statistic, classes, columns)
        yield from _correlated(likelihood.estimates(weights), classes)
    elif isinstance(likelihood, JointTable):
        counts = likelihood.estimate(statistic, classes, columns).counts
        for i, j in itertools.combinations(range(len(columns)), 2):
            others = tuple(axis for axis in range(len(columns)) if axis not in (i, j))
            value = of_tables(np.moveaxis(counts.sum(axis=others), -1, 0))
            a, b = (render.name(columns[place]) for place in (i, j))
            yield value, f"`{a}` and `{b}` go together within the classes (dependence {value:.2f})"


def _correlated(estimates: GaussianEstimates, classes: Classes) -> Iterator[_Pair]:
    """The correlations within the classes, or in the class where they are strongest."""
    if estimates.correlations is None:
        return
    is_shared = len(estimates.correlations) == 1
    for i, j in itertools.combinations(range(len(estimates.columns)), 2):
        values = estimates.correlations[:, i, j]
        place = int(abs(values).argmax())
        who = "the classes" if is_shared else f"`{classes.labels[place]}`"
        a, b = (render.name(estimates.columns[place]) for place in (i, j))
        said = f"`{a}` and `{b}` go together within {who} (correlation {values[place]:+.2f})"
        yield abs(float(values[place])), said
