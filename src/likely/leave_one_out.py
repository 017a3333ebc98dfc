"""Every training row judged by the model that has not seen it.

Taking a row out of a tally is a subtraction with a closed form, so this costs one pass over the
rows, and no data is held out. The result is what retraining without the row would give.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.errors import NotLearnedError
from likely.inputs import Batch, Label
from likely.likelihoods import Likelihood
from likely.prior import Prior, log_prior
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
    truth: NDArray[np.uint32]

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The position of the winning class of each row."""
        return np.asarray(self.scores.argmax(axis=1))

    @property
    def predictions(self) -> NDArray[Any]:
        return np.asarray(self.classes)[self.predicted]

    @property
    def accuracy(self) -> float:
        return float(np.mean(self.predicted == self.truth))


def leave_one_out(
    likelihood: Likelihood, prior: Prior, tally: Tally, batch: Batch, threads: int = 1
) -> LeaveOneOut:
    """Score the rows of `batch`, all of them in `tally`, each by the tally without it."""
    places = {label: place for place, label in enumerate(tally.classes)}
    strangers = [label for label in batch.labels.values if label not in places]
    if strangers:
        raise NotLearnedError(f"no row of `{strangers[0]}` was learned")
    order = np.array([places[label] for label in batch.labels.values], dtype=np.uint32)
    truth = order[batch.labels.slots] if len(batch) else np.zeros(0, dtype=np.uint32)
    scores = likelihood.leave_one_out(tally, batch, truth, threads)
    if likelihood.is_joint:
        # Without the row, its class has one row fewer: one prior per class to leave out.
        fewer = tally.rows - np.eye(len(tally.classes), dtype=np.uint64)
        priors = np.array([log_prior(prior, tally.classes, rows) for rows in fewer])
        scores = scores + priors[truth]
    only = tally.rows[truth] == 1
    scores[only, truth[only]] = -np.inf
    return LeaveOneOut(tally.classes, scores, truth)
