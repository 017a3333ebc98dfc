"""The algebra: what was seen, nothing estimated.

    observe(rows) → Tally        counts and sums
    Tally + Tally → Tally        more data
    Tally − Tally → Tally        forget data

Whatever the order, the chunks or the threads, equal rows give equal tallies, to the last bit.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.errors import DataError, DataTypeError, ModelError, NotLearnedError
from likely.inputs import Batch
from likely.label_sets import EVERY_ROW, LabelSets, RowLabels, Sets
from likely.labels import Label, Shares, label_bytes, one_kind
from likely.ledger import Hashes, Ledger
from likely.text import Lexicon, Negation

Arrays = dict[str, NDArray[Any]]
Slots = NDArray[np.uint32]

OPEN = Ledger.of(True)

# Settings that are stored as all their words, and how they are told in a few.
_WORDS: dict[str, Any] = {"negation": Negation.from_json, "lexicon": Lexicon.from_json}
_SHORT = 60

_FINGERPRINT = re.compile("[0-9a-f]{16}")

# The slot of a class that no statistic has seen.
NO_SLOT = 2**32 - 1


class Statistic(Protocol):
    """What one likelihood keeps of the rows: additive, exact, with classes in numbered slots.

    `counters` are what the kernel adds and subtracts, those of all statistics in one call.
    `check_rows` refuses what cannot come from so many rows of each slot. `arrays` gives the
    canonical form for the classes in `slots`, in that order.
    """

    def copy(self) -> "Statistic": ...
    def counters(self) -> list[Any]: ...
    def check_rows(self, rows: NDArray[np.uint64]) -> None: ...
    def arrays(self, slots: Slots) -> Arrays: ...


class Counted(Protocol):
    """The part of a product of likelihoods that a tally needs: what it counts, and how."""

    @property
    def schema(self) -> dict[str, Any]: ...
    def zero(self) -> list[Statistic]: ...
    def observe(self, batch: Batch, threads: int) -> list[Statistic]: ...
    def from_arrays(self, arrays: Arrays, rows: NDArray[np.uint64]) -> list[Statistic]: ...


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes a model speaks of, sorted: their slots and how many rows each has.

    A class may be known and have no rows; its slot is then one that no statistic has. Everything
    counted, rows too, counts `per_row` for each row: 1, or the parts that rows were cut into. Where
    rows have any number of labels, `every` is the slot of all rows, and how many they are.
    """

    labels: tuple[Label, ...]
    slots: Slots
    rows: NDArray[np.uint64]
    per_row: int = 1
    every: tuple[int, int] | None = None

    @property
    def several(self) -> bool:
        """Whether rows have any number of labels, each of which is a question of its own."""
        return self.every is not None

    @property
    def counted(self) -> tuple[Slots, NDArray[np.uint64]]:
        """Slots and rows of all that is counted: the classes and, if there are such, all rows."""
        if self.every is None or not self.every[1]:
            return self.slots, self.rows
        slot, rows = self.every
        return np.append(self.slots, np.uint32(slot)), np.append(self.rows, np.uint64(rows))

    @property
    def weights(self) -> NDArray[np.float64]:
        """How many rows each has, where parts of rows count as such."""
        return self.rows / self.per_row

    @property
    def seen(self) -> Slots:
        """The slots of those that have rows."""
        return self.slots[self.rows > 0]

    def places(self, labels: RowLabels) -> NDArray[np.uint32]:
        """Where the class of each row stands; a class without rows has none of them."""
        places = {label: place for place, label in enumerate(self.labels) if self.rows[place]}
        strangers = [label for label in labels.values if label not in places]
        if strangers:
            raise NotLearnedError(f"no row of `{strangers[0]}` was learned")
        order = np.array([places[label] for label in labels.values], dtype=np.uint32)
        return np.asarray(order[labels.slots])

    def sets(self, labels: LabelSets) -> Sets:
        """Where the labels of each row stand; last of each row, what every row has."""
        places = dict(zip((*self.labels, EVERY_ROW), range(len(self) + 1), strict=True))
        strangers = [label for label in labels.values if label not in places]
        if strangers:
            raise NotLearnedError(f"no row of `{strangers[0]}` was learned")
        order = np.array([places[label] for label in labels.values], dtype=np.uint32)
        starts, slots = labels.slots
        return starts, order[slots]

    def __len__(self) -> int:
        return len(self.labels)


