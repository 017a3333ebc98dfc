"""Answered rows predicted by the model without their answers, and the answers that look wrong."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from likely.errors import LikelyError
from likely.evaluation.label_issues import DOUBTFUL
from likely.model.loo_predictions import MultiLabelLeaveOneOutPredictions
from likely.server.labeling.answers import Said
from likely.server.labeling.session import Session


@dataclass(frozen=True)
class Issue:
    """An answered row, and what the other answers say of it."""

    item: int
    said: Said
    likelier: Said
    probability: float
    """That of the likelier label; of several, that of the surest among what is wrong or missing."""


def left_out(session: Session) -> tuple[Any, list[int]]:
    """Leave-one-out predictions of the rows that the model has learned."""
    served, agreed = session.model.served, session.seen.agreed
    chosen, classifier = list(agreed), served.classifier
    if not chosen or len(classifier.classes) < (1 if session.is_multilabel else 2):
        return None, []
    labels = [session.label(agreed[item]) for item in chosen]
    try:
        return classifier.leave_one_out(session.pool.table(chosen), labels), chosen
    except LikelyError:
        # Somebody answered in between.
        return None, []


def label_issues(session: Session, n: int | None = None) -> list[Issue]:
    """The answers that the others contradict most, at most so many."""
    loo, items = left_out(session)
    if loo is None:
        return []
    n = len(items) if n is None else n
    if isinstance(loo, MultiLabelLeaveOneOutPredictions):
        return _of_several(loo, items)[:n]
    return [
        Issue(items[i.row], (str(i.label),), (str(i.likelier),), i.probability)
        for i in loo.label_issues(n)
    ]


def _of_several(loo: MultiLabelLeaveOneOutPredictions, items: list[int]) -> list[Issue]:
    """The rows with labels that are nearly surely wrong, or missing, as reports have them.

    Rare labels are improbable everywhere, so that one is improbable says little.
    """
    doubts = np.where(loo.truth, 1 - loo.probabilities, loo.probabilities)
    is_doubted = doubts > 1 - DOUBTFUL
    found = [
        Issue(
            items[row],
            _named(loo, loo.truth[row]),
            _named(loo, loo.truth[row] ^ is_doubted[row]),
            float(doubts[row].max()),
        )
        for row in np.flatnonzero(is_doubted.any(axis=1)).tolist()
    ]
    return sorted(found, key=lambda issue: -issue.probability)


def _named(loo: MultiLabelLeaveOneOutPredictions, has: Any) -> Said:
    return tuple(sorted(str(loo.classes[place]) for place in np.flatnonzero(has)))
