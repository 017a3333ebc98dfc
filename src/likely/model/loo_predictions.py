"""Leave-one-out predictions: each training row predicted by the model without it.

Removing a row from a tally is a subtraction, so this has a closed form and costs one pass over the
rows. In a plain model, the result equals retraining without the row. In a tuned model, exact
duplicates of a text are left out together, and the tuning stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import ExactDuplicates
from likely.data.label_sets import label_lists
from likely.data.labels import Label, label_array
from likely.data.table import Batch
from likely.errors import DataError
from likely.likelihoods.base import Scores
from likely.likelihoods.product import Product
from likely.model.prior import Prior, log_prior
from likely.model.target import MultiLabel, SingleLabel, log_odds_of, probabilities
from likely.tally import Tally
from likely.tally.encoded import EncodedLabelSets, encoded


class LabelIssue(NamedTuple):
    """A possible label error: a row whose label the other rows contradict."""

    row: int
    label: Label
    likelier: Label
    probability: float
    """The probability of the likelier label; that of the row is lower."""


@dataclass(frozen=True, eq=False)
class LeaveOneOutPredictions:
    """Predictions of the training rows, each made without the row itself.

    `scores` has a row per training row and a column per class, as `Classifier.log_joint` would give
    it; a row that is its class's only one finds that class impossible, since without it there is no
    such class. In a tuned model, a text is left out together with its exact duplicates, which
    `has_copies` marks: a remaining duplicate would reveal the label. The scores of a stacked linear
    model are cross-validated: it was formed without the fold of the row.
    """

    classes: tuple[Label, ...]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    truth: NDArray[np.uint32]
    has_duplicates: NDArray[np.bool_]
    predicted: NDArray[np.intp]
    """The position of the predicted class of each row."""

    @classmethod
    def joined(cls, parts: list["LeaveOneOutPredictions"]) -> "LeaveOneOutPredictions":
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
            np.concatenate([part.has_duplicates for part in parts]),
            np.concatenate([part.predicted for part in parts]),
        )

    def take(self, rows: NDArray[Any]) -> "LeaveOneOutPredictions":
        """Those of some rows, by their places or by a mask."""
        return LeaveOneOutPredictions(
            self.classes,
            self.scores[rows],
            self.probabilities[rows],
            self.truth[rows],
            self.has_duplicates[rows],
            self.predicted[rows],
        )

    @property
    def most_probable(self) -> NDArray[np.intp]:
        """The position of the most probable class; thresholds or costs may predict another."""
        return np.asarray(self.probabilities.argmax(axis=1))

    @property
    def predictions(self) -> NDArray[Any]:
        return label_array(self.classes)[self.predicted]

    @property
    def labels(self) -> NDArray[Any]:
        """The labels the rows have."""
        return label_array(self.classes)[self.truth]

    @property
    def accuracy(self) -> float:
        return float(np.mean(self.predicted == self.truth))

    @property
    def rightness(self) -> NDArray[np.float64]:
        """1 for each row that is predicted correctly, 0 for the others."""
        return np.asarray(self.predicted == self.truth, dtype=np.float64)

    @property
    def log_probability(self) -> NDArray[np.float64]:
        """The log-probability of the label of each row."""
        own = self.probabilities[np.arange(len(self.truth)), self.truth]
        return np.asarray(np.log(np.maximum(own, np.finfo(np.float64).tiny)))

    def label_issues(self, n: int = 10) -> list[LabelIssue]:
        """Possible label errors: the rows whose labels the other rows contradict most."""
        rows, likelier = np.arange(len(self.truth)), self.most_probable
        own = self.probabilities[rows, self.truth]
        best = self.probabilities.max(axis=1)
        wrong = np.flatnonzero(likelier != self.truth)
        worst = wrong[np.lexsort((wrong, (own - best)[wrong]))][:n]
        return [
            LabelIssue(
                int(row),
                self.classes[self.truth[row]],
                self.classes[likelier[row]],
                float(best[row]),
            )
            for row in worst
        ]


def paired(differences: NDArray[np.float64]) -> tuple[float, float]:
    """The mean of differences between two predictions of the same rows, and its standard error."""
    if len(differences) < 2:
        return 0.0, float(np.inf)
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    return float(differences.mean()), float(error)


@dataclass(frozen=True, eq=False)
class MultiLabelLeaveOneOutPredictions:
    """Leave-one-out predictions of multi-label rows."""

    classes: tuple[Label, ...]
    scores: NDArray[np.float64]
    """The score of each label against its absence, before labels compete."""
    probabilities: NDArray[np.float64]
    truth: NDArray[np.bool_]
    """Whether each row has each label."""
    thresholds: NDArray[np.float64]

    @classmethod
    def joined(
        cls, parts: list["MultiLabelLeaveOneOutPredictions"]
    ) -> "MultiLabelLeaveOneOutPredictions":
        """Those of several batches, one after another."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            parts[0].classes,
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.probabilities for part in parts]),
            np.concatenate([part.truth for part in parts]),
            parts[0].thresholds,
        )

    @property
    def predicted(self) -> NDArray[np.bool_]:
        """Whether each row is given each label."""
        return np.asarray(self.probabilities >= self.thresholds)

    @property
    def predictions(self) -> list[list[Label]]:
        return label_lists(self.classes, self.predicted)

    @property
    def labels(self) -> list[list[Label]]:
        """The labels the rows have."""
        return label_lists(self.classes, self.truth)

    @property
    def accuracy(self) -> float:
        """The share of rows that are given their labels and no others."""
        return float(np.mean((self.predicted == self.truth).all(axis=1)))


