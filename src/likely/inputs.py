"""The door for data: whatever a user has becomes a checked batch, once."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.errors import DataError, DataTypeError

Label = str | int | float | bool


@dataclass(frozen=True)
class Labels:
    """One label per row: the different ones, and which of them each row has."""

    values: tuple[Label, ...]
    slots: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.slots)


@dataclass(frozen=True)
class Batch:
    """Texts with their labels, of equal length."""

    texts: _kernel.Texts
    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)


def batch(x: Any, y: Any, *, replace_invalid: bool = False) -> Batch:
    """Texts and labels that belong together."""
    taken, found = texts(x, replace_invalid=replace_invalid), labels(y)
    if len(taken) != len(found):
        raise DataError(f"there are {len(taken):,} texts but {len(found):,} labels")
    return Batch(taken, found)


def texts(x: Any, *, replace_invalid: bool = False) -> _kernel.Texts:
    """A column of texts: a list, an array or a series of strings, or an Arrow string array."""
    if isinstance(x, (str, bytes)):
        raise DataTypeError("one string was given where a list of texts was expected")
    if type(x).__module__.partition(".")[0] == "pyarrow":
        return _arrow_texts(x, replace_invalid)
    shape = getattr(x, "shape", (0,))
    if isinstance(shape, tuple) and len(shape) != 1:
        raise DataTypeError(
            f"texts are one column, not {type(x).__name__} of shape {shape}\n"
            'hint: of a frame, give a column, as in `df["text"]`'
        )
    if not isinstance(x, Iterable) or isinstance(x, (dict, set, frozenset)):
        raise DataTypeError(f"texts are a list of strings, not {type(x).__name__}")
    sequence = x if isinstance(x, (list, tuple)) else _to_list(x)
    return _kernel.Texts(sequence, replace_invalid)


def labels(y: Any) -> Labels:
    """A column of labels: strings or numbers, one kind throughout, none missing."""
    unordered = isinstance(y, (str, bytes, dict, set, frozenset))
    if unordered or not isinstance(y, Iterable) or len(getattr(y, "shape", (0,))) != 1:
        raise DataTypeError(f"labels are a list with one label per text, not {type(y).__name__}")
    rows = y if isinstance(y, (list, tuple)) else _to_list(y)
    if any(issubclass(kind, np.generic) for kind in set(map(type, rows))):
        rows = [label.item() if isinstance(label, np.generic) else label for label in rows]
    _check_labels(rows)
    slots: dict[Label, int] = {}
    codes = [slots.setdefault(label, len(slots)) for label in rows]
    return Labels(tuple(map(plain_label, slots)), np.array(codes, dtype=np.uint32))


def one_kind(labels: Iterable[Label]) -> None:
    """Refuse labels that cannot be sorted together."""
    kinds = {_kind(type(label)): label for label in labels}
    if len(kinds) > 1:
        (first, a), (second, b) = list(kinds.items())[:2]
        raise DataTypeError(f"labels are of one kind, but {a!r} is {first} and {b!r} is {second}")


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
    if set(map(type, rows)) <= {str}:
        return
    for row, label in enumerate(rows):
        nan = isinstance(label, float) and math.isnan(label)
        if label is None or nan or type(label).__name__ in ("NAType", "NaTType"):
            raise DataError(f"label {row} is missing ({label!r}); every text needs one")
        if not isinstance(label, (str, int, float, bool)):
            raise DataTypeError(f"label {row} is {type(label).__name__}, not text or a number")
        if isinstance(label, float) and math.isinf(label):
            raise DataError(f"label {row} is {label}, which is no class")
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise DataError(f"label {row} is {label}, beyond 64 bits")
    one_kind(rows)


def _to_list(column: Any) -> list[Any]:
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def _arrow_texts(array: Any, replace_invalid: bool) -> _kernel.Texts:
    """Borrow the buffers of an Arrow array; other layouts than plain strings are cast first."""
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if not isinstance(array, pa.Array):
        raise DataTypeError(f"texts are one column of strings, not a {type(array).__name__}")
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    known = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
    if kind not in known:
        raise DataTypeError(f"texts are strings, not {array.type}")
    if kind not in known[:3] or replace_invalid:
        return _kernel.Texts(array.to_pylist(), replace_invalid)
    if not pa.types.is_string(array.type):
        array = array.cast(pa.large_string())
    if array.null_count:
        row = array.is_null().index(True).as_py()
        raise DataTypeError(f"text {row} is NoneType, not a string")
    narrow = pa.types.is_string(array.type)
    width: type[np.signedinteger[Any]] = np.int32 if narrow else np.int64
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, dtype=width) if offsets else np.zeros(1, dtype=width)
    starts = starts[array.offset : array.offset + len(array) + 1].astype(np.int64)
    content = np.frombuffer(data, dtype=np.uint8) if data else np.zeros(0, dtype=np.uint8)
    return _kernel.Texts.from_arrow(content, np.ascontiguousarray(starts))