class Tally:
    """How many rows each class has, what the likelihoods counted in them, and which rows they were.

    >>> from likely import Classifier, Multinomial
    >>> model = Classifier(Multinomial())
    >>> a = model.observe(["red fish"], ["animal"])
    >>> b = model.observe(["blue car"], ["thing"])
    >>> a + b == b + a
    True
    >>> (a + b) - b == a
    True
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        labels: Iterable[Label],
        rows: Iterable[int],
        statistics: list[Statistic],
        learned: Hashes | None,
    ):
        self.schema = schema
        self.statistics = statistics
        self._learned = None if learned is None else [learned]
        # Classes are numbered in the order they came; a class whose rows are all gone keeps its
        # number and is otherwise gone too.
        self._labels = list(labels)
        self._rows = list(rows)

    @classmethod
    def zero(cls, counted: Counted, ledger: Ledger = OPEN) -> "Tally":
        """The tally of no rows."""
        return cls(_schema(counted, ledger), [], [], counted.zero(), ledger.zero())

    @property
    def learned(self) -> Hashes | None:
        """The hashes of all rows, sorted; None without a ledger."""
        if self._learned is None:
            return None
        if len(self._learned) > 1:
            # Batches add up unsorted, and are sorted when somebody asks.
            self._learned = [np.sort(np.concatenate(self._learned))]
        return self._learned[0]

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels that have rows, sorted: numbers by value, text by its bytes."""
        return self.view().labels

    @property
    def rows(self) -> NDArray[np.uint64]:
        """How many rows each class has, in the order of `classes`."""
        return self.view().rows

    def view(self, known: Iterable[Label] = ()) -> Classes:
        """The classes that have rows, and others that are known to be."""
        live = {label: slot for slot, label in enumerate(self._labels) if self._rows[slot]}
        every = live.pop(EVERY_ROW, NO_SLOT)
        labels = sorted({*live, *known})
        slots = [live.get(label, NO_SLOT) for label in labels]
        rows = [0 if slot == NO_SLOT else self._rows[slot] for slot in slots]
        return Classes(
            tuple(labels),
            np.array(slots, dtype=np.uint32),
            np.array(rows, dtype=np.uint64),
            self.per_row,
            (every, self.n_rows) if self.several else None,
        )

    @property
    def several(self) -> bool:
        """Whether rows have any number of labels, and are counted under each and once as rows."""
        return "labels" in self.schema

    @property
    def fingerprint(self) -> str:
        """A short name for the rows: those who learned the same, in whatever order, share it."""
        if self.learned is not None:
            return f"{int(self.learned.sum(dtype=np.uint64)):016x}"
        counted = hashlib.sha256()
        for _, array in sorted(self.arrays().items()):
            counted.update(array.tobytes())
        return counted.hexdigest()[:16]

    @property
    def per_row(self) -> int:
        """What a row counts here: 1, or the parts that rows were cut into."""
        return int(self.schema.get("parts", 1))

    @property
    def n_rows(self) -> int:
        """How many rows there are; those in parts, added up, to the nearest whole number."""
        if self.several:
            return sum(
                n for one, n in zip(self._labels, self._rows, strict=True) if one is EVERY_ROW
            )
        return round(sum(self._rows) / self.per_row) if self.per_row > 1 else sum(self._rows)

    def copy(self) -> "Tally":
        statistics = [statistic.copy() for statistic in self.statistics]
        return Tally(self.schema, self._labels, self._rows, statistics, self.learned)

    def __add__(self, other: "Tally") -> "Tally":
        total = self.copy()
        total += other
        return total

    def __radd__(self, other: object) -> "Tally":
        """`sum(tallies)` begins with 0, which is nothing."""
        return self if other == 0 else NotImplemented

    def __sub__(self, other: "Tally") -> "Tally":
        rest = self.copy()
        rest -= other
        return rest

    def __iadd__(self, other: "Tally") -> "Tally":
        self.check_match(other)
        try:
            one_kind([*self.classes, *other.classes])
        except DataTypeError as error:
            raise DataTypeError(
                f"{error}\nhint: train one of the two anew, with its labels as the other has them"
            ) from None
        labels = list(self._labels)
        known = self._known()
        slot_map = []
        for label in other._labels:
            key = label_bytes(label)
            if key not in known:
                known[key] = len(labels)
                labels.append(label)
            slot_map.append(known[key])
        rows = self._rows + [0] * (len(labels) - len(self._rows))
        for slot, more in zip(slot_map, other._rows, strict=True):
            rows[slot] += more
        if sum(rows) >= 2**63:
            raise DataError("the rows would exceed 2^63 - 1")
        if other is self:
            other = self.copy()
        after: dict[str, Any] = {"_labels": labels, "_rows": rows}
        if self._learned is not None and other._learned is not None:
            after["_learned"] = [*self._learned, *other._learned]
        # All that changes does so in one call: whatever is raised, and whenever, all or none has.
        counters = _counters(self.statistics), _counters(other.statistics)
        _kernel.add_all(*counters, np.array(slot_map, dtype=np.uint32), vars(self), after)
        return self

    def __isub__(self, other: "Tally") -> "Tally":
        self.check_match(other)
        known = self._known()
        rows = list(self._rows)
        slot_map = []
        for label, gone in zip(other._labels, other._rows, strict=True):
            key = label_bytes(label)
            slot = known.get(key, 0)
            if gone and (key not in known or rows[slot] < gone):
                have = rows[slot] if key in known else 0
                raise NotLearnedError(
                    f"{gone:,} rows of `{label}` are to be forgotten, but {have:,} were learned"
                )
            if gone:
                rows[slot] -= gone
            slot_map.append(slot)
        if other is self:
            other = self.copy()
        after: dict[str, Any] = {"_rows": rows}
        learned, statistics, state = self.learned, self.statistics, vars(self)
        if learned is not None and other.learned is not None:
            try:
                after["_learned"] = [_kernel.ledger_subtract(learned, other.learned)]
            except NotLearnedError:
                raise NotLearnedError("some of these rows were never learned") from None
        else:
            # Nobody can say which rows were learned, so the counts that remain have to make sense.
            statistics, state = [statistic.copy() for statistic in statistics], {}
        counters = _counters(statistics), _counters(other.statistics)
        _kernel.subtract_all(*counters, np.array(slot_map, dtype=np.uint32), state, after)
        if learned is None:
            left = Tally(self.schema, self._labels, rows, statistics, None)
            left._check_rows()
            vars(self).update(vars(left))
        return self

    def _check_rows(self) -> None:
        """Refuse counts that cannot come from so many rows."""
        for statistic in self.statistics:
            statistic.check_rows(np.array(self._rows, dtype=np.uint64))
        too_few = self.several and any(n > self.n_rows for n in self._rows)
        if too_few or (self.several and not _every_row_counts(self.arrays())):
            raise NotLearnedError("more rows are to be forgotten than can have been learned")

    def _known(self) -> dict[bytes, int]:
        """The slots of all labels, those without rows included; 1, 1.0 and True are three."""
        return {label_bytes(label): slot for slot, label in enumerate(self._labels)}

    def check_match(self, other: "Tally") -> None:
        """Refuse a tally that was counted otherwise."""
        if self.per_row != other.per_row:
            raise ModelError(
                "rows in parts, as EM counts them, and whole rows do not add up; fit all rows anew"
            )
        if self.schema != other.schema:
            raise ModelError(f"the two count differently: {_difference(self.schema, other.schema)}")

    def arrays(self) -> Arrays:
        """The canonical form: equal tallies have equal arrays."""
        ledger = {} if self.learned is None else {"ledger": self.learned}
        slots, _ = self.view().counted
        counted = [statistic.arrays(slots) for statistic in self.statistics]
        return {**ledger, **self.arrays_with(counted)}

    def arrays_with(self, counted: list[Arrays]) -> Arrays:
        """The classes and their rows, beside these arrays of the statistics."""
        classes = self.view()
        named = {f"{place}/{n}": a for place, each in enumerate(counted) for n, a in each.items()}
        return {**_label_arrays(classes.labels), "rows": classes.counted[1], **named}

    @classmethod
    def from_arrays(cls, schema: Mapping[str, Any], counted: Counted, arrays: Arrays) -> "Tally":
        """The tally with this canonical form; whatever no rows could give is refused."""
        labels = _labels_of(arrays)
        several = "labels" in schema
        if schema.get("parts", Shares.per_row) != Shares.per_row:
            raise ModelError("its rows are cut into parts that are not known here")
        try:
            rows, learned = _whole(arrays, "rows"), None
            if schema["ledger"] != "none":
                learned = _whole(arrays, "ledger")
            statistics = counted.from_arrays(arrays, rows)
        except KeyError as error:
            raise ModelError(f"its array {error} is missing") from error
        total = sum(rows.tolist())
        if several and len(rows):
            labels, total = [*labels, EVERY_ROW], int(rows[-1])
        beyond = several and not _every_row_counts(arrays)
        if len(rows) != len(labels) or (rows == 0).any() or beyond:
            raise ModelError("its classes and their rows do not fit together")
        if learned is not None and (len(learned) != total or (learned[1:] < learned[:-1]).any()):
            raise ModelError("its ledger is not that of its rows")
        return cls(schema, labels, rows.tolist(), statistics, learned)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        if self.schema != other.schema:
            return False
        ours, theirs = self.arrays(), other.arrays()
        same = (np.array_equal(ours[name], theirs[name]) for name in ours.keys() & theirs.keys())
        return ours.keys() == theirs.keys() and all(same)

    __hash__ = None  # type: ignore[assignment]  # a tally can change

    def __repr__(self) -> str:
        return f"<Tally of {self.n_rows:,} rows in {len(self.classes)} classes>"


