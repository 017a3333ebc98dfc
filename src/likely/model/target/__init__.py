"""How scores become predictions: single-label, one-vs-rest or multi-label.

A single-label row gets the most probable class, unless a decision says otherwise (`decision`). In a
multi-label row, each label is a binary decision: the label against all rows without it. But labels
also compete. With t_c, the weighted score of label c against all rows without it,

    log-odds_c = own · t_c − others · log Σ_{k ≠ c} exp t_k + offset_c

and a label is predicted if its probability reaches its threshold. All of this is fit on
leave-one-out scores; thresholds for a criterion: the best F1, a minimum precision or recall, or the
lowest cost.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import Label, find_label, plain_label
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import amount
from likely.likelihoods.contribution import Contribution, bias_contribution
from likely.model.prior import Prior, added_rows, check_cover, checked_bias, log_prior, posterior
from likely.model.target.decision import ClassThreshold, Decision, Places
from likely.model.target.thresholds import ThresholdCriterion, best_threshold, histograms
from likely.tally import Classes
from likely.tally.encoded import EncodedLabelSets

if TYPE_CHECKING:
    from likely.model.loo_predictions import LeaveOneOutPredictions

Array = NDArray[np.float64]

# The threshold of a label is chosen with this many virtual examples, distributed as all labels.
_VIRTUAL = 2.0


def log_odds(prior: Prior, classes: Classes) -> Array:
    """The prior log-odds of each label, log P(c) − log P(not c)."""
    assert classes.every is not None
    return log_odds_of(prior, classes.rows, classes.every[1])


def log_odds_of(prior: Prior, rows: NDArray[Any], of: int) -> Array:
    """The same of labels that so many rows have.

    A label that no row has, or every row, is counted as if half a row had it, or lacked it.
    """
    if not isinstance(prior, str):
        raise OptionError(
            "multi-label rows take no prior of given shares, which sum to one\n"
            'hint: "empirical", "empirical+1" and "uniform" are those of each label by itself'
        )
    if prior == "uniform":
        return np.zeros(len(rows))
    more = added_rows(prior)
    there = rows.astype(np.float64)
    not_there = of - there
    return np.asarray(
        np.log(np.maximum(there + more, 0.5)) - np.log(np.maximum(not_there + more, 0.5))
    )


@dataclass(frozen=True)
class SingleLabel:
    """Each row has one label."""

    decision: Decision | None = None
    """What decides which label; None if it is the most probable."""

    def log_prior(self, prior: Prior, classes: Classes) -> Array:
        """The log-probability of each class by its rows alone."""
        check_cover(prior, classes.labels)
        return log_prior(prior, classes.labels, classes.weights)

    def of_prior(self, log_prior: Array) -> Array:
        """What the log-prior of each class adds to its score."""
        return log_prior

    def probabilities(
        self, labels: tuple[Label, ...], scores: Array, log_prior: Array, threads: int
    ) -> Array:
        """P(c | x) of scores; where every class is impossible, the prior decides."""
        return posterior(scores, log_prior)

    def decide(self, labels: tuple[Label, ...], probabilities: Array) -> Places:
        """The place of the label that each row is given; of equals, the first."""
        if self.decision is None:
            return np.asarray(probabilities.argmax(axis=1))
        return self.decision.decide(labels, probabilities)

    def thresholds_of(self, labels: tuple[Label, ...]) -> dict[Label, float]:
        """The threshold of the class that has one."""
        if not isinstance(self.decision, ClassThreshold) or self.decision.threshold is None:
            return {}
        label = find_label(self.decision.label, labels)
        return {} if label is None else {label: self.decision.threshold}

    @property
    def criterion(self) -> ThresholdCriterion | None:
        """What the threshold of its class is to be chosen for, if it is."""
        return self.decision.criterion if isinstance(self.decision, ClassThreshold) else None

    @property
    def chosen_threshold(self) -> float | None:
        """The threshold that was chosen for that criterion; None before that."""
        if not isinstance(self.decision, ClassThreshold) or self.criterion is None:
            return None
        return self.decision.threshold

    @property
    def chosen_for(self) -> ThresholdCriterion | None:
        """What its threshold was chosen for."""
        return None if self.chosen_threshold is None else self.criterion

    def chosen(self, parts: Iterable["LeaveOneOutPredictions"]) -> "SingleLabel":
        """The same with the threshold that meets its criterion on leave-one-out predictions."""
        if not isinstance(self.decision, ClassThreshold) or self.criterion is None:
            return self
        return replace(self, decision=self.decision.chosen(parts))

    def at(self, threshold: Any) -> "SingleLabel":
        """The same with a threshold that was chosen before; anything else is refused."""
        if not isinstance(self.decision, ClassThreshold) or self.criterion is None:
            raise ModelError("it has a threshold that was chosen for nothing")
        if type(threshold) is not float or not 0 <= threshold <= 1:
            raise ModelError("its threshold makes no sense")
        return replace(self, decision=replace(self.decision, threshold=threshold))


@dataclass(frozen=True)
class OneVsRest(SingleLabel):
    """Each row has one label, by a binary classifier for each class: the class against the rest.

        t_c = log P(x | c) − log P(x | not c) + log P(c) − log (1 − P(c))
        p_c = 1 / (1 + exp(−t_c))

    The class with the highest p_c wins; of equals, the first. P(c | x) is p_c / Σ_k p_k, as in
    scikit-learn: what decides by probabilities, and what measures them, needs them to sum to one.
    """

    def log_prior(self, prior: Prior, classes: Classes) -> Array:
        return self.of_prior(super().log_prior(prior, classes))

    def of_prior(self, log_prior: Array) -> Array:
        """The log-odds of each class against the rest."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(log_prior - np.log(-np.expm1(log_prior)))

    def probabilities(
        self, labels: tuple[Label, ...], scores: Array, log_prior: Array, threads: int
    ) -> Array:
        """p_c / Σ_k p_k, given t."""
        found = posterior(-np.logaddexp(0.0, -scores), -np.logaddexp(0.0, -log_prior))
        # Where p is rounded to 1 for several classes, the one with the highest t stays ahead.
        best = scores.argmax(axis=1)[:, None]
        highest = found.max(axis=1, keepdims=True, initial=0.0)
        tied = (found == highest).sum(axis=1, keepdims=True) > 1
        ahead = np.nextafter(highest, np.where(tied, np.inf, highest))
        own = np.take_along_axis(found, best, axis=1)
        possible = np.isfinite(np.take_along_axis(scores, best, axis=1))
        np.put_along_axis(found, best, np.where(tied & possible, ahead, own), axis=1)
        return found


