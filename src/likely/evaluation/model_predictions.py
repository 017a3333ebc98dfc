"""The predictions of a model for labeled rows, beside the true labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.data.files import Progress
from likely.data.label_sets import label_lists
from likely.data.labeled import Labeled
from likely.data.labels import Label, label_array
from likely.errors import DataError, NotLearnedError
from likely.explain.unseen_values import UnseenValues
from likely.model.loo_predictions import LeaveOneOutPredictions


@dataclass(frozen=True, eq=False)
class ModelPredictions:
    """Labels, predictions and probabilities of rows, and how many of them the model had learned."""

    classes: tuple[Label, ...]
    truth: Any
    """A label for each row; or a list of them, as in the predictions."""
    predictions: Any
    probabilities: NDArray[np.float64]
    learned: int
    unseen: str | None = None
    """A sentence about columns whose values were all unseen in training, if there are any."""


def predict_rows(
    classifier: Classifier, rows: Labeled, progress: Progress | None = None
) -> ModelPredictions:
    """Predict rows that have their labels too."""
    check_kind(classifier, rows)
    truth: list[Any] = []
    found: list[NDArray[np.float64]] = []
    learned, unseen = 0, UnseenValues()
    for table, labels in rows.batches(classifier.columns, progress):
        truth.extend(labels.lists)
        found.append(classifier.predict_proba(table))
        unseen.look(classifier, table)
        learned += int(classifier.was_learned(table, labels.lists).sum())
    if not truth:
        raise DataError(f"{rows.where}there are no rows to judge the model by")
    seen = (label for row in truth for label in row) if classifier.is_multilabel else truth
    classes = tuple(sorted({*seen, *classifier.classes}))
    probabilities = np.zeros((len(truth), len(classes)))
    known = np.array([classes.index(label) for label in classifier.classes])
    own = np.concatenate(found)
    probabilities[:, known] = own
    if classifier.is_multilabel:
        thresholds = np.array([classifier.thresholds.get(label, np.inf) for label in classes])
        said = label_lists(classes, probabilities >= thresholds)
        return ModelPredictions(classes, truth, said, probabilities, learned, unseen.sentence)
    predictions = label_array(classes)[known[classifier.decide(own)]]
    given = label_array(truth), predictions, probabilities, learned
    return ModelPredictions(classes, *given, unseen.sentence)


def check_kind(classifier: Classifier, rows: Labeled) -> None:
    """Refuse multi-label rows for a single-label model, and the reverse."""
    if rows.is_multilabel != classifier.is_multilabel:
        here, there = "multi-label", "single-label"
        if classifier.is_multilabel:
            here, there = there, here
        raise DataError(f"these rows are {here}, but the model is {there}")


def left_out(classifier: Classifier, x: Any, y: Any = None) -> LeaveOneOutPredictions | None:
    """The predictions of rows without themselves; None if not all of them were learned.

    Rows that occur more often than they were learned count as not learned.
    """
    rows = classifier.labeled(x, y)
    if not classifier.was_learned(rows).all():
        return None
    try:
        found: LeaveOneOutPredictions = classifier.leave_one_out(rows)
    except NotLearnedError:
        return None
    return found
