"""A picture: panels of equal size, the legend above them and the caption below."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from likely.render import svg
from likely.render.markup import joined, writable
from likely.render.svg import Axis, coordinate

ACROSS = 3
MARGIN = 18.0
_HEAD = 26.0
_PICTURE = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
    'viewBox="0 0 {width} {height}" font-family="system-ui, Helvetica, Arial, sans-serif">'
    "<title>{title}</title><desc>{caption}</desc>"
    '<rect width="{width}" height="{height}" fill="#fff"/>{definitions}{parts}</svg>\n'
)


@dataclass(frozen=True)
class Panel:
    """One chart: its title, what it shows, its axes, and their names where they are drawn."""

    title: object
    body: Markup
    across: Axis
    upward: Axis
    names: Sequence[str] = ()

    @property
    def height(self) -> float:
        """From the title down to the name of the axis below."""
        return _HEAD + abs(self.upward.length) + (40 if self.names else 22)

    def drawn(self, x: float, y: float, *, leftmost: bool) -> Markup:
        """The panel with its chart's upper left corner at `x`, `y`."""
        title = svg.shortened(self.title, self.across.length, 13)
        return Markup('<g transform="{}"><title>{}</title>{}{}{}</g>').format(
            f"translate({coordinate(x)} {coordinate(y)})",
            svg.one_line(self.title),
            svg.text(title, 0, -9, 13, Markup('font-weight="600"')),
            self.body,
            svg.axes(self.across, self.upward, self.names, left=leftmost),
        )


def picture(
    title: str,
    caption: str,
    classes: Sequence[Any],
    panels: Sequence[Panel],
    definitions: Markup = Markup(),  # noqa: B008
    *,
    n_across: int = ACROSS,
    sample: Callable[[int], Markup] | None = None,
    sample_width: float = 16.0,
) -> str:
    """The whole picture as SVG text; `sample` shows in the legend how a class is drawn."""
    first = panels[0]
    left = MARGIN + (svg.left_room(first.upward) if first.names else 0)
    step = first.across.length + max(28, *(panel.across.widest + 8 for panel in panels))
    width = left + (min(len(panels), n_across) - 1) * step + first.across.length + MARGIN + 8
    legend, legend_height = svg.legend(classes, width - 2 * MARGIN, sample or _sample, sample_width)
    top = MARGIN + legend_height + 10
    parts = []
    for place, panel in enumerate(panels):
        row, column = divmod(place, n_across)
        y = top + _HEAD + row * (panel.height + 12)
        parts.append(panel.drawn(left + column * step, y, leftmost=not column))
    y = top + -(-len(panels) // n_across) * (first.height + 12) + 10
    head = Markup('<g transform="translate({0} {0})">{1}</g>').format(coordinate(MARGIN), legend)
    return sheet(title, caption, width, y, [head, *parts], definitions)


def sheet(
    title: str,
    caption: str,
    width: float,
    y: float,
    parts: Sequence[Markup],
    definitions: Markup = Markup(),  # noqa: B008
) -> str:
    """A picture as a file: what is drawn, and from `y` on the caption."""
    lines = []
    for line in textwrap.wrap(caption, int((width - 2 * MARGIN) / (11 * 0.54))):
        lines.append(svg.text(line, MARGIN, y))
        y += 15
    return writable(
        _PICTURE.format(
            width=coordinate(width),
            height=coordinate(y - 15 + MARGIN),
            title=title,
            caption=caption,
            definitions=Markup("<defs>{}</defs>").format(definitions) if definitions else "",
            parts=joined([*parts, *lines]),
        )
    )


def _sample(code: int) -> Markup:
    """The tint and the mark of a class."""
    tint = f'<rect width="16" height="16" rx="3" fill="{svg.tint(code, 0.25)}"/>'
    return Markup(tint) + svg.mark(code, 8, 8)