@dataclass(frozen=True)
class MultiLabel:
    """Multi-label rows: each label has a threshold."""

    criterion: ThresholdCriterion | None = None
    """What thresholds are to be chosen for, if given."""
    own: float = 1.0
    others: float = 0.0
    offsets: dict[Label, float] = field(default_factory=dict)
    thresholds: dict[Label, float] = field(default_factory=dict)
    """The threshold of each label."""
    shared: float = 0.5
    """The threshold of a label that was learned later."""

    def log_prior(self, prior: Prior, classes: Classes) -> Array:
        """The log-odds of each label by its rows alone."""
        return log_odds(prior, classes)

    def probabilities(
        self, labels: tuple[Label, ...], scores: Array, log_prior: Array, threads: int
    ) -> Array:
        """P(c | x) of scores, of each label by itself."""
        return probabilities(self.log_odds(labels, scores, threads))

    def rivalry(self, scores: Array, threads: int) -> Array:
        """What the other labels add to the log-odds of each."""
        if not self.others or scores.shape[1] < 2:
            return np.zeros_like(scores)
        return np.asarray(-self.others * _kernel.rivals(np.ascontiguousarray(scores), threads))

    def log_odds(self, labels: tuple[Label, ...], scores: Array, threads: int) -> Array:
        """The log-odds of each label."""
        offsets = np.array([self.offsets.get(label, 0.0) for label in labels])
        return np.asarray(self.own * scores + self.rivalry(scores, threads) + offsets)

    def contributions(
        self,
        labels: tuple[Label, ...],
        contributions: list[Contribution],
        scores: Array,
        threads: int,
    ) -> list[Contribution]:
        """The contributions of one row to the log-odds of each label; other labels are one."""
        found = [
            replace(contribution, scores=self.own * contribution.scores)
            for contribution in contributions
        ]
        rivals = self.rivalry(scores, threads)[0]
        offsets = np.array([self.offsets.get(label, 0.0) for label in labels])
        has_bias = [contribution.kind for contribution in found[1:2]] == ["bias"]
        if has_bias:
            found[1] = replace(found[1], scores=found[1].scores + offsets)
        elif offsets.any():
            found.insert(1, bias_contribution(offsets))
        return (
            [*found, Contribution("other labels", "rivals", 1, rivals)] if rivals.any() else found
        )

    @property
    def chosen_for(self) -> ThresholdCriterion | None:
        """What the thresholds were chosen for; None where they are one half."""
        return self.criterion if self.thresholds else None

    def thresholds_of(self, labels: tuple[Label, ...]) -> dict[Label, float]:
        """The threshold of each label."""
        return dict(zip(labels, self.threshold_array(labels).tolist(), strict=True))

    def threshold_array(self, labels: tuple[Label, ...]) -> Array:
        """The threshold of each label."""
        return np.array([self.thresholds.get(label, self.shared) for label in labels])

    def to_json(self) -> dict[str, Any]:
        return {
            "criterion": None if self.criterion is None else self.criterion.to_json(),
            "own": self.own,
            "others": self.others,
            "offsets": [[label, n] for label, n in sorted(self.offsets.items(), key=str)],
            "thresholds": [[label, n] for label, n in sorted(self.thresholds.items(), key=str)],
            "shared": self.shared,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "MultiLabel":
        found = cls(
            None
            if stored["criterion"] is None
            else ThresholdCriterion.from_json(stored["criterion"]),
            amount("own", stored["own"]),
            amount("others", stored["others"]),
            {plain_label(label): checked_bias(n) for label, n in stored["offsets"]},
            {plain_label(label): n for label, n in stored["thresholds"]},
            stored["shared"],
        )
        values = [found.shared, *found.thresholds.values()]
        aimless = found.criterion is None and found.thresholds
        if aimless or not all(type(value) is float and 0 <= value <= 1 for value in values):
            raise ModelError("its thresholds make no sense")
        return found


Target = SingleLabel | MultiLabel


def probabilities(log_odds: Array) -> Array:
    """P(c | x) of log-odds."""
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-log_odds)))


