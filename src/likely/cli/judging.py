"""What a model says of labelled rows, beside what they are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import Classifier
from likely.cli.options import progress_bar, say
from likely.errors import DataError
from likely.inputs.files import Source
from likely.inputs.labelled import labelled
from likely.labels import Label, label_array


@dataclass(frozen=True, eq=False)
class Judged:
    """Labels, predictions and probabilities of rows, and how many of them the model had learned."""

    classes: tuple[Label, ...]
    truth: NDArray[Any]
    predictions: NDArray[Any]
    probabilities: NDArray[np.float64]
    learned: int


def judge(classifier: Classifier, source: Source, target: str | None) -> Judged:
    """Predict the rows of a file that has their labels too."""
    rows = labelled(source, classifier.target if target is None else target)
    # A file spells its labels; those of a model may be numbers.
    meant = {str(label): label for label in classifier.classes}
    truth: list[Label] = []
    found: list[NDArray[np.float64]] = []
    learned = 0
    with progress_bar("judging", source.size) as progress:
        for table, labels in rows.batches(classifier.columns, progress):
            named = [meant.get(str(label), label) for label in labels.values]
            own = [named[slot] for slot in labels.slots]
            truth.extend(own)
            found.append(classifier.predict_proba(table))
            learned += int(classifier.was_learned(table, own).sum())
    if not truth:
        raise DataError(f"{source.name} has no rows to judge the model by")
    classes = tuple(sorted({*truth, *classifier.classes}))
    probabilities = np.zeros((len(truth), len(classes)))
    known = [classes.index(label) for label in classifier.classes]
    probabilities[:, known] = np.concatenate(found)
    predictions = label_array(classes)[probabilities.argmax(axis=1)]
    return Judged(classes, label_array(truth), predictions, probabilities, learned)


def say_learned(judged: Iterable[Judged], source: Source) -> None:
    """Warn of rows that a model had seen, which make it look better than it is."""
    learned, rows = max((one.learned, len(one.truth)) for one in judged)
    if learned:
        say(
            f"warning: {learned:,} of the {rows:,} rows of {source.name} were learned by the "
            "model; their figures flatter it"
        )
