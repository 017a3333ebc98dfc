"""Every training row judged by the model that has not seen it.

Taking a row out of a tally is a subtraction with a closed form, so this costs one pass over the
rows, and no data is held out. The result is what retraining without the row would give.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.errors import DataError, NotLearnedError
from likely.inputs import Batch
from likely.labels import Label, label_array
from likely.likelihoods.product import Product
from likely.prior import Prior, log_prior, posterior
from likely.tally import Tally


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Predictions of the training rows, each made without the row itself.

    `scores` has a row per training row and a column per class, as `Classifier.log_joint` would give
    it; a row that is its class's only one finds that class impossible, since without it there is no
    such class.
    """

    classes: tuple[Label, ...]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    truth: NDArray[np.uint32]

    @classmethod
    def joined(cls, parts: list["LeaveOneOut"]) -> "LeaveOneOut":
        """Those of several batches, one after another."""
        if not parts:
            raise DataError("there is nothing to leave out: no rows were given")
        if len(parts) == 1:
            return parts[0]
        return cls(
            parts[0].classes,
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.probabilities for part in parts]),
            np.concatenate([part.truth for part in parts]),
        )

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The position of the winning class of each row."""
        return np.asarray(self.probabilities.argmax(axis=1))

    @property
    def predictions(self) -> NDArray[Any]:
        return label_array(self.classes)[self.predicted]

    @property
    def accuracy(self) -> float:
        return float(np.mean(self.predicted == self.truth))


def leave_one_out(
    product: Product,
    prior: Prior,
    tally: Tally,
    batch: Batch,
    known: tuple[Label, ...] = (),
    threads: int = 1,
    bias: NDArray[np.float64] | float = 0.0,
) -> LeaveOneOut:
    """Score the rows of `batch`, all of them in `tally`, each by the tally without it."""
    if not len(batch):
        raise DataError("there is nothing to leave out: no rows were given")
    classes = tally.view(known)
    places = {label: place for place, label in enumerate(classes.labels) if classes.rows[place]}
    strangers = [label for label in batch.labels.values if label not in places]
    if strangers:
        raise NotLearnedError(f"no row of `{strangers[0]}` was learned")
    order = np.array([places[label] for label in batch.labels.values], dtype=np.uint32)
    truth = order[batch.labels.slots]
    scores = product.leave_one_out(tally, classes, batch, truth, threads)
    # Without its only row a class is gone, unless it is known to be.
    lonely = zip(classes.labels, classes.rows, strict=True)
    gone = np.array([r <= classes.per_row and label not in known for label, r in lonely])[truth]
    priors = np.empty_like(scores)
    for place in np.unique(truth):
        left = classes.rows.copy()
        left[place] -= classes.per_row
        there = np.array(
            [label in known or rows > 0 for label, rows in zip(classes.labels, left, strict=True)]
        )
        here = np.full(len(classes), -np.inf)
        labels = [label for label, is_there in zip(classes.labels, there, strict=True) if is_there]
        here[there] = log_prior(prior, labels, left[there] / classes.per_row)
        priors[truth == place] = here
    if product.takes_prior:
        scores = scores + priors + bias
    scores[gone, truth[gone]] = -np.inf
    return LeaveOneOut(classes.labels, scores, posterior(scores, priors), truth)
