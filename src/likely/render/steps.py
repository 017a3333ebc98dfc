"""Charts of what the values of a column say: steps along a number line, or a line per category."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from markupsafe import Markup

from likely.likelihoods.steps import spelled_number
from likely.render import svg
from likely.render.blocks import Table
from likely.render.charts import sample
from likely.render.formatting import count
from likely.render.markup import joined, sentence
from likely.render.plot.figure import MARGIN, sheet
from likely.render.svg import Array, Axis, coordinate

_WIDTH, _HEIGHT, _TOP, _BELOW, _RIGHT = 420.0, 220.0, 14.0, 44.0, 28.0
# The bars of rows take up this share of a chart, below all lines.
_FOOT = 0.14
# A chart in which nothing is said has this height to both sides of zero.
_FLAT = 0.05
# The step of missing cells stands apart.
_APART, _MISSING = 16.0, 34.0
# Steps narrower than this, in pixels, cannot be seen.
_NARROW = 4.0
# More intervals than this, of several curves, would hide these.
_MOST_LINES = 36
# A category has a line of this height; names and rows stand beside it.
_LINE, _NAMES, _ROWS = 22.0, 150.0, 58.0
_LISTED = 500.0
_FIGURE = Markup(
    '<figure class="plot"><figcaption>{caption}</figcaption>'
    '<svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">{drawn}</svg>{note}'
    "<details><summary>Show the numbers</summary>{table}</details></figure>"
)


@dataclass(frozen=True)
class ChartStep:
    """A step: its name, its rows, and of each curve its height with an interval.

    `ends` are the first and last number; None for a category, or for missing cells.
    """

    name: str
    rows: float
    heights: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class StepChart:
    """Steps of a column, a curve for each of some classes, and the numbers behind them.

    A column whose steps have ends is drawn along a number line, with missing cells beside it; any
    other with a line per category.
    """

    title: str
    across: str
    upward: str
    curves: Sequence[str]
    steps: Sequence[ChartStep]
    table: Table
    note: str = ""

    def text(self) -> str:
        return "\n\n".join(filter(None, [self.title, self.table.text(), self.note]))

    def html(self) -> Markup:
        drawn, width, height = self._drawn()
        return _FIGURE.format(
            caption=sentence(self.title),
            width=coordinate(width),
            height=coordinate(height),
            label=f"{self.title.replace('`', '')}: {', '.join(self.curves)}",
            drawn=drawn,
            note=Markup("<p><small>{}</small></p>").format(sentence(self.note))
            if self.note
            else "",
            table=self.table.html(),
        )

    def svg(self) -> str:
        """The chart as a file of its own."""
        drawn, width, height = self._drawn()
        title = svg.shortened(self.title.replace("`", ""), width, 14)
        head = svg.text(title, MARGIN, MARGIN + 14, 14, Markup('font-weight="600"'))
        at = f"translate({coordinate(MARGIN)} {coordinate(MARGIN + 26)})"
        body = Markup('<g transform="{}">{}</g>').format(at, drawn)
        bars = "" if self._is_listed else " Gray bars: training rows."
        drawn_as = "Bands" if not self._is_listed and len(self.curves) == 1 else "Thin lines"
        note = f" {self.note.replace('`', '')}." if self.note else ""
        intervals = f"{drawn_as}: 95 % intervals." if self._has_intervals else ""
        caption = f"{intervals}{bars}{note}".strip()
        return sheet(
            self.title.replace("`", ""),
            caption,
            width + 2 * MARGIN,
            height + MARGIN + 40,
            [head, body],
        )

    @property
    def _has_intervals(self) -> bool:
        """Whether there is room for them."""
        n_lines = len(self.curves) * len(self.steps)
        return self._is_listed or len(self.curves) == 1 or n_lines <= _MOST_LINES

    @cached_property
    def _is_listed(self) -> bool:
        return all(step.ends is None for step in self.steps)

    def _drawn(self) -> tuple[Markup, float, float]:
        """The chart with its legend, how wide it is and how high."""
        body, left, width, height = self._listed() if self._is_listed else self._along()
        if len(self.curves) < 2:
            return _moved(body, left, _TOP), width, _TOP + height
        legend, taken = svg.legend(self.curves, width - left, sample, 34)
        top = _TOP + taken + 8
        return _moved(legend, left, 2) + _moved(body, left, top), width, top + height

    def _range(self) -> tuple[float, float]:
        """From the lowest to the highest: all heights, zero, and of intervals the nearer part."""
        heights = _array([step.heights for step in self.steps])
        ends = heights
        if self._has_intervals:
            ends = _array([[*step.low, *step.high] for step in self.steps])
        low, high = min(float(heights.min()), 0.0), max(float(heights.max()), 0.0)
        reach = max(0.5 * (high - low), 0.1)
        low, high = max(float(ends.min()), low - reach), min(float(ends.max()), high + reach)
        return min(low, -_FLAT), max(high, _FLAT)

    # Along a number line

    def _along(self) -> tuple[Markup, float, float, float]:
        inner = [step for step in self.steps if step.ends is not None]
        missing = [step for step in self.steps if step.ends is None]
        across, edges = _number_line([step.ends for step in inner if step.ends is not None])
        low, high = self._range()
        foot = _FOOT * (high - low) / (1 - _FOOT)
        upward = Axis(low - foot, high + 0.04 * (high - low), _HEIGHT, -_HEIGHT)
        parts = [svg.axes(across, upward, (self._name(across), self.upward), grid=True)]
        spots = list(pairwise(edges))
        extra = 0.0
        if missing:
            extra = _APART + _MISSING
            spots.append((_WIDTH + _APART, _WIDTH + extra))
            middle = _WIDTH + _APART + _MISSING / 2
            parts.append(svg.text("missing", middle, _HEIGHT + 16, attributes=svg.MIDDLE))
        most = max(step.rows for step in self.steps) or 1.0
        tall = _HEIGHT * _FOOT * 0.8
        parts += [
            _box(left, right, _HEIGHT, _HEIGHT - tall * step.rows / most, "rows", "#999", 0.35)
            for (left, right), step in zip(spots, [*inner, *missing], strict=True)
        ]
        zero = coordinate(float(upward(0.0)))
        parts.append(svg.stroke(f"M0,{zero}H{coordinate(_WIDTH + extra)}", "axis", svg.QUIET))
        for code in range(len(self.curves) if self._has_intervals else 0):
            parts += _intervals(code, len(self.curves), [*inner, *missing], spots, upward)
        for code in reversed(range(len(self.curves))):
            lines = [_steps(code, inner, spots[: len(inner)], upward)]
            lines += [_steps(code, missing, spots[len(inner) :], upward)] if missing else []
            parts.append(svg.stroke("".join(lines), f"line s{code}", svg.color(code), 2.0))
        left = svg.left_room(upward)
        return joined(parts), left, left + _WIDTH + extra + _RIGHT, _HEIGHT + _BELOW

    def _name(self, across: Axis) -> str:
        return f"{self.across} (steps of equal width)" if across.labels else self.across

    # A line per category

    def _listed(self) -> tuple[Markup, float, float, float]:
        low, high = self._range()
        pad = 0.04 * (high - low)
        names = [step.name for step in self.steps]
        left = min(max(svg.text_width(name, 12) for name in names) + 12, _NAMES)
        end = _LISTED - left - _RIGHT
        width = end - _ROWS
        height = _LINE * len(self.steps)
        across = Axis(low - pad, high + pad, 0.0, width)
        nowhere = Axis(0.0, 1.0, height, -height)
        parts = [svg.axes(across, nowhere, (self.upward,), left=False)]
        zero = coordinate(float(across(0.0)))
        parts.append(svg.text("rows", end, -4, attributes=svg.END))
        for place, step in enumerate(self.steps):
            middle = _LINE * (place + 0.5)
            parts.append(svg.stroke(f"M0,{coordinate(middle)}H{coordinate(width)}", "rule", "#ddd"))
            short = svg.shortened(step.name, left - 11, 12)
            title = Markup("<title>{}</title>").format(svg.one_line(step.name))
            label = svg.text(short, -8, middle + 4, 12, svg.END)
            parts.append(Markup("<g>{}{}</g>").format(title, label))
            rows = count(round(step.rows)) if step.rows >= 1 else ""
            parts.append(svg.text(rows, end, middle + 4, attributes=svg.END))
            parts += _marks(step, across, middle)
        parts.insert(1, svg.stroke(f"M{zero},0V{coordinate(height)}", "axis", svg.QUIET))
        return joined(parts), left, _LISTED, height + _BELOW


def _array(lines: Sequence[Sequence[float]]) -> Array:
    """The numbers that can be drawn; at least one."""
    found = np.array(lines, dtype=np.float64).ravel()
    return np.append(found[np.isfinite(found)], 0.0)


def _moved(drawn: Markup, x: float, y: float) -> Markup:
    return Markup('<g transform="translate({} {})">{}</g>').format(
        coordinate(x), coordinate(y), drawn
    )


def _number_line(ends: Sequence[tuple[float, float]]) -> tuple[Axis, list[float]]:
    """The axis of a column and, in pixels, where its steps meet.

    Where most steps would be too narrow to be seen, all are of equal width.
    """
    first, last = (np.array(side) for side in zip(*ends, strict=True))
    meets = np.concatenate([first[:1], (last[:-1] + first[1:]) / 2, last[-1:]])
    if meets[-1] > meets[0]:
        across = Axis(float(meets[0]), float(meets[-1]), 0.0, _WIDTH)
        places = across(meets)
        if np.median(np.diff(places)) >= _NARROW:
            return across, places.tolist()
    n = len(ends)
    labels = _told_apart(first.tolist())
    room = max(svg.text_width(label, 11) for label in labels) + 10
    every = max(1, -(-int(room) * n // int(_WIDTH)))
    across = Axis(
        0.0, float(n), 0.0, _WIDTH, marked=tuple(range(0, n, every)), labels=tuple(labels[::every])
    )
    return across, across(np.arange(n + 1)).tolist()


def _told_apart(values: list[float]) -> list[str]:
    """Numbers with as many digits as tell them apart."""
    for digits in range(3, 9):
        labels = [spelled_number(value, digits) for value in values]
        if len(set(labels)) == len(set(values)):
            break
    return labels


def _steps(
    code: int, steps: Sequence[ChartStep], spots: Sequence[tuple[float, float]], upward: Axis
) -> str:
    """The `d` of a curve: level over each step, upright between them."""
    line = ""
    for (left, right), step in zip(spots, steps, strict=True):
        y = coordinate(_drawable(step.heights[code], upward))
        line += f"V{y}" if line else f"M{coordinate(left)},{y}"
        line += f"H{coordinate(right)}"
    return line


def _intervals(
    code: int,
    n_curves: int,
    steps: Sequence[ChartStep],
    spots: Sequence[tuple[float, float]],
    upward: Axis,
) -> list[Markup]:
    """The intervals of a curve: bands, or lines, since bands of several curves hide each other."""
    parts = []
    for (left, right), step in zip(spots, steps, strict=True):
        low, high = (_drawable(end[code], upward) for end in (step.low, step.high))
        if n_curves == 1:
            parts.append(_box(left, right, low, high, f"band s{code}", svg.color(code), 0.16))
            continue
        x = left + (right - left) * (code + 1) / (n_curves + 1)
        line = f"M{coordinate(x)},{coordinate(low)}V{coordinate(high)}"
        parts.append(svg.stroke(line, f"line thin s{code}", svg.color(code)))
    return parts


def _marks(step: ChartStep, across: Axis, y: float) -> list[Markup]:
    """A category's bar and its whisker; of several curves, a mark each."""
    parts = []
    alone = len(step.heights) == 1
    for code, height in enumerate(step.heights):
        # Marks of several curves lie a little apart.
        at = y if alone else y + 3 * (code - (len(step.heights) - 1) / 2)
        x = _drawable(height, across)
        if alone:
            zero, side = float(across(0.0)), "for" if height >= 0 else "against"
            color = svg.color(0 if height >= 0 else 1)
            parts.append(_box(min(zero, x), max(zero, x), at + 5, at - 5, side, color, 0.85))
        low, high = (_drawable(end, across) for end in (step.low[code], step.high[code]))
        whisker = f"M{coordinate(low)},{coordinate(at)}H{coordinate(high)}"
        name = "whisker" if alone else f"line thin s{code}"
        parts.append(svg.stroke(whisker, name, svg.INK if alone else svg.color(code), 1.3))
        if not alone:
            parts.append(svg.mark(code, x, at))
    return parts


def _drawable(value: float, axis: Axis) -> float:
    """Where a value is, or the end of the axis that it lies beyond."""
    inner = 0.0 if np.isnan(value) else min(max(value, axis.low), axis.high)
    return float(axis(inner))


def _box(
    left: float, right: float, low: float, high: float, name: str, color: str, opacity: float
) -> Markup:
    return Markup(
        f'<rect class="{name}" x="{coordinate(left)}" y="{coordinate(min(low, high))}" '
        f'width="{coordinate(right - left)}" height="{coordinate(abs(low - high))}" '
        f'fill="{color}" fill-opacity="{opacity}"/>'
    )
