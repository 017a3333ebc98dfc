"""Labels: what a row is, in the end."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.errors import DataError, DataTypeError

Label = str | int | float | bool

_TRUTH = {"True": True, "False": False}
_KINDS = {int: "a whole number", float: "a number", bool: "a truth value"}
_NAMED = 3


@dataclass(frozen=True)
class Labels:
    """One label per row: the different ones, and which of them each row has."""

    values: tuple[Label, ...]
    slots: NDArray[np.uint32]

    per_row: ClassVar[int] = 1
    """What a row counts."""

    @property
    def rows(self) -> NDArray[Any]:
        """What the rows of each label count."""
        return np.bincount(self.slots, minlength=len(self.values))

    @property
    def lists(self) -> list[Label]:
        """The label of each row."""
        return [self.values[slot] for slot in self.slots]

    def first_row(self, slot: int) -> int:
        """The first row that has one of the labels."""
        return int((self.slots == slot).argmax())

    def at(self, rows: NDArray[np.intp]) -> "Labels":
        """Those of some rows, by their places."""
        return Labels(self.values, self.slots[rows])

    @property
    def spelled(self) -> tuple[list[bytes], NDArray[np.uint32]]:
        """The different labels as bytes that no other label has, and which of them each row has."""
        return [label_bytes(label) for label in self.values], self.slots

    def __len__(self) -> int:
        return len(self.slots)


@dataclass(frozen=True)
class Shares:
    """Rows that have several labels in part: of `WHOLE` parts of a row, how many each label has.

    Parts are whole numbers, so rows in parts are counted as exactly as whole ones.
    """

    values: tuple[Label, ...]
    slots: NDArray[np.uint64]
    """A row per row, a column per label."""

    per_row: ClassVar[int] = _kernel.WHOLE

    @classmethod
    def whole(cls, labels: Labels, values: tuple[Label, ...]) -> "Shares":
        """Rows that have one label each, among others that other rows may have."""
        places = {label: place for place, label in enumerate(values)}
        order = np.array([places[label] for label in labels.values], dtype=np.intp)
        slots = np.zeros((len(labels), len(values)), dtype=np.uint64)
        slots[np.arange(len(labels)), order[labels.slots]] = cls.per_row
        return cls(values, slots)

    @property
    def rows(self) -> NDArray[Any]:
        """What the rows of each label count."""
        return np.asarray(self.slots.sum(axis=0, dtype=np.uint64))

    def __len__(self) -> int:
        return len(self.slots)


def labels(y: Any) -> Labels:
    """A column of labels: strings or numbers, one kind throughout, none missing."""
    if isinstance(y, _kernel.Texts):
        return _spelled(y)
    unordered = isinstance(y, (str, bytes, dict, set, frozenset))
    if unordered or not isinstance(y, Iterable) or len(getattr(y, "shape", (0,))) != 1:
        raise DataTypeError(f"labels are a list with one label per row, not {type(y).__name__}")
    if isinstance(y, np.ndarray) and y.dtype.kind in "iu" and len(y):
        found = _whole_numbers(y)
        if found is not None:
            return found
    rows = y if isinstance(y, (list, tuple)) else plain_list(y)
    if any(issubclass(kind, np.generic) for kind in set(map(type, rows))):
        rows = [label.item() if isinstance(label, np.generic) else label for label in rows]
    _check_labels(rows)
    slots = {label: slot for slot, label in enumerate(dict.fromkeys(rows))}
    codes = np.fromiter(map(slots.__getitem__, rows), dtype=np.uint32, count=len(rows))
    return Labels(tuple(map(plain_label, slots)), codes)


def _spelled(y: _kernel.Texts) -> Labels:
    """Labels as a file spells them."""
    empty = y.empty()
    if empty.any():
        raise DataError(f"label {int(empty.argmax())} is missing; every row needs one")
    slots = np.zeros(len(y), dtype=np.uint32)
    codes = _kernel.TextCounts.observe(_kernel.Reading(), y, slots, 1, 1).codes()
    return Labels(tuple(codes.names), codes.of(y, 1).astype(np.uint32))


def _whole_numbers(y: NDArray[Any]) -> Labels | None:
    """Labels that are small whole numbers, sorted out without looking at them one by one."""
    low, high = int(y.min()), int(y.max())
    if high - low > 65_535 or high >= 2**63:
        return None
    offsets = np.subtract(y, low, dtype=y.dtype).astype(np.uint32)
    present = np.flatnonzero(np.bincount(offsets))
    slots = np.zeros(high - low + 1, dtype=np.uint32)
    slots[present] = np.arange(len(present), dtype=np.uint32)
    return Labels(tuple(int(offset) + low for offset in present), slots[offsets])


def one_kind(labels: Iterable[Label]) -> None:
    """Refuse labels that cannot be sorted together."""
    kinds = {_kind(type(label)): label for label in labels}
    if len(kinds) > 1:
        (first, a), (second, b) = list(kinds.items())[:2]
        raise DataTypeError(f"labels are of one kind, but {a!r} is {first} and {b!r} is {second}")


def meant(label: Label, known: Sequence[Label]) -> Label:
    """A label as a model has it: files spell labels, and those of a model may be numbers.

    >>> meant("2", [0, 1]), meant(2, ["0", "1"]), meant("2", [0.5, 1.5]), meant("True", [True])
    (2, '2', 2.0, True)
    """
    kind = type(known[0])
    if type(label) is kind or kind is str:
        return kind(label)
    read = _TRUTH.get(str(label)) if kind is bool else _number(label)
    if read is not None and (kind is not int or read == int(read)):
        return kind(read)
    shown = ", ".join(f"`{one}`" for one in known[:_NAMED]) + (" …" if known[_NAMED:] else "")
    raise DataTypeError(
        f"the label {label!r} is not {_KINDS[kind]}, as those of the model are: {shown}"
    )


def _number(label: Label) -> int | float | None:
    """A label as a number, if it is one or spells one."""
    if isinstance(label, str):
        # Python would read 1_0 as 10.
        if "_" in label:
            return None
        try:
            label = int(label) if label.strip().lstrip("+-").isdecimal() else float(label)
        except ValueError:
            return None
    try:
        return None if isinstance(label, bool) or not math.isfinite(label) else label
    except OverflowError:
        return None


def label_array(labels: Sequence[Label]) -> NDArray[Any]:
    """Labels as an array that gives each back as it was."""
    array = np.asarray(labels)
    # NumPy's fixed-width text drops NULs at the end.
    whole = array.tolist() == list(labels)
    return array if whole else np.array([*labels, None], dtype=object)[:-1]


def plain_label(label: Any) -> Any:
    """A label as a plain Python value: no NumPy scalar, no subclass, no negative zero."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, str):
        try:
            label.encode()
        except UnicodeEncodeError:
            raise DataError(f"the label {label!r} is not valid Unicode") from None
        return str.__str__(label)
    if isinstance(label, bool):
        return label
    return int(label) if isinstance(label, int) else label + 0.0


