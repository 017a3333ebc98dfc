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

Pieces = tuple[tuple[str, float], ...]
Answer = Label | tuple[Label, ...]
"""What a row is: its label, or its labels if it may have any number."""

# Where saying something from a probability on is tried.
_CUTS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Calibration:
    """How far probabilities can be believed.

    Of rows with any number of labels, each label to which a row gives 1 % or more counts as one.
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
class Row:
    """A row that is shown: its number, what it is labeled, what the model says, what is in it.

    The text is in pieces, each with what it says for the prediction against the label.
    """

    number: int
    label: Label
    said: Label
    probability: float
    """Of what was said,"""
    of_label: float
    """and of the label."""
    pieces: Pieces
    unknown: bool
    """Whether the model that judged the row, without it if it was left out, knows no such label."""


@dataclass(frozen=True)
class Claim:
    """A row of any number of labels, and one of them that it has or lacks against the model.

    The text is in pieces, each with what it says for that label.
    """

    number: int
    label: Label
    is_there: bool
    labels: tuple[Label, ...]
    """All that the row has,"""
    said: tuple[Label, ...]
    """and all that the model says."""
    probability: float
    """Of the one label."""
    pieces: Pieces
    unknown: bool
    """Whether the model that judged the row, without it if it was left out, knows no such label."""


@dataclass(frozen=True)
class Copied:
    """Rows that are equal in all that the model reads, and how many of them have which label."""

    labels: tuple[tuple[Answer, int], ...]
    shown: str


@dataclass(frozen=True)
class Duplicates:
    """Rows that stand there more than once."""

    rows: int
    """How many rows are copies of an earlier one,"""
    groups: int
    """of how many different rows,"""
    at_odds: int
    """and how many of these have different labels."""
    examples: tuple[Copied, ...]


@dataclass(frozen=True)
class Answered:
    """Answering only from a probability on: the share of rows, and how many answers are right."""

    probability: float
    answered: float
    right: float


@dataclass(frozen=True)
class Cut:
    """Saying one of two classes, or any of several labels, from a probability on."""

    probability: float
    said: int
    precision: float
    recall: float
    f1: float

    @classmethod
    def each(
        cls, probabilities: NDArray[np.float64], truth: NDArray[np.bool_]
    ) -> "tuple[Cut, ...]":
        """What each of some thresholds would bring."""
        cuts, there = [], int(np.count_nonzero(truth))
        for share in _CUTS:
            said = probabilities >= share
            n_said, hits = (int(np.count_nonzero(pairs)) for pairs in (said, said & truth))
            cuts.append(
                cls(
                    share,
                    n_said,
                    hits / n_said if n_said else 0.0,
                    hits / there if there else 0.0,
                    2 * hits / (n_said + there) if n_said + there else 0.0,
                )
            )
        return tuple(cuts)


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
    """Everything that a report tells; `html` is the page, `to_json` plain values."""

    verdict: str
    left_out: bool
    """Whether every row was judged by the model without it; otherwise it is a test."""
    explained_left_out: bool = False
    """Whether what is shown of a row is explained by the model without it, as it was judged."""
    learned: int
    """How many of the rows the model had learned."""
    knows_rows: bool
    """Whether the model can tell which rows it learned."""
    evaluation: Evaluation
    strange: str | None = None
    """Columns of which no value was ever seen in training, in a sentence, if there are any."""
    likelihoods: tuple[tuple[tuple[str, ...], str], ...]
    sampled: int
    """How many of the rows calibration, the learning curve and contributions look at."""
    calibration: Calibration | None = None
    calibration_before: Calibration | None = None
    """That of plain Naive Bayes, if the evidence was weighed."""
    learning: tuple[Step, ...] = ()
    """Models of ever more rows, all judged by the same rows;"""
    last_doubling: Figure | None = None
    """what the last step brought, of accuracy or micro-F1, with the interval of the difference."""
    top: Mapping[Label, Sequence[tuple[str, float]]] = field(default_factory=dict)
    mistakes: tuple[Row | Claim, ...] = ()
    n_mistakes: int = 0
    label_issues: tuple[Row | Claim, ...] = ()
    n_suspicious: int = 0
    duplicates: Duplicates
    unsure: tuple[Answered, ...] = ()
    cuts: tuple[Cut, ...] = ()
    """Of two classes, those of the rarer one, which `cut_of` names; of labels, of all of them."""
    cut_of: Label | None = None
    in_folds: bool = False
    """Whether rows were left out fold by fold, as EM asks for;"""
    together: bool = False
    """Whether exact duplicates of a text were left out with it,"""
    accuracy_alone: float | None = None
    """and the accuracy if each row is left out alone, where that differs."""
    optimism: str | None = None
    """What to say of leave-one-out figures where few rows were tuned by."""
    criterion: str | None = None
    """What the thresholds of labels were chosen for, where rows may have any number."""
    thresholds: Mapping[Label, float] = field(default_factory=dict)
    """From which probability on each is said."""
    column_importance: tuple[ColumnImportance, ...] = ()
    dependences: tuple[Dependence, ...] = ()
    notes: tuple[str, ...] = ()
    origin: Origin

    def to_json(self) -> dict[str, Any]:
        """The facts as plain values."""
        plain: dict[str, Any] = {
            name: [asdict(one) for one in getattr(self, name)]
            for name in (
                ["mistakes", "label_issues", "unsure", "cuts", "column_importance", "dependences"]
            )
        }
        for name in ("calibration", "calibration_before"):
            found = getattr(self, name)
            plain[name] = None if found is None else asdict(found)
        return {
            "verdict": self.verdict,
            "judged": "leave-one-out" if self.left_out else "test",
            "explained_left_out": self.explained_left_out,
            "in_folds": self.in_folds,
            "together": self.together,
            "accuracy_alone": self.accuracy_alone,
            "learned": self.learned,
            "strange": self.strange,
            "knows_rows": self.knows_rows,
            "evaluation": self.evaluation.to_json(),
            "likelihoods": [
                {"columns": list(columns), "likelihood": spelled}
                for columns, spelled in self.likelihoods
            ],
            "sampled": self.sampled,
            "learning": [flat(vars(step)) for step in self.learning],
            **flat({"last_doubling": self.last_doubling}),
            "top": [
                {"label": label, "evidence": [list(pair) for pair in best]}
                for label, best in self.top.items()
            ],
            "n_mistakes": self.n_mistakes,
            "n_suspicious": self.n_suspicious,
            "duplicates": asdict(self.duplicates),
            "cut_of": self.cut_of,
            "optimism": self.optimism,
            "criterion": self.criterion,
            "thresholds": [[label, bar] for label, bar in self.thresholds.items()],
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
