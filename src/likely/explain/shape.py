"""The shape of a column: what each of its values adds to the log-odds of a class.

    contribution_c(v) = s_c(v) − mean_{k≠c} s_k(v)        s_c(v) = weight · log P(v | c)

Of two classes there is one curve, for the second. A numeric column is shown in steps: values side
by side that say nearly the same, with the mean of what they say over the training rows.

The interval of a step is that of a log-odds ratio (Woolf), with the virtual rows of smoothing: if a
class has n_c rows in the step, of N_c in all, and smoothing adds v to the step, of m in all, then
log P(v | c) has about the variance 1/(n_c + v + ½) − 1/(N_c + m + ½). A contribution adds up those
of the classes, times the squares of their coefficients and of the weight, and the interval reaches
1.96 times the root to both sides. Under a Gaussian the variance is that of its mean and deviation.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.data.columns import nearest
from likely.data.labels import Label
from likely.errors import DataError, OptionError
from likely.likelihoods.steps import (
    MOST_STEPS,
    ValueScores,
    log_odds,
    spelled_range,
    step_starts,
)
from likely.model.fitted import Fitted
from likely.render.steps import ChartStep, StepChart

Array = NDArray[np.float64]

_Z = NormalDist().inv_cdf(0.975)
# A chart has room for so many curves.
_CURVES = 5
# Half of a bar on a terminal.
_BAR = 10


@dataclass(frozen=True)
class ShapeStep:
    """Values that say nearly the same: a range of numbers, a category, or missing cells."""

    name: str
    ends: tuple[float, float] | None
    """The first and the last number; None for a category, and for missing cells."""
    rows: tuple[float, ...]
    """How many training rows of each class have such a value; under a Gaussian, expected ones."""
    log_odds: tuple[float, ...]
    """The contribution, for each class that has a curve,"""
    interval: tuple[tuple[float, float], ...]
    """and its 95 % interval."""


@dataclass(frozen=True)
class Shape:
    """What the values of one column add to the log-odds: print it, show it, or take its steps.

    >>> import likely
    >>> ages = [20, 21, 22, 23, 24, 60, 61, 62, 63, 64] * 4
    >>> labels = ["young" if age < 40 else "old" for age in ages]
    >>> shape = likely.Classifier({"age": likely.Binned()}).fit({"age": ages}, labels).shape("age")
    >>> [step.name for step in shape.steps], shape.curves
    (['20–24', '60–64'], ('young',))
    """

    column: str
    classes: tuple[Label, ...]
    curves: tuple[Label, ...]
    """The classes whose log-odds are told: of two, the second."""
    weight: float | None
    """The weight of the column's own view; None if the model is not tuned."""
    steps: tuple[ShapeStep, ...]
    beside: tuple[str, ...] = ()
    """The views that read the column together with others: what they add is not told."""
    is_stacked: bool = False
    """Whether a linear model is stacked on the counts: what it adds is not told either."""

    @property
    def importance(self) -> float:
        """The mean absolute contribution over the training rows, and over the curves."""
        seen = [step for step in self.steps if sum(step.rows)]
        rows = sum(sum(step.rows) for step in seen)
        said = sum(sum(step.rows) * np.abs(step.log_odds).mean() for step in seen)
        return float(said / rows) if rows else 0.0

    @property
    def note(self) -> str:
        """What the shape does not show, in a sentence; empty if it shows all."""
        said = []
        if self.weight == 0:
            said.append(f"`{self.column}` has weight 0 and adds nothing by itself")
        if self.beside:
            who, reads = " and ".join(self.beside), "reads" if len(self.beside) == 1 else "read"
            add = "it adds" if len(self.beside) == 1 else "they add"
            said.append(f"{who} {reads} all numeric columns together; what {add} is not shown")
        if self.is_stacked:
            said.append("what the stacked linear model adds is not shown")
        return "; ".join(said)

    def to_json(self) -> dict[str, Any]:
        """The shape as plain values; what is infinite is None."""
        return {
            "column": self.column,
            "classes": list(self.classes),
            "curves": list(self.curves),
            "weight": self.weight,
            "importance": _finite(self.importance),
            "beside": list(self.beside),
            "is_stacked": self.is_stacked,
            "steps": [
                {
                    "name": step.name,
                    "from": None if step.ends is None else step.ends[0],
                    "to": None if step.ends is None else step.ends[1],
                    "rows": list(step.rows),
                    "log_odds": list(map(_finite, step.log_odds)),
                    "low": [_finite(low) for low, _ in step.interval],
                    "high": [_finite(high) for _, high in step.interval],
                }
                for step in self.steps
            ],
        }

    def chart(self) -> StepChart:
        """The steps as a chart; of many classes, those that the column tells apart best."""
        places, about = list(range(len(self.curves))), ""
        if len(self.curves) > _CURVES:
            said = np.nan_to_num([step.log_odds for step in self.steps])
            rows = np.array([sum(step.rows) for step in self.steps])
            most = np.argsort(-(np.abs(said) * rows[:, None]).sum(axis=0), kind="stable")[:_CURVES]
            places, about = sorted(most.tolist()), f", {_CURVES} of {len(self.curves)} classes"
        curves = [render.full_name(self.curves[place]) for place in places]
        column = render.full_name(self.column)
        whose = f"log-odds of `{curves[0]}`" if len(self.curves) == 1 else f"log-odds{about}"
        return StepChart(
            f"`{column}`: {whose}",
            column,
            "log-odds",
            curves,
            [
                ChartStep(
                    step.name,
                    sum(step.rows),
                    [step.log_odds[place] for place in places],
                    [step.interval[place][0] for place in places],
                    [step.interval[place][1] for place in places],
                    step.ends,
                )
                for step in self.steps
            ],
            self._table(),
            self.note,
        )

    def _table(self) -> render.Table:
        """A line per step: its rows, and what it adds."""
        lines: list[tuple[render.Cell, ...]] = []
        alone = len(self.curves) == 1
        for step in self.steps:
            rows = [render.count(round(n)) for n in (step.rows if alone else [sum(step.rows)])]
            said = [render.signed(odds, 2) for odds in step.log_odds]
            if alone:
                ((low, high),) = step.interval
                said.append(f"{render.signed(low, 2)} – {render.signed(high, 2)}")
            lines.append((render.name(step.name, 30), *rows, *said))
        names = [render.name(label) for label in (self.classes if alone else self.curves)]
        head = [*names, "log-odds", "95 % interval"] if alone else ["rows", *names]
        return render.Table((render.name(self.column), *head), lines)

    def __str__(self) -> str:
        if len(self.curves) > 1:
            about = [f"contributions of {self.column} to the log-odds of each class"]
            lines = self._table().text().split("\n")
        else:
            about = [f"contribution of {self.column} to the log-odds of {self.curves[0]}"]
            lines = self._table().text().split("\n")
            said = [step.log_odds[0] for step in self.steps]
            largest = max((abs(one) for one in said if np.isfinite(one)), default=0.0)
            lines[1:] = [
                f"{line}  {_bar(one, largest)}".rstrip()
                for line, one in zip(lines[1:], said, strict=True)
            ]
        more = [f"weight {self.weight:.2g}"] if self.weight else []
        note = ["", self.note] if self.note else []
        return "\n".join([", ".join(about + more), "", *lines, *note])

    def _repr_html_(self) -> str:
        return render.html([self.chart()])


