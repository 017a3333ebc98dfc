"""Significance tests: whether one system is better than another, or was lucky."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from likely import render
from likely.data.label_sets import Codes
from likely.errors import DataError, OptionError
from likely.evaluation.answers import Answers, read_answers
from likely.evaluation.counts import Array, DistinctRows
from likely.evaluation.intervals import (
    Figure,
    centred,
    check_resampling,
    figures,
    flat,
    shares,
    within,
)
from likely.evaluation.metrics import Metric, accuracy, metrics
from likely.evaluation.significance import holm, is_exact, mcnemar, paired_bootstrap, randomization

TESTS = ("mcnemar", "randomisation", "bootstrap")

_SHOWN_ROWS = 10


@dataclass(frozen=True, eq=False)
class Difference:
    """A system against the first one."""

    system: str
    effect: Figure
    """The system's figure minus that of the first."""
    p_value: float
    """The p-value: how often an effect as large occurs under the null hypothesis."""
    adjusted_p: float
    """The same after Holm's correction for all the comparisons made."""
    gained: Codes
    """Rows that the system predicts correctly and the first does not,"""
    lost: Codes
    """and the reverse."""
    exact: bool
    """Whether the test counted every possibility, rather than approximating."""

    def to_json(self) -> dict[str, Any]:
        rows = {"gained": self.gained.tolist(), "lost": self.lost.tolist()}
        return flat(vars(self)) | rows


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems measured on the same rows, and each tested against the first."""

    rows: int
    metric: str
    test: str
    null: str
    """The null hypothesis of the test."""
    level: float
    systems: dict[str, Figure]
    """The figure of each system."""
    differences: tuple[Difference, ...]
    first_row: int = 0
    """What the first row is called: 0, as in an array, or 1, as in a file."""

    def counted_from(self, first: int) -> "Comparison":
        """The same comparison, with rows numbered from `first`."""
        by = first - self.first_row
        moved = (replace(d, gained=d.gained + by, lost=d.lost + by) for d in self.differences)
        return replace(self, first_row=first, differences=tuple(moved))

    @property
    def effect(self) -> Figure:
        """The second system's figure minus the first's, if there are two."""
        return self._only.effect

    @property
    def p_value(self) -> float:
        """How often chance alone would make such an effect, if there are two systems."""
        return self._only.p_value

    @property
    def _only(self) -> Difference:
        if len(self.differences) > 1:
            raise DataError(
                f"there are {len(self.differences)} differences; `differences` has them"
            )
        return self.differences[0]

    def to_json(self) -> dict[str, Any]:
        """The facts as plain values; of each figure also `…_low` and `…_high`."""
        return {
            "rows": self.rows,
            "metric": self.metric,
            "test": self.test,
            "null": self.null,
            "level": self.level,
            "systems": [
                {"system": name, **flat({self.metric: figure})}
                for name, figure in self.systems.items()
            ],
            "differences": [one.to_json() for one in self.differences],
        }

    def __str__(self) -> str:
        return render.text(self._blocks())

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.systems)} systems on {self.rows:,} rows by {self.metric}>"

    def _repr_html_(self) -> str:
        return render.html(self._blocks())

    def _blocks(self) -> list[render.Block]:
        first, interval = next(iter(self.systems)), f"{self.level * 100:g} % interval"
        systems = tuple(
            (render.name(name), render.number(figure), render.interval(figure))
            for name, figure in self.systems.items()
        )
        differences = tuple(
            (
                render.name(one.system),
                render.signed(one.effect),
                render.interval(one.effect, render.signed),
                render.number(one.p_value),
                *([render.number(one.adjusted_p)] if len(self.differences) > 1 else []),
                f"+{len(one.gained):,} −{len(one.lost):,}",
            )
            for one in self.differences
        )
        corrected = ("by Holm",) if len(self.differences) > 1 else ()
        header = (
            f"against {render.name(first)}",
            "effect",
            interval,
            "p",
            *corrected,
            "rows right",
        )
        blocks: list[render.Block] = [
            f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}, {self._test()}",
            render.Table(("system", self.metric, interval), systems),
            render.Table(header, differences),
        ]
        null = f"Null hypothesis: {self.null}."
        if len(self.differences) > 1:
            return [*blocks, f"{null} Holm's correction allows for all comparisons made."]
        (one,) = self.differences
        counted = " (counted from 0)" if self.first_row == 0 else ""
        often = render.percent(one.p_value) if one.p_value >= 0.0001 else "less than 0.01 %"
        return [
            *blocks,
            f"{null} If it held, a difference as large would come up in {often} of test sets like "
            "this one.",
            *(
                f"Only {render.name(name)} is right in {_listed(rows)}{counted}."
                for name, rows in ((one.system, one.gained), (first, one.lost))
                if len(rows)
            ),
        ]

    def _test(self) -> str:
        exact = all(one.exact for one in self.differences)
        return {
            "mcnemar": f"McNemar's test, {'exact' if exact else 'by χ²'}",
            "randomisation": "approximate randomisation",
            "bootstrap": "paired bootstrap",
        }[self.test]


def compare(
    y_true: Any,
    a: Any,
    b: Any,
    *more: Any,
    names: Sequence[str] | None = None,
    metric: str = "accuracy",
    test: str | None = None,
    classes: Any = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare the predictions of two or more systems on the same rows, each with the first.

    >>> truth = ["x", "y"] * 8
    >>> found = compare(truth, ["x"] * 16, truth)
    >>> found.effect, found.p_value
    (Figure(0.5, 0.25, 0.75), 0.0078125)
    >>> found.differences[0].gained.tolist()
    [1, 3, 5, 7, 9, 11, 13, 15]

    `metric` is a figure of `likely.evaluate` that is made of counts: accuracy, macro_f1, mcc and so
    on. The effect has the interval of a paired bootstrap. `test` is one of

    - "mcnemar", of accuracy alone, and the default for it: exact unless very many rows differ;
    - "randomisation", of any metric, and the default for the others;
    - "bootstrap", of any metric.

    Labels are single-label or multi-label, as in `likely.evaluate`; a multi-label row is correct if
    all its labels are. With three systems or more, `adjusted_p` has Holm's correction. The same
    `seed` gives the same numbers, in whatever order the rows come.
    """
    check_resampling(level, resamples, seed)
    systems = (a, b, *more)
    names = _names(names, len(systems))
    if test is None:
        test = "mcnemar" if metric == "accuracy" else "randomisation"
    if test not in TESTS:
        raise OptionError(f"`test` is one of {', '.join(TESTS)}, not {test!r}")
    who = [f"the predictions of {name}" for name in names]
    answers = read_answers(y_true, systems, who, classes)
    measures = metrics(answers.is_multilabel)
    del measures["majority_baseline"]
    if metric not in measures:
        raise OptionError(f"`metric` is one of {', '.join(measures)}, not {metric!r}")
    if test == "mcnemar" and metric != "accuracy":
        raise OptionError(
            f"McNemar's test is of accuracy, not of {metric}\n"
            'hint: `test="randomisation"` is for any metric'
        )
    pairs = [
        _Pair(answers, other, measures[metric], level, resamples, int(seed))
        for other in range(1, len(systems))
    ]
    p_values = [pair.p_value(test) for pair in pairs]
    differences = tuple(
        Difference(
            names[place],
            pair.effect,
            p_value,
            adjusted,
            pair.gained,
            pair.lost,
            test == "mcnemar" and is_exact(len(pair.lost), len(pair.gained)),
        )
        for place, (pair, p_value, adjusted) in enumerate(
            zip(pairs, p_values, holm(p_values), strict=True), start=1
        )
    )
    found = [pairs[0].first, *(pair.second for pair in pairs)]
    return Comparison(
        len(answers),
        metric,
        test,
        _null(test, metric),
        float(level),
        dict(zip(names, found, strict=True)),
        differences,
    )


