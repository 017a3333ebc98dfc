"""What a model says of rows that have any number of labels."""

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
from likely.report.facts import Calibration, Claim, Cut
from likely.report.rows import Codes, Explained, Rows, Sample, varied

# Of labels that are said and not there, and of those that are there and not said, so many,
_SHOWN_MISTAKES = 6
# and of one label.
_OF_A_LABEL = 2
_SHOWN_SUSPECTS = 20

Pairs = NDArray[np.bool_]
"""Whether something holds of each row and each label."""


@dataclass(frozen=True, eq=False)
class MultiLabelPredictions:
    """The labels of each row, and how probable the model holds each to be."""

    classes: tuple[Label, ...]
    truth: Pairs
    probabilities: NDArray[np.float64]
    thresholds: NDArray[np.float64]

    @classmethod
    def left_out(cls, parts: Iterable[MultiLabelLeaveOneOutPredictions]) -> "MultiLabelPredictions":
        """Rows that were judged by the model without them."""
        found = MultiLabelLeaveOneOutPredictions.joined(list(parts))
        return cls(found.classes, found.truth, found.probabilities, found.thresholds)

    @classmethod
    def tested(cls, model: Classifier, judged: ModelPredictions) -> "MultiLabelPredictions":
        """Rows that were judged by the model as it is; labels it does not know are never said."""
        places = {label: place for place, label in enumerate(judged.classes)}
        truth = np.zeros(judged.probabilities.shape, dtype=bool)
        for row, labels in enumerate(judged.truth):
            truth[row, [places[label] for label in labels]] = True
        bars = model.thresholds
        thresholds = np.array([bars.get(label, np.inf) for label in judged.classes])
        return cls(judged.classes, truth, judged.probabilities, thresholds)

    @property
    def said(self) -> Pairs:
        return np.asarray(self.probabilities >= self.thresholds)

    @property
    def predictions(self) -> list[list[Label]]:
        return label_lists(self.classes, self.said)

    def evaluated(self, intervals: bool = True) -> Evaluation:
        return evaluate(
            self.truth, self.said, self.probabilities, classes=self.classes, intervals=intervals
        )

    def take(self, places: Codes) -> "MultiLabelPredictions":
        truth, probabilities = self.truth[places], self.probabilities[places]
        return MultiLabelPredictions(self.classes, truth, probabilities, self.thresholds)

    def calibration(self) -> Calibration | None:
        """How far the probability of a label can be believed, be it said or not.

        Nearly all labels are out of the question for a row, which is no merit: those count that
        have some probability. The log-loss is that of all labels of a row together.
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
            float(np.mean((self.said == self.truth).all(axis=1))),
            float(-np.log(np.maximum(own, believing.SMALLEST)).sum(axis=1).mean()),
            float(off / len(given)),
            bins,
        )

    def about_rows(self, rows: Rows, left_out: bool) -> dict[str, Any]:
        """The facts of a report about single rows."""
        said = self.said
        alarms = self._loudest(said & ~self.truth, -self.probabilities, rows.hashes)
        misses = self._loudest(self.truth & ~said, self.probabilities, rows.hashes)
        doubted = self._doubted(rows.model)
        shown = doubted[:_SHOWN_SUSPECTS]
        judged = self.probabilities if left_out else None
        seen = rows.explained({place for place, _ in [*alarms, *misses, *shown]}, judged)
        return {
            "mistakes": tuple(self._claim(*pair, seen[pair[0]]) for pair in [*alarms, *misses]),
            "n_mistakes": int(np.count_nonzero(said != self.truth)),
            "label_issues": tuple(self._claim(*pair, seen[pair[0]]) for pair in shown),
            "n_suspicious": len(doubted),
        }

    def about_thresholds(self) -> dict[str, Any]:
        """The facts of a report about where labels are said from, and one threshold for all."""
        bars = zip(self.classes, self.thresholds.tolist(), strict=True)
        return {
            "thresholds": {label: bar for label, bar in bars if bar <= 1},
            "cuts": Cut.each(self.probabilities, self.truth),
        }

    def about_evidence(self, model: Classifier, sample: Sample, left_out: bool) -> dict[str, Any]:
        """What each kind of evidence is worth; pairs of words are compared within one class."""
        kinds = model.column_importance(sample.cells, sample.labels, left_out=left_out)
        return {"column_importance": tuple(kinds)}

    def _loudest(
        self, pairs: Pairs, order: NDArray[np.float64], hashes: NDArray[np.uint64]
    ) -> list[tuple[int, int]]:
        """Some pairs of a row and a label, those that come first in order."""
        rows, labels = np.nonzero(pairs)
        first = np.argsort(order[rows, labels], kind="stable")
        ranked = zip(rows[first].tolist(), labels[first].tolist(), strict=True)
        return varied(ranked, hashes, _OF_A_LABEL, _SHOWN_MISTAKES)

    def _doubted(self, model: Classifier) -> list[tuple[int, int]]:
        """Labels that are there and all but impossible, or missing and all but certain."""
        own = np.where(self.truth, self.probabilities, 1 - self.probabilities)
        # Without its only row nothing is known of a label, nor of one that the model never met.
        rows_of = model.info.rows
        known = np.array([rows_of.get(label, 0) > 1 for label in self.classes])
        rows, labels = np.nonzero((own < DOUBTFUL) & known)
        order = np.argsort(own[rows, labels], kind="stable")
        return list(zip(rows[order].tolist(), labels[order].tolist(), strict=True))

    def _is_lone(self, label: int, row: Explained) -> bool:
        """Whether a row that was left out is the only one of its label."""
        tally = row.model.tally
        rows = dict(zip(tally.classes, tally.rows.tolist(), strict=True))
        return row.is_left_out and rows.get(self.classes[label], 0) <= 1

    def _claim(self, place: int, label: int, row: Explained) -> Claim:
        why = row.why
        at = why.classes.index(self.classes[label]) if self.classes[label] in why.classes else None
        has, said = (
            tuple(label_lists(self.classes, pairs[place : place + 1])[0])
            for pairs in (self.truth, self.said)
        )
        return Claim(
            row.number,
            self.classes[label],
            bool(self.truth[place, label]),
            has,
            said,
            float(self.probabilities[place, label]),
            row.pieces(lambda scores: 0.0 if at is None else float(np.nan_to_num(scores[at]))),
            at is None or (bool(self.truth[place, label]) and self._is_lone(label, row)),
        )
