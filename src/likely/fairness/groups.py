"""How the decisions differ between groups of rows, by any column that tells them apart.

Rates per group, as Fairlearn defines them where both have a name for them, with Wilson's intervals,
and for differences and ratios of groups with those that combine them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from likely import render
from likely.classifier import Classifier
from likely.data.labels import Label
from likely.errors import DataError
from likely.evaluation.counts import draws
from likely.evaluation.intervals import Figure, difference, figures, quotient, shares
from likely.fairness.facts import Gaps, plain
from likely.fairness.rows import GroupedPredictions, grouped_predictions
from likely.fairness.scores import Array, one_audited

_NUMBERS = 50_000_000
_RESAMPLES, _FEWEST = 1_000, 200
_SMALL = 30
_MOST_GROUPS = 50

# Of each row: whether the class is predicted, whether it is true, both, predicted but not true, the
# probability minus the truth, and whether the prediction is right. Sums of these make every rate.
_SUMS = 6
_PREDICTED, _TRUE, _BOTH, _FALSE, _OFF, _RIGHT = range(_SUMS)

# Of each rate, what it is a share of, given the sums and the number of rows.
_RATES: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
    "base_rate": lambda s, n: (s[..., _TRUE], n),
    "selection_rate": lambda s, n: (s[..., _PREDICTED], n),
    "true_positive_rate": lambda s, n: (s[..., _BOTH], s[..., _TRUE]),
    "false_positive_rate": lambda s, n: (s[..., _FALSE], n - s[..., _TRUE]),
    "precision": lambda s, n: (s[..., _BOTH], s[..., _PREDICTED]),
    "accuracy": lambda s, n: (s[..., _RIGHT], n),
}
_NAMES = {
    "base_rate": "base rate",
    "selection_rate": "selection rate",
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
    "precision": "precision",
    "accuracy": "accuracy",
    "calibration": "calibration",
}
_CALIBRATION = "calibration"
_LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Group:
    """The rows of one group."""

    group: str
    rows: int
    rates: dict[str, Figure]
    """By name; NaN where there are no rows to tell."""
    against_rest: dict[str, Figure]
    """The same minus the rate of all other rows."""

    def to_json(self) -> dict[str, Any]:
        return {
            "group": self.group,
            "rows": self.rows,
            **plain(self.rates),
            "against_rest": plain(self.against_rest),
        }


@dataclass(frozen=True, eq=False)
class Gap:
    """How far a rate is apart between the groups where it is highest and lowest."""

    rate: str
    highest: str
    lowest: str
    difference: Figure
    ratio: Figure

    def to_json(self) -> dict[str, Any]:
        return plain(vars(self))


@dataclass(frozen=True, eq=False)
class Groups(Gaps):
    """What an audit of groups of rows found."""

    column: str
    label: Label
    """The class that is predicted, or not."""
    rows: int
    left_out: bool
    """Whether predictions are leave-one-out."""
    groups: tuple[Group, ...]
    gaps: tuple[Gap, ...]
    amplification: Figure
    """How much the gap in selection rate exceeds that in base rate, between the groups with the
    highest and the lowest base rate."""
    amplified: tuple[str, str]
    warnings: tuple[str, ...]

    kind = "groups"

    @property
    def apart(self) -> Group | None:
        """The group whose selection rate differs most from the rest, if that is beyond chance."""
        found = [one for one in self.groups if not _has_zero(one.against_rest["selection_rate"])]
        return max(found, key=lambda one: abs(one.against_rest["selection_rate"]), default=None)

    @property
    def largest_gap(self) -> tuple[float, str]:
        compared = [
            gap
            for gap in self.gaps
            if gap.rate in ("selection_rate", "true_positive_rate", "false_positive_rate")
        ]
        one = max(compared, key=lambda gap: gap.difference)
        return float(one.difference), f"{one.rate} of `{one.highest}` and `{one.lowest}`"

    def to_json(self) -> dict[str, Any]:
        return plain(vars(self)) | {
            "groups": [one.to_json() for one in self.groups],
            "gaps": [gap.to_json() for gap in self.gaps],
        }

    def blocks(self) -> list[render.Block]:
        shown = list(_NAMES)
        rates: list[tuple[render.Cell, ...]] = [
            (
                render.Name(one.group),
                f"{one.rows:,}",
                *(
                    (render.gap if name == "calibration" else render.rate)(one.rates[name])
                    for name in shown
                ),
            )
            for one in self.groups
        ]
        intervals: list[tuple[render.Cell, ...]] = [
            (
                render.Name(one.group),
                *(
                    cell
                    for name in ("selection_rate", "true_positive_rate", "false_positive_rate")
                    for cell in (
                        render.gap(one.against_rest[name]),
                        render.interval(one.against_rest[name], render.gap),
                    )
                ),
            )
            for one in self.groups
        ]
        gaps = [
            (
                _NAMES[gap.rate],
                render.Name(gap.highest),
                render.Name(gap.lowest),
                render.rate(gap.difference),
                render.interval(gap.difference, render.rate),
                render.rate(gap.ratio),
                render.interval(gap.ratio, render.rate),
            )
            for gap in self.gaps
        ]
        name = render.name(self.label)
        method = ", leave-one-out" if self.left_out else ""
        most, fewest = self.amplified
        return [
            f"{self.rows:,} rows by `{self.column}`{method}. The positive class is `{name}`: the "
            "base rate is the share of rows with that label, the selection rate the share of rows "
            "predicted so.",
            self._verdict(),
            render.Table(("group", "rows", *_NAMES.values()), rates),
            render.Table(
                (
                    "against the rest",
                    "selection rate",
                    "interval",
                    "TPR",
                    "interval",
                    "FPR",
                    "interval",
                ),
                intervals,
                caption="Each group against all other rows, with 95 % intervals.",
            ),
            render.Table(
                ("rate", "highest", "lowest", "difference", "interval", "ratio", "interval"),
                gaps,
                left=3,
                caption="The groups that are furthest apart. Equal selection rates are demographic "
                "parity, equal TPR is equal opportunity, equal TPR and FPR are equalized odds. "
                "With many groups some differ by chance; against the rest is more reliable.",
            ),
            f"Amplification: the gap in selection rate between `{most}` and `{fewest}` minus that "
            f"in base rate is {render.gap(self.amplification)} "
            f"({render.interval(self.amplification, render.gap)}). "
            f"{_amplified(self.amplification)}",
            "Calibration: the mean probability of the class minus its base rate; above 0 the model "
            "is overconfident. Labels are taken as the truth: if they are unfair, so are all rates "
            "but the selection rate.",
            *(render.Caution(warning) for warning in self.warnings),
        ]

    def _verdict(self) -> str:
        if self.apart is None:
            return (
                "No group has a selection rate that differs from the rest beyond chance. At this "
                "sample size there may still be a gap."
            )
        difference = self.apart.against_rest["selection_rate"]
        return (
            f"The selection rate of `{render.name(self.apart.group)}` differs most from the rest: "
            f"{render.gap(difference)} ({render.interval(difference, render.gap)})."
        )


def _has_zero(figure: Figure) -> bool:
    return figure.low is None or figure.high is None or figure.low <= 0 <= figure.high


def _amplified(figure: Figure) -> str:
    if _has_zero(figure):
        return "That may be chance at this sample size."
    return "The model widens the gap." if figure > 0 else "The model does not widen the gap."


def groups(model: Classifier, x: Any, y: Any = None, *, group: str, score: Any = None) -> Groups:
    """Compare rates between the groups that a column tells apart.

    For rows that the model learned, predictions are leave-one-out.
    """
    label = one_audited(model, score, "rates by group")
    return of_rows(grouped_predictions(model, x, y, group), model.classes, label, group)


def of_rows(
    found: GroupedPredictions, classes: tuple[Label, ...], label: Label, group: str
) -> Groups:
    """Compare rates between groups of rows with predictions."""
    names, of_row = np.unique(found.groups, return_inverse=True)
    warnings = list(found.warnings)
    sizes = np.bincount(of_row)
    lone = [str(name) for name, n in zip(names, sizes, strict=True) if n == 1]
    if lone:
        listed = ", ".join(f"`{name}`" for name in lone[:5])
        warnings.append(
            f"one row is no group: {listed} is left out"
            if len(lone) == 1
            else f"groups of one row are left out: {listed}"
        )
    if (sizes > 1).sum() < 2:
        raise DataError(f"`{group}` has no two groups of more than one row to compare")
    if len(names) > _MOST_GROUPS:
        raise DataError(
            f"`{group}` has {len(names):,} different values; at most {_MOST_GROUPS} are groups"
        )
    kept = np.flatnonzero(sizes > 1)
    small = [f"`{names[k]}` ({sizes[k]})" for k in kept if sizes[k] < _SMALL]
    if small:
        warnings.append(f"groups of fewer than {_SMALL} rows tell little: {', '.join(small)}")
    place = classes.index(label)
    truth = np.array([one == label for one in found.truth])
    predicted = found.predicted == place
    each = np.column_stack(
        [
            predicted,
            truth,
            predicted & truth,
            predicted & ~truth,
            found.probabilities[:, place] - truth,
            predicted == truth,
        ]
    ).astype(np.float64)
    resamples = max(_FEWEST, min(_RESAMPLES, _NUMBERS // len(each)))
    sums, numbers = [], sizes[kept].astype(np.float64)
    for k in kept:
        here = each[of_row == k]
        ones = np.ones(len(here), dtype=np.intp)
        drawn = [weights @ here for weights in draws(ones, resamples, [0, 3, int(k)])]
        sums.append(np.concatenate([here.sum(axis=0)[None], *drawn]))
    return _facts(
        np.stack(sums, axis=1),
        numbers,
        [str(names[k]) for k in kept],
        found,
        label,
        group,
        warnings,
    )


def _facts(
    sums: Array,
    numbers: Array,
    names: list[str],
    found: GroupedPredictions,
    label: Label,
    column: str,
    warnings: list[str],
) -> Groups:
    others = sums.sum(axis=1, keepdims=True) - sums, numbers.sum() - numbers
    rates = {name: shares(*of(sums[0], numbers), _LEVEL) for name, of in _RATES.items()}
    rest = {name: shares(*of(others[0][0], others[1]), _LEVEL) for name, of in _RATES.items()}
    off, off_rest = (_over(s[..., _OFF], n) for s, n in ((sums, numbers), others))
    every = [
        Group(
            group,
            int(numbers[at]),
            {name: line[at] for name, line in rates.items()} | {_CALIBRATION: _figure(off[:, at])},
            {name: difference(line[at], rest[name][at]) for name, line in rates.items()}
            | {_CALIBRATION: _figure(off[:, at] - off_rest[:, at])},
        )
        for at, group in enumerate(names)
    ]
    gaps = []
    for name, line in rates.items():
        known = [at for at, one in enumerate(line) if one == one]
        if len(known) < 2:
            continue
        # Of equals the first is highest and the last is lowest.
        top, bottom = max(known, key=line.__getitem__), min(known[::-1], key=line.__getitem__)
        high, low = line[top], line[bottom]
        gaps.append(
            Gap(name, names[top], names[bottom], difference(high, low), quotient(low, high))
        )
    base = np.array(rates["base_rate"])
    most, fewest = int(base.argmax()), int(base.argmin())
    wider = [
        _over(sums[:, most, place], numbers[most]) - _over(sums[:, fewest, place], numbers[fewest])
        for place in (_PREDICTED, _TRUE)
    ]
    return Groups(
        column,
        label,
        len(found.truth),
        found.left_out,
        tuple(every),
        tuple(gaps),
        _figure(wider[0] - wider[1]),
        (names[most], names[fewest]),
        tuple(warnings),
    )


def _over(part: Array, whole: Array) -> Array:
    """A share; NaN where there is nothing to share."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def _figure(line: Array) -> Figure:
    """The first is the figure, the others are what chance might have made of it."""
    return figures(line[:1], [line[1:, None]], _LEVEL)[0]
