"""True and predicted labels, single-label or multi-label, read and checked."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from likely.data.label_sets import Codes, Members, are_label_lists, as_given, members
from likely.data.labels import Label, labels, one_kind, plain_label, plain_list
from likely.errors import DataError, DataTypeError, LikelyError, OptionError


@dataclass(frozen=True, eq=False)
class Column:
    """An answer per row: the distinct answers, each a set of classes, and which of them a row has.

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
    """The true labels and the predictions of one or more systems, over the same classes."""

    classes: tuple[Label, ...]
    is_multilabel: bool
    """Whether rows are multi-label."""
    truth: Column
    said: tuple[Column, ...]
    times: Codes | None = None
    """How many rows each of these stands for; one if it is not said."""

    def __len__(self) -> int:
        return len(self.truth.codes) if self.times is None else int(self.times.sum())


def read_answers(truth: Any, said: Sequence[Any], names: Sequence[str], classes: Any) -> Answers:
    """The true labels of rows, and the predictions of named systems for them."""
    known = None if classes is None else _known(classes)
    columns = [
        (name, as_given(y, known))
        for name, y in zip(("the true labels", *names), (truth, *said), strict=True)
    ]
    are_lists = [are_label_lists(y) for _, y in columns]
    if any(are_lists) and not all(are_lists):
        one, many = columns[are_lists.index(False)][0], columns[are_lists.index(True)][0]
        raise DataTypeError(f"{many} are multi-label, but {one} are one label per row")
    read = [_read(name, y, are_lists[0], known) for name, y in columns]
    n_rows = read[0].labels.n_rows
    for given in read:
        theirs = given.labels.n_rows
        if theirs != n_rows:
            raise DataError(
                f"there are {n_rows:,} true labels, but {given.name} have {theirs:,} rows"
            )
    shapes: list[tuple[int, ...]] = [getattr(y, "shape", ()) for _, y in columns]
    widths = [shape[1] for shape in shapes if len(shape) == 2]
    if len(set(widths)) > 1:
        raise DataError(f"the matrices have {widths[0]:,} columns and {max(widths):,}")
    if not n_rows:
        raise DataError("there is nothing to evaluate: no rows were given")
    found = known or _all_labels(read)
    filed = [_filed(given, found, are_lists[0]) for given in read]
    return Answers(found, are_lists[0], filed[0], tuple(filed[1:]))


@dataclass(frozen=True, eq=False)
class _Given:
    """Labels as they were given, and whose they are."""

    name: str
    labels: Members


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


def _read(name: str, y: Any, is_multilabel: bool, known: tuple[Label, ...] | None) -> _Given:
    try:
        if is_multilabel:
            return _Given(name, members(y, known))
        found = labels(y)
        rows, slots = np.arange(len(found)), found.slots.astype(np.intp)
        return _Given(name, Members(found.values, rows, slots, len(found)))
    except LikelyError as error:
        raise error.within(f"{name}: ") from None


def _all_labels(read: list[_Given]) -> tuple[Label, ...]:
    found: set[Any] = set().union(*(given.labels.values for given in read))
    one_kind(label for given in read for label in given.labels.values)
    if not found:
        raise DataError("there is nothing to evaluate: no row has a label")
    return tuple(sorted(found))


def _filed(given: _Given, classes: tuple[Label, ...], is_multilabel: bool) -> Column:
    """The same labels, by their position among the classes."""
    places = {label: place for place, label in enumerate(classes)}
    one_kind([*classes[:1], *given.labels.values[:1]])
    for label in given.labels.values:
        if label not in places:
            raise DataError(f"{given.name}: `{label}` is not among the classes")
    place = np.array([places[label] for label in given.labels.values], dtype=np.intp)
    slots = place[given.labels.slots] if len(place) else given.labels.slots
    if not is_multilabel:
        return Column(slots, np.arange(len(classes) + 1), np.arange(len(classes)))
    # A repeated label counts once.
    pairs = np.unique(given.labels.rows * len(classes) + slots)
    rows, slots = np.divmod(pairs, len(classes))
    starts = np.searchsorted(rows, np.arange(given.labels.n_rows + 1))
    spelled = [slots[a:b].tobytes() for a, b in itertools.pairwise(starts)]
    answers = {answer: code for code, answer in enumerate(sorted(set(spelled)))}
    members = [np.frombuffer(answer, dtype=np.intp) for answer in answers]
    return Column(
        np.fromiter(map(answers.__getitem__, spelled), dtype=np.intp, count=given.labels.n_rows),
        np.cumsum([0, *map(len, members)]),
        np.concatenate(members),
    )
