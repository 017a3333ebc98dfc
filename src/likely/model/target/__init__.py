"""How scores become predictions: single-label or multi-label.

A single-label row gets the most probable class. In a multi-label row, each label is a binary
decision: the label against all rows without it. But labels also compete. With t_c, the weighted
score of label c against all rows without it,

    log-odds_c = own · t_c − others · log Σ_{k ≠ c} exp t_k + offset_c

and a label is predicted if its probability reaches its threshold. All of this is fit on
leave-one-out scores; thresholds for a criterion: the best F1, a minimum precision or recall, or the
lowest cost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.files import Source, open_table
from likely.data.labels import Label, find_label, plain_label, plain_list
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import amount
from likely.likelihoods.contribution import Contribution, bias_contribution
from likely.model.prior import Prior, added_rows, check_cover, checked_bias, log_prior, posterior
from likely.tally import Classes
from likely.tally.encoded import EncodedLabelSets

Array = NDArray[np.float64]

# Thresholds lie on a grid of log-odds: its step and its range; beyond that, integers, as far as
# floats below 1 reach. Every row passes the first threshold, so that any recall can be reached.
_STEP = 0.05
_FAR = 8.0
_FARTHEST = 36

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
class ThresholdCriterion:
    """What thresholds are chosen for: F1, precision, recall or costs."""

    name: str = "f1"
    least: float | None = None
    """The precision or recall to reach."""
    costs: dict[Label, tuple[float, float]] = field(default_factory=dict)
    """For each label, the cost of a miss and of a false alarm."""

    @classmethod
    def of(cls, given: Any) -> "ThresholdCriterion":
        """`"f1"`, `"precision>=0.9"`, `"recall>=0.8"`, or costs by label: `{"spam": (1, 10)}`.

        >>> ThresholdCriterion.of("precision>=0.9")
        ThresholdCriterion(name='precision', least=0.9, costs={})
        """
        if isinstance(given, ThresholdCriterion):
            return given
        if given is None or given == "f1":
            return cls()
        if isinstance(given, Mapping):
            return cls("cost", None, {label: _cost(label, cost) for label, cost in given.items()})
        name, equals, number = str(given).partition(">=")
        if name == "cost":
            raise OptionError(
                "costs are a dictionary by label, or `costs:FILE` on the command line"
            )
        try:
            least = float(number)
        except ValueError:
            least = -1.0
        if name not in ("precision", "recall") or not equals or not 0 < least <= 1:
            raise OptionError(
                'a criterion is "f1", "precision>=0.9", "recall>=0.8", or costs by label; '
                f"not {given!r}"
            )
        return cls(name, least)

    @classmethod
    def read(cls, given: str) -> "ThresholdCriterion":
        """A typed criterion; `costs:FILE` is a table of `label`, `miss` and `false_alarm`."""
        kind, colon, path = given.partition(":")
        if kind != "costs" or not colon:
            return cls.of(given)
        return cls.of(_cost_table(open_table(path)))

    def best(self, label: Label, hits: Array, alarms: Array) -> int:
        """The place of the best of some thresholds, which rise; of equals, the first.

        `hits` are rows that have the label and are given it, `alarms` are given it and lack it; the
        first threshold gives it to all.
        """
        said, there = hits + alarms, hits[0]
        if self.name == "cost":
            miss, alarm = self.costs.get(label, (1.0, 1.0))
            return int(np.argmin(miss * (there - hits) + alarm * alarms))
        if self.name == "f1":
            return int(np.argmax(2 * hits / np.maximum(said + there, 1e-300)))
        assert self.least is not None
        if self.name == "recall":
            return int(np.flatnonzero(hits >= self.least * there)[-1])
        reached = hits >= self.least * said
        precision = hits / np.maximum(said, 1e-300)
        return int(np.argmax(reached)) if reached.any() else int(np.argmax(precision))

    def of_labels(self, labels: tuple[Label, ...]) -> "ThresholdCriterion":
        """The same with costs by the labels of a model, which may be of another kind."""
        costs: dict[Label, tuple[float, float]] = {}
        for label, cost in self.costs.items():
            own = find_label(label, labels)
            costs[label if own is None else own] = cost
        return replace(self, costs=costs)

    def to_json(self) -> dict[str, Any]:
        costs = [[label, *cost] for label, cost in sorted(self.costs.items(), key=str)]
        return {"name": self.name, "least": self.least, "costs": costs}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "ThresholdCriterion":
        costs = {plain_label(label): cost for label, *cost in stored["costs"]}
        name, least = stored["name"], stored["least"]
        given = name if least is None else f"{name}>={least!r}"
        criterion = cls.of(costs if name == "cost" else given)
        if criterion.to_json() != stored:
            raise ModelError("its criterion makes no sense")
        return criterion

    def __str__(self) -> str:
        if self.name == "cost":
            return "the least cost"
        return self.name if self.least is None else f"{self.name}>={self.least:g}"


def _cost(label: Label, given: Any) -> tuple[float, float]:
    try:
        miss, alarm = (float(cost) for cost in given)
    except (TypeError, ValueError):
        miss = alarm = -1.0
    if not (0 <= miss < np.inf and 0 <= alarm < np.inf):
        raise OptionError(
            f"`{label}` costs {given!r}, not two numbers: of a miss, and of a false alarm"
        )
    return miss, alarm


def _cost_table(source: Source) -> dict[Label, tuple[str, str]]:
    names = ("label", "miss", "false_alarm")
    missing = [name for name in names if name not in source.columns]
    if missing:
        raise OptionError(
            f"{source.name} has no column `{missing[0]}`; costs are a table with `label`, "
            "`miss` and `false_alarm`"
        )
    costs: dict[Label, tuple[str, str]] = {}
    for table in source.batches(names):
        label, miss, alarm = (plain_list(table.columns[name]) for name in names)
        costs |= dict(zip(label, zip(miss, alarm, strict=True), strict=True))
    return costs


@dataclass(frozen=True)
class SingleLabel:
    """Each row has one label."""

    def log_prior(self, prior: Prior, classes: Classes) -> Array:
        """The log-probability of each class by its rows alone."""
        check_cover(prior, classes.labels)
        return log_prior(prior, classes.labels, classes.weights)

    def probabilities(
        self, labels: tuple[Label, ...], scores: Array, log_prior: Array, threads: int
    ) -> Array:
        """P(c | x) of scores; where every class is impossible, the prior decides."""
        return posterior(scores, log_prior)


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
    there, gone = histograms(found.log_odds(labels, scores, threads), truth.matrix)
    return with_thresholds(found, labels, there, gone)


def _grid() -> Array:
    """The candidate thresholds, as probabilities, rounded as they are stored."""
    near = np.arange(-round(_FAR / _STEP), round(_FAR / _STEP) + 1) * _STEP
    tail = [float(f"{1 / (1 + np.exp(far)):.6g}") for far in range(_FARTHEST, int(_FAR), -1)]
    middle = [float(f"{1 / (1 + np.exp(-odds)):.6g}") for odds in near]
    return np.array([0.0, *tail, *middle, *(1 - bar for bar in reversed(tail)), 1.0])


THRESHOLDS = _grid()


def histograms(log_odds: Array, has: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Histograms of the probability of each label, for rows with and without it.

    `has` is whether each row has each label. Column k counts the rows that pass exactly the first k
    thresholds.
    """
    places = np.searchsorted(THRESHOLDS, probabilities(log_odds).ravel(), side="right")
    width = len(THRESHOLDS) + 1
    labels = log_odds.shape[1]
    keys = np.tile(np.arange(labels) * width, len(log_odds)) + places
    is_there = has.ravel()
    return tuple(  # type: ignore[return-value]
        np.bincount(keys[some], minlength=labels * width).reshape(labels, width).astype(np.float64)
        for some in (is_there, ~is_there)
    )


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
        _threshold(
            criterion,
            label,
            there[place] + all_there * (_VIRTUAL / n),
            gone[place] + all_gone * (_VIRTUAL / n),
        )
        for place, label in enumerate(labels)
    ]
    shared = _threshold(criterion, None, all_there, all_gone)
    thresholds = dict(zip(labels, values, strict=True))
    return replace(found, criterion=criterion, thresholds=thresholds, shared=shared)


def _threshold(criterion: ThresholdCriterion, label: Any, there: Array, gone: Array) -> float:
    """The best threshold, given how many rows lie between thresholds."""
    from_here = slice(None, None, -1)
    hits = there[from_here].cumsum()[from_here][1:]
    alarms = gone[from_here].cumsum()[from_here][1:]
    return float(THRESHOLDS[criterion.best(label, hits, alarms)])
