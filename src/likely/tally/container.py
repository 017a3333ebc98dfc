"""The .likely file: a safetensors container in canonical form, with a digest at its end.

    8 bytes       length of the header, little-endian
    header        JSON: what the tensors are called, and the model's options
    tensors       one after another, widest numbers first, then by name
    32 bytes      SHA-256 of everything before; to safetensors, the last tensor

`docs/format.md` specifies every byte. The digest is checked before anything else is read.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import stat
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from likely.errors import ModelError

try:
    import fcntl
except ImportError:  # There is none on Windows, where drafts stay.
    fcntl = None  # type: ignore[assignment]

Arrays = dict[str, NDArray[Any]]

FORMAT = 2
SEAL = "~sha256"
_WIDTHS = {"U8": "<u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "I64": "<i8", "F64": "<f8"}
_NAMES = {width: name for name, width in _WIDTHS.items()}
_DRAFT_BYTES = 6


def pack(metadata: dict[str, Any], arrays: Arrays) -> bytes:
    """The one file that holds these options and arrays."""
    pieces = list(_pieces(metadata, arrays))
    return b"".join([*pieces, _summed(pieces).digest()])


def _pieces(metadata: dict[str, Any], arrays: Arrays) -> Iterator[Any]:
    """The pieces of a file, without the digest."""
    tensors = {name: _narrow(array) for name, array in arrays.items()}
    tensors = dict(sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])))
    header = _header(metadata, tensors)
    yield struct.pack("<Q", len(header))
    yield header
    for tensor in tensors.values():
        yield tensor.data


def _summed(pieces: Iterable[Any]) -> "hashlib._Hash":
    summed = hashlib.sha256()
    for piece in pieces:
        summed.update(piece)
    return summed


def unpack(data: bytes) -> tuple[dict[str, Any], Arrays]:
    """Options and arrays of a file, fully checked."""
    if len(data) < 8 or data[8:26] != b'{"__metadata__":{"':
        raise ModelError.of("not-a-model")
    (length,) = struct.unpack("<Q", data[:8])
    if length > len(data) - 8 - 32:
        raise ModelError.of("cut-off")
    if hashlib.sha256(memoryview(data)[:-32]).digest() != data[-32:]:
        raise ModelError.of("damaged")
    # From here on the bytes are as they were written, but perhaps not in canonical form.
    written = data[8 : 8 + length]
    try:
        header = json.loads(written)
        metadata = json.loads(header.pop("__metadata__")["likely"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError("it is no Likely model: its header makes no sense") from error
    if not isinstance(metadata, dict) or type(metadata.get("format")) is not int:
        raise ModelError("it is no Likely model: it does not name its format")
    if metadata["format"] < FORMAT:
        raise ModelError(
            f"it was written by an older version of Likely (format {metadata['format']}; "
            f"this one reads {FORMAT})\nhint: train it anew"
        )
    if metadata["format"] > FORMAT:
        raise ModelError(
            f"it was written by a newer version of Likely (format {metadata['format']}; "
            f"this one reads {FORMAT})"
        )
    tensors = _tensors(header, memoryview(data)[8 + length :])
    del tensors[SEAL]
    try:
        same = _header(metadata, tensors) == written
    except (ValueError, RecursionError) as error:
        raise ModelError(f"its header makes no sense: {error}") from error
    if not same:
        # Repeated keys, unknown keys, spaces, numbers in another form.
        raise ModelError("its header is not written the way Likely writes it")
    return metadata, tensors


def of_places(arrays: Arrays, places: int, others: Iterable[str] = ()) -> list[Arrays]:
    """The arrays of each numbered position, named without it; other arrays are refused."""
    parts: dict[str, Arrays] = {str(place): {} for place in range(places)}
    others = set(others)
    for name, array in arrays.items():
        place, _, what = name.partition("/")
        if place in parts:
            parts[place][what] = array
        elif place not in others:
            raise ModelError("it has arrays that do not belong to a model")
    return list(parts.values())


def digest(metadata: dict[str, Any], arrays: Arrays) -> str:
    """A SHA-256 that equal content shares, in hexadecimal."""
    return _summed(_pieces(metadata, arrays)).hexdigest()


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically.

    Drafts that killed saves left beside it are removed.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EEXIST, "it is there and is no file", str(path))
    if not target.parent.is_dir():
        raise OSError(errno.ENOENT, "its folder is not there", str(path))
    draft: Path | None = None
    try:
        _remove_drafts(target)
        # The draft has the permissions of the file that it replaces.
        with _draft(target, 0o600 if target.exists() else 0o666) as (draft, file):
            with file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                os.chmod(draft, target.stat().st_mode & 0o7777)
            os.replace(draft, target)
    except BaseException as error:
        if draft is not None:
            with contextlib.suppress(OSError):
                draft.unlink()
        if isinstance(error, OSError):
            # A failed save leaves no draft behind.
            error.filename = os.fspath(path)
        raise
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def _draft(target: Path, mode: int) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file beside the target, locked until it is renamed, so that nobody removes it."""
    with contextlib.ExitStack() as until_then:
        while True:
            draft = target.with_name(f".{target.name}.{secrets.token_hex(_DRAFT_BYTES)}")
            file = open(  # noqa: SIM115
                draft, "xb", opener=lambda name, flags: os.open(name, flags, mode)
            )
            if fcntl is None:
                break
            # The lock is released when the last handle is closed, also when the process ends.
            held = os.dup(file.fileno())
            until_then.callback(os.close, held)
            with contextlib.suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_EX)
            # Before it was locked, another save may have removed it.
            if draft.exists():
                break
            file.close()
        yield draft, file


