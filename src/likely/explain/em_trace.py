"""A run of EM step by step: estimates, responsibilities of some rows, and the objective."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.data.table import Numbers
from likely.model.em import EM, Responsibilities
from likely.model.em_start import EMRun, gaussians
from likely.model.prior import log_prior
from likely.tally import Tally

Array = NDArray[np.float64]

# So many rows, groups and steps are shown; of steps, the first and the last.
_ROWS, _GROUPS = 8, 4
_FIRST, _LAST = 10, 3
# A column of numbers has about so many digits.
_DIGITS = 5
_MOST_DECIMALS = 6

# Responsibilities are kept of so many rows at most, and so many numbers in all, but of ten rows.
_MOST_ROWS = 1000
_MOST_NUMBERS = 5_000_000
_FEWEST_ROWS = 10

Features = Callable[[EM, Tally], tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, eq=False)
class EMStep:
    """The estimates of one step, and what follows from them."""

    objective: float
    """NaN if a step of given means says nothing of some columns."""
    shares: Array
    means: dict[str, Array]
    """Of numeric columns, one for each group."""
    deviations: dict[str, Array]
    top: tuple[tuple[str, ...], ...]
    """The most informative features of each group, if there are texts or categories."""
    responsibilities: Array
    """P(group | row) of the traced rows, a column per group."""

    def ordered(self, order: NDArray[np.intp]) -> "EMStep":
        """The same step with its groups in another order."""
        return EMStep(
            self.objective,
            self.shares[order],
            {column: values[order] for column, values in self.means.items()},
            {column: values[order] for column, values in self.deviations.items()},
            tuple(self.top[group] for group in order) if self.top else (),
            self.responsibilities[:, order],
        )

    def to_json(self) -> dict[str, Any]:
        found = {
            "objective": _plain(self.objective),
            "shares": self.shares.tolist(),
            "means": {column: _plain_list(values) for column, values in self.means.items()},
            "deviations": {c: _plain_list(values) for c, values in self.deviations.items()},
            "responsibilities": self.responsibilities.tolist(),
        }
        return {**found, "top": [list(words) for words in self.top]} if self.top else found


@dataclass(frozen=True, eq=False)
class EMTrace:
    """All steps of the best run of EM; print it, or take its `steps`."""

    steps: tuple[EMStep, ...]
    """The first has the estimates that EM starts from."""
    rows: NDArray[np.intp]
    """The places of the traced rows, from 0: all rows, or a sample of them."""
    n_rows: int
    values: dict[str, Array]
    """The numbers of the traced rows."""
    start: int | None
    """Which start was the best, from 1; None if it was given."""
    starts: int
    end: str
    """How it ended: converged, steps ran out, or stopped."""
    knows_shares: bool
    knows_deviations: bool

    def to_json(self) -> dict[str, Any]:
        """The trace as plain values; rows are numbered from 1."""
        return {
            "start": self.start,
            "starts": self.starts,
            "rows": (self.rows + 1).tolist(),
            "steps": [step.to_json() for step in self.steps],
        }

    def __str__(self) -> str:
        begun = f"start {self.start} of {self.starts}, the best one"
        if self.start is None or self.starts == 1:
            begun = "the given start" if self.start is None else "a random start"
        ended = "still climbing" if self.end == "steps ran out" else self.end
        steps = render.counted(len(self.steps) - 1, "step", "steps")
        blocks: list[render.Block] = [f"EM from {begun}: {ended} after {steps}"]
        blocks.append(self._estimates())
        k = len(self.steps[0].shares)
        blocks += [self._top(group) for group in range(min(k, _GROUPS)) if self.steps[-1].top]
        # Of two groups, one tells of the other.
        told = min(k, _GROUPS) if k != 2 else 1
        blocks += [self._responsibilities(group) for group in range(told) if k > 1]
        if k > _GROUPS:
            blocks.append(f"and {k - _GROUPS:,} more groups")
        if len(self.rows) < self.n_rows:
            blocks.append(
                f"Responsibilities were kept for a sample of {len(self.rows):,} of "
                f"{self.n_rows:,} rows."
            )
        return render.text(blocks)

    def _estimates(self) -> render.Table:
        """A line per step: the objective, and what is estimated."""
        last = self.steps[-1]
        several = len(last.means) > 1
        columns: list[tuple[str, Sequence[float]]] = [
            ("objective", [step.objective for step in self.steps])
        ]
        for group in range(len(last.shares)):
            if not self.knows_shares:
                columns.append((f"share {group}", [step.shares[group] for step in self.steps]))
            for column in last.means:
                name = f"{render.name(column)} {group}" if several else f"mean {group}"
                columns.append((name, self._each(lambda s: s.means, column, group)))
                if not self.knows_deviations:
                    name = f"± {group}" if not several else f"± {render.name(column)} {group}"
                    columns.append((name, self._each(lambda s: s.deviations, column, group)))
        digits = [_DIGITS + 2, *[_DIGITS] * (len(columns) - 1)]
        cells = [_column(values, n) for (_, values), n in zip(columns, digits, strict=True)]
        header = ("step", *(name for name, _ in columns))
        return render.Table(header, self._lines(lambda n: tuple(column[n] for column in cells)))

    def _each(
        self, of: Callable[[EMStep], dict[str, Array]], column: str, group: int
    ) -> list[float]:
        """The estimates of a column in a group, step by step; NaN where there is none."""
        return [of(s)[column][group] if column in of(s) else math.nan for s in self.steps]

    def _top(self, group: int) -> render.Table:
        found = [", ".join(step.top[group]) if step.top else "–" for step in self.steps]
        shown = [render.cut(words, render.WIDTH - 6) for words in found]
        header = ("step", f"features of group {group}")
        return render.Table(header, self._lines(lambda n: (shown[n],)), left=2)

    def _responsibilities(self, group: int) -> render.Table:
        """P(group | row), a line per step and a column for each of the first rows."""
        shown = min(_ROWS, len(self.rows))
        numbers = tuple(f"row {row + 1:,}" for row in self.rows[:shown])
        lines = self._lines(
            lambda n: tuple(f"{p:.3f}" for p in self.steps[n].responsibilities[:shown, group])
        )
        for column, values in self.values.items() if len(self.values) == 1 else ():
            lines.insert(0, (render.name(column), *(f"{x:.6g}" for x in values[:shown])))
        which = "the first rows" if len(self.rows) == self.n_rows else "rows of the sample"
        caption = f"P(group {group} | row) of {which}:"
        return render.Table(("step", *numbers), lines, caption=caption)

    def _lines(self, of: Callable[[int], tuple[str, ...]]) -> list[tuple[str, ...]]:
        """A line per step: the first, and the last; … stands for those between."""
        n = len(self.steps)
        if n <= _FIRST + _LAST:
            return [(str(step), *of(step)) for step in range(n)]
        first = [(str(step), *of(step)) for step in range(_FIRST)]
        last = [(str(step), *of(step)) for step in range(n - _LAST, n)]
        return [*first, ("…",) * len(first[0]), *last]


def traced(run: EMRun, starts: int, order: NDArray[np.intp], features: Features) -> EMTrace:
    """The steps of a run, which is repeated; groups come in this order."""
    em, n_steps = run.em, len(run.end.objective)
    n_rows = sum(map(len, run.begin))
    most = min(n_rows, _MOST_ROWS, max(_MOST_NUMBERS // (n_steps * len(order)), _FEWEST_ROWS))
    rows = np.unique(np.linspace(0, n_rows - 1, most).round().astype(np.intp))
    numeric = gaussians(em.product)
    is_all = len(numeric) == len(em.product.factors)
    steps: list[EMStep] = []

    def told(shares: list[Responsibilities]) -> Array:
        return _at(rows, shares) / em.whole

    def see(tally: Tally, found: list[Responsibilities], objective: float) -> None:
        classes = tally.view(em.labels)
        weights = em.product.estimate(tally, classes)
        means, deviations = dict[str, Array](), dict[str, Array]()
        for number, (likelihood, columns) in numeric.items():
            estimates = likelihood.estimates(weights[number])
            for place, column in enumerate(columns):
                means[column] = estimates.means[:, place]
                deviations[column] = estimates.deviations[:, place]
        shares = np.exp(log_prior(em.prior, classes.labels, classes.weights))
        top = () if is_all else features(em, tally)
        steps.append(EMStep(objective, shares, means, deviations, top, told(found)))

    if run.means is not None:
        first = run.means
        seen = told(first.responsibilities)
        steps.append(EMStep(first.objective, first.shares, first.means, first.deviations, (), seen))
    em.run(run.begin, 0.0, n_steps - 1, see)
    values = {
        column: _at(rows, [_numbers(batch[number]) for batch in em.batches])[:, place]
        for number, (_, columns) in numeric.items()
        for place, column in enumerate(columns)
    }
    knows = [likelihood.deviation is not None for likelihood, _ in numeric.values()]
    return EMTrace(
        tuple(step.ordered(order) for step in steps),
        rows,
        n_rows,
        values,
        run.start,
        starts,
        run.end.end,
        not (isinstance(em.prior, str) and em.prior != "uniform"),
        all(knows),
    )


def _at(rows: NDArray[np.intp], parts: list[NDArray[Any]]) -> Array:
    """Some rows of a table that comes in parts."""
    starts = np.cumsum([0, *map(len, parts)])
    ends = np.searchsorted(rows, starts)
    found = [
        part[rows[low:high] - start]
        for part, start, low, high in zip(parts, starts, ends, ends[1:], strict=False)
    ]
    return np.concatenate(found).astype(np.float64)


def _numbers(part: Any) -> Array:
    assert isinstance(part, Numbers)
    return part.values


def _column(values: Sequence[float], digits: int) -> list[str]:
    """Numbers with as many decimals as the largest has room for."""
    known = [abs(value) for value in values if math.isfinite(value)]
    whole = math.floor(math.log10(max(known, default=0.0) or 1.0)) + 1
    decimals = min(max(digits - max(whole, 1), 0), _MOST_DECIMALS)
    return [f"{value:.{decimals}f}" if math.isfinite(value) else "–" for value in values]


def _plain(value: float) -> float | None:
    """JSON has neither infinities nor NaN."""
    return float(value) if math.isfinite(value) else None


def _plain_list(values: Array) -> list[float | None]:
    return [_plain(value) for value in values]