def decided(
    criterion: ThresholdCriterion | None,
    labels: tuple[Label, ...],
    scores: Array,
    truth: EncodedLabelSets,
    threads: int,
) -> MultiLabel:
    """Fit how far labels compete, and their thresholds, on leave-one-out scores."""
    scores = np.ascontiguousarray(scores)
    found = MultiLabel(criterion)
    if len(labels) > 1 and len(scores):
        kinds = [scores, -_kernel.rivals(scores, threads)]
        nothing = np.zeros(len(labels))
        fit = truth.fit_weights(kinds, nothing, [1.0, 0.0], True, threads)
        (own, others), offsets = fit.weights, fit.bias
        found = MultiLabel(criterion, own, others, dict(zip(labels, offsets, strict=True)))
    odds = found.log_odds(labels, scores, threads)
    there, gone = histograms(probabilities(odds), truth.matrix)
    return with_thresholds(found, labels, there, gone)


def with_thresholds(
    found: MultiLabel, labels: tuple[Label, ...], there: Array, gone: Array
) -> MultiLabel:
    """The target with thresholds that meet its criterion, by default the best F1.

    Rare labels have too few rows to choose a threshold, so each is chosen with some virtual
    examples, whose log-odds are distributed as those of all labels together. If no row has a label,
    there is nothing to choose by.
    """
    all_there, all_gone = there.sum(axis=0), gone.sum(axis=0)
    n, criterion = all_there.sum(), (found.criterion or ThresholdCriterion()).of_labels(labels)
    if not n:
        return found
    values = [
        best_threshold(
            criterion,
            label,
            there[place] + all_there * (_VIRTUAL / n),
            gone[place] + all_gone * (_VIRTUAL / n),
        )
        for place, label in enumerate(labels)
    ]
    shared = best_threshold(criterion, None, all_there, all_gone)
    thresholds = dict(zip(labels, values, strict=True))
    return replace(found, criterion=criterion, thresholds=thresholds, shared=shared)
