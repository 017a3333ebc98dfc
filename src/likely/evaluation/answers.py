"""What was true and what was said: one label per row, or any number of them, read and checked."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.errors import DataError, DataTypeError, LikelyError, OptionError
from likely.labels import Label, labels, one_kind, plain_label, plain_list

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Column:
    """An answer per row: the different ones, each some classes, and which of them a row has.

    Answer `a` is the classes `members[starts[a] : starts[a + 1]]`. The answers are sorted, so that
    the order of the rows does not matter.
    """

    codes: Codes
    starts: Codes
    members: Codes

    def pairs(self, answers: Codes) -> tuple[Codes, Codes]:
        """For a list of answers, which places of it hold which classes, place by place."""
        sizes = np.diff(self.starts)[answers]
        places = np.repeat(np.arange(len(answers)), sizes)
        within = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return places, self.members[self.starts[answers][places] + within]


@dataclass(frozen=True, eq=False)
class Answers:
    """The truth and what one or more systems said, over the same classes."""

    classes: tuple[Label, ...]
    several: bool
    """Whether a row may have any number of labels, rather than one."""
    truth: Column
    said: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.truth.codes)


def read_answers(truth: Any, said: Sequence[Any], names: Sequence[str], classes: Any) -> Answers:
    """The labels of the same rows by several hands: the truth, and systems with names."""
    columns = [
        (name, list(y) if isinstance(y, Iterator) else y)
        for name, y in zip(("the true labels", *names), (truth, *said), strict=True)
    ]
    several = [_is_several(y) for _, y in columns]
    if any(several) and not all(several):
        one, many = columns[several.index(False)][0], columns[several.index(True)][0]
        raise DataTypeError(f"{many} are several per row, but {one} are one per row")
    known = None if classes is None else _known(classes)
    read = [_read(name, y, several[0], known) for name, y in columns]
    n_rows = read[0].n_rows
    for given in read:
        if given.n_rows != n_rows:
            raise DataError(
                f"there are {n_rows:,} true labels, but {given.name} have {given.n_rows:,} rows"
            )
    widths = [y.shape[1] for _, y in columns if several[0] and hasattr(y, "shape")]
    if len(set(widths)) > 1:
        raise DataError(f"the matrices have {widths[0]:,} columns and {max(widths):,}")
    if not n_rows:
        raise DataError("there is nothing to evaluate: no rows were given")
    found = known or _all_labels(read)
    filed = [_filed(given, found, several[0]) for given in read]
    return Answers(found, several[0], filed[0], tuple(filed[1:]))


@dataclass(frozen=True, eq=False)
class _Given:
    """Labels as they were given: row `rows[i]` has the label `values[slots[i]]`."""

    name: str
    values: Sequence[Label]
    rows: Codes
    slots: Codes
    n_rows: int


def _is_several(y: Any) -> bool:
    if hasattr(y, "shape") and len(y.shape) == 2:
        return True
    if not isinstance(y, Iterable) or isinstance(y, (str, bytes, dict, set, frozenset)):
        return False
    first = next(iter(y), None)
    return isinstance(first, (list, tuple, set, frozenset, np.ndarray))


def _known(classes: Any) -> tuple[Label, ...]:
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        raise OptionError(f"`classes` is a list of labels, not {classes!r}")
    found = tuple(plain_label(label) for label in plain_list(classes))
    one_kind(found)
    if len(set(found)) < len(found):
        twice = next(label for label in found if found.count(label) > 1)
        raise OptionError(f"`classes` has `{twice}` twice")
    if not found:
        raise OptionError("`classes` is empty")
    return found


def _read(name: str, y: Any, several: bool, known: tuple[Label, ...] | None) -> _Given:
    try:
        if not several:
            found = labels(y)
            slots = found.slots.astype(np.intp)
            return _Given(name, found.values, np.arange(len(found)), slots, len(found))
        if hasattr(y, "shape") and len(y.shape) == 2:
            return _matrix(name, y, known)
        return _sets(name, y)
    except LikelyError as error:
        raise type(error)(f"{name}: {error}") from None


def _sets(name: str, y: Any) -> _Given:
    sets = plain_list(y)
    for row, members in enumerate(sets):
        if isinstance(members, (str, bytes, dict)) or not isinstance(members, Iterable):
            raise DataTypeError(f"row {row} is {members!r}, not a list of labels")
    lists = list(map(list, sets))
    try:
        flat = labels([label for members in lists for label in members])
    except LikelyError:
        _blame(lists)
        raise
    rows = np.repeat(np.arange(len(lists)), [len(members) for members in lists])
    return _Given(name, flat.values, rows, flat.slots.astype(np.intp), len(lists))


def _blame(lists: list[list[Any]]) -> None:
    """Refuse the first row that would not do by itself."""
    for row, members in enumerate(lists):
        try:
            labels(members)
        except LikelyError as error:
            raise type(error)(f"row {row}: {error}") from None


def _matrix(name: str, y: Any, known: tuple[Label, ...] | None) -> _Given:
    """A matrix with a column per class, 1 where a row has it; sparse ones stay sparse."""
    n_rows, n_columns = y.shape
    if known is not None and len(known) != n_columns:
        raise DataError(
            f"the matrix has {n_columns:,} columns, but there are {len(known):,} classes"
        )
    if hasattr(y, "tocoo"):
        there = y.tocoo()
        rows, slots, cells = there.row, there.col, there.data
    else:
        dense = np.asarray(y)
        rows, slots = np.nonzero(dense)
        cells = dense[rows, slots]
    if not np.isin(cells, (0, 1)).all():
        wrong = np.flatnonzero(~np.isin(cells, (0, 1)))[0]
        raise DataError(
            f"row {rows[wrong]} has {cells[wrong]!s} where a matrix of labels has 0 or 1"
        )
    some = cells.astype(bool)
    values = range(n_columns) if known is None else known
    return _Given(name, values, rows[some].astype(np.intp), slots[some].astype(np.intp), n_rows)


def _all_labels(read: list[_Given]) -> tuple[Label, ...]:
    found: set[Any] = set().union(*(given.values for given in read))
    one_kind(label for given in read for label in given.values)
    if not found:
        raise DataError("there is nothing to evaluate: no row has a label")
    return tuple(sorted(found))


def _filed(given: _Given, classes: tuple[Label, ...], several: bool) -> Column:
    """The same labels, by their place among the classes."""
    places = {label: place for place, label in enumerate(classes)}
    one_kind([*classes[:1], *given.values[:1]])
    for label in given.values:
        if label not in places:
            raise DataError(f"{given.name}: `{label}` is not among the classes")
    place = np.array([places[label] for label in given.values], dtype=np.intp)
    slots = place[given.slots] if len(place) else given.slots
    if not several:
        return Column(slots, np.arange(len(classes) + 1), np.arange(len(classes)))
    # A label that is said twice is said.
    pairs = np.unique(given.rows * len(classes) + slots)
    rows, slots = np.divmod(pairs, len(classes))
    starts = np.searchsorted(rows, np.arange(given.n_rows + 1))
    spelled = [slots[a:b].tobytes() for a, b in itertools.pairwise(starts)]
    answers = {answer: code for code, answer in enumerate(sorted(set(spelled)))}
    members = [np.frombuffer(answer, dtype=np.intp) for answer in answers]
    return Column(
        np.fromiter(map(answers.__getitem__, spelled), dtype=np.intp, count=given.n_rows),
        np.cumsum([0, *map(len, members)]),
        np.concatenate(members),
    )
