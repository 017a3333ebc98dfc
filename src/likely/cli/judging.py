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
from likely.label_sets import label_lists
from likely.labels import Label, label_array


@dataclass(frozen=True, eq=False)
class Judged:
    """Labels, predictions and probabilities of rows, and how many of them the model had learned."""

    classes: tuple[Label, ...]
    truth: Any
    predictions: Any
    probabilities: NDArray[np.float64]
    learned: int


def judge(classifier: Classifier, source: Source, target: str | None) -> Judged:
    """Predict the rows of a file that has their labels too."""
    rows = labelled(source, classifier.target if target is None else target, classifier.separator)
    if rows.several != classifier.several:
        here, there = ("several labels", "one") if rows.several else ("one label", "several")
        raise DataError(f"the rows of {source.name} have {here} each, those of the model {there}")
    # A file spells its labels; those of a model may be numbers.
    meant = {str(label): label for label in classifier.classes}
    truth: list[Any] = []
    found: list[NDArray[np.float64]] = []
    learned = 0
    with progress_bar("judging", source.size) as progress:
        for table, labels in rows.batches(classifier.columns, progress):
            if classifier.several:
                own = [[meant.get(str(one), one) for one in row] for row in labels.lists]
            else:
                named = [meant.get(str(label), label) for label in labels.values]
                own = [named[slot] for slot in labels.slots]
            truth.extend(own)
            found.append(classifier.predict_proba(table))
            learned += int(classifier.was_learned(table, own).sum())
    if not truth:
        raise DataError(f"{source.name} has no rows to judge the model by")
    seen = (label for row in truth for label in row) if classifier.several else truth
    classes = tuple(sorted({*seen, *classifier.classes}))
    probabilities = np.zeros((len(truth), len(classes)))
    known = [classes.index(label) for label in classifier.classes]
    probabilities[:, known] = np.concatenate(found)
    if classifier.several:
        bars = np.array([classifier.thresholds.get(label, np.inf) for label in classes])
        said = label_lists(classes, probabilities >= bars)
        return Judged(classes, truth, said, probabilities, learned)
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
