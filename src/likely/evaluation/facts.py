"""The facts about some predictions, and how they are shown."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.data.labels import Label
from likely.errors import DataError
from likely.evaluation.by_hand import HandEvaluation, by_hand
from likely.evaluation.intervals import Figure, flat
from likely.evaluation.probabilities import Bin
from likely.evaluation.shown import blocks


@dataclass(frozen=True)
class ClassFigures:
    """One class: its rows in the truth, how often it was predicted and was so, and how well."""

    label: Label
    rows: float
    predicted: float
    right: float
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
    those of probabilities if there were none, and single-label figures for multi-label rows. A
    multi-label row is correct if all its labels are and none is missing.
    """

    rows: int
    classes: tuple[Label, ...]
    is_multilabel: bool
    """Whether rows are multi-label."""
    is_weighted: bool
    """Whether rows have weights, so that their numbers are sums of these."""
    beta: float
    level: float
    """The confidence level of the intervals."""
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
    """The mean of −log p(label); probabilities below 2.2e-16 count as that,"""
    log_loss_clipped: int | None = None
    """and in so many rows they were."""
    brier: Figure | None = None
    """The mean squared error of probabilities: of one of two classes, from 0 to 1; of more classes,
    summed over them, from 0 to 2. `brier_of` says which."""
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
        if self.is_multilabel:
            raise DataError("multi-label rows have no confusion matrix")
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

    @property
    def brier_of(self) -> str:
        """What the Brier score adds up: errors of one of two classes, or of all."""
        return "one of two classes" if len(self.classes) == 2 else "sum over classes"

    def by_hand(self) -> HandEvaluation:
        """Precision, recall, F_β and their averages in fractions, from a 2×2 table per class."""
        return by_hand(self)

    def to_json(self) -> dict[str, Any]:
        """The facts as plain values; of each figure also `…_low` and `…_high`."""
        return {
            "rows": self.rows,
            "classes": list(self.classes),
            "is_multilabel": self.is_multilabel,
            "beta": self.beta,
            "level": self.level,
            **flat(self.figures),
            **({} if self.log_loss is None else {"log_loss_clipped": self.log_loss_clipped}),
            **({} if self.brier is None else {"brier_of": self.brier_of}),
            "per_class": [flat(vars(one)) for one in self.per_class],
            **({} if self.is_multilabel else {"confusion": self.confusion.tolist()}),
            "reliability": [vars(one) for one in self.reliability],
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return render.text(blocks(self))

    def __repr__(self) -> str:
        return f"<Evaluation of {self.rows:,} rows: accuracy {render.number(self.accuracy)}>"

    def _repr_html_(self) -> str:
        return render.html(blocks(self))
