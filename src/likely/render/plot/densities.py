"""The Gaussian of each class in each column, over the values it was learned from."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike

from likely.errors import DataError
from likely.render import svg
from likely.render.markup import joined
from likely.render.plot.checks import Codes, class_codes, matrix, view
from likely.render.plot.figure import Panel, picture
from likely.render.svg import Array, Axis, path

_WIDTH, _HEIGHT = 280.0, 150.0
_BARS = 36
_CURVES = "Curve: the Gaussian of a class"
_LINES = "Line: the share of a class in each bar by the model's bins"
_CAPTION = "bars: its values. Both have area 1; very tall bars are cut."
_NARROW = "Vertical line: a Gaussian too narrow to draw."


def class_densities(
    columns: Sequence[str],
    means: ArrayLike,
    deviations: ArrayLike,
    x: ArrayLike,
    y: Iterable[Any],
    classes: Sequence[Any],
    *,
    bins: Mapping[str, tuple[Array, Array]] | None = None,
) -> str:
    """Draw the Gaussian of each class in each column over a histogram of its rows, as SVG text.

    `means` and `deviations` have a row per class and a column per column of `x`; NaN is missing.
    Columns that are named in `bins` have no Gaussian but numbers and, a row for each, their
    probabilities in the classes.

    >>> drawn = class_densities(
    ...     ["height"], [[1.7], [1.2]], [[0.1], [0.15]],
    ...     [[1.75], [1.66], [1.31], [1.08]], ["adult", "adult", "child", "child"],
    ...     classes=("adult", "child"),
    ... )
    >>> drawn[:4], drawn.count("<title>height")
    ('<svg', 1)
    """
    if not len(columns) or not len(classes):
        raise DataError("there is no column to draw" if len(classes) else "there are no classes")
    shape = (len(classes), len(columns))
    means = matrix(means, "means", shape)
    deviations = matrix(deviations, "deviations", shape)
    if (deviations < 0).any():
        raise DataError(f"a deviation is not negative, as {np.nanmin(deviations):g} is")
    x = matrix(x, "x", (None, len(columns)))
    codes = class_codes(y, classes, len(x))
    if not np.isfinite(x).any():
        raise DataError("x has no value")
    bins = bins or {}
    panels = [
        _panel(name, means[:, place], deviations[:, place], x[:, place], codes, bins.get(name))
        for place, name in enumerate(columns)
    ]
    heading = f"Class densities: {', '.join(map(str, columns))}"
    if not bins:
        caption = f"{_CURVES}; {_CAPTION} {_NARROW}"
    elif all(name in bins for name in columns):
        caption = f"{_LINES}; {_CAPTION}"
    else:
        caption = f"{_CURVES}. {_LINES}; {_CAPTION} {_NARROW}"
    return picture(heading, caption, classes, panels)


def _panel(
    name: str,
    means: Array,
    deviations: Array,
    values: Array,
    codes: Codes,
    bins: tuple[Array, Array] | None,
) -> Panel:
    """Bars first, curves over them, and each class's mark where its curve is highest."""
    across = Axis.over(_worth_seeing(means, deviations, values, codes), 0.0, _WIDTH)
    bars = {code: _bars(values[codes == code], across) for code in np.unique(codes).tolist()}
    is_wide = deviations >= across.span / 100
    is_near = (means + 4 * deviations > across.low) & (means - 4 * deviations < across.high)
    curves = {
        code: _curve(means[code], deviations[code], across)
        for code in np.flatnonzero(is_wide & is_near).tolist()
    }
    if bins is not None:
        numbers, shares = bins
        curves = {code: _bars(numbers, across, own) for code, own in enumerate(shares.T)}
    bar = max((float(points[:, 1].max()) for points in bars.values()), default=0.0)
    curve = max((float(points[:, 1].max()) for points in curves.values()), default=0.0)
    # A bar of equal values can tower over every curve; it is cut before it flattens them.
    highest = max(curve, min(bar, 2.5 * curve or bar)) or 1.0
    upward = Axis(0.0, 1.06 * highest, _HEIGHT, -_HEIGHT)
    lines = np.flatnonzero((deviations < across.span / 100) & across.holds(means)).tolist()
    for place, code in enumerate(lines):
        # Lines at the same value stay visible when each is shorter than the one before.
        top = upward.high * (0.94 - 0.7 * place / len(lines))
        curves[code] = np.array([[means[code], 0.0], [means[code], top]])

    parts, marks = [], []
    for code, points in bars.items():
        heights = np.minimum(points[:, 1], upward.high)
        d = path(np.column_stack([across(points[:, 0]), upward(heights)]))
        fill = f'fill="{svg.color(code)}" fill-opacity="0.18"'
        parts.append(Markup(f'<path class="likely-bars" d="{d}" {fill}/>'))
    parts.append(svg.stroke(f"M0,{_HEIGHT:g}h{_WIDTH:g}", "axis", svg.FRAME))
    for code, points in curves.items():
        line = np.column_stack([across(points[:, 0]), upward(points[:, 1])])
        parts.append(svg.stroke(path(line), "likely-curve", svg.color(code), 1.8))
        marks.append(svg.mark(code, *line[line[:, 1].argmin()]))
    return Panel(name, joined(parts + marks), across, upward)


def _worth_seeing(means: Array, deviations: Array, values: Array, codes: Codes) -> Array:
    """The values of the column and, of classes without any, the middle of their Gaussian."""
    kept = [view(values, codes)]
    for code in np.flatnonzero(np.isfinite(means + deviations)):
        if not np.isfinite(values[codes == code]).any():
            kept.append(means[code] + deviations[code] * np.array([-3.0, 3.0]))
    worth = np.concatenate(kept)
    return worth if worth.size else np.zeros(1)


def _bars(values: Array, across: Axis, shares: Array | None = None) -> Array:
    """The outline of a histogram of area 1; values outside the axis take their area with them.

    With `shares`, values do not count once each, but so much.
    """
    step = svg.round_step(across.span / _BARS)
    # Bars stand around round values. Decimals fall on edges, a rounding error left or right;
    # the numbers of a model are rounded to bits.
    error = 1e-9 if shares is None else 1e-3
    first, last = np.floor(np.array([across.low, across.high]) / step + 0.5).astype(np.intp)
    is_inside = across.holds(values)
    bins = np.floor(values[is_inside] / step + 0.5 + error).astype(np.intp) - first
    weights = None if shares is None else shares[is_inside]
    counts = np.bincount(np.minimum(bins, last - first), weights, minlength=last - first + 1)
    total = max(1, int(np.isfinite(values).sum())) if shares is None else 1.0
    heights = counts / (total * step)
    edges = np.clip(step * (np.arange(first, last + 2) - 0.5), across.low, across.high)
    return np.column_stack([np.repeat(edges, 2), [0.0, *np.repeat(heights, 2), 0.0]])


def _curve(mean: float, deviation: float, across: Axis) -> Array:
    """The density from four deviations below the mean to four above, as far as the axis goes."""
    low, high = max(across.low, mean - 4 * deviation), min(across.high, mean + 4 * deviation)
    x = np.linspace(low, high, 121)
    density = np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
    return np.column_stack([x, density])