def shape(fitted: Fitted, column: str) -> Shape:
    """The shape of one column."""
    fitted.check_fitted()
    fitted.check_compares_classes("shape")
    if column not in fitted.product.columns:
        raise DataError(
            f"the model has no column `{column}`; {nearest(column, fitted.product.columns)}"
        )
    found = _shape(fitted, column)
    if found is not None:
        return found
    if column in fitted.product.texts:
        raise OptionError(
            f"`{column}` is a text, whose words have no shape\n"
            "hint: `top_features` (`likely top`) lists its most informative features"
        )
    if fitted.is_multilabel:
        raise OptionError(
            "columns of a multi-label model have a shape for each label; none is shown"
        )
    raise OptionError(
        f"`{column}` has no single curve: the model reads it only together with other columns, or "
        "by its parts"
    )


def shapes(fitted: Fitted, columns: Iterable[str]) -> list[Shape]:
    """The shapes of those columns that have one, the most important first."""
    if fitted.is_one_vs_rest:
        return []
    found = [one for name in columns if (one := _shape(fitted, name)) is not None]
    return sorted(found, key=lambda one: -one.importance)


def _shape(fitted: Fitted, column: str) -> Shape | None:
    both = zip(fitted.product.factors, fitted.counted.statistics, strict=True)
    for factor, statistic in both:
        if column not in factor.columns:
            continue
        found = factor.likelihood.value_scores(statistic, fitted.classes, factor.columns, column)
        if found is None:
            continue
        tuned = fitted.tuning is not None and not fitted.tuning.is_plain
        times = 1.0 if factor.weight is None else factor.weight
        steps = tuple(_steps(found, times))
        n, labels = len(fitted.labels), fitted.labels
        curves = labels[1:] if n == 2 else labels
        weight = found.weight * times if tuned else None
        is_stacked = fitted.stacked is not None
        return Shape(column, labels, curves, weight, steps, found.beside, is_stacked)
    return None


