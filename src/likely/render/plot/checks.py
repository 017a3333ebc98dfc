"""Checks of what is to be drawn: numbers within bounds, and labels that are known."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from likely.errors import DataError
from likely.render.svg import Array

Codes = NDArray[np.intp]

_LARGEST = 1e150


def matrix(values: ArrayLike, name: str, shape: tuple[int | None, int | None]) -> Array:
    """A matrix of the given shape, `None` being any; missing values are NaN."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} should be a matrix of numbers") from None
    if found.ndim != 2 or any(n not in (None, m) for n, m in zip(shape, found.shape, strict=True)):
        wanted = " × ".join("n" if size is None else str(size) for size in shape)
        sizes = " × ".join(map(str, found.shape)) or "a single number"
        raise DataError(f"{name} should be {wanted}, not {sizes}")
    # Values near the largest floating-point number have no differences left to draw.
    if (large := np.argwhere(np.abs(found) > _LARGEST)).size:
        row, column = large[0]
        value = found[row, column]
        raise DataError(
            f"row {row + 1} of {name} has {value:g} in column {column + 1}, too large to draw"
        )
    return found


def class_codes(labels: Iterable[Any], classes: Sequence[Any], n_rows: int) -> Codes:
    """The position of each row's label among the classes."""
    place = {label: code for code, label in enumerate(classes)}
    codes = []
    for label in labels.tolist() if isinstance(labels, np.ndarray) else labels:
        try:
            codes.append(place[label])
        except (KeyError, TypeError):
            raise DataError(f"label `{label}` is not among the classes") from None
    if len(codes) != n_rows:
        raise DataError(f"labels have {len(codes):,} rows but values have {n_rows:,}")
    return np.array(codes, dtype=np.intp)


def view(values: Array, codes: Codes) -> Array:
    """The values worth an axis: far outliers of a class are left out, by Tukey's outer fence."""
    kept = [np.empty(0)]
    for code in np.unique(codes):
        own = values[(codes == code) & np.isfinite(values)]
        if own.size:
            low, high = np.quantile(own, [0.25, 0.75])
            reach = 3 * (high - low) or np.inf
            kept.append(own[(own >= low - reach) & (own <= high + reach)])
    return np.concatenate(kept)
