"""From a model and labeled rows to the facts of a report.

Rows are read a few times over, batch by batch. What would take a second training (calibration of
the plain model, column importance) is measured on a sample, the rows with the smallest hashes: the
same whatever order the rows come in.
"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.classifier import Classifier
from likely.errors import NotLearnedError
from likely.evaluation.compare import compare
from likely.evaluation.evaluate import evaluate
from likely.evaluation.facts import Evaluation
from likely.evaluation.model_predictions import predict_rows
from likely.explain.shape import shapes
from likely.model.loo_predictions import LeaveOneOutPredictions, MultiLabelLeaveOneOutPredictions
from likely.report.facts import Calibration, Origin, Report, Step
from likely.report.multilabel import MultiLabelPredictions
from likely.report.rows import LabeledRows, Sample
from likely.report.single_label import SingleLabelPredictions

# So many rows are enough to compare models; smaller files are taken whole.
_SAMPLE = 10_000
# Of many classes fewer rows are: about so many probabilities.
_SAMPLE_CELLS = 400_000
# The learning curve doubles its rows up to all of them, so many times.
_DOUBLINGS = 6
_RESAMPLES = 1000
_FEWEST_ROWS = 32
_TOP = 10
# So many columns have their shape shown, of so many that come first in a wide table.
_SHAPES, _COLUMNS = 24, 100
_A_POINT = 0.01

LeftOut = LeaveOneOutPredictions | MultiLabelLeaveOneOutPredictions


def report(
    model: Classifier,
    x: Any,
    y: Any = None,
    *,
    loo: LeftOut | None = None,
    origin: Origin | None = None,
) -> Report:
    """Evaluate a model on labeled rows, and collect the facts about both.

    If the model has learned all of the rows, this is leave-one-out; `loo` has its predictions, in
    the order of the rows, if they are at hand. Otherwise it is a test.
    """
    rows = LabeledRows.of(model, model.labeled(x, y))
    found = _left_out(rows, loo) if loo is not None or rows.are_learned else None
    left_out = found is not None
    found = found or _tested(model, rows.source)
    evaluation = found.evaluated()
    sample = rows.sample(min(_SAMPLE, _SAMPLE_CELLS // len(found.classes)))
    known = sample.known(model)
    without = left_out and rows.are_learned
    # Rows under group weights are predicted in folds, by no one model that could be explained.
    explained_left_out = left_out and model.group_weights is None
    info = model.info
    return Report(
        verdict=_verdict(evaluation),
        left_out=left_out,
        learned=int(rows.learned.sum()),
        knows_rows=model.ledger.name == "open" or model.ledger.secret is not None,
        evaluation=evaluation,
        unseen_columns=rows.unseen_columns,
        likelihoods=tuple(info.likelihoods),
        sampled=len(sample.labels),
        calibration=found.take(sample.places).calibration(),
        calibration_plain=_before(model, known, left_out),
        **(_learning(rows, sample, found) if without else {}),
        top=model.top_features(_TOP),
        shapes=tuple(shapes(model.fitted, model.fitted.product.columns[:_COLUMNS])[:_SHAPES]),
        duplicates=rows.find_duplicates(),
        criterion=info.criterion,
        decision=info.decision,
        in_folds=model.learned is not None and model.learned.weight > 0,
        duplicates_together=left_out and model.leaves_duplicates_together,
        optimism=model.optimism if left_out else None,
        accuracy_alone=_alone(model, rows, evaluation) if without else None,
        notes=info.notes,
        origin=origin or Origin(tally=model.digest),
        explained_left_out=explained_left_out,
        **found.about_rows(rows, explained_left_out),
        thresholds=info.thresholds,
        **found.about_thresholds(),
        **found.about_features(model, known, left_out),
    )


def _alone(model: Classifier, rows: LabeledRows, evaluation: Evaluation) -> float | None:
    """The accuracy with each row left out alone, if that is another by more than a point."""
    if model.is_multilabel or not model.leaves_duplicates_together:
        return None
    made = model.leave_one_out_batches(rows.source, alone=True)
    right = float(np.concatenate([part.rightness for part in made]).mean())
    return right if abs(right - evaluation.accuracy) > _A_POINT else None


def _predictions(model: Classifier) -> Any:
    return MultiLabelPredictions if model.is_multilabel else SingleLabelPredictions


def _left_out(rows: LabeledRows, loo: LeftOut | None) -> Any:
    """Leave-one-out predictions; None if rows occur more often than the model learned them."""
    try:
        return _predictions(rows.model).left_out(
            [loo] if loo is not None else rows.model.leave_one_out_batches(rows.source)
        )
    except NotLearnedError:
        return None


def _tested(model: Classifier, rows: Any) -> Any:
    """The predictions of the model as it is."""
    return _predictions(model).tested(model, predict_rows(model, rows))


def _verdict(found: Evaluation) -> str:
    """The result in a sentence or two."""
    right, baseline = found.accuracy, found.majority_baseline
    what, shown = "Accuracy", ""
    if found.is_multilabel:
        recall, precision = map(render.tenth, (found.micro_recall, found.micro_precision))
        what = "Subset accuracy"
        shown = f"{recall} of all labels are found, {precision} of the predicted labels are right. "
    shown += f"{what} {render.tenth(right)} on {render.counted(found.rows, 'row', 'rows')}"
    # Resampled, rows that are all right are all right again: such an interval has no width.
    if right.low is not None and right.high is not None and right.low < right.high:
        shown += f" ({render.tenth(right.low)} to {render.tenth(right.high)})"
    shown += f"; majority baseline {render.tenth(baseline)} ({found.commonest})"
    low, high = (right if end is None else end for end in (right.low, right.high))
    if baseline >= 1:
        return f"{shown}. All rows have the same label."
    if high < baseline:
        return f"{shown}. That is worse than the baseline."
    if low <= baseline:
        return f"{shown}. It is no better than the baseline, as far as these rows show."
    avoided = render.tenth((right - baseline) / (1 - baseline))
    return f"{shown}. The model avoids {avoided} of the baseline's mistakes."


def _before(model: Classifier, sample: Sample, left_out: bool) -> Calibration | None:
    """The calibration of plain Naive Bayes, if the model is tuned."""
    if model.tuning is None or not model.learns or not sample.labels:
        return None
    plain, given = model.plain(), (sample.cells, sample.labels)
    if left_out:
        found = _predictions(model).left_out([plain.leave_one_out(*given)])
    else:
        found = _tested(plain, plain.labeled(*given))
    calibration: Calibration | None = found.calibration()
    return calibration


def _learning(rows: LabeledRows, sample: Sample, whole: Any) -> dict[str, Any]:
    """Models of ever more of the rows, all evaluated on the same rows, which they have not seen.

    The rows that come first are those of the smallest hashes, so the order of a file, which may be
    sorted, plays no part. Each tally is the one before and the rows that join; weights stay. Rows
    that a model has learned are left out of it, the others are new to it. `whole` has predictions
    of the model of all rows. A stacked linear model has seen all rows: with one there is no curve.
    """
    model, n_rows = rows.model, len(rows)
    fewest = max(_FEWEST_ROWS, 2 * len(model.classes))
    sizes = [n_rows // 2**k for k in range(_DOUBLINGS, 0, -1) if n_rows // 2**k >= fewest]
    is_counted = model.learned is None and model.group_weights is None
    if not sizes or not is_counted or model.fitted.stacked is not None:
        return {}
    limits = np.unique(np.sort(rows.hashes)[np.array(sizes) - 1])
    bands = np.searchsorted(limits, rows.hashes)
    tallies: list[Any] = [0] * len(limits)
    before = 0
    for table, own in rows.batches():
        joins = bands[before : before + len(table)]
        before += len(table)
        for band in np.unique(joins[joins < len(limits)]).tolist():
            here = np.flatnonzero(joins == band)
            tallies[band] += model.observe(table.at(here), [own[at] for at in here])
    predicted: dict[int, list[Any]] = {}
    smaller = model.with_prior(model.prior)
    for limit, tally in zip(limits, itertools.accumulate(tallies), strict=True):
        smaller.tally = tally
        learned = sample.hashes <= limit
        if len(smaller.classes) > (0 if model.is_multilabel else 1):
            predicted[tally.n_rows] = _predicted_without(smaller, sample, learned)
    if not predicted:
        return {}
    predicted[model.tally.n_rows] = whole.take(sample.places).predictions
    last_two = list(predicted.values())[-2:]
    gained = compare(
        sample.labels,
        *last_two,
        metric="micro_f1" if model.is_multilabel else "accuracy",
        test="bootstrap",
        resamples=_RESAMPLES,
    )
    steps = (_step(n, sample.labels, predictions) for n, predictions in predicted.items())
    return {"learning_curve": tuple(steps), "last_doubling": gained.effect}


def _predicted_without(model: Classifier, sample: Sample, learned: NDArray[np.bool_]) -> list[Any]:
    """What a model predicts for rows, those that it has learned left out."""
    predicted: dict[int, Any] = {}
    own, others = sample.take(learned), sample.take(~learned)
    if own.labels:
        made = model.leave_one_out(own.cells, own.labels).predictions
        predicted |= zip(own.places.tolist(), made, strict=True)
    if others.labels:
        predicted |= zip(others.places.tolist(), model.predict(others.cells), strict=True)
    return [predicted[place] for place in sample.places.tolist()]


def _step(n_rows: int, truth: list[Any], predicted: list[Any]) -> Step:
    found = evaluate(truth, predicted, resamples=200)
    return Step(n_rows, found.accuracy, found.micro_f1, float(found.macro_f1))
