"""Line charts, each with the table of its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likely.render.blocks import Table
from likely.render.markup import escaped, sentence

if TYPE_CHECKING:
    from likely.render.plot.figure import Axis

# Lines differ in colour, in dashes and in the shape of their points.
_SHAPES = (
    "M-3.5,0a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0 -7,0Z",
    "M-3.2,-3.2h6.4v6.4h-6.4Z",
    "M0,-4.4L4.2,3.2H-4.2Z",
)
_SMALL, _LARGE = 0.5, 1.8
_MOST_NAMED = 6
_WIDTH, _HEIGHT, _LEFT, _TOP, _BELOW, _RIGHT = 420.0, 240.0, 52.0, 12.0, 44.0, 28.0


@dataclass(frozen=True)
class Line:
    """Points from left to right, with an interval each if there are any.

    `sizes`, from 0 to 1, make some points larger than others.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    sizes: Sequence[float] = ()


@dataclass(frozen=True)
class Plot:
    """Lines over two axes, from 0 to 1 unless something else is said, and the numbers behind them.

    `across` and `upward` name the axes; across one that is `doubling`, each doubling is as wide.
    """

    title: str
    across: str
    upward: str
    lines: Sequence[Line]
    table: Table
    x_range: tuple[float, float] = (0.0, 1.0)
    y_range: tuple[float, float] = (0.0, 1.0)
    diagonal: bool = False
    doubling: bool = False

    def text(self) -> str:
        return f"{self.title}\n\n{self.table.text()}"

    def html(self) -> str:
        key = ""
        if len(self.lines) > 1:
            marks = "".join(
                f'<span><svg viewBox="0 0 34 12" aria-hidden="true"><path class="line s{place}" '
                f'd="M1,6H33"/><path class="point s{place}" transform="translate(17 6)" '
                f'd="{_SHAPES[place]}"/></svg>{escaped(line.name)}</span>'
                for place, line in enumerate(self.lines)
            )
            key = f'<div class="key">{marks}</div>'
        return (
            f'<figure class="plot"><figcaption>{sentence(self.title)}</figcaption>{key}'
            f"{self._drawn()}<details><summary>The numbers</summary>{self.table.html()}</details>"
            "</figure>"
        )

    def _drawn(self) -> str:
        from likely.render.plot.figure import Axis

        width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BELOW
        bottom, right = _TOP + _HEIGHT, _LEFT + _WIDTH
        low, high = map(np.log2, self.x_range) if self.doubling else self.x_range
        across, upward = Axis(low, high, _LEFT, _WIDTH), Axis(*self.y_range, bottom, -_HEIGHT)
        parts = []
        for y, shown in upward.ticks():
            parts.append(f'<path class="rule" d="M{_LEFT:g},{y:.1f}H{right:g}"/>')
            parts.append(f'<text x="{_LEFT - 7:g}" y="{y + 4:.1f}" class="end">{shown}</text>')
        for x, shown in self._doublings(across) if self.doubling else across.ticks():
            parts.append(f'<path class="axis" d="M{x:.1f},{bottom:g}v4"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 17:g}" class="middle">{shown}</text>')
        if self.diagonal:
            parts.append(f'<path class="ideal" d="M{_LEFT:g},{bottom:g}L{right:g},{_TOP:g}"/>')
        parts.append(f'<path class="axis" d="M{_LEFT:g},{_TOP:g}V{bottom:g}H{right:g}"/>')
        for place, line in enumerate(self.lines):
            x = across(np.log2(line.x) if self.doubling else line.x).tolist()
            y, low, high = (upward(values).tolist() for values in (line.y, line.low, line.high))
            parts.append(_line(place, list(zip(x, y, strict=True)), low, high, line.sizes))
        parts.append(
            f'<text x="{_LEFT + _WIDTH / 2:g}" y="{height - 6:g}" class="middle">'
            f"{escaped(self.across)}</text>"
            f'<text transform="translate(12 {_TOP + _HEIGHT / 2:g}) rotate(-90)" class="middle">'
            f"{escaped(self.upward)}</text>"
        )
        return (
            f'<svg viewBox="0 0 {width:g} {height:g}" role="img" '
            f'aria-label="{escaped(self.title)}">{"".join(parts)}</svg>'
        )

    def _doublings(self, across: "Axis") -> list[tuple[float, str]]:
        """The places of points; numbers of rows take room, so that only some can be named."""
        values = sorted({value for line in self.lines for value in line.x}, reverse=True)
        named = values[:: -(-len(values) // _MOST_NAMED)]
        return [(float(across(np.log2(value))), f"{value:,.0f}") for value in named]


def _line(
    place: int,
    points: list[tuple[float, float]],
    low: list[float],
    high: list[float],
    sizes: Sequence[float],
) -> str:
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    intervals = "".join(
        f'<path class="whisker" d="M{x:.1f},{one:.1f}V{other:.1f}"/>'
        for (x, _), one, other in zip(points, low, high, strict=False)
    )
    scales = [_SMALL + (_LARGE - _SMALL) * size for size in sizes] or [1.0] * len(points)
    marks = "".join(
        f'<path class="point s{place}" transform="translate({x:.1f} {y:.1f}) scale({scale:.2f})" '
        f'd="{_SHAPES[place]}"/>'
        for (x, y), scale in zip(points, scales, strict=True)
    )
    return f'{intervals}<path class="line s{place}" d="M{path}"/>{marks}'