def label_bytes(label: Label) -> bytes:
    """A label as bytes that no other label has."""
    if isinstance(label, str):
        return b"s" + label.encode()
    return f"{_kind(type(label))[0]}{label!r}".encode()


def _kind(kind: type) -> str:
    """What a label of this type is, in the words of an error message."""
    for known, name in ((str, "text"), (bool, "bool"), (int, "int"), (float, "float")):
        if issubclass(kind, known):
            return name
    return kind.__name__


def _check_labels(rows: list[Any] | tuple[Any, ...]) -> None:
    kinds = set(map(type, rows))
    if kinds <= {str} or kinds <= {bool} or (kinds <= {int} and _fit_64_bits(rows)):
        return
    for row, label in enumerate(rows):
        nan = isinstance(label, float) and math.isnan(label)
        if label is None or nan or type(label).__name__ in ("NAType", "NaTType"):
            raise DataError(f"label {row} is missing ({label!r}); every row needs one")
        if not isinstance(label, (str, int, float, bool)):
            raise DataTypeError(f"label {row} is {type(label).__name__}, not text or a number")
        if isinstance(label, float) and math.isinf(label):
            raise DataError(f"label {row} is {label}, which is no class")
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise DataError(f"label {row} is {label}, beyond 64 bits")
    one_kind(rows)


def _fit_64_bits(rows: list[Any] | tuple[Any, ...]) -> bool:
    return min(rows, default=0) >= -(2**63) and max(rows, default=0) < 2**63


def plain_list(column: Any) -> list[Any]:
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)
