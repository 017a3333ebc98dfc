"""The sections of a report on how good a model is."""

import math
from collections.abc import Iterator

from likely import render
from likely.evaluation import shown
from likely.evaluation.facts import ClassFigures
from likely.evaluation.intervals import Figure
from likely.evaluation.probabilities import SMALLEST
from likely.render import Bar, Block, Cell, LineChart, Series, Table, Tiles
from likely.report.facts import Calibration, Report

# Of more classes than this, those with the lowest F1 and those with the most rows are shown.
_MANY_CLASSES = 30
_CRITERIA = {"f1": "the best F1"}

_OF_LABELS = (
    "Subset accuracy counts a row as right if exactly its labels are predicted. The Hamming loss "
    "is the share of wrong decisions among all pairs of a row and a label, most of which are easy. "
    "Label ranking is how high, on average, probabilities rank the labels of a row; it does not "
    "depend on thresholds. Micro averages weight every label of every row alike, macro averages "
    "every label."
)
_ALL_LABELS = (
    "One threshold for all labels, in place of one for each: predict a label from",
    ("predicted", "labels"),
    "of the predicted labels are right",
    "of all labels are found",
)
_PRECISION = (
    "Precision: the share of rows predicted as a class that have it. Recall: the share of rows of "
    "a class that are found. F1: their harmonic mean. The 95 % intervals show how far a figure "
    "could differ on other rows of the same kind."
)


def metrics(found: Report) -> Iterator[Block]:
    scores = found.evaluation
    yield render.SideBySide([shown.headlines(scores), shown.averages(scores)])
    yield _PRECISION
    if scores.is_multilabel:
        yield _OF_LABELS


