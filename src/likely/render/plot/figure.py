"""What every figure is made of: axes, marks, text, and the page around them."""

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from likely.render.markup import escaped
from likely.render.plot.lines import Array, number

INK, QUIET, FRAME = "#222", "#666", "#bbb"
ACROSS = 3
MARGIN = 18.0

# The colours of Okabe and Ito, which colour-blind readers tell apart. Their yellow is too pale for
# a line on white; a dark grey stands in. Seven colours and five shapes make 35 different marks.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_SHAPES = (
    "M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0Z",
    "M-3.6,-3.6h7.2v7.2h-7.2Z",
    "M0,-4.8L4.6,3.4H-4.6Z",
    "M0,-5L4.4,0L0,5L-4.4,0Z",
    "M0,4.8L4.6,-3.4H-4.6Z",
)
_SMALLEST = 1e-150
_HEAD = 26.0
_MIDDLE = 'text-anchor="middle"'


@dataclass(frozen=True)
class Axis:
    """A range of values and the pixels it runs over; `length` is negative for an upward axis."""

    low: float
    high: float
    start: float
    length: float

    @classmethod
    def over(cls, values: Array, start: float, length: float) -> "Axis":
        """An axis a little longer than the values; one value alone sits in the middle."""
        low, high = float(values.min()), float(values.max())
        largest = max(abs(low), abs(high))
        if high - low > max(1e-12 * largest, _SMALLEST):
            pad = 0.05 * (high - low)
        else:
            pad = 0.1 * largest if largest > _SMALLEST else 0.5
        return cls(low - pad, high + pad, start, length)

    @property
    def span(self) -> float:
        return self.high - self.low

    def __call__(self, values: ArrayLike) -> Array:
        """Where values are, in pixels."""
        share = (np.asarray(values, dtype=np.float64) - self.low) / self.span
        return np.asarray(self.start + share * self.length)

    def holds(self, values: Array) -> NDArray[np.bool_]:
        return (values >= self.low) & (values <= self.high)

    def ticks(self) -> list[tuple[float, str]]:
        """Round values with their labels, as many as there is room for."""
        for most in (6, 5, 4, 3):
            step = round_step(self.span / most)
            first, last = np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9)
            values = np.arange(first, last + 1) * step + 0.0
            labels = _tick_labels(values, step)
            taken = sum(text_width(label, 11) + 14 for label in labels)
            if self.length < 0 or taken <= self.length:
                break
        return list(zip(self(values).tolist(), labels, strict=True))


def round_step(rough: float) -> float:
    """The first of 1, 2, 5, 10, 20, … (or 0.1, 0.2, …) that is not below `rough`."""
    magnitude = 10.0 ** np.floor(np.log10(rough))
    return float(next(m * magnitude for m in (1, 2, 5, 10) if m * magnitude >= rough * (1 - 1e-9)))


def _tick_labels(values: Array, step: float) -> list[str]:
    digits = int(np.floor(np.log10(step) + 1e-9))
    largest = float(np.abs(values).max(initial=0))
    if largest >= 1e6 or step < 1e-4:
        places = int(np.floor(np.log10(largest or step))) - digits + 1
        labels = [f"{value:.{places}g}" for value in values]
        labels = [re.sub(r"e([+-])0*", lambda e: "e" + e[1].strip("+"), text) for text in labels]
    else:
        comma = "," if largest >= 1e4 else ""
        labels = [f"{value:{comma}.{max(0, -digits)}f}" for value in values]
    return [label.replace("-", "−") for label in labels]


def colour(code: int) -> str:
    return _COLOURS[code % len(_COLOURS)]