def observe(counted: Counted, batch: Batch, ledger: Ledger = OPEN, threads: int = 1) -> Tally:
    """Count a batch of rows into a fresh tally.

    Rows that have several labels in part are not whole, so no ledger can say later whether one of
    them was learned.
    """
    labels = batch.labels
    in_parts = isinstance(labels, Shares)
    if isinstance(labels, LabelSets) != ("labels" in counted.schema):
        raise DataError(
            "some rows have one label each, and others any number of them\n"
            'hint: a list with one label is a list too: `["spam"]`'
        )
    if in_parts:
        ledger = Ledger.of(False)
    statistics = counted.observe(batch, threads)
    learned = _sorted(ledger.hashes(batch, threads))
    schema = _schema(counted, ledger)
    if in_parts:
        schema["parts"] = labels.per_row
    return Tally(schema, labels.values, labels.rows.tolist(), statistics, learned)


def checked_fingerprint(given: Any) -> str:
    """The fingerprint of some rows; what is none is refused."""
    if not isinstance(given, str) or not _FINGERPRINT.fullmatch(given):
        raise ModelError(f"{given!r} is the fingerprint of no rows")
    return given


def _whole(arrays: Arrays, name: str) -> NDArray[np.uint64]:
    """An array of whole numbers."""
    if arrays[name].dtype.kind != "u":
        raise ModelError(f"its array `{name}` holds no whole numbers")
    return arrays[name].astype(np.uint64)


