"""How a single-label model decides where it does not simply take the most probable class.

By costs, the prediction is the class with the least expected cost:

    argmin_k Σ_c P(c | x) · cost(c, k)

By the threshold of one class, that class is predicted where its probability reaches the threshold,
and the most probable of the others elsewhere. Probabilities stay as they are.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likely.data.files import open_table
from likely.data.labels import Label, find_label, one_kind, plain_label
from likely.errors import OptionError
from likely.model.target.thresholds import (
    ThresholdCriterion,
    best_threshold,
    histograms,
    read_costs,
)
from likely.numbers import is_number

if TYPE_CHECKING:
    from likely.model.loo_predictions import LeaveOneOutPredictions

Array = NDArray[np.float64]
Places = NDArray[np.intp]

# `LABEL=CRITERION`, where a label may hold equals signs too.
_CRITERION = "f1|(?:precision|recall)>=[^=]*"
_OF_CLASS = re.compile(f"(.+)=({_CRITERION})", re.DOTALL)

# The highest cost, and how many are listed.
_MOST = 1_000_000_000
_NAMED = 3


@dataclass(frozen=True)
class Costs:
    """The cost of each mistake: of predicting one label where another is true.

    Other mistakes cost 1. Of equal costs, the more probable class is predicted.

    >>> costs = Costs.of({("spam", "ham"): 5})
    >>> costs.decide(("ham", "spam"), np.array([[0.7, 0.3], [0.9, 0.1]])).tolist()
    [1, 0]
    """

    costs: dict[tuple[Label, Label], float]
    """By the true label and the predicted label."""

    @classmethod
    def of(cls, given: Any) -> "Costs":
        """Costs by pair of labels, `{("spam", "ham"): 5}`, checked."""
        if isinstance(given, Costs):
            return given
        if not isinstance(given, Mapping) or not given:
            raise OptionError(
                "`costs` is a dictionary by true and predicted label, as in "
                f'{{("spam", "ham"): 5}}, not {given!r}'
            )
        costs: dict[tuple[Label, Label], float] = {}
        for pair, cost in given.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise OptionError(f"a cost has a true and a predicted label, not {pair!r}")
            true, predicted = map(_label, pair)
            if not is_number(cost) or not 0 <= cost <= _MOST:
                raise OptionError(
                    f"the cost of `{predicted}` for `{true}` is a number from 0 to {_MOST:,}, "
                    f"not {cost!r}"
                )
            if true == predicted and cost:
                raise OptionError(f"`{true}` for `{true}` is no mistake, so it costs 0")
            costs[true, predicted] = float(cost)
        one_kind(label for pair in costs for label in pair)
        mistakes = {pair: cost for pair, cost in sorted(costs.items()) if pair[0] != pair[1]}
        if not mistakes:
            raise OptionError("`costs` names no mistake")
        return cls(mistakes)

    @property
    def labels(self) -> tuple[Label, ...]:
        """All labels that have a cost."""
        return tuple(dict.fromkeys(label for pair in self.costs for label in pair))

    def matrix(self, classes: tuple[Label, ...]) -> Array:
        """The cost of each mistake among these classes: a row for each true class."""
        matrix = 1.0 - np.eye(len(classes))
        for pair, cost in self.costs.items():
            true, predicted = (find_label(label, classes) for label in pair)
            if true is not None and predicted is not None:
                matrix[classes.index(true), classes.index(predicted)] = cost
        return matrix

    def expected(self, classes: tuple[Label, ...], probabilities: Array) -> Array:
        """The expected cost of predicting each class."""
        # Class by class, since the sums of a matrix product depend on how many rows there are.
        total = np.zeros_like(probabilities)
        for probability, costs in zip(probabilities.T, self.matrix(classes), strict=True):
            total += probability[:, None] * costs
        return total

    def decide(self, classes: tuple[Label, ...], probabilities: Array) -> Places:
        """The place of the class with the least expected cost, for each row."""
        expected = self.expected(classes, probabilities)
        is_least = expected == expected.min(axis=1, keepdims=True)
        return np.asarray(np.where(is_least, probabilities, -1.0).argmax(axis=1))

    def reason(self, classes: tuple[Label, ...], probabilities: Array, place: int) -> str:
        """Why a row is not given its most probable class."""
        (expected,) = self.expected(classes, probabilities[None])
        best = int(probabilities.argmax())
        return (
            f"{classes[best]} is more probable ({probabilities[best]:.1%}), but its expected cost "
            f"is {expected[best]:.3g}, that of {classes[place]} {expected[place]:.3g}"
        )

    def to_json(self) -> dict[str, Any]:
        return {"costs": [[*pair, cost] for pair, cost in self.costs.items()]}

    def __str__(self) -> str:
        named = [
            f"`{predicted}` for `{true}` costs {cost:g}"
            for (true, predicted), cost in self.costs.items()
        ]
        more = [f"{len(named) - _NAMED:,} more are given"] if named[_NAMED:] else []
        listed = ", ".join([*named[:_NAMED], *more, "any other mistake 1"])
        return f"the class with the least expected cost is predicted: {listed}"


@dataclass(frozen=True)
class ClassThreshold:
    """The threshold of one class; below it, the most probable of the others is predicted.

    An impossible class is never predicted. Before a threshold is chosen, the most probable class
    is.

    >>> strict = ClassThreshold.of({"spam": 0.9})
    >>> strict.decide(("ham", "spam"), np.array([[0.2, 0.8], [0.05, 0.95]])).tolist()
    [0, 1]
    """

    label: Label
    criterion: ThresholdCriterion | None = None
    """What the threshold is chosen for; None if it is given."""
    threshold: float | None = None
    """None before it is chosen."""

    @classmethod
    def of(cls, given: Mapping[Any, Any]) -> "ClassThreshold":
        """A number or a criterion for one class: `{"spam": "precision>=0.9"}`."""
        if len(given) != 1:
            listed = ", ".join(f"`{label}`" for label in given)
            raise OptionError(
                f"a single-label model has a threshold for one class, not for {listed}\n"
                "hint: `costs` weighs all mistakes against each other"
            )
        ((label, value),) = given.items()
        label = _label(label)
        if is_number(value) and 0 <= value <= 1:
            return cls(label, None, float(value))
        if not isinstance(value, (str, ThresholdCriterion)):
            raise OptionError(
                f"the threshold of `{label}` is a probability, or what it is chosen for: "
                f'"f1", "precision>=0.9" or "recall>=0.8"; not {value!r}'
            )
        return cls(label, _of_one(ThresholdCriterion.of(value)))

    @property
    def labels(self) -> tuple[Label, ...]:
        """The label that has a threshold."""
        return (self.label,)

    def decide(self, classes: tuple[Label, ...], probabilities: Array) -> Places:
        """The place of the class where it reaches its threshold, else that of the best other."""
        label = find_label(self.label, classes)
        if label is None or self.threshold is None:
            return np.asarray(probabilities.argmax(axis=1))
        place = classes.index(label)
        own, others = probabilities[:, place], probabilities.copy()
        others[:, place] = -1.0
        reached = (own >= self.threshold) & (own > 0)
        return np.asarray(np.where(reached, place, others.argmax(axis=1)))

    def chosen(self, parts: Iterable["LeaveOneOutPredictions"]) -> "ClassThreshold":
        """The threshold that meets the criterion on leave-one-out predictions, batch by batch.

        If no row has the class, there is nothing to choose by.
        """
        assert self.criterion is not None
        there = gone = np.zeros(1)
        for part in parts:
            label = find_label(self.label, part.classes)
            if label is None:
                continue
            place = part.classes.index(label)
            own = part.probabilities[:, [place]]
            # An impossible class is not predicted, whatever the threshold.
            (here,), (elsewhere,) = histograms(
                np.where(own > 0, own, -1.0), part.truth[:, None] == place
            )
            there, gone = there + here, gone + elsewhere
        if not there.any():
            return replace(self, threshold=None)
        return replace(self, threshold=best_threshold(self.criterion, self.label, there, gone))

    def reason(self, classes: tuple[Label, ...], probabilities: Array, place: int) -> str:
        """Why a row is not given its most probable class."""
        best = int(probabilities.argmax())
        more = f"{classes[best]} is more probable ({probabilities[best]:.1%}), but"
        if find_label(self.label, classes) == classes[best]:
            return f"{more} below its threshold, {self.threshold:.6g}"
        return f"{more} {classes[place]} reaches its threshold, {self.threshold:.6g}"

    def to_json(self) -> dict[str, Any]:
        """The option; a threshold that was chosen is no part of it."""
        if self.criterion is None:
            return {"label": self.label, "threshold": self.threshold}
        return {"label": self.label, "criterion": self.criterion.to_json()}

    def __str__(self) -> str:
        if self.threshold is None:
            return (
                f"the most probable class is predicted; the threshold of `{self.label}`, for "
                f"{self.criterion}, is not chosen yet"
            )
        how = "" if self.criterion is None else f" (chosen for {self.criterion})"
        return (
            f"`{self.label}` is predicted from a probability of {self.threshold:.6g} on{how}, "
            "otherwise the most probable of the others"
        )


Decision = Costs | ClassThreshold


def checked(thresholds: Any, costs: Any) -> tuple[ThresholdCriterion | None, Decision | None]:
    """The options: the criterion of multi-label thresholds, or the decision of single labels."""
    if thresholds is not None and costs is not None:
        raise OptionError("`thresholds` and `costs` both decide which label is predicted; give one")
    if costs is not None:
        return None, Costs.of(costs)
    if isinstance(thresholds, ClassThreshold):
        return None, thresholds
    if isinstance(thresholds, Mapping) and any(_is_of_class(one) for one in thresholds.values()):
        return None, ClassThreshold.of(thresholds)
    return None if thresholds is None else ThresholdCriterion.of(thresholds), None


def _is_of_class(given: Any) -> bool:
    """Whether this is the threshold of a class, and not two costs of a label."""
    return isinstance(given, (str, ThresholdCriterion)) or is_number(given)


def from_json(stored: dict[str, Any]) -> Decision:
    """A stored decision; what makes no sense is refused."""
    if "costs" in stored:
        return Costs.of({(true, predicted): cost for true, predicted, cost in stored["costs"]})
    if "criterion" in stored:
        return ClassThreshold.of(
            {stored["label"]: ThresholdCriterion.from_json(stored["criterion"])}
        )
    return ClassThreshold.of({stored["label"]: stored["threshold"]})


def names_no_class(given: str) -> bool:
    """Whether a typed criterion is that of all labels."""
    return re.fullmatch(_CRITERION, given) is not None


def read(given: str) -> Decision:
    """A typed decision: `LABEL=precision>=0.9`, `LABEL=0.9`, or `costs:FILE`.

    The file is a table of `label`, `predicted` and `cost`. A label may hold any characters.

    >>> read("a=b=recall>=0.8").label, read("a=b=0.5").threshold
    ('a=b', 0.5)
    """
    kind, colon, path = given.partition(":")
    if kind == "costs" and colon:
        return _cost_table(path)
    found = _OF_CLASS.fullmatch(given)
    label, goal = found.groups() if found else given.rpartition("=")[::2]
    if not label or names_no_class(given):
        raise OptionError(
            f"{given!r} names no class\nhint: LABEL=precision>=0.9, LABEL=recall>=0.8, LABEL=f1 or "
            "LABEL=0.9 is the threshold of one"
        )
    try:
        value: float | str = float(goal)
    except ValueError:
        value = goal
    return ClassThreshold.of({label: value})


def _cost_table(path: str) -> Costs:
    costs: dict[tuple[Any, Any], float] = {}
    source = open_table(path)
    for true, predicted, cost in read_costs(source, ("label", "predicted", "cost")):
        if (true, predicted) in costs:
            raise OptionError(f"{source.name} has `{predicted}` for `{true}` twice")
        try:
            costs[true, predicted] = float(cost)
        except (TypeError, ValueError):
            raise OptionError(
                f"{source.name}: `{predicted}` for `{true}` costs {cost!r}, which is no number"
            ) from None
    return Costs.of(costs)


def _of_one(criterion: ThresholdCriterion) -> ThresholdCriterion:
    """A criterion of one class; costs are those of a model."""
    if criterion.name == "cost":
        raise OptionError(
            "a threshold for costs is for multi-label rows\n"
            "hint: `costs` is the option of single-label rows"
        )
    return criterion


def _label(given: Any) -> Label:
    """A label; anything else is refused."""
    if not isinstance(given, (str, int, float, np.generic)) or given != given:
        raise OptionError(f"{given!r} is no label")
    label: Label = plain_label(given)
    return label
