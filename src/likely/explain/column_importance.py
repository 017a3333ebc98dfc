"""What each kind of evidence is worth: how the rest would do without it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import Copies
from likely.data.labeled import Labelled
from likely.data.table import Batch, Part, Table
from likely.likelihoods.base import Columns, Scores
from likely.likelihoods.product import Factor, Product
from likely.model import leave_one_out
from likely.model.fitted import Fitted
from likely.model.target import MultiLabel
from likely.tally.encoded import AnyOf, Truth, truth_of

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
    """A factor, or a view of one, as a factor of its own; the place of the whole is `place`."""

    place: int
    factor: Factor
    spelled: str
    weight: float | None = None
    weight_over_root: float | None = None
    is_linear_model: bool = False

    @property
    def columns(self) -> Columns:
        return self.factor.columns


def kinds_of(product: Product) -> list[Kind]:
    """Every kind of evidence of a product, each with its weight in it."""
    return [
        Kind(place, replace(factor, likelihood=one.likelihood), one.name, *one[2:])
        for place, factor in enumerate(product.factors)
        for one in factor.apart()
    ]


def evidence_by_kind(fitted: Fitted, table: Table, threads: int) -> list[tuple[Kind, Scores]]:
    """What each kind of evidence says of rows; with the prior it adds up to what decides."""
    parts = fitted.parts(table)
    return [(kind, _score(fitted, kind, parts, threads)) for kind in kinds_of(fitted.product)]


def _score(fitted: Fitted, kind: Kind, parts: tuple[Part, ...], threads: int) -> Scores:
    statistic = fitted.counted.statistics[kind.place]
    weights = kind.factor.estimate(statistic, fitted.classes)
    return kind.factor.score(weights, parts[kind.place], threads)


def contributions(
    fitted: Fitted, rows: Labelled, is_left_out: bool, threads: int
) -> list[Contribution]:
    """Score the rows of the first batch by all kinds of evidence but one, for each of them."""
    if is_left_out and fitted.reweighing is not None:
        fitted = replace(fitted, reweighing=None)
    product, classes = fitted.product, fitted.classes
    batch = next(fitted.batches(rows), None)
    if batch is None:
        return []
    truth, kinds = truth_of(classes, batch.labels), kinds_of(product)
    copies: dict[int, Copies] = {}
    if is_left_out:
        fitted.plan.ledger.check(fitted.tally.learned, batch)
        places = np.arange(len(batch))
        known = leave_one_out.duplicates(fitted, rows)
        copies = {place: found.take(places) for place, found in known.items()}
        said = leave_one_out.stacked_apart(fitted, rows, threads)
        scores = _left_out(fitted, kinds, batch, truth, copies, said, threads)
    else:
        scores = [_score(fitted, kind, batch.parts, threads) for kind in kinds]
    bars = fitted.target.bars(fitted.labels) if isinstance(fitted.target, MultiLabel) else None

    def judged(scores: Scores) -> Scores:
        if not is_left_out:
            own = fitted.log_prior if product.takes_prior else 0.0
            return fitted.posterior(scores + own, threads)
        found: Scores = leave_one_out.of_batch(fitted, batch, threads, copies, scores).probabilities
        return found

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
        parts = [kind for kind in kinds if kind.place == place]
        if len(parts) > 1:
            whole = Kind(place, factor, "all views of the text")
            found.append(without(parts, whole, False))
        found += [without([kind], kind, len(parts) > 1) for kind in parts]
    return found


def _left_out(
    fitted: Fitted,
    kinds: list[Kind],
    batch: Batch,
    truth: Truth,
    copies: Mapping[int, Copies],
    apart: Mapping[int, Scores],
    threads: int,
) -> list[Scores]:
    """The scores of rows without themselves; `apart` is what linear models without them say."""
    if isinstance(truth, AnyOf):
        copies = truth.leaving(copies, len(fitted.product.factors))
    found = []
    for kind in kinds:
        if kind.is_linear_model:
            found.append(apart[kind.place][: len(batch)])
            continue
        statistic, part = fitted.counted.statistics[kind.place], batch.parts[kind.place]
        beside: Any = {"copies": copies[kind.place]} if kind.place in copies else {}
        found.append(
            kind.factor.leave_one_out(
                statistic, fitted.classes, part, truth.places, threads, **beside
            )
        )
    return found


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
