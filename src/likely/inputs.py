"""The door for data: whatever a user has becomes a checked batch, once."""

import math
from collections.abc import Iterable
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
    if isinstance(x, np.ndarray) and x.ndim != 1:
        raise DataTypeError(f"texts are one column, not an array of shape {x.shape}")
    if not isinstance(x, Iterable) or isinstance(x, (dict, set, frozenset)):
        raise DataTypeError(f"texts are a list of strings, not {type(x).__name__}")
    sequence = x if isinstance(x, (list, tuple)) else _to_list(x)
    return _kernel.Texts(sequence, replace_invalid)


def labels(y: Any) -> Labels:
    """A column of labels: strings or numbers, one kind throughout, none missing."""
    if isinstance(y, (str, bytes)) or not isinstance(y, Iterable):
        raise DataTypeError(f"labels are a list with one label per text, not {type(y).__name__}")
    rows = y if isinstance(y, (list, tuple)) else _to_list(y)
    if any(issubclass(kind, np.generic) for kind in set(map(type, rows))):
        rows = [label.item() if isinstance(label, np.generic) else label for label in rows]
    _check_labels(rows)
    slots: dict[Label, int] = {}
    codes = [slots.setdefault(label, len(slots)) for label in rows]
    return Labels(tuple(map(_plain, slots)), np.array(codes, dtype=np.uint32))


def one_kind(labels: Iterable[Label]) -> None:
    """Refuse labels that cannot be sorted together."""
    kinds = {_kind(type(label)): label for label in labels}
    if len(kinds) > 1:
        (first, a), (second, b) = list(kinds.items())[:2]
        raise DataTypeError(f"labels are of one kind, but {a!r} is {first} and {b!r} is {second}")


def label_bytes(label: Label) -> bytes:
    """A label as bytes that no other label has."""
    if isinstance(label, str):
        return b"s" + label.encode()
    return f"{_kind(type(label))[0]}{label!r}".encode()


def _plain(label: Label) -> Label:
    """A label as a plain Python value: no subclass, no negative zero."""
    if isinstance(label, str):
        try:
            label.encode()
        except UnicodeEncodeError:
            raise DataError(f"the label {label!r} is not valid Unicode") from None
        return str(label)
    return label + 0.0 if isinstance(label, float) else label


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
        if label is None or (isinstance(label, float) and math.isnan(label)):
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
    if array.null_count:
        row = array.is_null().index(True).as_py()
        raise DataTypeError(f"text {row} is NoneType, not a string")
    if replace_invalid:
        return _kernel.Texts(array.cast(pa.large_binary()).to_pylist(), True)
    if pa.types.is_string(array.type):
        width: type[np.signedinteger[Any]] = np.int32
    else:
        try:
            array = array.cast(pa.large_string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise DataTypeError(f"texts are strings, not {array.type}") from error
        width = np.int64
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, dtype=width) if offsets else np.zeros(1, dtype=width)
    starts = starts[array.offset : array.offset + len(array) + 1].astype(np.int64)
    content = np.frombuffer(data, dtype=np.uint8) if data else np.zeros(0, dtype=np.uint8)
    return _kernel.Texts.from_arrow(content, np.ascontiguousarray(starts))