def _steps(found: ValueScores, times: float) -> Iterator[ShapeStep]:
    contrast = _contrast(found.scores.shape[1])
    weight, gone = found.weight * times, None if found.missing is None else found.missing[1]
    totals = found.rows.sum(axis=0) + (0.0 if gone is None else gone) + found.m

    def step(
        name: str,
        ends: Any,
        scores: Array,
        rows: Array,
        virtual: float = 0.0,
        variances: Array | None = None,
    ) -> ShapeStep:
        if variances is None:
            variances = np.maximum(1 / (rows + virtual + 0.5) - 1 / (totals + 0.5), 0.0)
        with np.errstate(invalid="ignore"):
            said = contrast @ (scores * times if times else np.zeros_like(scores))
            reach = _Z * abs(weight) * np.sqrt(contrast**2 @ variances) if weight else 0.0 * said
            low, high = said - reach, said + reach
        both = tuple(zip(low.tolist(), high.tolist(), strict=True))
        return ShapeStep(name, ends, tuple(rows.tolist()), tuple(said.tolist()), both)

    if found.ranges is not None:
        yield from _numeric(found, times, step)
    else:
        yield from _categorical(found, contrast, step)
    if found.missing is not None:
        share = found.missing[1].sum() / max((totals - found.m).sum(), 1.0)
        yield step("missing", None, *found.missing, found.m * share)


def _numeric(found: ValueScores, times: float, step: Any) -> Iterator[ShapeStep]:
    ranges, counts = found.ranges, found.rows.sum(axis=1)
    assert ranges is not None
    if not len(ranges):
        return
    starts = np.arange(len(ranges))
    if found.variances is None:
        starts = step_starts(log_odds(found.scores * times), counts)
    stops = [*starts[1:].tolist(), len(ranges)]
    for start, stop in zip(starts.tolist(), stops, strict=True):
        ends = float(ranges[start, 0]), float(ranges[stop - 1, 1])
        variances = None if found.variances is None else found.variances[start]
        yield step(spelled_range(*ends), ends, *_merged(found, slice(start, stop)), variances)


def _merged(found: ValueScores, own: Any) -> tuple[Array, Array, float]:
    """What some values say on average over their rows, their rows, and their virtual rows."""
    rows = found.rows[own]
    weights = rows.sum(axis=1) if rows.sum() else np.ones(len(rows))
    with np.errstate(invalid="ignore", over="ignore"):
        scores = (found.scores[own] * weights[:, None]).sum(axis=0) / weights.sum()
    virtual = 0.0 if found.virtual is None else float(found.virtual[own].sum())
    return scores, rows.sum(axis=0), virtual


def _categorical(found: ValueScores, contrast: Array, step: Any) -> Iterator[ShapeStep]:
    """The values with the most rows, and all others as one; the largest contribution first."""
    common = np.argsort(-found.rows.sum(axis=1), kind="stable")
    rare = common[MOST_STEPS - 1 :] if len(common) > MOST_STEPS else common[:0]
    steps = [
        step(found.categories[place], None, *_merged(found, [place]))
        for place in common[: len(common) - len(rare)].tolist()
    ]
    # Of two classes, values are in the order of what they say; of several, of their rows.
    if len(contrast) == 1:
        steps.sort(key=lambda one: -one.log_odds[0])
    yield from steps
    if len(rare):
        yield step(f"{len(rare):,} rarer values", None, *_merged(found, rare))


def _contrast(n_classes: int) -> Array:
    """Of each curve, the coefficients of the classes: 1 for its own, the others share −1."""
    if n_classes == 2:
        return np.array([[-1.0, 1.0]])
    return np.asarray((np.eye(n_classes) * n_classes - 1) / (n_classes - 1))


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _bar(value: float, largest: float) -> str:
    """A bar to the left or to the right of the middle."""
    if not largest or np.isnan(value):
        return ""
    length = round(min(abs(value) / largest, 1.0) * _BAR)
    bar = "░" * length if value < 0 else "█" * length
    return f"{bar:>{_BAR}}│" if value < 0 else f"{'':>{_BAR}}│{bar}"
