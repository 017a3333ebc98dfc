"""The facts of a report: plain numbers, from which its page and its JSON are made."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import likely
from likely.data.labels import Label
from likely.evaluation.facts import Evaluation
from likely.evaluation.intervals import Figure, flat
from likely.evaluation.probabilities import Bin
from likely.explain.column_importance import ColumnImportance
from likely.explain.dependence import Dependence
from likely.explain.shape import Shape

Pieces = tuple[tuple[str, float], ...]
RowLabels = Label | tuple[Label, ...]
"""The label of a row, or its labels in multi-label data."""

# The thresholds that are tried.
_THRESHOLDS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Calibration:
    """How well probabilities are calibrated.

    In multi-label data, each pair of a row and a label with a probability of 1 % or more counts.
    """

    rows: int
    accuracy: float
    log_loss: float
    ece: float
    reliability: tuple[Bin, ...]


@dataclass(frozen=True)
class Step:
    """A model of the first rows alone: how many it learned, and how often it is right."""

    rows: int
    accuracy: Figure
    micro_f1: Figure
    macro_f1: float


@dataclass(frozen=True)
class ShownRow:
    """A row that is shown: its number, its label, the prediction and the text.

    The text is in pieces, each with its contribution: log-odds of the prediction against the label.
    """

    number: int
    label: Label
    prediction: Label
    probability: float
    """Of the prediction,"""
    label_probability: float
    """and of the label."""
    pieces: Pieces
    unknown: bool
    """Whether the model, without the row if it was left out, does not know the label."""


@dataclass(frozen=True)
class ShownLabel:
    """A multi-label row, and one label that it has, or lacks, where the model predicts otherwise.

    The text is in pieces, each with its contribution: log-odds of that label.
    """

    number: int
    label: Label
    has_label: bool
    labels: tuple[Label, ...]
    """All labels of the row,"""
    predictions: tuple[Label, ...]
    """and all that the model predicts."""
    probability: float
    """Of the one label."""
    pieces: Pieces
    unknown: bool
    """Whether the model, without the row if it was left out, does not know the label."""


@dataclass(frozen=True)
class DuplicateGroup:
    """Rows that are equal in all columns the model reads, and how many of them have which label."""

    labels: tuple[tuple[RowLabels, int], ...]
    text: str


@dataclass(frozen=True)
class Duplicates:
    """Exact duplicates."""

    rows: int
    """How many rows duplicate an earlier one,"""
    groups: int
    """how many different rows have duplicates,"""
    conflicting: int
    """and how many of these have conflicting labels."""
    examples: tuple[DuplicateGroup, ...]


@dataclass(frozen=True)
class RejectPoint:
    """The reject option: rows below a probability are left to a person."""

    probability: float
    coverage: float
    """The share of rows that are still predicted,"""
    accuracy: float
    """and how many of these predictions are right."""


@dataclass(frozen=True)
class ThresholdPoint:
    """Predicting one of two classes, or each label, from a threshold on."""

    probability: float
    n_predicted: int
    precision: float
    recall: float
    f1: float

    @classmethod
    def each(
        cls, probabilities: NDArray[np.float64], truth: NDArray[np.bool_]
    ) -> "tuple[ThresholdPoint, ...]":
        """Precision, recall and F1 at each of some thresholds."""
        points, positives = [], int(np.count_nonzero(truth))
        for share in _THRESHOLDS:
            predicted = probabilities >= share
            n_predicted, hits = (int(np.count_nonzero(p)) for p in (predicted, predicted & truth))
            points.append(
                cls(
                    share,
                    n_predicted,
                    hits / n_predicted if n_predicted else 0.0,
                    hits / positives if positives else 0.0,
                    2 * hits / max(n_predicted + positives, 1),
                )
            )
        return tuple(points)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a report comes from: files and their digests, and the command that made it."""

    model: str = "The model"
    data: str = "the rows"
    command: str | None = None
    tally: str | None = None
    model_sha256: str | None = None
    data_sha256: str | None = None
    likely: str = likely.__version__


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything in a report; `html` is the page, `to_json` plain values."""

    verdict: str
    left_out: bool
    """Whether every row was predicted by the model without it; otherwise it is a test."""
    explained_left_out: bool = False
    """Whether the rows shown are explained by the model without them, as they were predicted."""
    learned: int
    """How many of the rows the model had learned."""
    knows_rows: bool
    """Whether the model can tell which rows it learned."""
    evaluation: Evaluation
    unseen_columns: str | None = None
    """Columns of which no value was ever seen in training, in a sentence, if there are any."""
    likelihoods: tuple[tuple[tuple[str, ...], str], ...]
    sampled: int
    """How many rows calibration, the learning curve and column importance are measured on."""
    calibration: Calibration | None = None
    calibration_plain: Calibration | None = None
    """That of plain Naive Bayes, if the model is tuned."""
    learning_curve: tuple[Step, ...] = ()
    """Models of ever more rows, all evaluated on the same rows;"""
    last_doubling: Figure | None = None
    """the change of accuracy or micro-F1 in the last step, with its interval."""
    top: Mapping[Label, Sequence[tuple[str, float]]] = field(default_factory=dict)
    mistakes: tuple[ShownRow | ShownLabel, ...] = ()
    n_mistakes: int = 0
    label_issues: tuple[ShownRow | ShownLabel, ...] = ()
    n_label_issues: int = 0
    duplicates: Duplicates
    reject_option: tuple[RejectPoint, ...] = ()
    threshold_curve: tuple[ThresholdPoint, ...] = ()
    """Of the rarer of two classes, `threshold_label`; in multi-label data, of all labels."""
    threshold_label: Label | None = None
    in_folds: bool = False
    """Whether rows were left out fold by fold, as EM needs;"""
    duplicates_together: bool = False
    """Whether exact duplicates of a text were left out with it,"""
    accuracy_alone: float | None = None
    """and the accuracy if each row is left out alone, where that differs."""
    optimism: str | None = None
    """A note on leave-one-out figures where the model was tuned on few rows."""
    criterion: str | None = None
    """What the thresholds were chosen for."""
    thresholds: Mapping[Label, float] = field(default_factory=dict)
    """From which probability on each label is predicted, or the one class that has a threshold."""
    decision: str | None = None
    """A sentence about what decides in single-label data, if not the most probable class."""
    column_importance: tuple[ColumnImportance, ...] = ()
    dependences: tuple[Dependence, ...] = ()
    shapes: tuple[Shape, ...] = ()
    """What the values of columns add to the log-odds, the most important column first."""
    notes: tuple[str, ...] = ()
    origin: Origin

    def to_json(self) -> dict[str, Any]:
        """The facts as plain values."""
        plain: dict[str, Any] = {
            name: [asdict(one) for one in getattr(self, name)]
            for name in (
                [
                    "mistakes",
                    "label_issues",
                    "reject_option",
                    "threshold_curve",
                    "column_importance",
                    "dependences",
                ]
            )
        }
        for name in ("calibration", "calibration_plain"):
            found = getattr(self, name)
            plain[name] = None if found is None else asdict(found)
        return {
            "verdict": self.verdict,
            "method": "leave-one-out" if self.left_out else "test",
            "explained_left_out": self.explained_left_out,
            "in_folds": self.in_folds,
            "duplicates_together": self.duplicates_together,
            "accuracy_alone": self.accuracy_alone,
            "learned": self.learned,
            "unseen_columns": self.unseen_columns,
            "knows_rows": self.knows_rows,
            "evaluation": self.evaluation.to_json(),
            "likelihoods": [
                {"columns": list(columns), "likelihood": spelled}
                for columns, spelled in self.likelihoods
            ],
            "sampled": self.sampled,
            "learning_curve": [flat(vars(step)) for step in self.learning_curve],
            **flat({"last_doubling": self.last_doubling}),
            "top": [
                {"label": label, "features": [list(pair) for pair in best]}
                for label, best in self.top.items()
            ],
            "n_mistakes": self.n_mistakes,
            "n_label_issues": self.n_label_issues,
            "duplicates": asdict(self.duplicates),
            "threshold_label": self.threshold_label,
            "optimism": self.optimism,
            "criterion": self.criterion,
            "decision": self.decision,
            "thresholds": [[label, threshold] for label, threshold in self.thresholds.items()],
            "shapes": [shape.to_json() for shape in self.shapes],
            "notes": list(self.notes),
            "origin": asdict(self.origin),
            **plain,
        }

    def html(self) -> str:
        """The page, whole: one file that loads nothing and runs nothing."""
        from likely.report.page import document

        return document(self)

    def __repr__(self) -> str:
        return f"<Report: {self.verdict}>"

    def _repr_html_(self) -> str:
        from likely.render import html
        from likely.report.page import opening

        return html([self.verdict, *opening(self)])
