"""The sections of a report that say how good a model is."""

from collections.abc import Iterator

from likely import render
from likely.evaluation import shown
from likely.evaluation.facts import ClassFigures
from likely.evaluation.intervals import Figure
from likely.evaluation.probabilities import SMALLEST
from likely.render import Bar, Block, LineChart, Series, Table
from likely.report.facts import Calibration, Report

# Of more classes than this, those with the lowest F1 and those with the most rows are shown.
_MANY_CLASSES = 30
_CRITERIA = {"f1": "the best F1"}

_OF_LABELS = (
    "A row is right if all its labels are said and no other: that is the subset accuracy. The "
    "Hamming loss is the share of wrong answers among all pairs of a row and a label, of which "
    "nearly all are easy. Label ranking is how high, on average, probabilities put the labels that "
    "a row has; it does not depend on thresholds. Micro averages count every label of every row "
    "alike, macro averages every label."
)
_ALL_LABELS = (
    "Instead of a threshold for each label, say every label whose probability is at least",
    ("said", "labels"),
    "of these are right",
    "of all labels are found",
)
_AS_MANY = "rows that are given it, as many are right"
_PRECISION = (
    "Precision is how many of the rows said to be of a class are; recall how many of its rows are "
    "found; F1 is between the two. An interval is where the figure would lie 95 times in 100 if as "
    "many rows were drawn anew."
)


def figures(found: Report) -> Iterator[Block]:
    judged = found.evaluation
    yield render.SideBySide([shown.headlines(judged), shown.averages(judged)])
    yield _PRECISION
    if judged.is_multilabel:
        yield _OF_LABELS