def _counters(statistics: list[Statistic]) -> list[Any]:
    return [counter for statistic in statistics for counter in statistic.counters()]


def _every_row_counts(arrays: Arrays) -> bool:
    """Whether no label has more rows, or more of any feature, than all rows have."""
    rows = arrays["rows"]
    if (rows > rows[-1:]).any():
        return False
    for name, classes in arrays.items():
        factor, _, what = name.rpartition("/")
        # A second opinion has classes too, and counts nothing.
        if what != "classes" or not factor.isdecimal():
            continue
        cells = arrays[f"{factor}/cells"].astype(np.intp)
        starts = np.cumsum(cells) - cells
        for counted in ("times", "documents"):
            counts = arrays.get(f"{factor}/{counted}")
            if counts is None or not len(cells):
                continue
            last = starts + cells - 1
            most = np.maximum.reduceat(counts, starts)
            if (classes[last] != len(rows) - 1).any() or (most > counts[last]).any():
                return False
    return True


def _sorted(hashes: Hashes | None) -> Hashes | None:
    return None if hashes is None else np.sort(hashes)


def _schema(counted: Counted, ledger: Ledger) -> dict[str, Any]:
    """What two tallies have to agree on to be added."""
    return {**counted.schema, "ledger": ledger.name}


def _label_arrays(classes: tuple[Label, ...]) -> Arrays:
    """Sorted labels of one kind, as arrays named after the kind."""
    if not classes or isinstance(classes[0], str):
        spelled = [str(label).encode() for label in classes]
        lengths = np.array([len(label) for label in spelled], dtype=np.uint64)
        return {
            "labels/text": np.frombuffer(b"".join(spelled), dtype=np.uint8),
            "labels/lengths": lengths,
        }
    if isinstance(classes[0], bool):
        return {"labels/bool": np.array(classes, dtype=np.uint8)}
    if isinstance(classes[0], int):
        return {"labels/int": np.array(classes, dtype=np.int64)}
    return {"labels/float": np.array(classes, dtype=np.float64)}


