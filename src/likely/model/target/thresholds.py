"""Thresholds: the criterion that they are chosen for, and the choice.

A threshold is chosen among candidates that do not depend on the rows, by how many rows lie between
two of them: whole numbers, so that no order of rows shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.files import Source, open_table
from likely.data.labels import Label, find_label, plain_label, plain_list
from likely.errors import ModelError, OptionError

Array = NDArray[np.float64]

# Thresholds lie on a grid of log-odds: its step and its range; beyond that, integers, as far as
# floats below 1 reach. The first is 0, so that any recall can be reached.
_STEP = 0.05
_FAR = 8.0
_FARTHEST = 36


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
        rows = read_costs(open_table(path), ("label", "miss", "false_alarm"))
        return cls.of({label: costs for label, *costs in rows})

    def best(self, label: Any, hits: Array, alarms: Array, there: float) -> int:
        """The place of the best of some thresholds, which rise; of equals, the first.

        `hits` are rows that have the label and are given it, `alarms` are given it and lack it,
        `there` have it. Where no threshold reaches a recall, it is the last with the highest.
        """
        said = hits + alarms
        if self.name == "cost":
            miss, alarm = self.costs.get(label, (1.0, 1.0))
            return int(np.argmin(miss * (there - hits) + alarm * alarms))
        if self.name == "f1":
            return int(np.argmax(2 * hits / np.maximum(said + there, 1e-300)))
        assert self.least is not None
        if self.name == "recall":
            return int(np.flatnonzero(hits >= min(self.least * there, hits[0]))[-1])
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


def read_costs(source: Source, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a table of costs, which has these columns."""
    missing = [name for name in names if name not in source.columns]
    if missing:
        *first, last = (f"`{name}`" for name in names)
        raise OptionError(
            f"{source.name} has no column `{missing[0]}`; costs are a table with "
            f"{', '.join(first)} and {last}"
        )
    for table in source.batches(names):
        yield from zip(*(plain_list(table.columns[name]) for name in names), strict=True)


# The choice


def _grid() -> Array:
    """The candidate thresholds, as probabilities, rounded as they are stored."""
    near = np.arange(-round(_FAR / _STEP), round(_FAR / _STEP) + 1) * _STEP
    tail = [float(f"{1 / (1 + np.exp(far)):.6g}") for far in range(_FARTHEST, int(_FAR), -1)]
    middle = [float(f"{1 / (1 + np.exp(-odds)):.6g}") for odds in near]
    return np.array([0.0, *tail, *middle, *(1 - bar for bar in reversed(tail)), 1.0])


THRESHOLDS = _grid()


def histograms(probabilities: Array, has: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Histograms of the probability of each label, for rows with and without it.

    `has` is whether each row has each label. Column k counts the rows that pass exactly the first k
    thresholds.
    """
    places = np.searchsorted(THRESHOLDS, probabilities.ravel(), side="right")
    width = len(THRESHOLDS) + 1
    labels = probabilities.shape[1]
    keys = np.tile(np.arange(labels) * width, len(probabilities)) + places
    is_there = has.ravel()
    return tuple(  # type: ignore[return-value]
        np.bincount(keys[some], minlength=labels * width).reshape(labels, width).astype(np.float64)
        for some in (is_there, ~is_there)
    )


def best_threshold(criterion: ThresholdCriterion, label: Any, there: Array, gone: Array) -> float:
    """The best threshold, given how many rows lie between thresholds."""
    hits, alarms = (rows[::-1].cumsum()[::-1] for rows in (there, gone))
    return float(THRESHOLDS[criterion.best(label, hits[1:], alarms[1:], float(hits[0]))])