def classes(found: Report) -> Iterator[Block]:
    scores, limits = found.evaluation, found.thresholds
    if found.decision is not None:
        yield f"What is predicted: {found.decision}."
    elif found.criterion is not None:
        yield (
            "Each label has a threshold of its own, chosen on leave-one-out predictions for "
            f"{_CRITERIA.get(found.criterion, found.criterion)}."
        )
    if len(scores.classes) <= _MANY_CLASSES:
        yield from shown.classes(scores, limits)
        return
    classes = shown.named(scores)[1]
    imperfect = (one for one in scores.per_class if one.rows and one.f1 < 1)
    lowest = sorted(imperfect, key=_f1)[: _MANY_CLASSES // 2]
    if lowest:
        yield render.Subsection(
            f"The {len(lowest)} of {len(scores.classes)} {classes} with the lowest F1",
            [shown.table_of_classes(scores, lowest, limits)],
        )
    yield render.Subsection(f"The {classes} with the most rows", shown.classes(scores, limits))


def _f1(one: ClassFigures) -> tuple[float, float]:
    return float(one.f1), -one.rows


def calibration(found: Report) -> Iterator[Block]:
    after, before = found.calibration, found.calibration_plain
    if after is None:
        return
    is_multilabel = found.evaluation.is_multilabel
    what = "labels" if is_multilabel else "predictions"
    yield (
        f"Well calibrated: of the {what} with a probability of 80 %, 80 % are right, and points "
        "lie on the dotted line. Below it the model is overconfident. Large points stand for many "
        f"{what}; small ones vary by chance."
    )
    scores = found.evaluation
    if found.sampled < scores.rows:
        of_all = "" if scores.ece is None else f"; ECE on all rows {render.number(scores.ece)}"
        yield f"Measured on a sample of {found.sampled:,} of the {scores.rows:,} rows{of_all}."
    if before is not None:
        yield _tuned(before, after)
    if is_multilabel:
        yield (
            f"Measured on the {after.rows:,} pairs of a row and a label with a probability of 1 % "
            "or more. The log-loss is that of all labels of a row together; "
            f"probabilities below {SMALLEST:.1e} count as that."
        )
    curves = {"this model": after}
    if before is not None:
        curves = {"tuned (this model)": after, "plain Naive Bayes": before}
    yield LineChart(
        "Reliability curve",
        "probability of the label" if is_multilabel else "probability of the prediction",
        "share of rows with the label" if is_multilabel else "accuracy",
        [
            Series(
                name,
                [one.confidence for one in each.reliability],
                [one.accuracy for one in each.reliability],
                sizes=[(one.rows / each.rows) ** 0.5 for one in each.reliability],
            )
            for name, each in curves.items()
        ],
        _reliability(curves, *(("labels", "right") if is_multilabel else ("rows", "accuracy"))),
        diagonal=True,
    )


def _tuned(before: Calibration, after: Calibration) -> str:
    """What tuning did to the calibration."""
    (error, loss), (error_now, loss_now) = (
        (round(one.ece, 3), round(one.log_loss, 3)) for one in (before, after)
    )
    if error > error_now and loss > loss_now:
        return (
            "Plain Naive Bayes takes dependent features for independent ones and is overconfident; "
            f"tuning corrects that. The calibration error (ECE) fell from {error:.3f} to "
            f"{error_now:.3f}, the log-loss from {loss:.3f} to {loss_now:.3f}."
        )
    return (
        f"Plain Naive Bayes has a calibration error (ECE) of {error:.3f} and a log-loss of "
        f"{loss:.3f}; the tuned model {error_now:.3f} and {loss_now:.3f}."
    )


def _reliability(curves: dict[str, Calibration], what: str, right: str) -> Table:
    rows = [
        (
            name,
            f"{one.low:.3f} – {one.high:.3f}",
            render.count(one.rows),
            render.number(one.confidence),
            render.number(one.accuracy),
        )
        for name, each in curves.items()
        for one in each.reliability
    ]
    return Table(("model", "probability", what, "mean probability", right), rows, left=2)


def thresholds(found: Report) -> Iterator[Block]:
    points: list[tuple[Tiles, tuple[Cell, ...]]] = []
    for one in found.reject_option:
        share, left = one.coverage, 1 - one.coverage
        accuracy = one.accuracy if share else math.nan
        tiles = [
            ("coverage", render.tenth(share), _rows(found, share)),
            ("accuracy", render.tenth(accuracy), "of the rows predicted"),
            ("rejected", render.tenth(left), _rows(found, left)),
        ]
        points.append((Tiles(tiles), (render.number(share), Bar(share), render.number(accuracy))))
    if points:
        question = "Reject option: leave a row to a person if its prediction's probability is below"
        head: tuple[str, ...] = ("reject below", "coverage", "", "accuracy")
        limits = [one.probability for one in found.reject_option]
        yield _explorer("reject", question, head, limits, points, 0.9)
    if not found.threshold_curve:
        return
    question, predicted, precise, recalled = _ALL_LABELS
    if found.threshold_label is not None:
        label = f"`{render.name(found.threshold_label)}`"
        question = f"Threshold: predict {label} if its probability is at least"
        predicted = (f"predicted {label}", "rows")
        precise, recalled = f"of them have label {label}", f"of all {label} rows are found"
    points = []
    for each in found.threshold_curve:
        n, scores = f"{each.n_predicted:,}", (each.precision, each.recall, each.f1)
        tiles = [
            (predicted[0], n, predicted[1]),
            ("precision", render.tenth(each.precision), precise),
            ("recall", render.tenth(each.recall), recalled),
            ("F1", render.rate(each.f1), ""),
        ]
        points.append((Tiles(tiles), (n, *map(render.number, scores), Bar(each.f1))))
    head = ("threshold", f"{predicted[1]} predicted", "precision", "recall", "F1", "")
    limits = [each.probability for each in found.threshold_curve]
    yield _explorer("threshold", question, head, limits, points, 0.5)


def _explorer(
    name: str,
    question: str,
    head: tuple[str, ...],
    limits: list[float],
    points: list[tuple[Tiles, tuple[Cell, ...]]],
    chosen: float,
) -> render.Explorer:
    """What each limit gives, as tiles and as a row of a table; `chosen` is shown first."""
    names = [f"{limit * 100:g} %" for limit in limits]
    choices = [render.Choice(one, tiles) for one, (tiles, _) in zip(names, points, strict=True)]
    rows = [(one, *cells) for one, (_, cells) in zip(names, points, strict=True)]
    first = next(place for place, limit in enumerate(limits) if limit >= chosen)
    return render.Explorer(name, question, choices, first, Table(head, rows))


def learning_curve(found: Report) -> Iterator[Block]:
    steps, gained = found.learning_curve, found.last_doubling
    if gained is None:
        return
    is_multilabel = found.evaluation.is_multilabel
    what = "micro-F1" if is_multilabel else "accuracy"
    right = [step.micro_f1 if is_multilabel else step.accuracy for step in steps]
    yield (
        "Models that learned fewer of the rows, all evaluated on the same "
        f"{found.sampled:,} rows, which were left out. From {steps[-2].rows:,} to "
        f"{steps[-1].rows:,} rows, {_gain(gained, what)}."
    )
    values = [bound for one in right for bound in (one.low, one.high) if bound]
    values += [step.macro_f1 for step in steps] + [float(one) for one in right]
    low, high = min(values), max(values)
    room = max(high - low, 0.02) * 0.08
    yield LineChart(
        f"{what[0].upper()}{what[1:]} and macro-F1 by the number of rows learned",
        "rows learned",
        "score",
        [
            Series(
                what,
                [step.rows for step in steps],
                [float(one) for one in right],
                [one.low or 0.0 for one in right],
                [one.high or 0.0 for one in right],
            ),
            Series("macro-F1", [step.rows for step in steps], [step.macro_f1 for step in steps]),
        ],
        Table(
            ("rows", what, "95 % interval", "macro-F1"),
            [
                (
                    f"{step.rows:,}",
                    render.number(one),
                    render.interval(one),
                    render.number(step.macro_f1),
                )
                for step, one in zip(steps, right, strict=True)
            ],
        ),
        x_range=(steps[0].rows, steps[-1].rows),
        y_range=(max(low - room, 0.0), min(high + room, 1.0)),
        log_x=True,
    )


def _gain(gained: Figure, what: str) -> str:
    """What more rows change, if that is more than chance."""
    low, high = (gained if end is None else end for end in (gained.low, gained.high))
    if low <= 0 <= high:
        return f"{what} does not change beyond chance"
    points = [render.signed(100 * one, 1) for one in (gained, low, high)]
    return f"{what} changes by {points[0]} points ({points[1]} to {points[2]})"


def _rows(found: Report, share: float) -> str:
    return f"{round(share * found.evaluation.rows):,} rows"
