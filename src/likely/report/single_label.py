"""What a model says of rows that have one label each."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.data.labels import Label, label_array
from likely.evaluation import coverage
from likely.evaluation.evaluate import evaluate
from likely.evaluation.facts import Evaluation
from likely.evaluation.label_issues import doubts
from likely.evaluation.model_predictions import ModelPredictions
from likely.model.loo_predictions import LeaveOneOutPredictions
from likely.report.facts import Answered, Calibration, Cut, Row
from likely.report.rows import Codes, Explained, Rows, Sample, varied

_SHOWN_MISTAKES = 10
# Of one confusion so many mistakes are shown at least: others are worth seeing too.
_OF_A_KIND = 3
_SHOWN_SUSPECTS = 20
_SHOWN_DEPENDENCES = 10

_UNSURE = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
# A logarithm for what is all but impossible.
_IMPOSSIBLE = -1e6


@dataclass(frozen=True, eq=False)
class SingleLabelPredictions:
    """The class of each row, and how probable the model holds every class to be."""

    classes: tuple[Label, ...]
    truth: Codes
    probabilities: NDArray[np.float64]
    doubted: list[int] = field(default_factory=list)
    """Rows whose labels are all but impossible, the strangest first."""

    @classmethod
    def left_out(cls, parts: Iterable[LeaveOneOutPredictions]) -> "SingleLabelPredictions":
        """Rows that were judged by the model without them."""
        truth, probabilities = [], []
        doubted: list[tuple[float, int]] = []
        before = 0
        for part in parts:
            classes = part.classes
            truth.append(part.truth.astype(np.intp))
            probabilities.append(part.probabilities)
            places, margins = doubts(part)
            doubted += zip(margins.tolist(), (places + before).tolist(), strict=True)
            before += len(part.truth)
        strange = [place for _, place in sorted(doubted)]
        return cls(classes, np.concatenate(truth), np.concatenate(probabilities), strange)

    @classmethod
    def tested(cls, model: Classifier, judged: ModelPredictions) -> "SingleLabelPredictions":
        """Rows that were judged by the model as it is."""
        places = {label: place for place, label in enumerate(judged.classes)}
        truth = np.array([places[label] for label in judged.truth], dtype=np.uint32)
        # What the model has never heard of is not doubted.
        heard = np.isin(label_array(judged.classes), label_array(model.classes))
        with np.errstate(divide="ignore"):
            scores = np.where(heard, np.maximum(np.log(judged.probabilities), _IMPOSSIBLE), -np.inf)
        none = np.zeros(len(truth), dtype=bool)
        said = LeaveOneOutPredictions(judged.classes, scores, judged.probabilities, truth, none)
        return cls.left_out([said])

    @property
    def said(self) -> Codes:
        return np.asarray(self.probabilities.argmax(axis=1))

    @property
    def predictions(self) -> list[Label]:
        return [self.classes[place] for place in self.said]

    def evaluated(self, intervals: bool = True) -> Evaluation:
        names = label_array(self.classes)
        return evaluate(
            names[self.truth],
            names[self.said],
            self.probabilities,
            classes=self.classes,
            intervals=intervals,
        )

    def take(self, places: Codes) -> "SingleLabelPredictions":
        return SingleLabelPredictions(self.classes, self.truth[places], self.probabilities[places])

    def calibration(self) -> Calibration | None:
        """How far the probability of what is said can be believed."""
        judged = self.evaluated(intervals=False)
        if judged.log_loss is None or judged.ece is None:
            return None
        return Calibration(
            judged.rows,
            float(judged.accuracy),
            float(judged.log_loss),
            float(judged.ece),
            judged.reliability,
        )

    def about_rows(self, rows: Rows, left_out: bool) -> dict[str, Any]:
        """The facts of a report about single rows."""
        mistakes, label_issues = self._mistakes(rows.hashes), self.doubted[:_SHOWN_SUSPECTS]
        judged = self.probabilities if left_out else None
        seen = rows.explained({*mistakes, *label_issues}, judged)
        return {
            "mistakes": tuple(self._row(place, seen[place]) for place in mistakes),
            "n_mistakes": int(np.count_nonzero(self.said != self.truth)),
            "label_issues": tuple(self._row(place, seen[place]) for place in label_issues),
            "n_suspicious": len(self.doubted),
        }

    def about_thresholds(self) -> dict[str, Any]:
        """The facts of a report about saying nothing, or one of two classes, by a probability."""
        names = label_array(self.classes)
        curve = coverage(
            names[self.truth], names[self.said], self.probabilities, classes=self.classes
        )
        found: dict[str, Any] = {
            "unsure": tuple(Answered(share, *curve.at(share)) for share in _UNSURE)
        }
        if len(self.classes) == 2:
            sizes = np.bincount(self.truth, minlength=2)
            rarer = int(sizes.argmin())
            found["cut_of"] = self.classes[rarer]
            found["cuts"] = Cut.each(self.probabilities[:, rarer], self.truth == rarer)
        return found

    def about_evidence(self, model: Classifier, sample: Sample, left_out: bool) -> dict[str, Any]:
        """The facts of a report about kinds of evidence, of some rows."""
        given = sample.cells, sample.labels
        return {
            "column_importance": tuple(model.column_importance(*given, left_out=left_out)),
            "dependences": tuple(model.dependences(*given, _SHOWN_DEPENDENCES)),
        }

    def _mistakes(self, hashes: NDArray[np.uint64]) -> list[int]:
        """The mistakes made with most confidence, copies once, and not all of one kind."""
        said = self.said
        wrong = np.flatnonzero(said != self.truth)
        confidence = self.probabilities[wrong, said[wrong]]
        kinds = self.truth * len(self.classes) + said
        most = max(_OF_A_KIND, _SHOWN_MISTAKES // max(len(np.unique(kinds[wrong])), 1))
        ranked = wrong[np.argsort(-confidence, kind="stable")]
        pairs = zip(ranked.tolist(), kinds[ranked].tolist(), strict=True)
        return [place for place, _ in varied(pairs, hashes, most, _SHOWN_MISTAKES)]

    def _row(self, place: int, row: Explained) -> Row:
        label, said = int(self.truth[place]), int(self.said[place])
        why = row.why

        def odds(scores: NDArray[np.float64]) -> float:
            for_it, against = (
                scores[why.classes.index(one)] if one in why.classes else 0.0
                for one in (self.classes[said], self.classes[label])
            )
            return float(np.nan_to_num(for_it - against))

        return Row(
            row.number,
            self.classes[label],
            self.classes[said],
            float(self.probabilities[place, said]),
            float(self.probabilities[place, label]),
            row.pieces(odds),
            row.is_unknown(self.classes[label]),
        )
