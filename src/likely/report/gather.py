"""From a model and labeled rows to the facts of a report.

Rows are read a few times over, batch by batch. What would take a second training (probabilities
before weighing, evidence left out in turn) looks at some of the rows, those with the smallest
hashes: the same whatever order the rows come in.
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
from likely.model.loo_predictions import LeaveOneOutPredictions, MultiLabelLeaveOneOutPredictions
from likely.report.facts import Calibration, Origin, Report, Step
from likely.report.multilabel import MultiLabelPredictions
from likely.report.rows import Rows, Sample
from likely.report.single_label import SingleLabelPredictions

# So many rows are enough to compare models by; smaller files are taken whole.
_SAMPLE = 10_000
# Of many classes fewer rows are: about so many probabilities.
_SAMPLE_CELLS = 400_000
# The learning curve doubles its rows up to all of them, so many times.
_DOUBLINGS = 6
_RESAMPLES = 1000
_FEWEST_ROWS = 32
_TOP = 10
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
    """Judge a model by rows with labels, and find out what there is to know of both.

    If the model has learned all of the rows, each is judged by the model without it; `loo` has
    these predictions, in the order of the rows, if they are at hand. Otherwise it is a test.
    """
    rows = Rows.of(model, model.labeled(x, y))
    found = _left_out(rows, loo) if loo is not None or rows.are_learned else None
    left_out = found is not None
    found = found or _tested(model, rows.source)
    judged = found.evaluated()
    sample = rows.sample(min(_SAMPLE, _SAMPLE_CELLS // len(found.classes)))
    known = sample.known(model)
    without = left_out and rows.are_learned
    # Rows that count more than once are judged in folds, by no one model that could be explained.
    explained_left_out = left_out and model.group_weights is None
    info = model.info
    return Report(
        verdict=_verdict(judged),
        left_out=left_out,
        learned=int(rows.learned.sum()),
        knows_rows=model.ledger.name == "open" or model.ledger.secret is not None,
        evaluation=judged,
        strange=rows.strange,
        likelihoods=tuple(info.likelihoods),
        sampled=len(sample.labels),
        calibration=found.take(sample.places).calibration(),
        calibration_before=_before(model, known, left_out),
        **(_learning(rows, sample, found) if without else {}),
        top=model.top_features(_TOP),
        duplicates=rows.find_duplicates(),
        criterion=info.criterion,
        in_folds=model.learned is not None and model.learned.weight > 0,
        together=left_out and model.leaves_duplicates_together,
        optimism=model.optimism if left_out else None,
        accuracy_alone=_alone(model, rows, judged) if without else None,
        notes=info.notes,
        origin=origin or Origin(tally=model.digest),
        explained_left_out=explained_left_out,
        **found.about_rows(rows, explained_left_out),
        **found.about_thresholds(),
        **found.about_evidence(model, known, left_out),
    )


def _alone(model: Classifier, rows: Rows, judged: Evaluation) -> float | None:
    """The accuracy with each row left out alone, if that is another by more than a point."""
    if model.is_multilabel or not model.leaves_duplicates_together:
        return None
    made = model.leave_one_out_batches(rows.source, alone=True)
    right = float(np.concatenate([part.rightness for part in made]).mean())
    return right if abs(right - judged.accuracy) > _A_POINT else None


def _kind(model: Classifier) -> Any:
    return MultiLabelPredictions if model.is_multilabel else SingleLabelPredictions


def _left_out(rows: Rows, loo: LeftOut | None) -> Any:
    """Every row judged by the model without it; None if some stand there too often for that."""
    try:
        return _kind(rows.model).left_out(
            [loo] if loo is not None else rows.model.leave_one_out_batches(rows.source)
        )
    except NotLearnedError:
        return None


def _tested(model: Classifier, rows: Any) -> Any:
    """Rows judged by the model as it is."""
    return _kind(model).tested(model, predict_rows(model, rows))


def _verdict(judged: Evaluation) -> str:
    """What a person should take away, in a sentence or two."""
    right, always = judged.accuracy, judged.majority_baseline
    shown = "Right for"
    if judged.is_multilabel:
        found, precise = render.tenth(judged.micro_recall), render.tenth(judged.micro_precision)
        shown = f"Of all labels {found} are found, and of those said {precise} are right. "
        shown += "All labels of a row, and no others, are said for"
    shown += f" {render.tenth(right)} of {render.counted(judged.rows, 'row', 'rows')}"
    # Drawn anew, rows that are all right are all right again, which says nothing of others.
    if right.low is not None and right.high is not None and right.low < right.high:
        shown += f" ({render.tenth(right.low)} to {render.tenth(right.high)})"
    shown += f", where always saying {judged.commonest} is right for {render.tenth(always)}: "
    low, high = (right if end is None else end for end in (right.low, right.high))
    if always >= 1:
        return shown + "there is nothing to tell apart."
    if high < always:
        return shown + "worse than not looking at the rows at all."
    if low <= always:
        return shown + "no better, as far as these rows can tell."
    return shown + f"it avoids {render.tenth((right - always) / (1 - always))} of the mistakes."


def _before(model: Classifier, sample: Sample, left_out: bool) -> Calibration | None:
    """The calibration of plain Naive Bayes, of which the evidence was weighed."""
    if model.tuning is None or not model.learns or not sample.labels:
        return None
    plain, given = model.plain(), (sample.cells, sample.labels)
    if left_out:
        found = _kind(model).left_out([plain.leave_one_out(*given)])
    else:
        found = _tested(plain, plain.labeled(*given))
    calibration: Calibration | None = found.calibration()
    return calibration


def _learning(rows: Rows, sample: Sample, whole: Any) -> dict[str, Any]:
    """Models of ever more of the rows, all judged by the same rows, none of which it has seen.

    The rows that come first are those of the smallest hashes, so the order of a file, which may be
    sorted, plays no part. Each tally is the one before and the rows that join; weights stay. Rows
    that a model has learned are left out of it, the others are new to it. `whole` is what the model
    of all rows says. A stacked linear model has seen all of them, so with one there is no curve.
    """
    model, n_rows = rows.model, len(rows)
    fewest = max(_FEWEST_ROWS, 2 * len(model.classes))
    sizes = [n_rows // 2**k for k in range(_DOUBLINGS, 0, -1) if n_rows // 2**k >= fewest]
    is_counted = model.learned is None and model.group_weights is None
    if not sizes or not is_counted or model.fitted.has_stacked:
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
    said: dict[int, list[Any]] = {}
    smaller = model.with_prior(model.prior)
    for limit, tally in zip(limits, itertools.accumulate(tallies), strict=True):
        smaller.tally = tally
        learned = sample.hashes <= limit
        if len(smaller.classes) > (0 if model.is_multilabel else 1):
            said[tally.n_rows] = _said_without(smaller, sample, learned)
    if not said:
        return {}
    said[model.tally.n_rows] = whole.take(sample.places).predictions
    last_two = list(said.values())[-2:]
    gained = compare(
        sample.labels,
        *last_two,
        metric="micro_f1" if model.is_multilabel else "accuracy",
        test="bootstrap",
        resamples=_RESAMPLES,
    )
    steps = (_step(n, sample.labels, predictions) for n, predictions in said.items())
    return {"learning": tuple(steps), "last_doubling": gained.effect}


def _said_without(model: Classifier, sample: Sample, learned: NDArray[np.bool_]) -> list[Any]:
    """What a model says of rows, those that it has learned left out."""
    said: dict[int, Any] = {}
    own, others = sample.take(learned), sample.take(~learned)
    if own.labels:
        made = model.leave_one_out(own.cells, own.labels).predictions
        said |= zip(own.places.tolist(), made, strict=True)
    if others.labels:
        said |= zip(others.places.tolist(), model.predict(others.cells), strict=True)
    return [said[place] for place in sample.places.tolist()]


def _step(n_rows: int, truth: list[Any], said: list[Any]) -> Step:
    found = evaluate(truth, said, resamples=200)
    return Step(n_rows, found.accuracy, found.micro_f1, float(found.macro_f1))
