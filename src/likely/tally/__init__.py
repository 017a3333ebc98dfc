"""Tallies: the sufficient statistics of rows, exact and additive.

    observe(rows) → Tally        counts and sums
    Tally + Tally → Tally        more data
    Tally − Tally → Tally        forget data

Whatever the order, the batches or the threads, equal rows give equal tallies, bit by bit.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import EVERY_ROW, LabelSets, RowLabels, Sets
from likely.data.labels import Label, Shares, label_bytes, one_kind
from likely.data.table import Batch
from likely.errors import (
    NONSENSE,
    DataError,
    DataTypeError,
    LikelyError,
    ModelError,
    NotLearnedError,
)
from likely.tally import container
from likely.tally.ledger import Hashes, Ledger, few_hashes, merged_hashes
from likely.text import Lexicon, Negation

Arrays = dict[str, NDArray[Any]]
Slots = NDArray[np.uint32]

OPEN = Ledger.of(True)

# Settings that are stored as lists of words, and their short form in messages.
_WORDS: dict[str, Any] = {"negation": Negation.from_json, "lexicon": Lexicon.from_json}
_SHORT = 60

_FINGERPRINT = re.compile("[0-9a-f]{16}")

OF_BOTH_KINDS = (
    "some rows are single-label, and others multi-label\n"
    'hint: a list with one label is a list too: `["spam"]`'
)

# The slot of a class that no statistic has seen.
NO_SLOT = 2**32 - 1


class Statistic(Protocol):
    """The sufficient statistic of one likelihood, by class: a value, additive and exact.

    It is immutable. `reclassed` renumbers its classes by `class_map`, in the same order, among
    `classes`; a class with a larger number is left out. `check_rows` refuses counts that cannot
    come from so many rows of each class. `arrays` is the canonical form.
    """

    def plus(self, other: Self, /) -> Self: ...
    def minus(self, other: Self, /) -> Self: ...
    def reclassed(self, class_map: Slots, classes: int) -> Self: ...
    def check_rows(self, rows: NDArray[np.uint64], is_multilabel: bool) -> None: ...
    def arrays(self) -> Arrays: ...


class Counter(Protocol):
    """Counts the input of one likelihood, batch after batch.

    Labels are numbered as they come; `finish` gives label number `i` the class `order[i]`.
    """

    def observe(self, part: Any, labels: RowLabels, threads: int) -> None: ...
    def finish(self, order: Slots, classes: int) -> Statistic: ...


class Counted(Protocol):
    """The part of a product of likelihoods that a tally needs: what it counts, and how."""

    @property
    def schema(self) -> dict[str, Any]: ...
    def counters(self) -> list[Counter]: ...
    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool
    ) -> list[Statistic]: ...


class Planned(Protocol):
    """The part of a plan that a tally needs to be read again."""

    @property
    def product(self) -> Counted: ...
    @property
    def schema(self) -> dict[str, Any]: ...


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a model, sorted: their slots and how many rows each has.

    A class may have no rows; its slot is then one that no statistic has. Each row counts `per_row`:
    1, or the units of a soft assignment. For multi-label rows, `every` is the slot of all rows, and
    how many they are.
    """

    labels: tuple[Label, ...]
    slots: Slots
    rows: NDArray[np.uint64]
    per_row: int = 1
    every: tuple[int, int] | None = None

    @property
    def is_multilabel(self) -> bool:
        """Whether rows are multi-label, each label a binary decision of its own."""
        return self.every is not None

    @cached_property
    def counted(self) -> tuple[Slots, NDArray[np.uint64]]:
        """Slots and rows of all that is counted: the classes and, if multi-label, all rows."""
        if self.every is None:
            return self.slots, self.rows
        slot, rows = self.every
        return np.append(self.slots, np.uint32(slot)), np.append(self.rows, np.uint64(rows))

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.rows.sum()) if self.every is None else self.every[1]

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """How many rows each class has, a fraction with soft assignments."""
        return self.rows / self.per_row

    @property
    def seen(self) -> Slots:
        """The slots of those that have rows."""
        return self.slots[self.rows > 0]

    def places(self, labels: RowLabels) -> NDArray[np.uint32]:
        """The position of the class of each row; a class without rows is refused."""
        places = {label: place for place, label in enumerate(self.labels) if self.rows[place]}
        strangers = [label for label in labels.values if label not in places]
        if strangers:
            raise NotLearnedError.of("class-not-learned", label=strangers[0])
        order = np.array([places[label] for label in labels.values], dtype=np.uint32)
        return np.asarray(order[labels.slots])

    def sets(self, labels: LabelSets) -> Sets:
        """The positions of the labels of each row, and last that of all rows."""
        places = dict(zip((*self.labels, EVERY_ROW), range(len(self) + 1), strict=True))
        strangers = [label for label in labels.values if label not in places]
        if strangers:
            raise NotLearnedError.of("class-not-learned", label=strangers[0])
        order = np.array([places[label] for label in labels.values], dtype=np.uint32)
        starts, slots = labels.slots
        return starts, order[slots]

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class Tally:
    """How many rows each class has, the statistics of the likelihoods, and the hashes of the rows.

    A tally is immutable: sums and differences are new ones.

    >>> from likely import Classifier, Multinomial
    >>> model = Classifier(Multinomial())
    >>> a = model.observe(["red fish"], ["animal"])
    >>> b = model.observe(["blue car"], ["thing"])
    >>> a + b == b + a
    True
    >>> (a + b) - b == a
    True
    """

    schema: Mapping[str, Any]
    classes: tuple[Label, ...]
    """The labels that have rows, sorted: numbers by value, text by its bytes."""
    counted: NDArray[np.uint64]
    """How many rows each class has; for multi-label rows, the last entry counts all rows."""
    statistics: tuple[Statistic, ...]
    hashes: tuple[Hashes, ...] | None
    """The hashes of all rows, sorted in each part; None without a ledger."""

    @classmethod
    def zero(cls, counted: Counted, ledger: Ledger = OPEN) -> "Tally":
        """The tally of no rows."""
        return Counting(counted, ledger).tally()

    @property
    def rows(self) -> NDArray[np.uint64]:
        """How many rows each class has."""
        return self.counted[: len(self.classes)]

    @cached_property
    def learned(self) -> Hashes | None:
        """The hashes of all rows, sorted; None without a ledger."""
        return None if self.hashes is None else merged_hashes(self.hashes)

    def view(self, known: Iterable[Label] = ()) -> Classes:
        """The classes that have rows, and the `known` ones."""
        others = {*known}.difference(self.classes)
        return self._with(others) if others else self._alone

    @cached_property
    def _alone(self) -> Classes:
        """The classes that have rows; cached, since every prediction needs them."""
        return self._with(())

    def _with(self, others: Iterable[Label]) -> Classes:
        own = {label: place for place, label in enumerate(self.classes)}
        labels = sorted({*own, *others})
        slots = np.array([own.get(label, NO_SLOT) for label in labels], dtype=np.uint32)
        rows = np.zeros(len(labels), dtype=np.uint64)
        rows[slots != NO_SLOT] = self.rows
        every = (len(own), self.n_rows) if self.is_multilabel else None
        return Classes(tuple(labels), slots, rows, self.per_row, every)

    @property
    def is_multilabel(self) -> bool:
        """Whether rows are multi-label: counted under each label, and once as rows."""
        return "labels" in self.schema

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of the rows: equal for the same rows, in any order."""
        if self.hashes is not None:
            total = sum(int(part.sum(dtype=np.uint64)) for part in self.hashes)
            return f"{total % 2**64:016x}"
        counted = hashlib.sha256()
        for _, array in sorted(self.arrays().items()):
            counted.update(array.tobytes())
        return counted.hexdigest()[:16]

    @property
    def per_row(self) -> int:
        """What a row counts here: 1, or the units of a soft assignment."""
        return int(self.schema.get("parts", 1))

    @property
    def n_rows(self) -> int:
        """How many rows there are; with soft assignments, rounded."""
        if self.is_multilabel:
            return int(self.counted[-1])
        total: int = sum(self.counted.tolist())
        return round(total / self.per_row) if self.per_row > 1 else total

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        self.check_match(other)
        try:
            one_kind([*self.classes, *other.classes])
        except DataTypeError as error:
            raise DataTypeError(
                f"{error}\nhint: train one of the two anew, with its labels as the other has them"
            ) from None
        classes = tuple(sorted({*self.classes, *other.classes}))
        ours, theirs = self._among(classes), other._among(classes)
        rows = [a + b for a, b in zip(ours.counted.tolist(), theirs.counted.tolist(), strict=True)]
        if sum(rows) >= 2**63:
            raise DataError("the rows would exceed 2^63 - 1")
        both = zip(ours.statistics, theirs.statistics, strict=True)
        hashes = None
        if self.hashes is not None and other.hashes is not None:
            hashes = few_hashes((*self.hashes, *other.hashes))
        statistics = tuple(one.plus(more) for one, more in both)
        return Tally(self.schema, classes, np.array(rows, dtype=np.uint64), statistics, hashes)

    def __radd__(self, other: object) -> "Tally":
        """`sum(tallies)` begins with 0."""
        return self if other == 0 else NotImplemented

    def __sub__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        self.check_match(other)
        have = dict(zip(self.classes, self.counted.tolist(), strict=False))
        for label, gone in zip(other.classes, other.counted.tolist(), strict=False):
            if have.get(label, 0) < gone:
                raise NotLearnedError(
                    f"{gone:,} rows of `{label}` are to be forgotten, "
                    f"but {have.get(label, 0):,} were learned"
                )
        if other.n_rows > self.n_rows:
            raise NotLearnedError(
                f"{other.n_rows:,} rows are to be forgotten, but {self.n_rows:,} were learned"
            )
        fewer, hashes = other._among(self.classes), None
        if self.learned is not None and other.learned is not None:
            try:
                hashes = (_kernel.ledger_subtract(self.learned, other.learned),)
            except NotLearnedError:
                raise NotLearnedError.of("rows-not-learned") from None
        both = zip(self.statistics, fewer.statistics, strict=True)
        statistics = tuple(one.minus(less) for one, less in both)
        rows = self.counted - fewer.counted
        left = Tally(self.schema, self.classes, rows, statistics, hashes)
        if hashes is None:
            # Without a ledger, only the remaining counts can be checked.
            left._check_rows()
        there = zip(self.classes, rows.tolist(), strict=False)
        return left._among(tuple(label for label, rows in there if rows))

    def _among(self, classes: tuple[Label, ...]) -> "Tally":
        """The same rows, with classes numbered among these; a class that is not has no rows."""
        if classes == self.classes:
            return self
        places = {label: place for place, label in enumerate(classes)}
        order = [places.get(label, NO_SLOT) for label in self.classes]
        order += [len(classes)] if self.is_multilabel else []
        class_map = np.array(order, dtype=np.uint32)
        rows = np.zeros(len(classes) + self.is_multilabel, dtype=np.uint64)
        kept = class_map != NO_SLOT
        rows[class_map[kept]] = self.counted[kept]
        statistics = tuple(one.reclassed(class_map, len(rows)) for one in self.statistics)
        return replace(self, classes=classes, counted=rows, statistics=statistics)

    def against_rest(self) -> "Tally":
        """The same rows as multi-label ones with one label each: under it, and once as rows.

        So a class can be compared with all rows without it, which are a difference.
        """
        n = len(self.classes)

        def everybody(statistic: Statistic) -> Statistic:
            whole = statistic.reclassed(np.arange(n, dtype=np.uint32), n + 1)
            for place in range(n):
                here = np.full(n, NO_SLOT, dtype=np.uint32)
                here[place] = n
                whole = whole.plus(statistic.reclassed(here, n + 1))
            return whole

        counted = np.append(self.counted, self.counted.sum(dtype=np.uint64))
        statistics = tuple(everybody(one) for one in self.statistics)
        schema = {**self.schema, "labels": "any of"}
        return replace(self, schema=schema, counted=counted, statistics=statistics)

    def _check_rows(self) -> None:
        """Refuse counts that cannot come from so many rows."""
        for statistic in self.statistics:
            statistic.check_rows(self.counted, self.is_multilabel)
        if self.is_multilabel and (self.counted > self.n_rows).any():
            raise NotLearnedError("more rows are to be forgotten than can have been learned")

    def check_match(self, other: "Tally") -> None:
        """Refuse a tally of another schema."""
        if self.per_row != other.per_row:
            raise ModelError.of("soft-and-whole-rows")
        if self.schema != other.schema:
            raise ModelError.of("schemas-differ", difference=_difference(self.schema, other.schema))

    def arrays(self) -> Arrays:
        """The canonical form: equal tallies have equal arrays."""
        ledger = {} if self.learned is None else {"ledger": self.learned}
        counted = {
            f"{place}/{name}": array
            for place, statistic in enumerate(self.statistics)
            for name, array in statistic.arrays().items()
        }
        return {**ledger, **_label_arrays(self.classes), "rows": self.counted, **counted}

    @classmethod
    def from_arrays(
        cls, schema: Mapping[str, Any], counted: Counted, arrays: Arrays, *, digested: bool = False
    ) -> "Tally":
        """The tally of this canonical form; arrays that no rows could give are refused.

        Its digest may be computed at once, from the same arrays.
        """
        labels = tuple(_labels_of(arrays))
        kept = {"rows"} if schema["ledger"] == "none" else {"rows", "ledger"}
        # Arrays of statistics begin with their positions, and those of labels were all read.
        others = (name for name in arrays if not (name[:1].isdigit() or name.startswith("labels/")))
        if not kept.issuperset(others):
            raise ModelError("it has arrays that do not belong to a model")
        is_multilabel = "labels" in schema
        if schema.get("parts", Shares.per_row) != Shares.per_row:
            raise ModelError("its rows are cut into parts that are not known here")
        try:
            rows, learned = _whole(arrays, "rows"), None
            if schema["ledger"] != "none":
                learned = _whole(arrays, "ledger")
            statistics = counted.from_arrays(arrays, rows, is_multilabel)
        except KeyError as error:
            raise ModelError(f"its array {error} is missing") from error
        fits = len(rows) == len(labels) + is_multilabel and not (rows[: len(labels)] == 0).any()
        if not fits or (is_multilabel and (rows > rows[-1]).any()):
            raise ModelError("its classes and their rows do not fit together")
        hashes = None if learned is None else (learned,)
        found = cls(schema, labels, rows, tuple(statistics), hashes)
        rising = learned is None or not (learned[1:] < learned[:-1]).any()
        if not rising or (learned is not None and len(learned) != found.n_rows):
            raise ModelError("its ledger is not that of its rows")
        if digested:
            vars(found)["digest"] = container.digest(found.metadata, arrays)
        return found

    def to_bytes(self) -> bytes:
        """The tally as bytes, which equal tallies share; the last 32 are its digest.

        >>> from likely import Classifier, Tally
        >>> model = Classifier()
        >>> plan = model.plan(["red fish", "blue car"], ["animal", "thing"])
        >>> tally = Classifier(plan).observe(["red fish"], ["animal"])
        >>> Tally.from_bytes(tally.to_bytes(), plan) == tally
        True
        >>> tally.to_bytes()[-32:].hex() == tally.digest
        True
        """
        return container.pack(self.metadata, self.arrays())

    @classmethod
    def from_bytes(cls, data: bytes, plan: Planned) -> "Tally":
        """Read a tally; one that was not counted by the plan is refused."""
        metadata, arrays = container.unpack(data)
        schema = metadata.get("schema")
        if metadata.keys() != {"format", "schema"} or not isinstance(schema, dict):
            raise ModelError(
                "it is no tally\nhint: a model file holds more: `likely.load(path).tally`"
            )
        expected = plan.schema
        if "parts" in schema:
            expected |= {"parts": Shares.per_row, "ledger": "none"}
        try:
            if container.canonical(schema) != container.canonical(expected):
                raise ModelError(
                    f"it was not counted by this plan: {_difference(expected, schema)}\n"
                    "hint: a tally is read by the plan that it was counted by"
                )
            return cls.from_arrays(schema, plan.product, arrays, digested=True)
        except ModelError:
            raise
        except (LikelyError, *NONSENSE) as error:
            raise ModelError(f"its counts make no sense: {error}") from error

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of a tally in a file."""
        return {"format": container.FORMAT, "schema": dict(self.schema)}

    @cached_property
    def digest(self) -> str:
        """A SHA-256 that equal tallies share, in hexadecimal."""
        return container.digest(self.metadata, self.arrays())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        if self.schema != other.schema:
            return False
        ours, theirs = self.arrays(), other.arrays()
        same = (np.array_equal(ours[name], theirs[name]) for name in ours.keys() & theirs.keys())
        return ours.keys() == theirs.keys() and all(same)

    __hash__ = None  # type: ignore[assignment]  # equal tallies may be made of different parts

    def __repr__(self) -> str:
        return f"<Tally of {self.n_rows:,} rows in {len(self.classes)} classes>"


