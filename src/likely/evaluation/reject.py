"""The reject option: the trade-off between coverage and accuracy."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from likely import render
from likely.errors import DataError, OptionError
from likely.evaluation.answers import read_answers
from likely.evaluation.counts import Array
from likely.evaluation.probabilities import PredictedProbabilities, checked

_SHOWN = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.25, 0.1)


@dataclass(frozen=True, eq=False)
class Coverage:
    """Coverage and accuracy if only rows of at least some confidence are answered.

    The three arrays go together, from the surest rows alone to all rows. Rows of equal confidence
    are answered together.
    """

    confidence: Array
    coverage: Array
    accuracy: Array

    def at(self, confidence: float) -> tuple[float, float]:
        """Coverage and accuracy when only rows of at least this confidence are answered.

        Where that is no row, nothing is wrong, and the accuracy is 1.
        """
        place = int(np.count_nonzero(self.confidence >= confidence))
        if not place:
            return 0.0, 1.0
        return float(self.coverage[place - 1]), float(self.accuracy[place - 1])

    def confidence_for(self, accuracy: float) -> float:
        """The lowest confidence at which the answered rows reach this accuracy."""
        if not 0 <= accuracy <= 1:
            raise OptionError(f"an accuracy lies between 0 and 1, {accuracy!r} does not")
        reached = np.flatnonzero(self.accuracy >= accuracy)
        if not len(reached):
            best = render.number(float(self.accuracy.max()))
            raise DataError(f"no confidence reaches an accuracy of {accuracy}; the best is {best}")
        return float(self.confidence[reached[-1]])

    def to_json(self) -> dict[str, Any]:
        return {name: values.tolist() for name, values in vars(self).items()}

    def __str__(self) -> str:
        return render.text(self._blocks())

    def _repr_html_(self) -> str:
        return render.html(self._blocks())

    def _blocks(self) -> list[render.Block]:
        places = [int(np.count_nonzero(self.coverage < share)) for share in _SHOWN]
        rows = tuple(
            tuple(
                render.number(values[min(place, len(values) - 1)])
                for values in (self.confidence, self.coverage, self.accuracy)
            )
            for place in sorted(set(places), reverse=True)
        )
        return [render.Table(("unsure below", "answered", "right of these"), rows)]


def coverage(y_true: Any, y_pred: Any, proba: Any, *, classes: Any = None) -> Coverage:
    """What a reject option would cost: a row is left unanswered when its probability is too low.

    >>> curve = coverage(["a", "b", "a"], ["a", "b", "b"], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> curve.at(0.7)
    (0.6666666666666666, 1.0)
    >>> curve.confidence_for(accuracy=0.9)
    0.8

    The confidence of a row is the probability of what was predicted. `classes` names the columns
    of `proba`; by default they are the labels found, sorted.
    """
    answers = read_answers(y_true, [y_pred], ["the predictions"], classes)
    if answers.is_multilabel:
        raise DataError("a reject option is for rows with one label each")
    found = checked(proba, len(answers), answers.classes, sum_to_one=True)
    ones = np.ones(len(answers))
    judged = PredictedProbabilities.of(found, answers.truth.codes, answers.said[0].codes, ones)
    confidence, right = judged.confidence(), judged.truth == judged.said
    order = np.argsort(-confidence, kind="stable")
    last = np.append(np.flatnonzero(np.diff(confidence[order])), len(order) - 1)
    answered = last + 1.0
    return Coverage(
        confidence[order][last],
        answered / len(order),
        np.cumsum(right[order])[last] / answered,
    )
