"""What charts and pictures are drawn with: axes and their ticks, lines, marks, text, legends.

Colors are attributes, so that a picture can stand alone as a file; on a page the style sheet
overrides them by class, in light and dark.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from likely.render.markup import joined

Array = NDArray[np.float64]

INK, QUIET, FRAME = "#222", "#666", "#bbb"
MIDDLE, END = Markup('text-anchor="middle"'), Markup('text-anchor="end"')

# The colors of Okabe and Ito, which color-blind readers tell apart. Their yellow is too pale for
# a line on white; a dark gray stands in. Seven colors and five shapes make 35 different marks.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_SHAPES = (
    "M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0Z",
    "M-3.6,-3.6h7.2v7.2h-7.2Z",
    "M0,-4.8L4.6,3.4H-4.6Z",
    "M0,-5L4.4,0L0,5L-4.4,0Z",
    "M0,4.8L4.6,-3.4H-4.6Z",
)
_SMALLEST = 1e-150
_TOLERANCE = 0.05
# Large numbers are labeled in these, unless that takes more digits.
_UNITS = ((1e6, "M"), (1e9, "B"), (1e12, "T"))
_MOST_PLACES = 4


@dataclass(frozen=True)
class Axis:
    """A range of values and the pixels it runs over; `length` is negative for an upward axis."""

    low: float
    high: float
    start: float
    length: float
    is_log: bool = False
    marked: Sequence[float] = ()
    """Values that get a tick, in place of round ones,"""
    labels: Sequence[str] = ()
    """and what these say, if not the values."""

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
        low, high, inner = self.low, self.high, np.asarray(values, dtype=np.float64)
        if self.is_log:
            low, high, inner = np.log(low), np.log(high), np.log(inner)
        share = (inner - low) / (high - low)
        return np.asarray(self.start + share * self.length)

    def holds(self, values: Array) -> NDArray[np.bool_]:
        return (values >= self.low) & (values <= self.high)

    @property
    def widest(self) -> float:
        """The width of its widest tick label."""
        return max((text_width(label, 11) for _, label in self.ticks()), default=0.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Where ticks are, with their labels: at round values, as many as there is room for."""
        if self.marked:
            labels = self.labels or [f"{value:,.0f}" for value in self.marked]
            return list(zip(self(self.marked).tolist(), labels, strict=True))
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
        unit, sign = next(((u, s) for u, s in _UNITS if u <= largest < 1000 * u), (1.0, ""))
        if places > _MOST_PLACES:
            unit, sign = 1.0, ""
        elif sign:
            places = _MOST_PLACES
        labels = [f"{value / unit:.{places}g}{sign if value else ''}" for value in values]
        labels = [re.sub(r"e([+-])0*", lambda e: "e" + e[1].strip("+"), text) for text in labels]
    else:
        comma = "," if largest >= 1e4 else ""
        labels = [f"{value:{comma}.{max(0, -digits)}f}" for value in values]
    return [label.replace("-", "−") for label in labels]


def axes(
    across: Axis, upward: Axis, names: Sequence[str] = (), *, left: bool = True, grid: bool = False
) -> Markup:
    """Ticks and names of two axes; the one on the `left` may have rules across the chart."""
    width, height = across.length, abs(upward.length)
    parts = []
    for at, label in across.ticks():
        parts += [stroke(f"M{coordinate(at)},{coordinate(height)}v4", "axis", FRAME)]
        parts += [text(label, at, height + 16, attributes=MIDDLE)]
    if names:
        parts += [text(shortened(names[0], width, 12), width / 2, height + 35, 12, MIDDLE)]
    if names and left:
        for at, label in upward.ticks():
            line = f"h{coordinate(width)}" if grid else "h-4"
            parts += [stroke(f"M0,{coordinate(at)}{line}", "rule" if grid else "axis", FRAME)]
            parts += [text(label, -7, at + 3.8, attributes=END)]
        turn = f"translate({coordinate(-upward.widest - 18)} {coordinate(height / 2)}) rotate(-90)"
        turned = MIDDLE + Markup(f' transform="{turn}"')
        parts += [text(shortened(names[1], height, 12), 0, 0, 12, turned)]
    return joined(parts)


