"""Line charts, each with the table of its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from likely.render import svg
from likely.render.blocks import Table
from likely.render.markup import joined, sentence
from likely.render.svg import Axis, coordinate

_SMALL, _LARGE = 0.5, 1.8
_MOST_TICKS = 6
_WIDTH, _HEIGHT, _TOP, _BELOW, _RIGHT = 420.0, 240.0, 14.0, 44.0, 28.0
_CHART = Markup(
    '<figure class="plot"><figcaption>{caption}</figcaption>'
    '<svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
    '{legend}<g transform="translate({left} {top})">{drawn}</g></svg>'
    "<details><summary>Show the numbers</summary>{table}</details></figure>"
)


@dataclass(frozen=True)
class Series:
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
class LineChart:
    """Series over two axes, from 0 to 1 by default, and the numbers behind them.

    `across` and `upward` name the axes.
    """

    title: str
    across: str
    upward: str
    series: Sequence[Series]
    table: Table
    x_range: tuple[float, float] = (0.0, 1.0)
    y_range: tuple[float, float] = (0.0, 1.0)
    diagonal: bool = False
    log_x: bool = False

    def text(self) -> str:
        return f"{self.title}\n\n{self.table.text()}"

    def html(self) -> Markup:
        across = Axis(*self.x_range, 0.0, _WIDTH, self.log_x, self._marked())
        upward = Axis(*self.y_range, _HEIGHT, -_HEIGHT)
        left, names = svg.left_room(upward), [one.name for one in self.series]
        legend, top = Markup(), _TOP
        if len(names) > 1:
            legend, height = svg.legend(names, _WIDTH, sample, 34)
            legend = Markup('<g transform="translate({} 2)">{}</g>').format(left, legend)
            top += height
        parts = [svg.axes(across, upward, (self.across, self.upward), grid=True)]
        if self.diagonal:
            line = f"M0,{_HEIGHT:g}L{_WIDTH:g},0"
            parts.append(svg.stroke(line, "ideal", svg.QUIET))
        parts.append(svg.stroke(f"M0,0V{_HEIGHT:g}H{_WIDTH:g}", "axis", svg.FRAME))
        # The first series lies on top.
        parts += [drawn(k, one, across, upward) for k, one in reversed([*enumerate(self.series)])]
        return _CHART.format(
            caption=sentence(self.title),
            width=coordinate(left + _WIDTH + _RIGHT),
            height=coordinate(top + _HEIGHT + _BELOW),
            label=f"{self.title}: {', '.join(names)}",
            legend=legend,
            left=coordinate(left),
            top=coordinate(top),
            drawn=joined(parts),
            table=self.table.html(),
        )

    def _marked(self) -> list[float]:
        """On a logarithmic axis, the values of points; there is room for some of them."""
        if not self.log_x:
            return []
        values = sorted({value for one in self.series for value in one.x}, reverse=True)
        return values[:: -(-len(values) // _MOST_TICKS)]


def drawn(code: int, series: Series, across: Axis, upward: Axis) -> Markup:
    """The line of a series, its marks, and its intervals behind them."""
    points = np.column_stack([across(series.x), upward(series.y)])
    ends = (upward(series.low).tolist(), upward(series.high).tolist())
    whiskers = "".join(
        f"M{coordinate(x)},{coordinate(low)}V{coordinate(high)}"
        for (x, _), low, high in zip(points, *ends, strict=False)
    )
    sizes = series.sizes or [(1 - _SMALL) / (_LARGE - _SMALL)] * len(points)
    return joined(
        [
            svg.stroke(whiskers, "whisker", svg.INK) if whiskers else "",
            svg.stroke(svg.path(points), f"line s{code}", svg.color(code), 2.0),
            *(
                svg.mark(code, x, y, _SMALL + (_LARGE - _SMALL) * size)
                for (x, y), size in zip(points, sizes, strict=True)
            ),
        ]
    )


def sample(code: int) -> Markup:
    """A piece of the line of a series, and its mark."""
    return svg.stroke("M1,8H33", f"line s{code}", svg.color(code), 2.0) + svg.mark(code, 17, 8)