def labels_left_out(
    product: Product,
    prior: Prior,
    tally: Tally,
    batch: Batch,
    known: tuple[Label, ...],
    threads: int,
    bias: NDArray[np.float64],
    target: MultiLabel,
    duplicates: Mapping[int, ExactDuplicates],
    scores: Scores | None = None,
    beside: Scores | None = None,
) -> MultiLabelLeaveOneOutPredictions:
    """Score the rows of `batch`, all of them in `tally`, each by the tally without it.

    `scores` and `beside` are as in `leave_one_out`.
    """
    if not len(batch):
        raise DataError("there is nothing to leave out: no rows were given")
    classes = tally.view(known)
    truth = encoded(classes, batch.labels)
    assert isinstance(truth, EncodedLabelSets)
    assert classes.every is not None
    if scores is None:
        each = truth.leaving(duplicates, len(product.factors))
        scores = product.leave_one_out(tally, classes, batch, truth.places, threads, each)
        scores = scores if beside is None else scores + beside
    has = truth.matrix
    before = np.empty_like(scores)
    for place, rows in enumerate(classes.rows.tolist()):
        for is_there in (False, True):
            left = log_odds_of(prior, np.array([rows - is_there]), classes.every[1] - 1)
            before[has[:, place] == is_there, place] = left
    scores = scores + before + bias
    found = probabilities(target.log_odds(classes.labels, scores, threads))
    return MultiLabelLeaveOneOutPredictions(
        classes.labels, scores, found, has, target.threshold_array(classes.labels)
    )


def rows_leaving(
    product: Product, duplicates: Mapping[int, ExactDuplicates], truth: NDArray[np.uint32]
) -> NDArray[np.uint64]:
    """How many rows of its class are left out completely with each row, itself included.

    Duplicates of a text are left out of the counts of that text only, not of other columns.
    """
    places = range(len(product.factors))
    leaving = [duplicates[place].of_class(truth) for place in places if place in duplicates]
    if not leaving or len(leaving) < len(places):
        return np.ones(len(truth), dtype=np.uint64)
    return np.asarray(np.minimum.reduce(leaving))


def leave_one_out(
    product: Product,
    prior: Prior,
    tally: Tally,
    batch: Batch,
    known: tuple[Label, ...] = (),
    threads: int = 1,
    bias: NDArray[np.float64] | float = 0.0,
    duplicates: Mapping[int, ExactDuplicates] | None = None,
    scores: Scores | None = None,
    beside: Scores | None = None,
    target: SingleLabel | None = None,
) -> LeaveOneOutPredictions:
    """Score the rows of `batch`, all of them in `tally`, each by the tally without it.

    `scores` are those of the product, if known. Otherwise `beside` is added to them: the
    cross-validated scores of a stacked linear model. The `target` says what scores and priors
    make of each other.
    """
    if not len(batch):
        raise DataError("there is nothing to leave out: no rows were given")
    target = target or SingleLabel()
    classes = tally.view(known)
    truth = classes.places(batch.labels)
    if scores is None:
        scores = product.leave_one_out(tally, classes, batch, truth, threads, duplicates)
        scores = scores if beside is None else scores + beside
    has_duplicates = np.zeros(len(truth), dtype=np.bool_)
    for given in (duplicates or {}).values():
        has_duplicates |= given.are_there
    leaving = np.maximum(rows_leaving(product, duplicates or {}, truth), np.uint64(classes.per_row))
    # Without its only rows a class is impossible, unless `classes` lists it.
    is_known = np.array([label in known for label in classes.labels])
    gone = (classes.rows[truth] <= leaving) & ~is_known[truth]
    priors = np.empty_like(scores)
    for place in np.unique(truth):
        left = classes.rows.copy()
        left[place] -= classes.per_row
        there = is_known | (left > 0)
        here = np.full(len(classes), -np.inf)
        labels = [label for label, is_there in zip(classes.labels, there, strict=True) if is_there]
        here[there] = target.of_prior(log_prior(prior, labels, left[there] / classes.per_row))
        priors[truth == place] = here
    if product.takes_prior:
        scores = scores + priors + bias
    scores[gone, truth[gone]] = -np.inf
    found = target.probabilities(classes.labels, scores, priors, threads)
    return LeaveOneOutPredictions(
        classes.labels, scores, found, truth, has_duplicates, found.argmax(axis=1)
    )
