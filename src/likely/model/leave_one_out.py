"""Leave-one-out predictions of a fitted model: in closed form, or in folds."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import ExactDuplicates
from likely.data.files import Progress
from likely.data.labeled import Labeled
from likely.data.table import Batch, Table, row_hashes
from likely.errors import DataError, ModelError
from likely.likelihoods.stacked_linear import assign_folds
from likely.model.adjust.rules import overruled
from likely.model.fitted import Fitted
from likely.model.loo_predictions import (
    LeaveOneOutPredictions,
    MultiLabelLeaveOneOutPredictions,
    labels_left_out,
    leave_one_out,
)
from likely.model.target import MultiLabel
from likely.model.tuning import TrainingRows, TuningResult, linear_scores_by_fold
from likely.tally.encoded import EncodedLabelSets, encoded

Array = NDArray[np.float64]
Places = NDArray[np.intp]
LeftOut = LeaveOneOutPredictions | MultiLabelLeaveOneOutPredictions


def joined(fitted: Fitted, parts: list[Any]) -> Any:
    """The predictions of several batches, one after another."""
    return (
        MultiLabelLeaveOneOutPredictions if fitted.is_multilabel else LeaveOneOutPredictions
    ).joined(parts)


def find_duplicates(fitted: Fitted, rows: Labeled) -> dict[int, ExactDuplicates]:
    """The exact duplicates of texts that are left out together, if the model is tuned."""
    if not fitted.leaves_duplicates_together:
        return {}
    return TrainingRows.of(fitted.product, fitted.classes, lambda: fitted.batches(rows)).duplicates


def are_learned(fitted: Fitted, rows: Labeled, threads: int) -> NDArray[np.bool_]:
    """Which of these rows were learned under these labels, as far as a ledger tells."""
    learned, ledger = fitted.tally.learned, fitted.plan.ledger
    if learned is None or (ledger.name != "open" and ledger.secret is None):
        learned = np.zeros(0, dtype=np.uint64)
    found = [np.zeros(0, dtype=bool)]
    for batch in fitted.batches(rows):
        hashes = ledger.hashes(batch, threads) if len(learned) else None
        there = np.zeros(len(batch), dtype=bool) if hashes is None else np.isin(hashes, learned)
        found.append(there)
    return np.concatenate(found)


def of_batch(
    fitted: Fitted,
    batch: Batch,
    threads: int,
    duplicates: Mapping[int, ExactDuplicates] | None = None,
    scores: Array | None = None,
    beside: Array | None = None,
) -> Any:
    """The predictions of rows, each by the tally and the prior without it.

    `scores` are those of the likelihoods, if known; otherwise `beside` is added to them: the
    cross-validated scores of a linear model.
    """
    spec = fitted.spec
    given = fitted.product, spec.prior, fitted.counted, batch, spec.classes, threads
    if isinstance(fitted.target, MultiLabel):
        more = fitted.biases, fitted.target, duplicates or {}, scores, beside
        return labels_left_out(*given, *more)
    if fitted.is_one_vs_rest:
        if scores is None:
            scores = _against_rest(fitted, batch, threads)
        given = fitted.product, spec.prior, fitted.weighted_tally, batch, spec.classes, threads
    return leave_one_out(*given, fitted.biases, duplicates, scores, beside, fitted.target)


def _against_rest(fitted: Fitted, batch: Batch, threads: int) -> Array:
    """How much likelier each row is in each class than in the rest, by the tally without it."""
    if not len(batch):
        raise DataError("there is nothing to leave out: no rows were given")
    product, classes = fitted.product, fitted.classes
    truth = encoded(classes, fitted.as_counted(batch.labels))
    assert isinstance(truth, EncodedLabelSets)
    each = truth.leaving({}, len(product.factors))
    return product.leave_one_out(fitted.counted, classes, batch, truth.places, threads, each)


def of_rows(fitted: Fitted, rows: Labeled, found: TuningResult, threads: int) -> Iterator[Any]:
    """The predictions of the rows that a model was just tuned on, batch by batch."""
    return _each(fitted, rows, threads, found.duplicates, found.scores, found.stacked)


def of_all(
    fitted: Fitted,
    rows: Labeled,
    threads: int,
    alone: bool = False,
    progress: Progress | None = None,
) -> Iterator[Any]:
    """The predictions of learned rows, batch by batch; exact duplicates together, or alone."""
    fitted.check_learns()
    if fitted.tally.per_row != 1:
        raise ModelError(
            "unlabeled rows lie where the labeled ones have put them, so none of these can "
            "be left out\nhint: `loo` has predictions of them from folds, after `fit`"
        )
    duplicates = {} if alone else find_duplicates(fitted, rows)
    beside = stacked_by_fold(fitted, rows, threads)
    yield from _each(fitted, rows, threads, duplicates, None, beside, progress, is_checked=True)


def _each(
    fitted: Fitted,
    rows: Labeled,
    threads: int,
    duplicates: Mapping[int, ExactDuplicates],
    scores: Array | None = None,
    beside: Array | None = None,
    progress: Progress | None = None,
    is_checked: bool = False,
) -> Iterator[Any]:
    start = 0
    for table, labels in rows.batches(fitted.columns, progress):
        batch = fitted.batch(table, labels)
        if is_checked:
            fitted.plan.ledger.check(fitted.tally.learned, batch)
        here = np.arange(start, start + len(batch))
        start += len(batch)
        made = of_batch(
            fitted,
            batch,
            threads,
            {place: duplicates[place].take(here) for place in duplicates} or None,
            None if scores is None else scores[here],
            None if beside is None else beside[here],
        )
        yield made if fitted.is_multilabel else _decided(fitted, table, made, threads)


def _decided(
    fitted: Fitted, table: Table, made: LeaveOneOutPredictions, threads: int
) -> LeaveOneOutPredictions:
    """The predictions under thresholds by group, under rules, and as the model decides."""
    if fitted.group_thresholds is not None:
        shifted = made.scores + fitted.shifts(table)
        made = replace(made, scores=shifted, probabilities=fitted.posterior(shifted, threads))
    found = overruled(made.probabilities, fitted.ruled_places(table, threads))
    return replace(made, probabilities=found, predicted=fitted.decide(found))


def stacked_by_fold(fitted: Fitted, rows: Labeled, threads: int) -> Array | None:
    """The cross-validated scores of the stacked linear model, if there is one."""
    return linear_scores_by_fold(
        fitted.product,
        fitted.tuning,
        fitted.tally,
        fitted.classes,
        lambda: fitted.batches(rows),
        threads,
    )


# In folds


def folds_of(fitted: Fitted, table: Table, labels: Any) -> NDArray[np.uint32]:
    """The fold of each row, duplicates together, independent of the order of rows."""
    return assign_folds(fitted.classes.places(labels), row_hashes(fitted.read(table)))


def of_fold(
    fitted: Fitted,
    table: Table,
    labels: Any,
    others: Places,
    trained: Callable[[Places], Fitted],
    threads: int,
) -> LeaveOneOutPredictions:
    """Predictions of all rows but `others` by a model that was trained on these.

    If these have one class only, all scores are minus infinity.
    """
    classes = fitted.classes
    here = np.setdiff1d(np.arange(len(labels)), others)
    truth, shape = classes.places(labels), (len(here), len(classes))
    scores, probabilities = np.full(shape, -np.inf), np.zeros(shape)
    predicted = np.zeros(len(here), dtype=np.intp)
    if len(np.unique(truth[others])) > 1:
        rest = trained(others)
        known = np.array([classes.labels.index(label) for label in rest.labels])
        found, ruled = rest.judged(table.at(here), threads)
        scores[:, known] = found
        own = overruled(rest.posterior(found, threads), ruled)
        probabilities[:, known], predicted = own, known[rest.decide(own)]
    nobody = np.zeros(len(here), dtype=np.bool_)
    return LeaveOneOutPredictions(
        classes.labels, scores, probabilities, truth[here], nobody, predicted
    )
