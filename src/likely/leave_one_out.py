"""Every training row judged by the model that has not seen it.

Taking a row out of a tally is a subtraction with a closed form, so this costs one pass over the
rows, and no data is held out. The result is what retraining without the row would give.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.errors import DataError, NotLearnedError
from likely.inputs import Batch, Label, label_array
from likely.likelihoods import Likelihood
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
    likelihood: Likelihood, prior: Prior, tally: Tally, batch: Batch, threads: int = 1
) -> LeaveOneOut:
    """Score the rows of `batch`, all of them in `tally`, each by the tally without it."""
    places = {label: place for place, label in enumerate(tally.classes)}
    if not len(batch):
        raise DataError("there is nothing to leave out: no rows were given")
    strangers = [label for label in batch.labels.values if label not in places]
    if strangers:
        raise NotLearnedError(f"no row of `{strangers[0]}` was learned")
    order = np.array([places[label] for label in batch.labels.values], dtype=np.uint32)
    truth = order[batch.labels.slots]
    scores = likelihood.leave_one_out(tally, batch, truth, threads)
    priors = np.empty_like(scores)
    for place in np.unique(truth):
        # Without the row, its class has one row fewer.
        fewer = tally.rows.copy()
        fewer[place] -= 1
        priors[truth == place] = log_prior(prior, tally.classes, fewer)
    if likelihood.is_joint:
        scores = scores + priors
    only = tally.rows[truth] == 1
    scores[only, truth[only]] = priors[only, truth[only]] = -np.inf
    return LeaveOneOut(tally.classes, scores, posterior(scores, priors), truth)
