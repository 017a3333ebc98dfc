"""What a model says of labelled rows, beside what they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.errors import DataError, NotLearnedError
from likely.inputs.files import Progress
from likely.inputs.labelled import Labelled
from likely.labels import Label, Labels, label_array
from likely.leave_one_out import LeaveOneOut


@dataclass(frozen=True, eq=False)
class Judged:
    """Labels, predictions and probabilities of rows, and how many of them the model had learned."""

    classes: tuple[Label, ...]
    truth: NDArray[Any]
    predictions: NDArray[Any]
    probabilities: NDArray[np.float64]
    learned: int


def judge(classifier: Classifier, rows: Labelled, progress: Progress | None = None) -> Judged:
    """Predict rows that have their labels too."""
    truth: list[Label] = []
    found: list[NDArray[np.float64]] = []
    learned = 0
    for table, labels in rows.batches(classifier.columns, progress):
        own = meant(classifier, labels)
        truth.extend(own)
        found.append(classifier.predict_proba(table))
        learned += int(classifier.was_learned(table, own).sum())
    if not truth:
        raise DataError("there are no rows to judge the model by")
    classes = tuple(sorted({*truth, *classifier.classes}))
    probabilities = np.zeros((len(truth), len(classes)))
    known = [classes.index(label) for label in classifier.classes]
    probabilities[:, known] = np.concatenate(found)
    predictions = label_array(classes)[probabilities.argmax(axis=1)]
    return Judged(classes, label_array(truth), predictions, probabilities, learned)


def left_out(classifier: Classifier, x: Any, y: Any) -> LeaveOneOut | None:
    """The predictions of rows without themselves; None if not all of them were learned.

    Rows that stand there more often than they were learned were not.
    """
    if not classifier.was_learned(x, y).all():
        return None
    try:
        return classifier.leave_one_out(x, y)
    except NotLearnedError:
        return None


def meant(classifier: Classifier, labels: Labels) -> list[Label]:
    """The label of each row. A file spells its labels; those of a model may be numbers."""
    known = {str(label): label for label in classifier.classes}
    named = [known.get(str(label), label) for label in labels.values]
    return [named[slot] for slot in labels.slots]