def tint(code: int, strength: float) -> str:
    """A class's colour thinned with white, as paint and not as a veil."""
    parts = (int(colour(code)[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * strength):02x}" for part in parts)


def mark(code: int, attributes: str) -> str:
    """A class's own shape in its own colour."""
    shape = _SHAPES[code % len(_SHAPES)]
    return f'<path d="{shape}" fill="{colour(code)}" stroke="#fff" {attributes}/>'


def text_width(text: str, size: float) -> float:
    """About how wide text will be; the true width is known to the browser alone."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return size * (0.57 * (len(text) - wide) + wide)


def shortened(value: object, width: float, size: float) -> str:
    """The text, or as much of its beginning as fits."""
    text = " ".join(str(value).split())
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def words(text: object, x: float, y: float, size: int = 11, more: str = "") -> str:
    """A line of text; small print is quiet."""
    ink = QUIET if size < 12 else INK
    at = f'x="{number(x)}" y="{number(y)}" font-size="{size}" fill="{ink}"'
    return f"<text {at}{more and ' ' + more}>{escaped(text)}</text>"


def legend(classes: Sequence[Any], width: float) -> tuple[str, float]:
    """The classes' marks and names, row by row, and how high that is."""
    names = [shortened(label, min(200.0, width - 24), 12) for label in classes]
    widths = [text_width(name, 12) + 40 for name in names]
    # A few classes stand in one line, each as wide as it needs; more stand in even columns.
    if sum(widths) > width:
        widths = [max(widths)] * len(names)
    parts, x, y = [], 0.0, 0.0
    for code, (label, name) in enumerate(zip(classes, names, strict=True)):
        if x and x + widths[code] - 16 > width:
            x, y = 0.0, y + 22
        at = f'transform="translate({number(x + 8)} {number(y + 8)})"'
        parts.append(
            f"<g><title>{escaped(label)}</title>"
            f'<rect x="{number(x)}" y="{number(y)}" width="16" height="16" rx="3" '
            f'fill="{tint(code, 0.25)}"/>{mark(code, at)}'
            f"{words(name, x + 22, y + 12.3, 12)}</g>"
        )
        x += widths[code]
    return "".join(parts), y + 16


@dataclass(frozen=True)
class Panel:
    """One chart: its title, what it shows, its axes, and their names where they are drawn."""

    title: object
    body: str
    across: Axis
    upward: Axis
    names: Sequence[str] = ()

    @property
    def height(self) -> float:
        """From the title down to the name of the axis below."""
        return _HEAD + abs(self.upward.length) + (40 if self.names else 22)

    def drawn(self, x: float, y: float, *, leftmost: bool) -> str:
        """The panel with its chart's upper left corner at `x`, `y`."""
        width, height = self.across.length, abs(self.upward.length)
        parts = [
            f'<g transform="translate({number(x)} {number(y)})">',
            f"<title>{escaped(self.title)}</title>",
            words(shortened(self.title, width, 13), 0, -9, 13, 'font-weight="600"'),
            self.body,
        ]
        for at, label in self.across.ticks():
            parts.append(f'<path d="M{number(at)},{number(height)}v4" stroke="{FRAME}"/>')
            parts.append(words(label, at, height + 16, more=_MIDDLE))
        if self.names:
            name = shortened(self.names[0], width, 12)
            parts.append(words(name, width / 2, height + 35, 12, _MIDDLE))
        if self.names and leftmost:
            for at, label in self.upward.ticks():
                parts.append(f'<path d="M0,{number(at)}h-4" stroke="{FRAME}"/>')
                parts.append(words(label, -7, at + 3.8, more='text-anchor="end"'))
            away = number(-_widest(self.upward) - 18)
            turn = f'{_MIDDLE} transform="translate({away} {number(height / 2)}) rotate(-90)"'
            parts.append(words(shortened(self.names[1], height, 12), 0, 0, 12, turn))
        return "".join(parts) + "</g>"


def _widest(axis: Axis) -> float:
    return max((text_width(label, 11) for _, label in axis.ticks()), default=0.0)


def page(
    title: str, caption: str, classes: Sequence[Any], panels: Sequence[Panel], definitions: str = ""
) -> str:
    """The whole picture: legend above, panels in the middle, caption below."""
    left = MARGIN + (_widest(panels[0].upward) + 32 if panels[0].names else 0)
    step = panels[0].across.length + max(28, *(_widest(p.across) + 8 for p in panels))
    n_across = min(len(panels), ACROSS)
    width = left + (n_across - 1) * step + panels[0].across.length + MARGIN + 8
    key, key_height = legend(classes, width - 2 * MARGIN)
    top = MARGIN + key_height + 10
    parts = [f"<defs>{definitions}</defs>"] if definitions else []
    for place, panel in enumerate(panels):
        row, column = divmod(place, ACROSS)
        y = top + _HEAD + row * (panel.height + 12)
        parts.append(panel.drawn(left + column * step, y, leftmost=not column))
    n_down = -(-len(panels) // ACROSS)
    y = top + n_down * (panels[0].height + 12) + 10
    for line in textwrap.wrap(caption, int((width - 2 * MARGIN) / (11 * 0.54))):
        parts.append(words(line, MARGIN, y))
        y += 15
    w, h, corner = number(width), number(y - 15 + MARGIN), number(MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{w}" height="{h}" '
        f'viewBox="0 0 {w} {h}" font-family="system-ui, Helvetica, Arial, sans-serif">'
        f"<title>{escaped(title)}</title><desc>{escaped(caption)}</desc>"
        f'<rect width="{w}" height="{h}" fill="#fff"/>'
        f'<g transform="translate({corner} {corner})">{key}</g>{"".join(parts)}</svg>\n'
    )