class Counting:
    """A mutable builder of a tally, which takes batches of rows."""

    def __init__(
        self, counted: Counted, ledger: Ledger = OPEN, threads: int = 1, *, in_parts: bool = False
    ):
        # Softly assigned rows have no ledger, since it could not tell later whether one was
        # learned.
        self._ledger = Ledger.of(False) if in_parts else ledger
        self._schema = {**counted.schema, "ledger": self._ledger.name}
        if in_parts:
            self._schema["parts"] = Shares.per_row
        self._counters, self._threads = counted.counters(), threads
        self._numbers: dict[bytes, int] = {}
        self._labels: list[Any] = []
        self._rows: list[int] = []
        self._hashes: list[Hashes] = []

    def add(self, batch: Batch) -> None:
        """Count some rows."""
        labels = batch.labels
        if not len(labels):
            # An empty batch is neither single-label nor multi-label.
            return
        if isinstance(labels, LabelSets) != ("labels" in self._schema):
            raise DataError(OF_BOTH_KINDS)
        numbered = self._numbered(labels)
        for counter, part in zip(self._counters, batch.parts, strict=True):
            counter.observe(part, numbered, self._threads)
        for number, rows in enumerate(numbered.rows.tolist()):
            self._rows[number] += rows
        hashes = self._ledger.hashes(batch, self._threads)
        if hashes is not None:
            self._hashes.append(np.sort(hashes))

    def _numbered(self, labels: RowLabels) -> RowLabels:
        """The labels with the numbers that they have in all batches."""
        order = []
        for label in labels.values:
            key = b"" if label is EVERY_ROW else label_bytes(label)
            if key not in self._numbers:
                self._numbers[key] = len(self._labels)
                self._labels.append(label)
                self._rows.append(0)
            order.append(self._numbers[key])
        return labels.numbered(tuple(self._labels), np.array(order, dtype=np.uint32))

    def tally(self) -> Tally:
        """The tally; the builder cannot be used afterwards."""
        pairs = list(zip(self._labels, self._rows, strict=True))
        one_kind([label for label, rows in pairs if rows and label is not EVERY_ROW])
        if sum(self._rows) >= 2**63:
            raise DataError("the rows would exceed 2^63 - 1")
        rows = dict(pairs)
        classes = tuple(sorted(label for label in rows if rows[label] and label is not EVERY_ROW))
        every = (EVERY_ROW,) if "labels" in self._schema else ()
        places = {label: place for place, label in enumerate((*classes, *every))}
        order = np.array([places.get(one, NO_SLOT) for one in self._labels], dtype=np.uint32)
        finished = tuple(counter.finish(order, len(places)) for counter in self._counters)
        counted = np.array([rows.get(label, 0) for label in places], dtype=np.uint64)
        hashes = None if self._ledger.name == "none" else few_hashes(tuple(self._hashes))
        return Tally(self._schema, classes, counted, finished, hashes)


