"""Where models predict which class, over two numeric columns."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from likely.errors import DataError, OptionError
from likely.render import svg
from likely.render.markup import joined
from likely.render.plot.checks import Codes, class_codes, matrix, view
from likely.render.plot.contours import contours
from likely.render.plot.figure import Panel, picture
from likely.render.svg import Array, Axis, coordinate, path

_NODES = 181
_DOTS = 2000
_TINTS = (0.12, 0.2, 0.3)
_SURE = (0.75, 0.95)
_WITHIN = 0.95
# Ellipses may make an axis longer by this share of it, on either side.
_ROOM = 0.25


class Model(Protocol):
    """Anything that names its classes and gives rows of two numbers a probability for each."""

    @property
    def classes(self) -> Sequence[Any]: ...

    def predict_proba(self, rows: Any, /) -> NDArray[Any]: ...


class Ellipses(NamedTuple):
    """A Gaussian of two columns for each class."""

    means: Array
    covariances: Array
    """A matrix for each class, or one for all of them."""


def decision_regions(
    panels: Mapping[str, Model],
    x: ArrayLike,
    y: Iterable[Any],
    *,
    columns: Sequence[str] = ("x", "y"),
    size: int = 280,
    about: str = "",
    ellipses: Mapping[str, Ellipses] | None = None,
) -> str:
    """Draw where each model predicts each class, one panel per model, as SVG text.

    The panels share their axes and their dots: the rows of `x` in the colour and shape of their
    label in `y`. A tint says which class is predicted, a deeper one how sure the model is, and a
    line runs where the prediction changes. `size` is the side of a panel in pixels; `about` begins
    the caption. `ellipses` has, by panel, Gaussians of the classes: the ellipse of each holds 95 %.
    """
    if not panels:
        raise DataError("there is no model to draw")
    if len(columns) != 2:
        raise DataError(f"a picture has two columns, not {len(columns)}")
    if not 100 <= size <= 2000:
        raise OptionError(f"a panel is 100 to 2,000 pixels wide, not {size}")
    classes = tuple(next(iter(panels.values())).classes)
    rows = matrix(x, "x", (None, 2))
    codes = class_codes(y, classes, len(rows))
    complete = np.isfinite(rows).all(axis=1)
    rows, codes = rows[complete], codes[complete]
    if not len(rows):
        raise DataError("x has no row with both values")

    lines = {title: _lines(gaussians) for title, gaussians in (ellipses or {}).items()}
    every = [line for of_model in lines.values() for line in of_model.values()]
    points = np.concatenate([np.empty((0, 2)), *every])
    across = Axis.over(_with(points[:, 0], view(rows[:, 0], codes)), 0.0, size)
    upward = Axis.over(_with(points[:, 1], view(rows[:, 1], codes)), size, -size)
    inside = np.flatnonzero(across.holds(rows[:, 0]) & upward.holds(rows[:, 1]))
    shown = _sample(inside, codes)
    name, dots = _dots(across(rows[shown, 0]), upward(rows[shown, 1]), codes[shown])
    drawn = []
    for title, model in panels.items():
        probabilities = _probabilities(title, model, classes, across, upward)
        body = _regions(probabilities, across, upward)
        if title in lines:
            body += _ellipses(lines[title], across, upward)
        body += Markup(
            f'<use href="#{name}"/>'
            f'<rect width="{size}" height="{size}" fill="none" stroke="{svg.FRAME}"/>'
        )
        drawn.append(Panel(title, body, across, upward, columns))
    heading = f"Decision regions: {', '.join(map(str, panels))}"
    caption = f"{about} {_caption(len(rows), len(inside), len(shown))}".lstrip()
    return picture(heading, caption, classes, drawn, dots)


def _sample(inside: Codes, codes: Codes) -> Codes:
    """So many rows that the file stays small: the same share of each class, evenly spaced."""
    if len(inside) <= _DOTS:
        return inside
    kept = []
    for code in np.unique(codes[inside]):
        own = inside[codes[inside] == code]
        n_kept = -(-len(own) * _DOTS // len(inside))
        kept.append(own[np.arange(n_kept) * len(own) // n_kept])
    return np.sort(np.concatenate(kept))


def _dots(x: Array, y: Array, codes: Codes) -> tuple[str, Markup]:
    """The dots as a named group, to be drawn once and shown in every panel."""
    spots = np.column_stack([x, y, codes]).round(2)
    # A page may hold many figures, whose names must differ: the content gives the name.
    name = f"dots-{zlib.crc32(spots.tobytes()):08x}"
    scale = 0.85 if len(spots) <= 300 else 0.7 if len(spots) <= 1000 else 0.55
    shapes = joined(
        svg.mark(code, scale=scale, name=f"{name}-{code}") for code in np.unique(codes).tolist()
    )
    uses = "".join(
        f'<use href="#{name}-{int(code)}" x="{coordinate(a)}" y="{coordinate(b)}"/>'
        for a, b, code in spots.tolist()
    )
    return name, Markup(f'{shapes}<g id="{name}">{uses}</g>')


def _caption(n_rows: int, n_inside: int, n_shown: int) -> str:
    text = "Tint: the most probable class, deeper where it has 75% and 95% probability."
    if n_shown < n_inside:
        text += f" Dots: {n_shown:,} of {n_rows:,} rows, evenly chosen."
    else:
        text += f" Dots: {n_shown:,} {'row' if n_shown == 1 else 'rows'}."
    if outside := n_rows - n_inside:
        text += f" Outside the frame: {outside:,} {'row' if outside == 1 else 'rows'}."
    return text


def _probabilities(
    title: str, model: Model, classes: Sequence[Any], across: Axis, upward: Axis
) -> Array:
    """P(c | x) over the panel, one layer per class, from the bottom row up."""
    own = list(model.classes)
    if set(own) != set(classes):
        raise DataError(f"model `{title}` has other classes than the first")
    share = np.linspace(0, 1, _NODES)
    x, y = np.meshgrid(across.low + share * across.span, upward.low + share * upward.span)
    found = np.asarray(model.predict_proba(np.column_stack([x.ravel(), y.ravel()])), np.float64)
    if found.shape != (x.size, len(own)) or not np.isfinite(found).all():
        raise DataError(f"model `{title}` gives no probability for each row and class")
    return found.T.reshape(len(own), _NODES, _NODES)[[own.index(label) for label in classes]]


def _regions(probabilities: Array, across: Axis, upward: Axis) -> Markup:
    """The region of each class in its tint, and the borders between them.

    Lines are found on the log-odds, not on the probabilities: there the border of two Gaussians
    is a conic and the border of LDA straight, so that interpolation follows them faithfully.
    """
    share = np.linspace(0, 1, _NODES)
    x, y = across.start + share * across.length, upward.start + share * upward.length
    tints: list[str] = []
    borders: list[str] = []
    for code, own in enumerate(probabilities):
        others = np.delete(probabilities, code, axis=0)
        lead = _log(own) - _log(others.max(axis=0, initial=0.0))
        odds = _log(own) - _log(others.sum(axis=0))
        fields = [lead, *(odds - np.log(sure / (1 - sure)) for sure in _SURE)]
        own_tints = [
            f'<path d="{area}" fill="{svg.tint(code, strength)}" fill-rule="evenodd"/>'
            for field, strength in zip(fields, _TINTS, strict=True)
            if (area := _area(field, x, y))
        ]
        tints.append("".join(own_tints))
        # A border has two sides; the last class needs no lines of its own.
        if code < len(probabilities) - 1:
            borders.extend(path(line) for line in contours(lead, x, y))
    # Where classes tie, the first is predicted, so it is painted last.
    border = svg.stroke("".join(borders), "likely-border", svg.INK, 1.3)
    return Markup("".join(reversed(tints))) + border


def _lines(gaussians: Ellipses) -> dict[int, Array]:
    """The line of each class within which 95 % of its Gaussian lie."""
    angle = np.linspace(0, 2 * np.pi, 121)
    circle = np.sqrt(-2 * np.log(1 - _WITHIN)) * np.column_stack([np.cos(angle), np.sin(angle)])
    lines = {}
    matrices = np.broadcast_to(gaussians.covariances, (len(gaussians.means), 2, 2))
    for code, (mean, covariance) in enumerate(zip(gaussians.means, matrices, strict=True)):
        if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
            continue
        sizes, directions = np.linalg.eigh(covariance)
        line = mean + circle @ (directions * np.sqrt(np.maximum(sizes, 0.0))).T
        if np.isfinite(line).all():
            lines[code] = line
    return lines


def _with(points: Array, values: Array) -> Array:
    """The values, and points of ellipses as far as an axis may grow for them."""
    low, high = values.min(), values.max()
    room = (high - low) * _ROOM
    return np.concatenate([values, np.clip(points, low - room, high + room)])


def _ellipses(lines: Mapping[int, Array], across: Axis, upward: Axis) -> Markup:
    """The ellipses of the classes, as far as the panel goes."""
    drawn = [
        svg.stroke(
            path(np.column_stack([across(line[:, 0]), upward(line[:, 1])]), closed=True),
            "ellipse",
            svg.color(code),
            1.5,
        )
        for code, line in lines.items()
    ]
    size = f'width="{coordinate(across.length)}" height="{coordinate(abs(upward.length))}"'
    # An inner picture ends at its frame.
    return Markup("<svg {}>{}</svg>").format(Markup(size), joined(drawn))


def _log(values: Array) -> Array:
    return np.asarray(np.log(np.maximum(values, 1e-300)))


def _area(field: Array, x: Array, y: Array) -> str:
    """Where the field is not negative, as closed paths."""
    # A negative rim of no width closes every line along the frame.
    rimmed = np.pad(field, 1, constant_values=-1.0)
    lines = contours(rimmed, np.pad(x, 1, mode="edge"), np.pad(y, 1, mode="edge"))
    return "".join(path(line, closed=True) for line in lines)
