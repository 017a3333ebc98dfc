"""What each kind of evidence is worth: how the rest would do without it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.copies import Copies
from likely.inputs import Batch
from likely.likelihoods.base import Columns, Likelihood, Scores
from likely.likelihoods.opinion import SecondOpinion
from likely.likelihoods.product import Product
from likely.likelihoods.views import Views
from likely.likelihoods.weighed import Weighed
from likely.tally import Classes, Tally
from likely.truth import AnyOf, Truth, truth_of

# A probability of zero for what is true counts as this one.
_SMALLEST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Contribution:
    """A kind of evidence, how far it is trusted, and how rows would be labelled without it."""

    columns: Columns
    kind: str
    weight: float | None
    """None if the evidence was not weighed."""
    weight_over_root: float | None
    """The weight that is divided by the root of a text's length."""
    is_part: bool
    """Whether it is one of several views of a text, which also contribute as a whole."""
    accuracy: float
    """Where rows have any number of labels, of those that are given all of theirs and no other."""
    log_loss: float


@dataclass(frozen=True, eq=False)
class Kind:
    """A factor, or a view of one, as a likelihood of its own."""

    factor: int
    likelihood: Likelihood
    columns: Columns
    spelled: str
    weight: float | None = None
    weight_over_root: float | None = None


def contributions(
    product: Product,
    tally: Tally,
    classes: Classes,
    batch: Batch,
    copies: Mapping[int, Copies] | None,
    apart: Mapping[int, Scores],
    judged: Callable[[Scores], NDArray[np.float64]],
    bars: NDArray[np.float64] | None,
    threads: int,
) -> list[Contribution]:
    """Score the rows by all kinds of evidence but one, for each of them.

    With `copies`, an empty mapping if there are none, rows are scored without themselves, and
    `apart` is what second opinions that had not learned them say. `judged` makes probabilities of
    scores; from its bar on each of any number of labels is said.
    """
    truth = truth_of(classes, batch.labels)
    if copies is not None and isinstance(truth, AnyOf):
        copies = truth.leaving(copies, len(product.factors))
    kinds = kinds_of(product)
    scores = [
        apart[kind.factor][: len(batch)]
        if copies is not None and isinstance(kind.likelihood, SecondOpinion)
        else _scores(kind, tally, classes, batch, truth.places, copies, threads)
        for kind in kinds
    ]

    def without(gone: list[Kind], kind: Kind, is_part: bool) -> Contribution:
        left = [each for other, each in zip(kinds, scores, strict=True) if other not in gone]
        probabilities = judged(np.sum([np.zeros_like(scores[0]), *left], axis=0))
        return Contribution(
            kind.columns,
            kind.spelled,
            kind.weight,
            kind.weight_over_root,
            is_part,
            *_figures(probabilities, truth, bars),
        )

    found = []
    for place, factor in enumerate(product.factors):
        parts = [kind for kind in kinds if kind.factor == place]
        if len(parts) > 1:
            whole = Kind(place, factor.likelihood, factor.columns, "all views of the text")
            found.append(without(parts, whole, False))
        found += [without([kind], kind, len(parts) > 1) for kind in parts]
    return found


def kinds_of(product: Product) -> list[Kind]:
    """Every kind of evidence of a product, each with its weight in it."""
    return [kind for place in range(len(product.factors)) for kind in _kinds(product, place)]


def _kinds(product: Product, place: int) -> list[Kind]:
    """A factor, or each view of one."""
    factor = product.factors[place]
    likelihood = factor.likelihood
    if isinstance(likelihood, Views):
        seen = [
            Kind(
                place,
                Views((view,), text=likelihood.text, neutral=likelihood.neutral),
                factor.columns,
                f"{view.features}: {view.model}",
                view.whole,
                view.rooted,
            )
            for view in likelihood.views
        ]
        if isinstance(likelihood, SecondOpinion) and likelihood.opinion is not None:
            alone, weight = likelihood.without_views(), likelihood.opinion.weight
            seen.append(Kind(place, alone, factor.columns, "second opinion", weight))
        return seen
    if isinstance(likelihood, Weighed):
        inner = repr(likelihood.likelihood)
        return [Kind(place, likelihood, factor.columns, inner, likelihood.weight)]
    return [Kind(place, likelihood, factor.columns, repr(likelihood))]


def _figures(
    probabilities: NDArray[np.float64], truth: Truth, bars: NDArray[np.float64] | None
) -> tuple[float, float]:
    """The share of right rows, and the log-loss: that of all labels of a row together."""
    if bars is not None and isinstance(truth, AnyOf):
        has = truth.matrix
        right = ((probabilities >= bars) == has).all(axis=1)
        own = np.where(has, probabilities, 1 - probabilities)
    else:
        right = probabilities.argmax(axis=1) == truth.places
        own = np.take_along_axis(probabilities, truth.places[:, None].astype(np.intp), axis=1)
    losses = -np.log(np.maximum(own, _SMALLEST)).sum(axis=1)
    return float(right.mean()), float(losses.mean())


def _scores(
    kind: Kind,
    tally: Tally,
    classes: Classes,
    batch: Batch,
    truth: NDArray[np.uint32],
    copies: Mapping[int, Copies] | None,
    threads: int,
) -> Scores:
    statistic: Any = tally.statistics[kind.factor]
    part = batch.parts[kind.factor]
    if copies is None:
        weights = kind.likelihood.estimate(statistic, classes, kind.columns)
        return kind.likelihood.score(weights, part, threads)
    beside: Any = {"copies": copies[kind.factor]} if kind.factor in copies else {}
    return kind.likelihood.leave_one_out(
        statistic, classes, kind.columns, part, truth, threads, **beside
    )
