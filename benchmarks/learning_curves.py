"""A panel of learning curves, and what the pictures made of such panels have in common."""

from collections.abc import Sequence

from markupsafe import Markup

from likely.render import Series, svg
from likely.render.charts import drawn
from likely.render.markup import joined
from likely.render.plot.figure import Panel
from likely.render.svg import Axis, coordinate

WIDTH, HEIGHT = 250.0, 170.0
# Attributes are for a light page. On a dark one, the colors are those of dark reports.
STYLE = Markup(
    "<style>.ideal{stroke-dasharray:5 4}@media (prefers-color-scheme:dark){svg>rect{fill:#12171e}"
    "text{fill:#c9d1db}.axis{stroke:#9aa6b5}.rule{stroke:#333c48}.whisker,.ideal{stroke:#9aa6b5}"
    ".point{stroke:#12171e}.line.s0{stroke:#4da8e0}.point.s0{fill:#4da8e0}"
    ".line.s1{stroke:#f08a3c}.point.s1{fill:#f08a3c}.line.s2{stroke:#3cc49a}"
    ".point.s2{fill:#3cc49a}}</style>"
)


def rows_axis(marks: Sequence[int]) -> Axis:
    """The axis of how many rows were learned, a logarithmic one."""
    return Axis(marks[0] * 0.8, marks[-1] * 1.25, 0.0, WIDTH, True, marks)


def panel(
    title: str,
    series: Sequence[Series],
    across: Axis,
    upward: Axis,
    names: tuple[str, str],
    level: float | None = None,
    *,
    has_own_axis: bool = False,
) -> Panel:
    """Rules, a level to compare with if there is one, and the curves, the first on top.

    A picture has an upward axis on its left; a panel elsewhere may have its own.
    """

    def line(at: float, name: str, color: str) -> Markup:
        return svg.stroke(f"M0,{coordinate(at)}h{WIDTH:g}", name, color)

    parts = [line(at, "rule", "#ddd") for at, _ in upward.ticks()]
    parts.append(svg.stroke(f"M0,0V{HEIGHT:g}H{WIDTH:g}", "axis", svg.FRAME))
    if has_own_axis:
        parts += [svg.text(label, -7, at + 3.8, attributes=svg.END) for at, label in upward.ticks()]
    if level is not None:
        parts.append(line(float(upward(level)), "ideal", svg.QUIET))
    parts += [drawn(code, one, across, upward) for code, one in reversed([*enumerate(series)])]
    return Panel(title, joined(parts), across, upward, names)
