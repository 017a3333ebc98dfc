"""Labels of rows: read, checked, and converted to the type that a model has."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.cells import spelled
from likely.errors import DataError, DataTypeError

Label = str | int | float | bool

_KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "a truth value"}
_SPELLED = {str: "texts", int: "whole numbers", float: "numbers", bool: "truth values"}
_NAMED = 3


@dataclass(frozen=True)
class Labels:
    """One label per row: the distinct labels, and which of them each row has."""

    values: tuple[Label, ...]
    slots: NDArray[np.uint32]

    per_row: ClassVar[int] = 1
    """How much a row counts."""

    @property
    def rows(self) -> NDArray[Any]:
        """How much the rows of each label count in total."""
        return np.bincount(self.slots, minlength=len(self.values))

    @property
    def lists(self) -> list[Label]:
        """The label of each row."""
        return [self.values[slot] for slot in self.slots]

    def first_row(self, slot: int) -> int:
        """The first row that has one of the labels."""
        return int((self.slots == slot).argmax())

    def at(self, rows: NDArray[np.intp]) -> "Labels":
        """The labels of some rows, by position."""
        return Labels(self.values, self.slots[rows])

    def as_known(self, known: Sequence[Label]) -> "Labels":
        """The same rows, with labels converted to those of a model."""
        own = as_known(self.values, known)
        return Labels(tuple(own[label] for label in self.values), self.slots)

    def numbered(self, values: tuple[Label, ...], order: NDArray[np.uint32]) -> "Labels":
        """The same rows among other labels, where label `i` of these is number `order[i]`."""
        return Labels(values, order[self.slots])

    @property
    def there(self) -> "Labels":
        """The same, without labels that no row has."""
        slots, places = np.unique(self.slots, return_inverse=True)
        return Labels(tuple(self.values[slot] for slot in slots), places.astype(np.uint32))

    @property
    def spelled(self) -> tuple[list[bytes], NDArray[np.uint32]]:
        """The distinct labels as unique bytes, and which of them each row has."""
        return [label_bytes(label) for label in self.values], self.slots

    def __len__(self) -> int:
        return len(self.slots)


@dataclass(frozen=True)
class Shares:
    """Soft assignments: how many of the `WHOLE` units of a row each label has.

    Units are integers, so soft assignments are counted as exactly as whole rows.
    """

    values: tuple[Label, ...]
    slots: NDArray[np.uint64]
    """A row per row, a column per label."""

    per_row: ClassVar[int] = _kernel.WHOLE

    @classmethod
    def whole(cls, labels: Labels, values: tuple[Label, ...]) -> "Shares":
        """Hard assignments: rows with one label each, among these values."""
        places = {label: place for place, label in enumerate(values)}
        order = np.array([places[label] for label in labels.values], dtype=np.intp)
        slots = np.zeros((len(labels), len(values)), dtype=np.uint64)
        slots[np.arange(len(labels)), order[labels.slots]] = cls.per_row
        return cls(values, slots)

    def numbered(self, values: tuple[Label, ...], order: NDArray[np.uint32]) -> "Shares":
        """The same rows among other labels, where label `i` of these is number `order[i]`."""
        slots = np.zeros((len(self), len(values)), dtype=np.uint64)
        slots[:, order] = self.slots
        return Shares(values, slots)

    @property
    def rows(self) -> NDArray[Any]:
        """How much the rows of each label count in total."""
        return np.asarray(self.slots.sum(axis=0, dtype=np.uint64))

    def __len__(self) -> int:
        return len(self.slots)


def labels(y: Any) -> Labels:
    """A column of labels: strings or numbers, one kind throughout, none missing."""
    if isinstance(y, _kernel.Texts):
        return _spelled(y)
    unordered = isinstance(y, (str, bytes, dict, set, frozenset))
    if unordered or not isinstance(y, Iterable) or len(getattr(y, "shape", (0,))) != 1:
        raise DataTypeError.of("labels-not-a-list", type=type(y).__name__)
    masked = isinstance(y, np.ma.MaskedArray)
    if isinstance(y, np.ndarray) and y.dtype.kind in "iu" and len(y) and not masked:
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
        raise DataError.of("label-missing", row=int(empty.argmax()) + 1)
    slots = np.zeros(len(y), dtype=np.uint32)
    codes = _kernel.TextCounts.observe(_kernel.Reading(), y, slots, 1, 1).codes()
    return Labels(tuple(codes.names), codes.of(y, 1).astype(np.uint32))


def _whole_numbers(y: NDArray[Any]) -> Labels | None:
    """Labels that are small integers, read without a Python loop."""
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
        raise DataTypeError.of("mixed-labels", one=a, one_type=first, other=b, other_type=second)


def as_known(given: Iterable[Label], known: Sequence[Label]) -> dict[Label, Label]:
    """Labels converted to those of a model: a file has texts where it has numbers, or the reverse.

    A label of another type is the label of the model with the same spelling. A text may also spell
    a new label of the model's type. Anything else is refused, and so are two labels that would
    become one.

    >>> as_known(["1", "2"], [0, 1]), as_known([1], ["0", "1"]), as_known([True], ["TRUE"])
    ({'1': 1, '2': 2}, {1: '1'}, {True: 'TRUE'})
    """
    given = list(given)
    if not known or all(type(label) is type(known[0]) for label in given):
        return {label: label for label in given}
    alike = _by_spelling(known)
    found: dict[Label, Label] = {}
    of_own: dict[Label, Label] = {}
    for label in given:
        own = _only(label, alike.get(spelled(label), ()))
        own = _new(label, known) if own is None else own
        if of_own.setdefault(own, label) != label:
            raise DataTypeError(
                f"the labels {of_own[own]!r} and {label!r} would both be {own!r}, "
                "which the model has as one label"
            )
        found[label] = own
    return found


def find_label(label: Any, known: Sequence[Label]) -> Label | None:
    """The label of a model that is meant: the same, or of another type with the same spelling.

    None if there is none; an error if there are several.

    >>> find_label("0", [0, 1]), find_label(1, ["0", "1"]), find_label("2", [0, 1])
    (0, '1', None)
    """
    label = plain_label(label)
    if not known or type(label) is type(known[0]):
        return label if label in known else None
    return _only(label, _by_spelling(known).get(spelled(label), ()))


def _by_spelling(known: Sequence[Label]) -> dict[str, list[Label]]:
    found: dict[str, list[Label]] = {}
    for label in known:
        found.setdefault(spelled(label), []).append(label)
    return found


def _only(label: Label, alike: Sequence[Label]) -> Label | None:
    if len(alike) > 1:
        raise DataTypeError(
            f"{label!r} may be the label {alike[0]!r} of the model, or {alike[1]!r}\n"
            f"hint: give labels as {_SPELLED[type(alike[0])]}, as those of the model are"
        )
    return alike[0] if alike else None


def _new(label: Label, known: Sequence[Label]) -> Label:
    """A new label, converted to the type that the model has, if a text spells one."""
    kind = type(known[0])
    text = spelled(label)
    if isinstance(label, str) and (kind is not bool or text in ("true", "false")):
        try:
            read = text == "true" if kind is bool else kind(text)
            if "_" not in text and label_fits(read) and spelled(read) == text:
                return read
        except ValueError:
            pass
    shown = ", ".join(f"`{one}`" for one in known[:_NAMED]) + (" …" if known[_NAMED:] else "")
    raise DataTypeError(
        f"the label {label!r} is not {_KINDS[kind]}, as those of the model are: {shown}"
        + ("; none of them is spelled so" if kind is str else "")
    )


def label_fits(label: Label) -> bool:
    """Whether a number can be a label: finite, and within 64 bits if it is an integer."""
    if isinstance(label, float):
        return math.isfinite(label)
    return not isinstance(label, int) or -(2**63) <= label < 2**63


def label_array(labels: Sequence[Label]) -> NDArray[Any]:
    """Labels as an array that keeps each as it is."""
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
    if isinstance(label, int) and not -(2**63) <= label < 2**63:
        raise DataError(f"the label {str(label)[:40]} does not fit into 64 bits")
    return int(label) if isinstance(label, int) else label + 0.0


def label_bytes(label: Label) -> bytes:
    """A label as unique bytes."""
    if isinstance(label, str):
        return b"s" + label.encode()
    return f"{_kind(type(label))[0]}{label!r}".encode()


def _kind(kind: type) -> str:
    """The name of a label type, for error messages."""
    for known, name in ((str, "text"), (bool, "bool"), (int, "int"), (float, "float")):
        if issubclass(kind, known):
            return name
    return kind.__name__


def _check_labels(rows: list[Any] | tuple[Any, ...]) -> None:
    kinds = set(map(type, rows))
    if kinds <= {str} or kinds <= {bool} or (kinds <= {int} and _fit_64_bits(rows)):
        return
    for row, label in enumerate(rows, 1):
        nan = isinstance(label, float) and math.isnan(label)
        if label is None or nan or type(label).__name__ in ("NAType", "NaTType"):
            raise DataError.of("label-missing-value", row=row, label=label)
        if not isinstance(label, (str, int, float, bool)):
            raise DataTypeError.of("label-of-another-type", row=row, type=type(label).__name__)
        if isinstance(label, float) and math.isinf(label):
            raise DataError(f"label {row} is {label}, which is no class")
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise DataError(f"label {row} is {label}, beyond 64 bits")
    one_kind(rows)


def _fit_64_bits(rows: list[Any] | tuple[Any, ...]) -> bool:
    return min(rows, default=0) >= -(2**63) and max(rows, default=0) < 2**63


def plain_list(column: Any) -> list[Any]:
    """The cells of a column."""
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":
        # As plain Python values, times finer than microseconds would become integers.
        return list(column)
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)
