"""Column importance: how well rows are predicted without a column, or a view of one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import ExactDuplicates
from likely.data.labeled import Labeled
from likely.data.table import Batch, FactorInput, Table
from likely.likelihoods.base import Columns, Scores
from likely.likelihoods.product import Factor
from likely.model import leave_one_out
from likely.model.fitted import Fitted
from likely.model.target import MultiLabel
from likely.tally.encoded import Encoded, EncodedLabelSets, encoded

# A probability of zero for what is true counts as this one.
_SMALLEST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ColumnImportance:
    """A column or view, its weight, and how rows are predicted without it."""

    columns: Columns
    view: str
    weight: float | None
    """None if the model is not tuned."""
    weight_over_root: float | None
    """The weight that is divided by the root of a text's length."""
    is_part: bool
    """Whether it is one of several views, which are also listed as a whole."""
    accuracy: float
    """For multi-label rows, the share that are given all of their labels and no other."""
    log_loss: float


@dataclass(frozen=True, eq=False)
class ColumnView:
    """A factor, or a view of one, as a factor of its own; `place` is the index of the factor.

    The stacked linear model is a view of all columns, and no factor.
    """

    place: int
    factor: Factor | None
    columns: Columns
    spelled: str
    weight: float | None = None
    weight_over_root: float | None = None


def views_of(fitted: Fitted) -> list[ColumnView]:
    """Every view of a model, each with its weight."""
    factors, stacked = fitted.product.factors, fitted.stacked
    found = [
        ColumnView(
            place,
            replace(factor, likelihood=one.likelihood),
            one.columns or factor.columns,
            one.name,
            one.weight,
            one.weight_over_root,
        )
        for place, factor in enumerate(factors)
        for one in factor.components()
        if one.likelihood is not None
    ]
    if stacked is not None:
        columns = stacked.columns(fitted.product)
        named = columns, "stacked linear model"
        found.append(ColumnView(len(factors), None, *named, stacked.weight))
    return found


def scores_by_view(fitted: Fitted, table: Table, threads: int) -> list[tuple[ColumnView, Scores]]:
    """The scores of rows by each view; with the prior they add up to the scores of the model."""
    parts = fitted.parts(table)
    return [(view, _score(fitted, view, parts, threads)) for view in views_of(fitted)]


def _score(
    fitted: Fitted, view: ColumnView, parts: tuple[FactorInput, ...], threads: int
) -> Scores:
    if view.factor is None:
        assert fitted.stacked is not None
        return fitted.stacked.score(fitted.product, fitted.classes, parts, threads)
    statistic = fitted.counted.statistics[view.place]
    weights = view.factor.estimate(statistic, fitted.classes)
    return view.factor.score(weights, parts[view.place], threads)


def column_importance(
    fitted: Fitted, rows: Labeled, is_left_out: bool, threads: int
) -> list[ColumnImportance]:
    """Score the rows of the first batch without each view in turn."""
    if is_left_out and fitted.reweighing is not None:
        fitted = replace(fitted, reweighing=None)
    product, classes = fitted.product, fitted.classes
    batch = next(fitted.batches(rows), None)
    if batch is None:
        return []
    truth, views = encoded(classes, fitted.as_counted(batch.labels)), views_of(fitted)
    duplicates: dict[int, ExactDuplicates] = {}
    if is_left_out:
        fitted.plan.ledger.check(fitted.tally.learned, batch)
        places = np.arange(len(batch))
        known = leave_one_out.find_duplicates(fitted, rows)
        duplicates = {place: found.take(places) for place, found in known.items()}
        said = leave_one_out.stacked_by_fold(fitted, rows, threads)
        scores = _left_out(fitted, views, batch, truth, duplicates, said, threads)
    else:
        scores = [_score(fitted, view, batch.parts, threads) for view in views]

    def judged(scores: Scores) -> Scores:
        if not is_left_out:
            own = fitted.log_prior if product.takes_prior else 0.0
            return fitted.posterior(scores + own, threads)
        found: Scores = leave_one_out.of_batch(
            fitted, batch, threads, duplicates, scores
        ).probabilities
        return found

    def without(gone: list[ColumnView], view: ColumnView, is_part: bool) -> ColumnImportance:
        left = [each for other, each in zip(views, scores, strict=True) if other not in gone]
        probabilities = judged(np.sum([np.zeros_like(scores[0]), *left], axis=0))
        return ColumnImportance(
            view.columns,
            view.spelled,
            view.weight,
            view.weight_over_root,
            is_part,
            *_figures(fitted, probabilities, truth),
        )

    found = []
    for place, factor in enumerate(product.factors):
        parts = [view for view in views if view.place == place]
        if len(parts) > 1:
            whole = ColumnView(place, factor, factor.columns, "all views")
            found.append(without(parts, whole, False))
        found += [without([view], view, len(parts) > 1) for view in parts]
    return found + [without([view], view, False) for view in views if view.factor is None]


def _left_out(
    fitted: Fitted,
    views: list[ColumnView],
    batch: Batch,
    truth: Encoded,
    duplicates: Mapping[int, ExactDuplicates],
    apart: Scores | None,
    threads: int,
) -> list[Scores]:
    """Leave-one-out scores; `apart` has those of linear models formed without the rows."""
    if isinstance(truth, EncodedLabelSets):
        duplicates = truth.leaving(duplicates, len(fitted.product.factors))
    found = []
    for view in views:
        if view.factor is None:
            assert apart is not None
            found.append(apart[: len(batch)])
            continue
        statistic, part = fitted.counted.statistics[view.place], batch.parts[view.place]
        beside: Any = {"duplicates": duplicates[view.place]} if view.place in duplicates else {}
        found.append(
            view.factor.leave_one_out(
                statistic, fitted.classes, part, truth.places, threads, **beside
            )
        )
    return found


def _figures(
    fitted: Fitted, probabilities: NDArray[np.float64], truth: Encoded
) -> tuple[float, float]:
    """The accuracy and the log-loss; for multi-label rows, of all labels of a row together."""
    if isinstance(fitted.target, MultiLabel) and isinstance(truth, EncodedLabelSets):
        has, thresholds = truth.matrix, fitted.target.threshold_array(fitted.labels)
        right = ((probabilities >= thresholds) == has).all(axis=1)
        own = np.where(has, probabilities, 1 - probabilities)
    else:
        # In a one-vs-rest model, rows have one label each, counted as a set of labels.
        places = truth.places.astype(np.intp)
        if isinstance(truth, EncodedLabelSets):
            places = truth.matrix.argmax(axis=1)
        right = fitted.decide(probabilities) == places
        own = np.take_along_axis(probabilities, places[:, None], axis=1)
    losses = -np.log(np.maximum(own, _SMALLEST)).sum(axis=1)
    return float(right.mean()), float(losses.mean())
