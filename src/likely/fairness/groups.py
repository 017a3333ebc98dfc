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
from likely.fairness.rows import Found, judged_rows
from likely.fairness.scores import Array, one_audited

_NUMBERS = 50_000_000
_RESAMPLES, _FEWEST = 1_000, 200
_SMALL = 30
_MOST_GROUPS = 50

# Of each row: whether it is called so, whether it is so, both, called but not so, and what its
# probability is too high by. Sums of these make every figure.
_SUMS = 6
_CALLED, _IS, _BOTH, _FALSE, _OFF, _RIGHT = range(_SUMS)

# Of each rate, what it is a share of, given the sums and the number of rows.
_RATES: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
    "base_rate": lambda s, n: (s[..., _IS], n),
    "selection_rate": lambda s, n: (s[..., _CALLED], n),
    "true_positive_rate": lambda s, n: (s[..., _BOTH], s[..., _IS]),
    "false_positive_rate": lambda s, n: (s[..., _FALSE], n - s[..., _IS]),
    "precision": lambda s, n: (s[..., _BOTH], s[..., _CALLED]),
    "accuracy": lambda s, n: (s[..., _RIGHT], n),
}
_SPELLED = {
    "base_rate": "labeled",
    "selection_rate": "called",
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
    "precision": "precision",
    "accuracy": "accuracy",
    "calibration": "too sure",
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
    """The class that rows are called, or not."""
    rows: int
    left_out: bool
    """Whether each row was judged by the model without it."""
    groups: tuple[Group, ...]
    gaps: tuple[Gap, ...]
    amplification: Figure
    """How much further apart the groups with the most and the fewest such labels are in what they
    are called."""
    amplified: tuple[str, str]
    warnings: tuple[str, ...]

    kind = "groups"

    @property
    def apart(self) -> Group | None:
        """The group that is called so most unlike the rest, if chance is no likely reason."""
        found = [one for one in self.groups if not _has_zero(one.against_rest["selection_rate"])]
        return max(found, key=lambda one: abs(one.against_rest["selection_rate"]), default=None)

    @property
    def largest_gap(self) -> tuple[float, str]:
        judged = [
            gap
            for gap in self.gaps
            if gap.rate in ("selection_rate", "true_positive_rate", "false_positive_rate")
        ]
        one = max(judged, key=lambda gap: gap.difference)
        return float(one.difference), f"{one.rate} of `{one.highest}` and `{one.lowest}`"

    def to_json(self) -> dict[str, Any]:
        return plain(vars(self)) | {
            "groups": [one.to_json() for one in self.groups],
            "gaps": [gap.to_json() for gap in self.gaps],
        }

    def blocks(self) -> list[render.Block]:
        shown = list(_SPELLED)
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
                _SPELLED[gap.rate],
                render.Name(gap.highest),
                render.Name(gap.lowest),
                render.rate(gap.difference),
                render.interval(gap.difference, render.rate),
                render.rate(gap.ratio),
                render.interval(gap.ratio, render.rate),
            )
            for gap in self.gaps
        ]
        name, judged = (
            render.name(self.label),
            ", each judged without itself" if self.left_out else "",
        )
        most, fewest = self.amplified
        return [
            f"{self.rows:,} rows by `{self.column}`{judged}; how often they are labeled `{name}`, "
            "and called so.",
            render.Table(("group", "rows", *_SPELLED.values()), rates),
            render.Table(
                ("against the rest", "called", "interval", "TPR", "interval", "FPR", "interval"),
                intervals,
                caption="Each group against all other rows, with 95 % intervals.",
            ),
            render.Table(
                ("rate", "highest", "lowest", "difference", "interval", "ratio", "interval"),
                gaps,
                left=3,
                caption="The groups that are furthest apart. With many groups some are by chance, "
                "so a group against the rest says more.",
            ),
            f"Amplification: the gap between `{most}` and `{fewest}` in what they are called, less "
            f"that in their labels, is {render.gap(self.amplification)} "
            f"({render.interval(self.amplification, render.gap)}). {_amplified(self.amplification)}",
            "Too sure: the mean probability of the class minus its share of the labels. Labels "
            "are taken for the truth here: if they are unfair, all rates but the first two are.",
            *(render.Caution(warning) for warning in self.warnings),
        ]


def _has_zero(figure: Figure) -> bool:
    return figure.low is None or figure.high is None or figure.low <= 0 <= figure.high


def _amplified(figure: Figure) -> str:
    if _has_zero(figure):
        return "At this sample size that may be chance."
    return "The model widens the gap." if figure > 0 else "The model does not widen the gap."


def groups(model: Classifier, x: Any, y: Any = None, *, group: str, score: Any = None) -> Groups:
    """Compare rates between the groups that a column tells apart.

    Rows that the model learned are judged each without itself.
    """
    label = one_audited(model, score, "rates by group")
    return of_rows(judged_rows(model, x, y, group), model.classes, label, group)


def of_rows(found: Found, classes: tuple[Label, ...], label: Label, group: str) -> Groups:
    """Compare rates between groups of rows that were judged."""
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
    called = found.probabilities.argmax(axis=1) == place
    each = np.column_stack(
        [
            called,
            truth,
            called & truth,
            called & ~truth,
            found.probabilities[:, place] - truth,
            called == truth,
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
    found: Found,
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
        for place in (_CALLED, _IS)
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