def _labels_of(arrays: Arrays) -> list[Label]:
    labels: list[Any]
    try:
        if "labels/text" in arrays:
            ends = np.cumsum(arrays["labels/lengths"]).tolist()
            spelled = arrays["labels/text"].tobytes()
            starts = [0, *ends[:-1]]
            labels = [spelled[a:b].decode() for a, b in zip(starts, ends, strict=False)]
            whole = len(spelled) == (ends[-1] if ends else 0)
        elif "labels/bool" in arrays:
            labels = [bool(label) for label in arrays["labels/bool"].tolist()]
            whole = True
        else:
            kind = "labels/int" if "labels/int" in arrays else "labels/float"
            labels = arrays[kind].tolist()
            # Labels are written finite, and zero without a sign.
            whole = all(abs(label) < np.inf and str(label) != "-0.0" for label in labels)
    except (KeyError, UnicodeDecodeError) as error:
        raise ModelError("its labels cannot be read") from error
    if not whole or labels != sorted(set(labels)):
        raise ModelError("its labels are not sorted, or not all different")
    return labels


def _difference(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """The first setting that differs, in words."""
    for name in [*ours, *theirs]:
        a, b = ours.get(name), theirs.get(name)
        if a != b:
            if name not in _WORDS and isinstance(a, Mapping) and isinstance(b, Mapping):
                return _difference(a, b)
            if isinstance(a, list) and isinstance(b, list):
                for one, other in zip(a, b, strict=False):
                    if one != other and isinstance(one, Mapping) and isinstance(other, Mapping):
                        return _difference(one, other)
            here, there = _short(name, a), _short(name, b)
            if here == there:
                return f"`{name}` is not the same in both"
            return f"`{name}` is {here} here and {there} there"
    return "in nothing"


def _short(name: str, value: Any) -> str:
    """A setting as it fits in a sentence."""
    from likely.page.spelling import cut

    told = _WORDS[name](value) if name in _WORDS and value is not None else value
    return cut(repr(told), _SHORT)
