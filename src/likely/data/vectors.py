"""Columns of vectors, such as embeddings: each cell holds as many numbers as all others.

Entries are read as 32-bit floats, the width that embeddings have, so that a vector is the same
whether it comes from an array or from a file that spells its numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import plain_list

LONGEST = 1024
"""The most numbers of a vector."""

_SEVERAL = (list, tuple, np.ndarray)

# How much of a cell a message shows.
_SHOWN = 40


class WrongCellError(ValueError):
    """A cell that holds no vector, or one of another length: its row, and what is wrong."""

    def __init__(self, row: int, what: str):
        super().__init__(what)
        self.row = row


@dataclass(frozen=True)
class VectorRows:
    """A vector per row; NaN throughout where it is missing."""

    values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def length(self) -> int:
        return int(self.values.shape[1])

    def chain(
        self, links: NDArray[np.uint64], secret: bytes | None = None, threads: int = 1
    ) -> NDArray[np.uint64]:
        """Continue the hash chain of each row."""
        return _kernel.chain_numbers(self.values.astype(np.float64), links, secret, threads)


def read_vectors(
    column: Any, length: int | None, is_missing: Callable[[Any], bool], missing: list[str]
) -> VectorRows:
    """The vectors of a column, of this length or else of that of the first.

    A cell is a list or an array of numbers, or a text that spells them: `[0.1, -0.2]`, `0.1 -0.2`.
    """
    if isinstance(column, np.ndarray) and column.ndim == 2 and column.dtype.kind in "fiu":
        there = np.asarray(~np.isnan(column).all(axis=1))
        _check_length(0, column.shape[1], length or column.shape[1])
        return _placed(np.asarray(column[there], dtype=np.float64), there)
    if isinstance(column, _kernel.Texts):
        return _spelled(column, length, missing)
    cells = column if isinstance(column, (list, tuple)) else plain_list(column)
    there = np.array([not is_missing(cell) for cell in cells], dtype=np.bool_)
    rows = np.flatnonzero(there)
    if len(rows) and all(isinstance(cells[row], str) for row in rows):
        spelled = [cells[row] if there[row] else "" for row in range(len(cells))]
        return _spelled(_kernel.Texts(spelled), length, missing)
    if not len(rows):
        return _placed(np.zeros((0, length or 0)), there)
    first = cells[rows[0]]
    length = length or (len(first) if isinstance(first, _SEVERAL) else 0)
    try:
        found = np.array([cells[row] for row in rows])
        is_whole = found.ndim == 2 and found.dtype.kind in "fiu" and found.shape[1] == length
    except ValueError:
        is_whole = False
    if not is_whole:
        found = np.array([_vector(cells[row], int(row), length) for row in rows])
    _check_length(int(rows[0]), length, length)
    return _placed(found.astype(np.float64), there)


def found_vectors(
    column: Any, is_missing: Callable[[Any], bool], missing: list[str]
) -> VectorRows | None:
    """The vectors of a column that holds nothing else; None of any other column.

    Texts are vectors only in brackets, since numbers with spaces between may be words.
    """
    first = _first(column, is_missing)
    is_spelled = isinstance(first, str) and first.lstrip().startswith("[")
    if not isinstance(first, _SEVERAL) and not is_spelled:
        return None
    try:
        return read_vectors(column, None, is_missing, missing)
    except WrongCellError:
        return None


def _first(column: Any, is_missing: Callable[[Any], bool]) -> Any:
    """The first cell that is there; None if there is none, or if cells are numbers or the like."""
    if isinstance(column, np.ndarray) and column.ndim == 2:
        return column[:1]
    if getattr(getattr(column, "dtype", None), "kind", "O") not in "OUT":
        return None
    cells: Any
    if isinstance(column, _kernel.Texts):
        cells = (column.take(np.array([row]))[0] for row in np.flatnonzero(~column.empty()))
    else:
        cells = column if isinstance(column, (list, tuple)) else plain_list(column)
    return next((cell for cell in cells if not is_missing(cell)), None)


def _spelled(column: _kernel.Texts, length: int | None, missing: list[str]) -> VectorRows:
    values, lengths, wrong = _kernel.parse_vectors(column, missing)
    if wrong is not None:
        row, place = wrong
        (cell,) = column.take(np.array([row]))
        shown = repr(cell) if len(cell) <= _SHOWN else f"{cell[:_SHOWN]!r}…"
        raise WrongCellError(
            row,
            f"is {shown}, which is no vector: its part {place + 1} is no number\n"
            "hint: a vector is written [0.1, -0.2] or 0.1 -0.2",
        )
    there = lengths >= 0
    rows = np.flatnonzero(there)
    length = length or (int(lengths[rows[0]]) if len(rows) else 0)
    for row in rows[lengths[rows] != length]:
        _check_length(int(row), int(lengths[row]), length)
    if len(rows):
        _check_length(int(rows[0]), length, length)
    return _placed(values.reshape(len(rows), length), there)


def _vector(cell: Any, row: int, length: int) -> NDArray[np.float64]:
    if not isinstance(cell, _SEVERAL):
        raise WrongCellError(row, f"is {type(cell).__name__}, not a vector")
    _check_length(row, len(cell), length)
    for place, entry in enumerate(cell, 1):
        number = isinstance(entry, (int, float, np.integer, np.floating))
        if not number or isinstance(entry, bool):
            raise WrongCellError(row, f"has {entry!r} as number {place}, which is no number")
    return np.array(cell, dtype=np.float64)


def _check_length(row: int, found: int, length: int) -> None:
    if found != length:
        raise WrongCellError(
            row, f"has a vector of length {found:,}, and others of this column have {length:,}"
        )
    if not 2 <= length <= LONGEST:
        raise WrongCellError(
            row,
            f"has a vector of length {length:,}, and vectors have from 2 to {LONGEST:,} numbers",
        )


def _placed(found: NDArray[np.float64], there: NDArray[np.bool_]) -> VectorRows:
    """All rows, of which these have the vectors that were found."""
    with np.errstate(over="ignore"):
        narrow = found.astype(np.float32)
    wrong = np.argwhere(~np.isfinite(narrow))
    if len(wrong):
        at, place = wrong[0]
        shown = f"{found[at, place]:.6g}"
        raise WrongCellError(
            int(np.flatnonzero(there)[at]),
            f"has {shown} as number {place + 1}; numbers of a vector are finite\n"
            "hint: leave the row out, or give no vector there (None)",
        )
    values = np.full((len(there), found.shape[1]), np.nan, dtype=np.float32)
    values[there] = narrow
    return VectorRows(values)