# What accuracy is a share of, and what of it.
_ACCURACY = ("whole", "rows")


class _Pair:
    """The first system and another one, on rows drawn for both at once."""

    def __init__(
        self, answers: Answers, other: int, metric: Metric, level: float, resamples: int, seed: int
    ):
        said = (answers.said[0], answers.said[other])
        self.kinds = DistinctRows(replace(answers, said=said))
        self.metric, self.resamples, self.seed = metric, resamples, seed
        (values,) = self._measured(self.kinds.all())
        lines = [self._measured(drawn) for drawn in self.kinds.draws(resamples, [seed, 0])]
        *_, self.effect = figures(values, lines, level)
        first, second, _ = figures(values, centred(values, lines), level)
        self.first, self.second = within(first, -1.0), within(second, -1.0)
        if metric is accuracy:
            every = self.kinds.all()
            found = self.kinds.counts(every), self.kinds.counts(None, every)
            whole, rows = (np.concatenate([getattr(one, n) for one in found]) for n in _ACCURACY)
            self.first, self.second = shares(whole, rows, level)
        self._effects = np.concatenate(lines)[:, 2]
        right = [system.whole[self.kinds.of_row] for system in self.kinds.systems]
        self.gained = np.flatnonzero(right[1] & ~right[0])
        self.lost = np.flatnonzero(right[0] & ~right[1])

    def _measured(self, drawn: Codes) -> Array:
        first = self.metric(self.kinds.counts(drawn))
        second = self.metric(self.kinds.counts(None, drawn))
        return np.column_stack([first, second, second - first])

    def p_value(self, test: str) -> float:
        if test == "mcnemar":
            return mcnemar(len(self.lost), len(self.gained))
        if test == "randomisation":
            return randomization(self.kinds, self.metric, self.resamples, [self.seed, 1])
        return paired_bootstrap(self.effect, self._effects)


def _null(test: str, metric: str) -> str:
    """The null hypothesis, in words."""
    return {
        "mcnemar": "where only one of the two is right, it is either with the same chance",
        "randomisation": "it does not matter which system gave which of the two answers to a row, "
        f"so {metric} differs by chance alone",
        "bootstrap": f"over all the rows there could be, both have the same {metric}",
    }[test]


def _names(names: Sequence[str] | None, n_systems: int) -> list[str]:
    if names is None:
        return [chr(ord("A") + place) for place in range(n_systems)]
    if isinstance(names, str) or len(names) != n_systems or len(set(names)) != n_systems:
        raise OptionError(f"`names` has a name of its own for each of {n_systems} systems")
    return [str(name) for name in names]


def _listed(rows: Codes) -> str:
    """The numbers of some rows, and how many more there are."""
    shown = ", ".join(map(str, rows[:_SHOWN_ROWS]))
    more = len(rows) - _SHOWN_ROWS
    rows_are = "row" if len(rows) == 1 else "rows"
    return f"{rows_are} {shown}" + (f" and {more:,} more" if more > 0 else "")