def classes(found: Report) -> Iterator[Block]:
    judged, bars = found.evaluation, found.thresholds
    if found.criterion is not None:
        yield (
            "Each label is said from a probability of its own on, chosen on left-out rows for "
            f"{_CRITERIA.get(found.criterion, found.criterion)}."
        )
    if len(judged.classes) <= _MANY_CLASSES:
        yield from shown.classes(judged, bars)
        return
    is_multilabel = shown.named(judged)[1]
    imperfect = (one for one in judged.per_class if one.rows and one.f1 < 1)
    lowest = sorted(imperfect, key=_f1)[: _MANY_CLASSES // 2]
    if lowest:
        yield render.Subsection(
            f"The {len(lowest)} of {len(judged.classes)} {is_multilabel} with the lowest F1",
            [shown.table_of_classes(judged, lowest, bars)],
        )
    yield render.Subsection(f"The {is_multilabel} with the most rows", shown.classes(judged, bars))


def _f1(one: ClassFigures) -> tuple[float, float]:
    return float(one.f1), -one.rows


def calibration(found: Report) -> Iterator[Block]:
    after, before = found.calibration, found.calibration_before
    if after is None:
        return
    is_multilabel = found.evaluation.is_multilabel
    given = "labels that are given it, as many are there" if is_multilabel else _AS_MANY
    yield (
        f"A probability can be believed if, of the {given}: then the points lie on the dotted "
        "line. Below it the model is too sure of itself. Larger points stand for more "
        f"{'labels' if is_multilabel else 'rows'}; small ones may lie anywhere."
    )
    judged = found.evaluation
    if found.sampled < judged.rows:
        of_all = (
            ""
            if judged.ece is None
            else (
                f"; of all of them the calibration error is {render.number(judged.ece)}, as above"
            )
        )
        yield f"Looked at here: {found.sampled:,} of the {judged.rows:,} rows{of_all}."
    if before is not None:
        yield _tempered(before, after)
    if is_multilabel:
        yield (
            f"Counted here: the {after.rows:,} times that a row was given a label with 1 % or "
            "more, said or not. The log-loss is that of all labels of a row together; "
            f"probabilities below {SMALLEST:.1e} count as that."
        )
    curves = {"as it is": after}
    if before is not None:
        curves = {"weighed, as it is": after, "plain Naive Bayes": before}
    yield LineChart(
        "How probable labels were said to be, and how often they were there"
        if is_multilabel
        else "How probable predictions were said to be, and how often they were right",
        "probability of the label" if is_multilabel else "said to be right",
        "there" if is_multilabel else "right",
        [
            Series(
                name,
                [one.confidence for one in each.reliability],
                [one.accuracy for one in each.reliability],
                sizes=[(one.rows / each.rows) ** 0.5 for one in each.reliability],
            )
            for name, each in curves.items()
        ],
        _reliability(curves, *(("labels", "there") if is_multilabel else ("rows", "right"))),
        diagonal=True,
    )


def _tempered(before: Calibration, after: Calibration) -> str:
    """What weighing did to probabilities."""
    (error, loss), (error_now, loss_now) = (
        (round(one.ece, 3), round(one.log_loss, 3)) for one in (before, after)
    )
    if error > error_now and loss > loss_now:
        return (
            "Plain Naive Bayes counts evidence fully even where its pieces say the same thing; "
            f"weighing the evidence tempers it. The calibration error fell from "
            f"{error:.3f} to {error_now:.3f}, the log-loss from {loss:.3f} to {loss_now:.3f}."
        )
    return (
        "Plain Naive Bayes, before its evidence was weighed, has a calibration error of "
        f"{error:.3f} and a log-loss of {loss:.3f}; weighed, they are {error_now:.3f} and "
        f"{loss_now:.3f}."
    )


def _reliability(curves: dict[str, Calibration], what: str, came_true: str) -> Table:
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
    return Table(("model", "probability", what, "on average", came_true), rows, left=2)


def thresholds(found: Report) -> Iterator[Block]:
    if found.unsure:
        yield render.Explorer(
            "unsure",
            "Leave a row to a person if its probability is below",
            [
                render.Choice(
                    _chance(one.probability),
                    render.Tiles(
                        [
                            ("answered", render.tenth(one.answered), _rows(found, one.answered)),
                            (
                                "right of these",
                                render.tenth(one.right) if one.answered else "–",
                                "",
                            ),
                            ("left to a person", render.tenth(1 - one.answered), ""),
                        ]
                    ),
                )
                for one in found.unsure
            ],
            next(i for i, one in enumerate(found.unsure) if one.probability >= 0.9),
            Table(
                ("unsure below", "answered", "", "right of these"),
                [
                    (
                        _chance(one.probability),
                        render.number(one.answered),
                        Bar(one.answered),
                        render.number(one.right) if one.answered else "–",
                    )
                    for one in found.unsure
                ],
            ),
        )
    if found.cuts:
        question, said, precise, recalled = _ALL_LABELS
        if found.cut_of is not None:
            label = f"`{render.name(found.cut_of)}`"
            question = f"Say {label} if its probability is at least"
            said = (f"said to be {label}", "rows")
            precise, recalled = f"of these are {label}", f"of all {label} are found"
        yield render.Explorer(
            "cut",
            question,
            [
                render.Choice(
                    _chance(one.probability),
                    render.Tiles(
                        [
                            (said[0], f"{one.said:,}", said[1]),
                            ("precision", render.tenth(one.precision), precise),
                            ("recall", render.tenth(one.recall), recalled),
                            ("F1", f"{one.f1:.3f}", ""),
                        ]
                    ),
                )
                for one in found.cuts
            ],
            next(i for i, one in enumerate(found.cuts) if one.probability >= 0.5),
            Table(
                ("probability", f"{said[1]} said", "precision", "recall", "F1", ""),
                [
                    (
                        _chance(one.probability),
                        f"{one.said:,}",
                        render.number(one.precision),
                        render.number(one.recall),
                        render.number(one.f1),
                        Bar(one.f1),
                    )
                    for one in found.cuts
                ],
            ),
        )


def learning(found: Report) -> Iterator[Block]:
    steps, gained = found.learning, found.last_doubling
    if gained is None:
        return
    is_multilabel = found.evaluation.is_multilabel
    what = "micro-F1" if is_multilabel else "accuracy"
    right = [step.micro_f1 if is_multilabel else step.accuracy for step in steps]
    yield (
        "How a model that had counted fewer rows would do, each judged by the same "
        f"{found.sampled:,} rows, none of which it has counted. From {steps[-2].rows:,} to "
        f"{steps[-1].rows:,} rows, {_gain(gained, what)}."
    )
    values = [bound for one in right for bound in (one.low, one.high) if bound]
    values += [step.macro_f1 for step in steps] + [float(one) for one in right]
    low, high = min(values), max(values)
    room = max(high - low, 0.02) * 0.08
    yield LineChart(
        f"{what[0].upper()}{what[1:]} and macro-F1 by the number of rows learned",
        "rows learned",
        "figure",
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


def _chance(probability: float) -> str:
    return f"{probability * 100:g} %"


def _gain(gained: Figure, what: str) -> str:
    """What more rows brought, if that is more than chance."""
    low, high = (gained if end is None else end for end in (gained.low, gained.high))
    if low <= 0 <= high:
        return f"{what} shows no change that could be told from chance"
    return f"{what} changed by {_points(gained)} points ({_points(low)} to {_points(high)})"


def _points(difference: float) -> str:
    return f"{difference * 100 + 0.0:+.1f}".replace("-", "−")


def _rows(found: Report, share: float) -> str:
    return f"{round(share * found.evaluation.rows):,} rows"
