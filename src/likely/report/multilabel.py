"""Predictions for multi-label rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.data.label_sets import label_lists
from likely.data.labels import Label
from likely.evaluation import probabilities as believing
from likely.evaluation.evaluate import evaluate
from likely.evaluation.facts import Evaluation
from likely.evaluation.label_issues import DOUBTFUL
from likely.evaluation.model_predictions import ModelPredictions
from likely.model.loo_predictions import MultiLabelLeaveOneOutPredictions
from likely.report.facts import Calibration, ShownLabel, ThresholdPoint
from likely.report.rows import Codes, ExplainedRow, LabeledRows, Sample, varied

# So many false positives and so many false negatives are shown,
_SHOWN_MISTAKES = 6
# and so many of one label.
_OF_A_LABEL = 2
_SHOWN_ISSUES = 20

Pairs = NDArray[np.bool_]
"""Whether something holds of each row and each label."""


@dataclass(frozen=True, eq=False)
class MultiLabelPredictions:
    """The true labels of each row, and the probability of each label."""

    classes: tuple[Label, ...]
    truth: Pairs
    probabilities: NDArray[np.float64]
    thresholds: NDArray[np.float64]

    @classmethod
    def left_out(cls, parts: Iterable[MultiLabelLeaveOneOutPredictions]) -> "MultiLabelPredictions":
        """Leave-one-out predictions."""
        found = MultiLabelLeaveOneOutPredictions.joined(list(parts))
        return cls(found.classes, found.truth, found.probabilities, found.thresholds)

    @classmethod
    def tested(cls, model: Classifier, made: ModelPredictions) -> "MultiLabelPredictions":
        """Predictions of the model as it is; labels it does not know are never predicted."""
        places = {label: place for place, label in enumerate(made.classes)}
        truth = np.zeros(made.probabilities.shape, dtype=bool)
        for row, labels in enumerate(made.truth):
            truth[row, [places[label] for label in labels]] = True
        known = model.thresholds
        thresholds = np.array([known.get(label, np.inf) for label in made.classes])
        return cls(made.classes, truth, made.probabilities, thresholds)

    @property
    def predicted(self) -> Pairs:
        return np.asarray(self.probabilities >= self.thresholds)

    @property
    def predictions(self) -> list[list[Label]]:
        return label_lists(self.classes, self.predicted)

    def evaluated(self, intervals: bool = True) -> Evaluation:
        return evaluate(
            self.truth,
            self.predicted,
            self.probabilities,
            classes=self.classes,
            intervals=intervals,
        )

    def take(self, places: Codes) -> "MultiLabelPredictions":
        truth, probabilities = self.truth[places], self.probabilities[places]
        return MultiLabelPredictions(self.classes, truth, probabilities, self.thresholds)

    def calibration(self) -> Calibration | None:
        """How well the probabilities of labels are calibrated.

        Most labels are out of the question for a row, so only those with some probability count.
        The log-loss is that of all labels of a row together.
        """
        some = self.probabilities >= DOUBTFUL
        has, given = self.truth[some].astype(np.intp), self.probabilities[some]
        if not len(given):
            return None
        every = np.ones(len(given), dtype=np.intp)
        pairs = np.column_stack([1 - given, given])
        bins = believing.PredictedProbabilities.of(
            pairs, has, every, every.astype(np.float64)
        ).reliability()
        off = sum(one.rows * abs(one.confidence - one.accuracy) for one in bins)
        own = np.where(self.truth, self.probabilities, 1 - self.probabilities)
        return Calibration(
            len(given),
            float(np.mean((self.predicted == self.truth).all(axis=1))),
            float(-np.log(np.maximum(own, believing.SMALLEST)).sum(axis=1).mean()),
            float(off / len(given)),
            bins,
        )

    def about_rows(self, rows: LabeledRows, left_out: bool) -> dict[str, Any]:
        """The facts of a report about single rows."""
        predicted = self.predicted
        alarms = self._ranked(predicted & ~self.truth, -self.probabilities, rows.hashes)
        misses = self._ranked(self.truth & ~predicted, self.probabilities, rows.hashes)
        issues = self._label_issues(rows.model)
        shown = issues[:_SHOWN_ISSUES]
        left = self.probabilities if left_out else None
        seen = rows.explained({place for place, _ in [*alarms, *misses, *shown]}, left)
        return {
            "mistakes": tuple(
                self._shown_label(*pair, seen[pair[0]]) for pair in [*alarms, *misses]
            ),
            "n_mistakes": int(np.count_nonzero(predicted != self.truth)),
            "label_issues": tuple(self._shown_label(*pair, seen[pair[0]]) for pair in shown),
            "n_label_issues": len(issues),
        }

    def about_thresholds(self) -> dict[str, Any]:
        """The facts of a report about one threshold for all labels."""
        return {"threshold_curve": ThresholdPoint.each(self.probabilities, self.truth)}

    def about_features(self, model: Classifier, sample: Sample, left_out: bool) -> dict[str, Any]:
        """The facts of a report about columns; dependence is defined within single classes only."""
        importance = model.column_importance(sample.cells, sample.labels, left_out=left_out)
        return {"column_importance": tuple(importance)}

    def _ranked(
        self, pairs: Pairs, order: NDArray[np.float64], hashes: NDArray[np.uint64]
    ) -> list[tuple[int, int]]:
        """Some pairs of a row and a label, those that come first in order."""
        rows, labels = np.nonzero(pairs)
        first = np.argsort(order[rows, labels], kind="stable")
        ranked = zip(rows[first].tolist(), labels[first].tolist(), strict=True)
        return varied(ranked, hashes, _OF_A_LABEL, _SHOWN_MISTAKES)

    def _label_issues(self, model: Classifier) -> list[tuple[int, int]]:
        """Labels that are there and all but impossible, or missing and all but certain."""
        own = np.where(self.truth, self.probabilities, 1 - self.probabilities)
        # Without its only row nothing is known of a label, nor of one that the model never met.
        rows_of = model.info.rows
        known = np.array([rows_of.get(label, 0) > 1 for label in self.classes])
        rows, labels = np.nonzero((own < DOUBTFUL) & known)
        order = np.argsort(own[rows, labels], kind="stable")
        return list(zip(rows[order].tolist(), labels[order].tolist(), strict=True))

    def _is_lone(self, label: int, row: ExplainedRow) -> bool:
        """Whether a row that was left out is the only one of its label."""
        tally = row.model.tally
        rows = dict(zip(tally.classes, tally.rows.tolist(), strict=True))
        return row.is_left_out and rows.get(self.classes[label], 0) <= 1

    def _shown_label(self, place: int, label: int, row: ExplainedRow) -> ShownLabel:
        why = row.why
        at = why.classes.index(self.classes[label]) if self.classes[label] in why.classes else None
        has, predicted = (
            tuple(label_lists(self.classes, pairs[place : place + 1])[0])
            for pairs in (self.truth, self.predicted)
        )
        return ShownLabel(
            row.number,
            self.classes[label],
            bool(self.truth[place, label]),
            has,
            predicted,
            float(self.probabilities[place, label]),
            row.pieces(lambda scores: 0.0 if at is None else float(np.nan_to_num(scores[at]))),
            at is None or (bool(self.truth[place, label]) and self._is_lone(label, row)),
        )
