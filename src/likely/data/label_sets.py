"""Multi-label rows: lists of labels, a matrix, or cells with a separator."""

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from likely.data.labels import Label, Labels, Shares, as_known, label_bytes, labels, plain_list
from likely.errors import DataError, DataTypeError, LikelyError, OptionError

Codes = NDArray[np.intp]
Sets = tuple[NDArray[np.uint32], NDArray[np.uint32]]
"""Where the slots of each row begin, and the slots."""


class _EveryRow:
    """A pseudo-label that all rows are counted under, whatever labels they have."""

    def __repr__(self) -> str:
        return "all rows"

    def __reduce__(self) -> str:
        return "EVERY_ROW"


EVERY_ROW: Any = _EveryRow()


@dataclass(frozen=True, eq=False)
class Members:
    """Labels as they were given: row `rows[i]` has the label `values[slots[i]]`."""

    values: Sequence[Label]
    rows: Codes
    slots: Codes
    n_rows: int


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Multi-label rows, which may have no label at all.

    Every row also has the pseudo-label of all rows, so that the rows without a label are a
    difference: all rows minus those that have it.
    """

    values: tuple[Any, ...]
    """The distinct labels, and last the pseudo-label that every row has."""
    slots: Sets

    per_row: ClassVar[int] = 1

    @classmethod
    def of(cls, found: Members) -> "LabelSets":
        """A label that a row repeats counts once."""
        width = len(found.values) + 1
        every = np.arange(found.n_rows) * width + width - 1
        pairs = np.unique(np.concatenate([found.rows * width + found.slots, every]))
        rows, slots = np.divmod(pairs, width)
        starts = np.searchsorted(rows, np.arange(found.n_rows + 1))
        values = (*found.values, EVERY_ROW)
        return cls(values, (starts.astype(np.uint32), slots.astype(np.uint32)))

    @classmethod
    def single(cls, labels: Labels) -> "LabelSets":
        """Rows with one label each."""
        slots = labels.slots.astype(np.intp)
        return cls.of(Members(labels.values, np.arange(len(slots)), slots, len(slots)))

    @property
    def rows(self) -> NDArray[Any]:
        """How many rows have each label."""
        return np.bincount(self.slots[1], minlength=len(self.values))

    def as_known(self, known: Sequence[Label]) -> "LabelSets":
        """The same rows, with labels as those of a model are."""
        own = as_known(self.values[:-1], known)
        return LabelSets((*(own[label] for label in self.values[:-1]), EVERY_ROW), self.slots)

    def numbered(self, values: tuple[Any, ...], order: NDArray[np.uint32]) -> "LabelSets":
        """The same rows among other labels, where label `i` of these is number `order[i]`."""
        starts, slots = self.slots
        return LabelSets(values, (starts, order[slots]))

    @property
    def spelled(self) -> tuple[list[bytes], NDArray[np.intp]]:
        """The different sets as bytes that no other set has, and which of them each row has."""
        starts, slots = self.slots
        known: dict[bytes, int] = {}
        places = np.empty(len(self), dtype=np.intp)
        for row, (start, end) in enumerate(itertools.pairwise(starts)):
            places[row] = known.setdefault(slots[start : end - 1].tobytes(), len(known))
        spelled = [label_bytes(label) for label in self.values[:-1]]
        sets = []
        for key in known:
            members = sorted(spelled[slot] for slot in np.frombuffer(key, dtype=np.uint32))
            sets.append(b"".join(len(one).to_bytes(8, "little") + one for one in members))
        return sets, places

    @property
    def lists(self) -> list[list[Label]]:
        """The labels of each row, sorted."""
        starts, slots = self.slots
        return [
            sorted(self.values[slot] for slot in slots[start : end - 1])
            for start, end in itertools.pairwise(starts)
        ]

    def at(self, places: NDArray[np.intp]) -> "LabelSets":
        """Some of the rows."""
        starts, slots = self.slots
        kept = [slots[starts[row] : starts[row + 1]] for row in places]
        begin = np.cumsum([0, *map(len, kept)]).astype(np.uint32)
        return LabelSets(self.values, (begin, np.concatenate([slots[:0], *kept])))

    def first_row(self, slot: int) -> int:
        """The first row that has one of the labels."""
        starts, slots = self.slots
        return int(np.searchsorted(starts, (slots == slot).argmax(), side="right")) - 1

    def __len__(self) -> int:
        return len(self.slots[0]) - 1


def lengths_of(sets: Sets) -> Codes:
    """How many slots each row has."""
    starts = sets[0].astype(np.intp)
    return np.asarray(starts[1:] - starts[:-1])


RowLabels = Labels | Shares | LabelSets
"""One label per row, soft assignments, or multi-label."""


def as_given(y: Any, known: Sequence[Label] | None = None) -> Any:
    """Labels that can be read more than once: an iterator becomes a list.

    A matrix or a frame with one column is that column, one label per row, unless exactly one label
    is `known`, which rows then have or lack.
    """
    if isinstance(y, Iterator):
        return list(y)
    one_column = len(getattr(y, "shape", ())) == 2 and y.shape[1] == 1
    if not one_column or hasattr(y, "tocoo") or len(known or ()) == 1:
        return y
    if not hasattr(y, "columns"):
        return (y if isinstance(y, np.ma.MaskedArray) else np.asarray(y))[:, 0]
    import narwhals as nw

    return nw.from_native(y, eager_only=True)[:, 0].to_native()


def are_label_lists(y: Any) -> bool:
    """Whether labels are multi-label: lists of lists, or a matrix."""
    shape = getattr(y, "shape", (0,))
    if len(shape) != 1:
        return len(shape) == 2
    if not isinstance(y, Iterable) or isinstance(y, (str, bytes, dict, set, frozenset)):
        return False
    first = next(iter(y), None)
    # A masked cell is an array to NumPy, but a missing label here.
    is_list = isinstance(first, (list, tuple, set, frozenset, np.ndarray))
    return is_list and first is not np.ma.masked


def members(y: Any, known: Sequence[Label] | None = None) -> Members:
    """Lists or sets of labels, or a matrix with a 1 where a row has the label of that column."""
    if hasattr(y, "shape") and len(y.shape) == 2:
        return _of_matrix(y, known)
    return _of_lists(y)


def _of_lists(y: Any) -> Members:
    sets = plain_list(y)
    for row, found in enumerate(sets, 1):
        if isinstance(found, (str, bytes, dict)) or not isinstance(found, Iterable):
            raise DataTypeError(f"row {row} is {found!r}, not a list of labels")
    lists = list(map(list, sets))
    try:
        flat = labels([label for found in lists for label in found])
    except LikelyError:
        _blame(lists)
        raise
    rows = np.repeat(np.arange(len(lists)), [len(found) for found in lists])
    return Members(flat.values, rows, flat.slots.astype(np.intp), len(lists))


def _blame(lists: list[list[Any]]) -> None:
    """Raise the error of the first row that is invalid by itself."""
    for row, found in enumerate(lists, 1):
        try:
            labels(found)
        except LikelyError as error:
            raise error.within(f"row {row}: ") from None


def _of_matrix(y: Any, known: Sequence[Label] | None) -> Members:
    """A matrix with a column per class, 1 where a row has it; sparse ones stay sparse."""
    n_rows, n_columns = y.shape
    if hasattr(y, "columns"):
        known = _names(y, known)
    if known is not None and len(known) != n_columns:
        raise DataError(
            f"the matrix has {n_columns:,} columns, but there are {len(known):,} classes"
        )
    if hasattr(y, "tocoo"):
        there = y.tocoo()
        rows, slots, cells = there.row, there.col, there.data
    else:
        if np.ma.is_masked(y):
            row = int(np.argwhere(np.ma.getmaskarray(y))[0][0]) + 1
            raise DataError(f"row {row} is masked where a matrix of labels has 0 or 1")
        dense = np.asarray(y)
        if dense.ndim != 2 or dense.dtype.kind not in "biuf":
            raise DataTypeError(
                "labels are a list with one label per row, a list of lists, or a matrix of 0 and "
                f"1, not {type(y).__name__}"
            )
        rows, slots = np.nonzero(dense)
        cells = dense[rows, slots]
    if not np.isin(cells, (0, 1)).all():
        wrong = np.flatnonzero(~np.isin(cells, (0, 1)))[0]
        raise DataError(
            f"row {rows[wrong] + 1} has {cells[wrong]!s} where a matrix of labels has 0 or 1"
        )
    some = cells.astype(bool)
    values = range(n_columns) if known is None else known
    return Members(values, rows[some].astype(np.intp), slots[some].astype(np.intp), n_rows)


def _names(frame: Any, known: Sequence[Label] | None) -> Sequence[Label]:
    """The labels that the columns of a frame are named after; `known` labels may be added."""
    names = labels(list(frame.columns)).values
    strangers = [label for label in names if known and label not in known]
    if strangers or len(names) != frame.shape[1]:
        which = f"`{strangers[0]}` is no class" if strangers else "two have the same name"
        raise DataError(f"the columns of a frame of labels are named after these; {which}")
    return names


def label_lists(labels: Sequence[Label], said: NDArray[np.bool_]) -> list[list[Label]]:
    """The predicted labels of each row."""
    return [[labels[place] for place in np.flatnonzero(row).tolist()] for row in said]


def checked_separator(given: Any) -> str | None:
    """The separator between labels, which may not be empty."""
    if given is None or (isinstance(given, str) and given.strip("\n\r")):
        return given
    raise OptionError(f"a separator is some text, such as `;`, not {given!r}")


def cut(cell: Any, separator: str | None) -> list[Any]:
    """The labels in one cell: a list, a JSON array, or text with something between the labels."""
    if isinstance(cell, (list, tuple, set, frozenset, np.ndarray)):
        return list(cell)
    text = "" if cell is None else str(cell)
    if separator is None or text.startswith("["):
        try:
            found = json.loads(text) if text else []
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            return found
        if separator is None:
            raise DataError(f"{text[:40]!r} is no list of labels")
    return [part.strip() for part in text.split(separator) if part.strip()]
