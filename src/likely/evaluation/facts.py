"""The facts about some predictions, and how they are shown."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.errors import DataError
from likely.evaluation import page
from likely.evaluation.intervals import Figure, flat
from likely.evaluation.probabilities import Bin
from likely.labels import Label

_SHOWN_CLASSES = 30
_SHOWN_CONFUSIONS = 10

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


@dataclass(frozen=True)
class ClassFigures:
    """One class: its rows in the truth, how often it was predicted, and how well."""

    label: Label
    rows: float
    predicted: float
    precision: Figure
    recall: Figure
    f1: Figure
    f_beta: Figure | None = None
    roc_auc: float | None = None
    """Against the rest, as is"""
    average_precision: float | None = None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluation:
    """The facts about some predictions; print it, or take its fields.

    A figure is a number with an interval, `low` to `high`. Figures that do not apply are None:
    those of probabilities if there were none, those of one label per row if there are several.
    With several labels, a row is right if all its labels are and none is missing.
    """

    rows: int
    classes: tuple[Label, ...]
    several: bool
    """Whether rows have any number of labels, rather than one."""
    beta: float
    level: float
    """How much of the resamples an interval holds."""
    commonest: str
    """The commonest answer, as a sentence would have it."""

    accuracy: Figure
    majority_baseline: Figure
    """The accuracy of always giving the commonest answer."""
    balanced_accuracy: Figure | None = None
    mcc: Figure | None = None
    hamming_loss: Figure | None = None
    macro_precision: Figure
    macro_recall: Figure
    macro_f1: Figure
    macro_f_beta: Figure | None = None
    micro_precision: Figure
    micro_recall: Figure
    micro_f1: Figure
    micro_f_beta: Figure | None = None
    weighted_precision: Figure
    weighted_recall: Figure
    weighted_f1: Figure
    weighted_f_beta: Figure | None = None
    log_loss: Figure | None = None
    brier: Figure | None = None
    ece: Figure | None = None
    """The expected calibration error, over 15 bins."""
    roc_auc: Figure | None = None
    """Of two classes; of more, the mean over them of each against the rest."""
    average_precision: Figure | None = None
    """Of the second of two classes; of more, the mean over them of each against the rest."""
    label_ranking: Figure | None = None
    """Label-ranking average precision: how high scores put the labels of a row."""

    per_class: tuple[ClassFigures, ...]
    cells: tuple[tuple[int, int, float], ...]
    """Confusions that occur: place of the true class, of the predicted one, and rows."""
    reliability: tuple[Bin, ...] = ()
    warnings: tuple[str, ...]

    @property
    def confusion(self) -> NDArray[Any]:
        """The confusion matrix: a row per true class, a column per predicted one."""
        if self.several:
            raise DataError("rows with several labels have no confusion matrix")
        whole = all(isinstance(rows, int) for _, _, rows in self.cells)
        matrix = np.zeros((len(self.classes),) * 2, dtype=np.int64 if whole else np.float64)
        for gold, predicted, rows in self.cells:
            matrix[gold, predicted] = rows
        return matrix

    @property
    def figures(self) -> dict[str, Figure]:
        """The headline figures that apply, by name."""
        found = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in found if isinstance(value, Figure)}

    def to_json(self) -> dict[str, Any]:
        """The facts as plain values; of each figure also `…_low` and `…_high`."""
        return {
            "rows": self.rows,
            "classes": list(self.classes),
            "several": self.several,
            "beta": self.beta,
            "level": self.level,
            **flat(self.figures),
            "per_class": [flat(vars(one)) for one in self.per_class],
            **({} if self.several else {"confusion": self.confusion.tolist()}),
            "reliability": [vars(one) for one in self.reliability],
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return page.text(self._blocks())

    def __repr__(self) -> str:
        return f"<Evaluation of {self.rows:,} rows: accuracy {page.number(self.accuracy)}>"

    def _repr_html_(self) -> str:
        return page.page(self._blocks())

    def _blocks(self) -> list[page.Block]:
        blocks: list[page.Block] = [
            f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}, {len(self.classes):,} "
            f"{'class' if len(self.classes) == 1 else 'classes'}",
            self._headlines(),
            self._averages(),
            self._classes(),
        ]
        if len(self.classes) > _SHOWN_CLASSES:
            blocks.append(f"and {len(self.classes) - _SHOWN_CLASSES:,} classes with fewer rows")
        if not self.several:
            blocks.extend(self._confusions())
        if self.reliability:
            rows = tuple(
                (
                    f"{one.low:.3f} – {one.high:.3f}",
                    page.count(one.rows),
                    page.number(one.confidence),
                    page.number(one.accuracy),
                )
                for one in self.reliability
            )
            blocks.append("Reliability: how probable predictions were said to be, and were.")
            blocks.append(page.Table(("probability", "rows", "on average", "right"), rows))
        blocks.extend(f"warning: {warning}" for warning in self.warnings)
        return blocks

    def _headlines(self) -> page.Table:
        """Accuracy is never shown without what is right by saying one thing always."""
        lines = {
            "subset accuracy" if self.several else "accuracy": self.accuracy,
            f"  always {self.commonest}": self.majority_baseline,
        }
        spelled = dict(_SPELLED)
        if len(self.classes) == 2:
            spelled["average_precision"] += f", `{page.name(self.classes[1])}`"
        lines |= {spelled[key]: self.figures[key] for key in spelled if key in self.figures}
        rows = ((key, page.number(value), page.interval(value)) for key, value in lines.items())
        return page.Table(("", "", self._interval_of("")), tuple(rows))

    def _averages(self) -> page.Table:
        columns = {"precision": "precision", "recall": "recall", "f1": "F1"}
        if self.beta != 1:
            columns["f_beta"] = f"F{self.beta:g}"
        last = list(columns)[-1]
        rows = []
        for average in ("macro", "micro", "weighted"):
            found = [self.figures[f"{average}_{key}"] for key in columns]
            interval = page.interval(self.figures[f"{average}_{last}"])
            rows.append((average, *map(page.number, found), interval))
        header = ("average", *columns.values(), self._interval_of(columns[last]))
        return page.Table(header, tuple(rows))

    def _classes(self) -> page.Table:
        shown = sorted(self.per_class, key=lambda one: -one.rows)[:_SHOWN_CLASSES]
        kept = {id(one) for one in shown}
        beta = f"F{self.beta:g}"
        rows = []
        for one in self.per_class:
            if id(one) in kept:
                f = one.f1 if one.f_beta is None else one.f_beta
                numbers = map(page.number, (one.precision, one.recall, f))
                size = page.count(one.rows)
                rows.append((page.name(one.label), size, *numbers, page.interval(f)))
        header = ("class", "rows", "precision", "recall", beta, self._interval_of(beta))
        return page.Table(header, tuple(rows))

    def _confusions(self) -> list[page.Block]:
        """The confusion matrix, or where it is too wide, the cells that hurt most."""
        names = [page.name(label) for label in self.classes]
        if 2 * len(names) < page.WIDTH:
            cells = [tuple(map(page.count, line)) for line in self.confusion.tolist()]
            numbered = [f"{place}  {name}" for place, name in enumerate(names, start=1)]
            numbers = [str(place) for place in range(1, len(names) + 1)]
            for heads, stubs in ((names, names), (numbers, numbered)):
                lines = tuple((stub, *line) for stub, line in zip(stubs, cells, strict=True))
                table = page.Table(("", *heads), lines)
                if table.width <= page.WIDTH:
                    return ["Confusion matrix: rows are the truth, columns the predictions.", table]
        wrong = [cell for cell in self.cells if cell[0] != cell[1]]
        worst = tuple(
            (names[gold], names[predicted], page.count(rows))
            for gold, predicted, rows in sorted(wrong, key=lambda cell: -cell[2])[
                :_SHOWN_CONFUSIONS
            ]
        )
        return ["What is confused most:", page.Table(("truth", "prediction", "rows"), worst)]

    def _interval_of(self, what: str) -> str:
        if self.accuracy.low is None:
            return ""
        return f"{self.level * 100:g} % interval" + (f" of {what}" if what else "")