def left_room(upward: Axis) -> float:
    """How much room the ticks and the name of an upward axis take."""
    return upward.widest + 32


def color(code: int) -> str:
    return _COLORS[code % len(_COLORS)]


def tint(code: int, strength: float) -> str:
    """A class's color thinned with white, as paint and not as a veil."""
    parts = (int(color(code)[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * strength):02x}" for part in parts)


def stroke(line: str, name: str, color: str, width: float = 1.0) -> Markup:
    """A line without a fill; `name` is its class."""
    return Markup(
        f'<path class="{name}" d="{line}" fill="none" stroke="{color}" '
        f'stroke-width="{coordinate(width)}" stroke-linejoin="round"/>'
    )


def mark(code: int, x: float = 0.0, y: float = 0.0, scale: float = 1.0, name: str = "") -> Markup:
    """The shape of a class or a series in its color."""
    known = f' id="{name}"' if name else ""
    return Markup(
        f'<path{known} class="point s{code}" '
        f'd="{_SHAPES[code % len(_SHAPES)]}" fill="{color(code)}" stroke="#fff" '
        f'transform="translate({coordinate(x)} {coordinate(y)}) scale({coordinate(scale)})"/>'
    )


def text(shown: object, x: float, y: float, size: int = 11, attributes: str = "") -> Markup:
    """A line of text; small print is quiet."""
    ink = QUIET if size < 12 else INK
    at = f'x="{coordinate(x)}" y="{coordinate(y)}" font-size="{size}" fill="{ink}"'
    return Markup("<text {} {}>{}</text>").format(Markup(at), attributes, str(shown))


def legend(
    names: Sequence[Any], width: float, sample: Callable[[int], Markup], sample_width: float
) -> tuple[Markup, float]:
    """Names, each behind a `sample` of how it is drawn, row by row; and how high that is."""
    room = sample_width + 6
    shown = [shortened(name, min(200.0, width - room), 12) for name in names]
    widths = [text_width(name, 12) + room + 18 for name in shown]
    # A few names stand in one line, each as wide as it needs; more stand in even columns.
    if sum(widths) > width:
        widths = [max(widths)] * len(shown)
    parts, x, y = [], 0.0, 0.0
    for code, (name, short) in enumerate(zip(names, shown, strict=True)):
        if x and x + widths[code] - 16 > width:
            x, y = 0.0, y + 22
        whole = one_line(name)
        title = Markup("<title>{}</title>").format(whole) if short != whole else ""
        at = f"translate({coordinate(x)} {coordinate(y)})"
        parts.append(
            Markup('<g transform="{}">{}{}{}</g>').format(
                at, title, sample(code), text(short, room, 12.3, 12)
            )
        )
        x += widths[code]
    return joined(parts), y + 16


def text_width(text: str, size: float) -> float:
    """About how wide text will be; the true width is known to the browser alone."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return size * (0.57 * (len(text) - wide) + wide)


def one_line(value: object) -> str:
    return " ".join(str(value).split())


def shortened(value: object, width: float, size: float) -> str:
    """The text, or as much of its beginning as fits."""
    text = one_line(value)
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def coordinate(value: float) -> str:
    """A coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def path(points: Array, *, closed: bool = False) -> str:
    """The `d` of a line through the points, without those that a straight line implies."""
    x, y = _simplified(points).T.tolist()
    pairs = [f"{coordinate(a)},{coordinate(b)}" for a, b in zip(x, y, strict=True)]
    return f"M{'L'.join(pairs[:-1] if closed else pairs)}{'Z' if closed else ''}"


def _simplified(points: Array) -> Array:
    """Douglas and Peucker: between two kept points, the farthest off their chord stays."""
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    stretches = [(0, len(points) - 1)]
    while stretches:
        first, last = stretches.pop()
        off = points[first : last + 1] - points[first]
        chord = float(np.hypot(*off[-1]))
        # A closed line has no chord; there the distance from its start counts.
        along = off[-1] / chord if chord > _TOLERANCE else None
        away = np.hypot(*off.T) if along is None else np.abs(off @ [along[1], -along[0]])
        farthest = int(away.argmax())
        if away[farthest] > _TOLERANCE:
            keep[first + farthest] = True
            stretches += [(first, first + farthest), (first + farthest, last)]
    return points[keep]