def _remove_drafts(target: Path) -> None:
    """Remove the drafts of saves that were killed; one that is being written is locked."""
    if fcntl is None:
        return
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{{2 * _DRAFT_BYTES}}}", re.DOTALL)
    for draft in [Path(one) for one in os.scandir(target.parent) if name.fullmatch(one.name)]:
        with contextlib.suppress(OSError):
            # A link or a pipe is not a draft; opening them does no harm.
            held = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if stat.S_ISREG(os.fstat(held).st_mode):
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    draft.unlink()
            finally:
                os.close(held)


def _header(metadata: dict[str, Any], tensors: Arrays) -> bytes:
    """The header of tensors in the order given, padded so that they begin on a multiple of 8."""
    header: dict[str, Any] = {"__metadata__": {"likely": canonical(metadata)}}
    start = 0
    for name, tensor in tensors.items():
        end = start + tensor.nbytes
        header[name] = _entry(
            _NAMES[tensor.dtype.newbyteorder("<").str.replace("|", "<")], tensor.shape, start, end
        )
        start = end
    header[SEAL] = _entry("U8", (32,), start, start + 32)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    return text + b" " * (-len(text) % 8)


def _entry(dtype: str, shape: tuple[int, ...], start: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}


def canonical(value: Any) -> str:
    """Canonical JSON; 1, 1.0 and true are different. NaN and infinity are refused."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def parsed(data: bytes) -> Any:
    """JSON in UTF-8 without repeated keys; None if it is invalid."""
    try:
        return json.loads(data.decode(), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _tensors(header: dict[str, Any], content: memoryview) -> Arrays:
    """The tensors, checked to follow each other without gaps."""
    tensors: Arrays = {}
    at = 0
    for name, entry in header.items():
        try:
            width = np.dtype(_WIDTHS[entry["dtype"]])
            (count,) = entry["shape"]
            start, end = entry["data_offsets"]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"its header does not describe `{name}` rightly") from error
        whole = all(type(number) is int for number in (count, start, end))
        if not whole or start != at or end != at + count * width.itemsize:
            raise ModelError(f"its header does not describe `{name}` rightly")
        if count < 0 or end > len(content):
            raise ModelError(f"`{name}` runs over the end of the file")
        tensors[name] = np.frombuffer(content[start:end], dtype=width)
        at = end
    order = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    if order != list(tensors):
        raise ModelError("its tensors are not in order")
    wide = [name for name, tensor in tensors.items() if _width(tensor) != tensor.dtype]
    if wide:
        raise ModelError(f"`{wide[0]}` is wider than its numbers are")
    if at != len(content) or not tensors or list(tensors)[-1] != SEAL or len(tensors[SEAL]) != 32:
        raise ModelError("its tensors do not fill the file")
    return tensors


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in the narrowest unsigned width that holds them; floats as they are."""
    return np.ascontiguousarray(array, dtype=_width(array))


def _width(array: NDArray[Any]) -> np.dtype[Any]:
    """How wide the numbers of an array are written."""
    if array.dtype.kind != "u":
        return array.dtype.newbyteorder("<")
    largest = int(array.max(initial=0))
    return np.dtype(next(w for w in ("<u1", "<u2", "<u4", "<u8") if largest <= np.iinfo(w).max))
