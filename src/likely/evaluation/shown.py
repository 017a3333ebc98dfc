"""How an evaluation is shown, block by block: on a terminal, in a notebook, in the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from likely import render
from likely.data.labels import Label
from likely.evaluation.probabilities import Bin

if TYPE_CHECKING:
    from likely.evaluation.facts import ClassFigures, Evaluation

_SHOWN_CLASSES = 30
_SHOWN_CONFUSIONS = 10
# A page has room for a grid of so many classes.
_GRID = 16
_SHOWN_CONFUSIONS_OF_PAGE = 25

_SPELLED = {
    "balanced_accuracy": "balanced accuracy",
    "mcc": "Matthews correlation",
    "hamming_loss": "Hamming loss",
    "log_loss": "log-loss",
    "brier": "Brier score",
    "ece": "calibration error",
    "roc_auc": "ROC-AUC",
    "average_precision": "average precision",
    "label_ranking": "label ranking",
}


def blocks(found: "Evaluation") -> list[render.Block]:
    """All blocks, in order."""
    return [
        f"{render.counted(found.rows, 'row', 'rows')}, "
        f"{render.counted(len(found.classes), *named(found))}",
        headlines(found),
        averages(found),
        *classes(found),
        *confusions(found),
        *reliability(found.reliability),
        *(f"warning: {warning}" for warning in found.warnings),
    ]


def headlines(found: "Evaluation") -> render.Table:
    """The headline figures; accuracy is never shown without the majority baseline."""
    lines = {
        "subset accuracy" if found.is_multilabel else "accuracy": found.accuracy,
        f"  majority baseline {found.commonest}": found.majority_baseline,
    }
    spelled = dict(_SPELLED)
    spelled["brier"] += f", {found.brier_of}"
    if len(found.classes) == 2:
        spelled["average_precision"] += f", `{render.name(found.classes[1])}`"
    lines |= {spelled[key]: found.figures[key] for key in spelled if key in found.figures}
    rows = [
        (render.Phrase(key), render.number(value), render.interval(value))
        for key, value in lines.items()
    ]
    return render.Table(("", "", _interval_of(found, "")), rows)


def averages(found: "Evaluation") -> render.Table:
    columns = {"precision": "precision", "recall": "recall", "f1": "F1"}
    if found.beta != 1:
        columns["f_beta"] = f"F{found.beta:g}"
    last = list(columns)[-1]
    rows = []
    for average in ("macro", "micro", "weighted"):
        numbers = [found.figures[f"{average}_{key}"] for key in columns]
        interval = render.interval(found.figures[f"{average}_{last}"])
        rows.append((average, *map(render.number, numbers), interval))
    header = ("average", *columns.values(), _interval_of(found, columns[last]))
    return render.Table(header, tuple(rows))


def classes(
    found: "Evaluation", thresholds: Mapping[Label, float] | None = None
) -> list[render.Block]:
    """The classes with the most rows, and how many more there are."""
    largest = sorted(found.per_class, key=lambda one: -one.rows)[:_SHOWN_CLASSES]
    kept = {id(one) for one in largest}
    ordered = (found.per_class[place] for place in render.in_order(found.classes))
    table = table_of_classes(found, [one for one in ordered if id(one) in kept], thresholds)
    left = len(found.per_class) - len(largest)
    return [table, fewer(found, left)] if left else [table]


def fewer(found: "Evaluation", left: int) -> str:
    """The line about classes that are not shown."""
    return f"and {render.counted(left, *named(found))} with as many rows or fewer"


def named(found: "Evaluation") -> tuple[str, str]:
    """The word for a class, singular and plural."""
    return ("label", "labels") if found.is_multilabel else ("class", "classes")


def table_of_classes(
    found: "Evaluation",
    these: "Sequence[ClassFigures]",
    thresholds: Mapping[Label, float] | None = None,
) -> render.Table:
    """A line for each class, with the thresholds of labels if they are known."""
    beta = f"F{found.beta:g}"
    rows: list[tuple[render.Cell, ...]] = []
    for one in these:
        f = one.f1 if one.f_beta is None else one.f_beta
        numbers = map(render.number, (one.precision, one.recall, f))
        size, bar = render.count(one.rows), render.Bar(f, f.low, f.high)
        lead: list[render.Cell] = [render.Name(one.label), size]
        if thresholds:
            lead.append(render.tenth(thresholds[one.label]) if one.label in thresholds else "–")
        rows.append((*lead, *numbers, render.interval(f), bar))
    said = ["threshold"] if thresholds else []
    header = (named(found)[0], "rows", *said, "precision", "recall", beta)
    return render.Table((*header, _interval_of(found, beta), ""), rows)


def confusions(found: "Evaluation") -> list[render.Block]:
    return [] if found.is_multilabel else [Confusions(found.classes, found.cells)]


def reliability(bins: Sequence[Bin]) -> list[render.Block]:
    """How probable predictions were said to be, and how many of them came true."""
    if not bins:
        return []
    rows = tuple(
        (
            f"{one.low:.3f} – {one.high:.3f}",
            render.count(one.rows),
            render.number(one.confidence),
            render.number(one.accuracy),
        )
        for one in bins
    )
    return [
        "Reliability: predicted probability against observed accuracy.",
        render.Table(("probability", "rows", "on average", "right"), rows),
    ]


@dataclass(frozen=True)
class Confusions:
    """The confusion matrix, or if it is too wide, its largest errors."""

    classes: tuple[Label, ...]
    cells: tuple[tuple[int, int, float], ...]

    def text(self) -> str:
        # A column of a terminal takes two characters at least.
        fits = 2 * len(self.classes) < render.WIDTH and self._grid().fits
        return self._grid().text() if fits else render.text(self._worst(_SHOWN_CONFUSIONS))

    def html(self) -> str:
        if len(self.classes) <= _GRID:
            return self._grid().html()
        return render.markup(self._worst(_SHOWN_CONFUSIONS_OF_PAGE))

    def _grid(self) -> render.Grid:
        counts: list[list[float]] = [[0] * len(self.classes) for _ in self.classes]
        for gold, predicted, rows in self.cells:
            counts[gold][predicted] = rows
        caption = "Confusion matrix: rows are the truth, columns the predictions."
        order = render.in_order(self.classes)
        lines = [[counts[gold][said] for said in order] for gold in order]
        return render.Grid([self.classes[place] for place in order], lines, caption)

    def _worst(self, most: int) -> list[render.Block]:
        totals = [0.0] * len(self.classes)
        for gold, _, rows in self.cells:
            totals[gold] += rows
        wrong = [cell for cell in self.cells if cell[0] != cell[1]]
        if not wrong:
            return ["No class is taken for another."]
        wrong.sort(key=lambda cell: -cell[2])
        lines = [
            (
                render.Name(self.classes[gold]),
                render.Name(self.classes[predicted]),
                render.count(rows),
                render.tenth(rows / totals[gold]),
                render.Bar(-rows / totals[gold]),
            )
            for gold, predicted, rows in wrong[:most]
        ]
        shown = render.Table(("truth", "prediction", "rows", "of the class", ""), lines, left=2)
        left = len(wrong) - len(lines)
        more = (
            [f"and {render.counted(left, 'pair', 'pairs')} of classes less often"] if left else []
        )
        return ["What is confused most:", shown, *more]


def _interval_of(found: "Evaluation", what: str) -> str:
    if found.accuracy.low is None:
        return ""
    return f"{found.level * 100:g} % interval" + (f" of {what}" if what else "")
