"""What a model says of labelled rows, beside what they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.errors import DataError, NotLearnedError
from likely.inputs import Table
from likely.inputs.files import Progress
from likely.inputs.labelled import Labelled
from likely.label_sets import label_lists
from likely.labels import Label, label_array
from likely.leave_one_out import LeaveOneOut

# So many columns are named; of the others it is said how many they are.
_NAMED = 8


class Strange:
    """Columns of categories in which no value has been known so far, and how many were not."""

    def __init__(self) -> None:
        self._never: dict[str, int] = {}
        self._known: set[str] = set()
        self._is_open = True

    def look(self, classifier: Classifier, table: Table) -> None:
        """Take note of a batch of rows."""
        found = classifier.unseen(table) if self._is_open else {}
        for name, rows in found.items():
            if rows.seen.any():
                self._known.add(name)
            if name in self._known:
                self._never.pop(name, None)
            else:
                self._never[name] = self._never.get(name, 0) + int(rows.never.sum())
        # Once every column has had a value that is known, there is nothing more to look for.
        self._is_open = bool(self._never)

    @property
    def sentence(self) -> str | None:
        """Which columns have values that were all never seen in training, if any have."""
        strange = [(name, n) for name, n in self._never.items() if n]
        if not strange:
            return None
        # Those who have nothing to warn of do not wait for it.
        from likely import page

        named = strange[:_NAMED]
        shown = ", ".join(f"`{name}` ({page.counted(n, 'row', 'rows')})" for name, n in named)
        left = len(strange) - len(named)
        more = f" and {page.counted(left, 'more column', 'more columns')}" if left else ""
        nothing = "they say nothing" if strange[1:] else "it says nothing"
        return f"no value in {shown}{more} was ever seen in training, so {nothing}"


@dataclass(frozen=True, eq=False)
class Judged:
    """Labels, predictions and probabilities of rows, and how many of them the model had learned."""

    classes: tuple[Label, ...]
    truth: Any
    """A label for each row; or a list of them, as in the predictions."""
    predictions: Any
    probabilities: NDArray[np.float64]
    learned: int
    strange: str | None = None
    """Columns of which no value was ever seen in training, in a sentence, if there are any."""


def judge(classifier: Classifier, rows: Labelled, progress: Progress | None = None) -> Judged:
    """Predict rows that have their labels too."""
    check_kind(classifier, rows)
    truth: list[Any] = []
    found: list[NDArray[np.float64]] = []
    learned, strange = 0, Strange()
    for table, labels in rows.batches(classifier.columns, progress):
        truth.extend(labels.lists)
        found.append(classifier.predict_proba(table))
        strange.look(classifier, table)
        learned += int(classifier.was_learned(table, labels.lists).sum())
    if not truth:
        raise DataError(f"{rows.where}there are no rows to judge the model by")
    seen = (label for row in truth for label in row) if classifier.several else truth
    classes = tuple(sorted({*seen, *classifier.classes}))
    probabilities = np.zeros((len(truth), len(classes)))
    known = [classes.index(label) for label in classifier.classes]
    probabilities[:, known] = np.concatenate(found)
    if classifier.several:
        bars = np.array([classifier.label_thresholds.get(label, np.inf) for label in classes])
        said = label_lists(classes, probabilities >= bars)
        return Judged(classes, truth, said, probabilities, learned, strange.sentence)
    predictions = label_array(classes)[probabilities.argmax(axis=1)]
    given = label_array(truth), predictions, probabilities, learned
    return Judged(classes, *given, strange.sentence)


def check_kind(classifier: Classifier, rows: Labelled) -> None:
    """Rows are judged by what they are: of one label each, or of any number."""
    if rows.several != classifier.several:
        here, there = ("several labels", "one") if rows.several else ("one label", "several")
        raise DataError(f"these rows have {here} each, those of the model {there}")


def left_out(classifier: Classifier, x: Any, y: Any = None) -> LeaveOneOut | None:
    """The predictions of rows without themselves; None if not all of them were learned.

    Rows that stand there more often than they were learned were not.
    """
    rows = classifier.labelled(x, y)
    if not classifier.was_learned(rows).all():
        return None
    try:
        found: LeaveOneOut = classifier.leave_one_out(rows)
    except NotLearnedError:
        return None
    return found
