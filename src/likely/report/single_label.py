"""Predictions for rows with one label each."""

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
from likely.report.facts import Calibration, RejectPoint, ShownRow, ThresholdPoint
from likely.report.rows import Codes, ExplainedRow, LabeledRows, Sample, varied

_SHOWN_MISTAKES = 10
# At least so many mistakes of one confusion are shown.
_PER_CONFUSION = 3
_SHOWN_ISSUES = 20
_SHOWN_DEPENDENCES = 10

_REJECT_BELOW = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
# The log-probability of what is all but impossible.
_IMPOSSIBLE = -1e6


@dataclass(frozen=True, eq=False)
class SingleLabelPredictions:
    """The true class of each row, the probability of every class, and the predicted class."""

    classes: tuple[Label, ...]
    truth: Codes
    probabilities: NDArray[np.float64]
    predicted: Codes
    label_issues: list[int] = field(default_factory=list)
    """Rows whose labels are all but impossible, the least probable first."""

    @classmethod
    def left_out(cls, parts: Iterable[LeaveOneOutPredictions]) -> "SingleLabelPredictions":
        """Leave-one-out predictions."""
        truth, probabilities, predicted = [], [], []
        issues: list[tuple[float, int]] = []
        before = 0
        for part in parts:
            classes = part.classes
            truth.append(part.truth.astype(np.intp))
            probabilities.append(part.probabilities)
            predicted.append(part.predicted)
            places, margins = doubts(part)
            issues += zip(margins.tolist(), (places + before).tolist(), strict=True)
            before += len(part.truth)
        ranked = [place for _, place in sorted(issues)]
        return cls(
            classes,
            np.concatenate(truth),
            np.concatenate(probabilities),
            np.concatenate(predicted),
            ranked,
        )

    @classmethod
    def tested(cls, model: Classifier, made: ModelPredictions) -> "SingleLabelPredictions":
        """Predictions of the model as it is."""
        places = {label: place for place, label in enumerate(made.classes)}
        truth = np.array([places[label] for label in made.truth], dtype=np.uint32)
        # A label that the model does not know is no label issue.
        known = np.isin(label_array(made.classes), label_array(model.classes))
        with np.errstate(divide="ignore"):
            scores = np.where(known, np.maximum(np.log(made.probabilities), _IMPOSSIBLE), -np.inf)
        none = np.zeros(len(truth), dtype=bool)
        predicted = np.array([places[label] for label in made.predictions.tolist()], dtype=np.intp)
        return cls.left_out(
            [
                LeaveOneOutPredictions(
                    made.classes, scores, made.probabilities, truth, none, predicted
                )
            ]
        )

    @property
    def predictions(self) -> list[Label]:
        return [self.classes[place] for place in self.predicted]

    def evaluated(self, intervals: bool = True) -> Evaluation:
        names = label_array(self.classes)
        return evaluate(
            names[self.truth],
            names[self.predicted],
            self.probabilities,
            classes=self.classes,
            intervals=intervals,
        )

    def take(self, places: Codes) -> "SingleLabelPredictions":
        return SingleLabelPredictions(
            self.classes, self.truth[places], self.probabilities[places], self.predicted[places]
        )

    def calibration(self) -> Calibration | None:
        """How well the probabilities of the predictions are calibrated."""
        metrics = self.evaluated(intervals=False)
        if metrics.log_loss is None or metrics.ece is None:
            return None
        return Calibration(
            metrics.rows,
            float(metrics.accuracy),
            float(metrics.log_loss),
            float(metrics.ece),
            metrics.reliability,
        )

    def about_rows(self, rows: LabeledRows, left_out: bool) -> dict[str, Any]:
        """The facts of a report about single rows."""
        mistakes, label_issues = self._mistakes(rows.hashes), self.label_issues[:_SHOWN_ISSUES]
        left = self.probabilities if left_out else None
        seen = rows.explained({*mistakes, *label_issues}, left)
        likelier = self.probabilities.argmax(axis=1)
        return {
            "mistakes": tuple(self._row(place, seen[place], self.predicted) for place in mistakes),
            "n_mistakes": int(np.count_nonzero(self.predicted != self.truth)),
            "label_issues": tuple(
                self._row(place, seen[place], likelier) for place in label_issues
            ),
            "n_label_issues": len(self.label_issues),
        }

    def about_thresholds(self) -> dict[str, Any]:
        """The facts of a report about the reject option, and of two classes about thresholds."""
        names = label_array(self.classes)
        curve = coverage(
            names[self.truth], names[self.predicted], self.probabilities, classes=self.classes
        )
        found: dict[str, Any] = {
            "reject_option": tuple(RejectPoint(share, *curve.at(share)) for share in _REJECT_BELOW)
        }
        if len(self.classes) == 2:
            sizes = np.bincount(self.truth, minlength=2)
            rarer = int(sizes.argmin())
            found["threshold_label"] = self.classes[rarer]
            found["threshold_curve"] = ThresholdPoint.each(
                self.probabilities[:, rarer], self.truth == rarer
            )
        return found

    def about_features(self, model: Classifier, sample: Sample, left_out: bool) -> dict[str, Any]:
        """The facts of a report about columns and their dependence, on a sample."""
        given = sample.cells, sample.labels
        return {
            "column_importance": tuple(model.column_importance(*given, left_out=left_out)),
            "dependences": tuple(model.dependences(*given, _SHOWN_DEPENDENCES)),
        }

    def _mistakes(self, hashes: NDArray[np.uint64]) -> list[int]:
        """The most confident mistakes, duplicates once, and not all of one confusion."""
        predicted = self.predicted
        wrong = np.flatnonzero(predicted != self.truth)
        confidence = self.probabilities[wrong, predicted[wrong]]
        confusions = self.truth * len(self.classes) + predicted
        most = max(_PER_CONFUSION, _SHOWN_MISTAKES // max(len(np.unique(confusions[wrong])), 1))
        ranked = wrong[np.argsort(-confidence, kind="stable")]
        pairs = zip(ranked.tolist(), confusions[ranked].tolist(), strict=True)
        return [place for place, _ in varied(pairs, hashes, most, _SHOWN_MISTAKES)]

    def _row(self, place: int, row: ExplainedRow, others: Codes) -> ShownRow:
        """A row beside another class than its label: the predicted, or the most probable."""
        label, predicted = int(self.truth[place]), int(others[place])
        why = row.why

        def odds(scores: NDArray[np.float64]) -> float:
            for_it, against = (
                scores[why.classes.index(one)] if one in why.classes else 0.0
                for one in (self.classes[predicted], self.classes[label])
            )
            return float(np.nan_to_num(for_it - against))

        return ShownRow(
            row.number,
            self.classes[label],
            self.classes[predicted],
            float(self.probabilities[place, predicted]),
            float(self.probabilities[place, label]),
            row.pieces(odds),
            row.is_unknown(self.classes[label]),
        )