def observe(counted: Counted, batch: Batch, ledger: Ledger = OPEN, threads: int = 1) -> Tally:
    """The tally of a batch of rows."""
    counting = Counting(counted, ledger, threads, in_parts=isinstance(batch.labels, Shares))
    counting.add(batch)
    return counting.tally()


def checked_fingerprint(given: Any) -> str:
    """The fingerprint of some rows; anything else is refused."""
    if not isinstance(given, str) or not _FINGERPRINT.fullmatch(given):
        raise ModelError(f"{given!r} is the fingerprint of no rows")
    return given


def _whole(arrays: Arrays, name: str) -> NDArray[np.uint64]:
    """An array of whole numbers."""
    if arrays[name].dtype.kind != "u":
        raise ModelError(f"its array `{name}` holds no whole numbers")
    return arrays[name].astype(np.uint64)


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
    written = _label_arrays(tuple(labels))
    given = {name: array for name, array in arrays.items() if name.startswith("labels/")}
    if container.digest({}, given) != container.digest({}, written):
        raise ModelError("its labels are not written the way Likely writes them")
    return labels


def _difference(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """The first setting that differs, for an error message."""
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
    told = repr(_WORDS[name](value) if name in _WORDS and value is not None else value)
    return told if len(told) <= _SHORT else f"{told[: _SHORT - 1]}…"
