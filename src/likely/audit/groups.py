"""How the decisions differ between groups of rows, by any column that tells them apart.

Rates per group, as Fairlearn defines them where both have a name for them, with the intervals that
drawing the rows of each group again gives.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import page
from likely.audit.scores import Array, one_audited
from likely.audit.spelling import between, rate, signed
from likely.classifier import Classifier
from likely.errors import DataError
from likely.evaluation.counts import draws
from likely.evaluation.intervals import Figure, figures, flat
from likely.folds import whole
from likely.inputs import Table
from likely.inputs.columns import nearest
from likely.inputs.files import Source
from likely.inputs.labelled import Labelled, labelled
from likely.judging import meant
from likely.labels import Label, label_array
from likely.thresholds import group_names

_NUMBERS = 50_000_000
_RESAMPLES, _FEWEST = 1_000, 200
_SMALL = 30
_MOST_GROUPS = 50

# Of each row: whether it is called so, whether it is so, both, called but not so, and what its
# probability is too high by. Sums of these make every figure.
_SUMS = 6
_CALLED, _IS, _BOTH, _FALSE, _OFF, _RIGHT = range(_SUMS)

_RATES: dict[str, Callable[[Array, Array], Array]] = {
    "base_rate": lambda s, n: _over(s[..., _IS], n),
    "selection_rate": lambda s, n: _over(s[..., _CALLED], n),
    "true_positive_rate": lambda s, n: _over(s[..., _BOTH], s[..., _IS]),
    "false_positive_rate": lambda s, n: _over(s[..., _FALSE], n - s[..., _IS]),
    "precision": lambda s, n: _over(s[..., _BOTH], s[..., _CALLED]),
    "accuracy": lambda s, n: _over(s[..., _RIGHT], n),
    "calibration": lambda s, n: _over(s[..., _OFF], n),
}
_SPELLED = {
    "base_rate": "labelled so",
    "selection_rate": "called so",
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
    "precision": "precision",
    "accuracy": "accuracy",
    "calibration": "too sure by",
}


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
            **_plain(self.rates),
            "against_rest": _plain(self.against_rest),
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
        return _plain(vars(self))


@dataclass(frozen=True, eq=False)
class Groups:
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
    def largest_gap(self) -> tuple[float, str]:
        judged = [
            gap
            for gap in self.gaps
            if gap.rate in ("selection_rate", "true_positive_rate", "false_positive_rate")
        ]
        one = max(judged, key=lambda gap: gap.difference)
        return float(one.difference), f"{one.rate} of `{one.highest}` and `{one.lowest}`"

    def to_json(self) -> dict[str, Any]:
        return flat(vars(self)) | {
            "groups": [one.to_json() for one in self.groups],
            "gaps": [gap.to_json() for gap in self.gaps],
        }

    def __str__(self) -> str:
        return page.text(self.blocks())

    def _repr_html_(self) -> str:
        return page.html(self.blocks())

    def blocks(self) -> list[page.Block]:
        shown = list(_SPELLED)
        rates: list[tuple[page.Cell, ...]] = [
            (
                page.Name(one.group),
                f"{one.rows:,}",
                *((signed if name == "calibration" else rate)(one.rates[name]) for name in shown),
            )
            for one in self.groups
        ]
        intervals: list[tuple[page.Cell, ...]] = [
            (
                page.Name(one.group),
                *(
                    cell
                    for name in ("selection_rate", "true_positive_rate", "false_positive_rate")
                    for cell in (signed(one.against_rest[name]), between(one.against_rest[name]))
                ),
            )
            for one in self.groups
        ]
        gaps = [
            (
                _SPELLED[gap.rate],
                page.Name(gap.highest),
                page.Name(gap.lowest),
                rate(gap.difference),
                between(gap.difference, is_signed=False),
                rate(gap.ratio),
                between(gap.ratio, is_signed=False),
            )
            for gap in self.gaps
        ]
        name, judged = page.name(self.label), "each judged without itself" if self.left_out else ""
        most, fewest = self.amplified
        return [
            f"{self.rows:,} rows by `{self.column}`{', ' + judged if judged else ''}. So: `{name}`.",
            page.Table(("group", "rows", *_SPELLED.values()), rates),
            page.Table(
                ("against the rest", "called so", "", "TPR", "", "FPR", ""),
                intervals,
                caption="Each group against all other rows, with 95 % intervals.",
            ),
            page.Table(
                ("rate", "highest", "lowest", "difference", "", "ratio", ""),
                gaps,
                left=3,
                caption="Largest differences between groups. Chance alone makes them positive, the more "
                "groups there are, so the intervals of one group against the rest say more.",
            ),
            f"Amplification: `{most}` and `{fewest}` are further apart in what they are called than in "
            f"their labels by {signed(self.amplification)} ({between(self.amplification)}). "
            + _amplified(self.amplification),
            "Too sure by: the mean probability of the class minus its share of the labels. Labels are "
            "taken for the truth here; if they are unfair, so are all rates but the first two.",
            *(page.Warned(warning) for warning in self.warnings),
        ]


def _amplified(figure: Figure) -> str:
    if figure.low is not None and figure.high is not None and figure.low <= 0 <= figure.high:
        return "At this sample size that may be chance."
    return "The model widens the gap." if figure > 0 else "The model does not widen the gap."


def groups(model: Classifier, x: Any, y: Any = None, *, group: str, score: Any = None) -> Groups:
    """Compare rates between the groups that a column tells apart.

    Rows that the model learned are judged each without itself.
    """
    label = one_audited(model, score, "rates by group")
    found = judged_rows(model, x, y, group)
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
            f"`{group}` has {len(names):,} different values; a group is one of at most {_MOST_GROUPS}"
        )
    kept = np.flatnonzero(sizes > 1)
    small = [f"`{names[k]}` ({sizes[k]})" for k in kept if sizes[k] < _SMALL]
    if small:
        warnings.append(f"groups of fewer than {_SMALL} rows tell little: {', '.join(small)}")
    place = model.classes.index(label)
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
    found: "Found",
    label: Label,
    column: str,
    warnings: list[str],
) -> Groups:
    rates = {name: rated(sums, numbers) for name, rated in _RATES.items()}
    rest = {
        name: rates[name] - rated(sums.sum(axis=1, keepdims=True) - sums, numbers.sum() - numbers)
        for name, rated in _RATES.items()
    }
    every = [
        Group(
            group,
            int(numbers[at]),
            {name: _figure(line[:, at]) for name, line in rates.items()},
            {name: _figure(line[:, at]) for name, line in rest.items()},
        )
        for at, group in enumerate(names)
    ]
    gaps = []
    for name, line in rates.items():
        known = np.flatnonzero(~np.isnan(line[0]))
        if name == "calibration" or len(known) < 2:
            continue
        high, low = np.nanmax(line[:, known], axis=1), np.nanmin(line[:, known], axis=1)
        gaps.append(
            Gap(
                name,
                names[known[line[0, known].argmax()]],
                names[known[line[0, known].argmin()]],
                _figure(high - low),
                _figure(_over(low, high)),
            )
        )
    most, fewest = int(rates["base_rate"][0].argmax()), int(rates["base_rate"][0].argmin())
    wider = [
        rates[name][:, most] - rates[name][:, fewest] for name in ("selection_rate", "base_rate")
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


@dataclass(frozen=True, eq=False)
class Found:
    """Rows with their groups, labels and probabilities."""

    groups: list[str]
    truth: list[Label]
    probabilities: Array
    left_out: bool
    warnings: tuple[str, ...]


def judged_rows(model: Classifier, x: Any, y: Any, group: str) -> Found:
    """Judge rows with labels and groups, each without itself if all were learned."""
    rows = labelled(x, model.target if y is None else y)
    names: list[str] = []
    truth: list[Label] = []
    found, learned = [], 0
    check_column(rows, group)
    columns = list(dict.fromkeys([*model.columns, group]))
    for table, labels in rows.batches(columns):
        own = meant(model, labels)
        truth.extend(own)
        names.extend(group_names(table.columns[group]))
        found.append(model.predict_proba(table))
        learned += int(model.was_learned(table, own).sum())
    if not truth:
        raise DataError("there are no rows to compare groups by")
    if learned == len(truth):
        left = model.leave_one_out(x, rows.target if isinstance(x, Source) or y is None else y)
        return Found(names, truth, left.probabilities, True, ())
    warnings: tuple[str, ...] = ()
    if learned:
        warnings = (
            f"{learned:,} of the {len(truth):,} rows were learned by the model; their figures flatter it",
        )
    return Found(names, truth, np.concatenate(found), False, warnings)


@dataclass(frozen=True, eq=False)
class Cells:
    """Training rows by group and label."""

    table: Table
    labels: NDArray[Any]
    cell: NDArray[np.intp]
    """Of each row: the place of its group times the number of labels, plus that of its label."""
    counts: NDArray[np.int64]
    """How many rows each group has of each label."""


def cells_of(model: Classifier, x: Any, y: Any, group: str) -> Cells:
    """The rows a model has learned, by group and label."""
    rows = labelled(x, model.target if y is None else y)
    check_column(rows, group)
    table, found = whole(rows)
    names = group_names(table.columns[group])
    own = label_array(meant(model, found))
    table = Table({n: table.columns[n] for n in model.columns}, len(table), named=True)
    if not model.was_learned(table, own).all():
        raise DataError(
            "some of these rows were not learned by the model; the training rows are needed"
        )
    groups, of_group = np.unique(names, return_inverse=True)
    labels, of_label = np.unique(own, return_inverse=True)
    cell = of_group * len(labels) + of_label
    counts = np.bincount(cell, minlength=len(groups) * len(labels))
    return Cells(table, own, cell, counts.reshape(len(groups), len(labels)))


def check_column(rows: Labelled, group: str) -> None:
    if group not in rows.columns:
        raise DataError(
            f"there is no column `{group}` to group rows by; {nearest(group, rows.columns)}"
        )


def _over(part: Array, whole: Array) -> Array:
    """A share; NaN where there is nothing to share."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def _figure(line: Array) -> Figure:
    """The first is the figure, the others are what chance might have made of it."""
    return figures(line[:1], [line[1:, None]], 0.95)[0]


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts for JSON, which has no NaN."""
    return {name: None if fact != fact else fact for name, fact in flat(facts).items()}
