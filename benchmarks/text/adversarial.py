"""Whether a text can be made that is slow to read, or breaks the reader."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.speed.corpus import diverse
from benchmarks.speed.fresh import python
from benchmarks.text.hostile import texts

LEGEND = """\
Files of about ten megabytes, two rows of one long text each, learned from and predicted; a process
for each file. Nanoseconds of the processor for each byte, the least of four rounds, read as
`Text.sentiment()` with every mark and as `Text.spam()`, both with `invalid="replace"`; `×` compares
that with ordinary text, `growth` with a quarter of the same text (the worse of the two readings): 1
is linear, 4 quadratic. `memory` is by how much the process grows at its peak, in bytes for each
byte of text."""
WIDTHS = {"text": 31, "sentiment": 9, "×": 5, "spam": 6, "× ": 5, "growth": 6, "memory": 6}
WIDTHS |= {"target": 6, "met": 5}

_ORDINARY = "ordinary text"
_TARGET = 2.0


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    megabytes = 1.0 if quick else 10.0
    ordinary: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="likely-") as scratch:
        for name, text in _all(folder, megabytes):
            found = _read(text, Path(scratch))
            if found is None:
                yield {"text": name, "target": f"≤ {_TARGET:g}", "met": "crash"}
                continue
            ordinary = ordinary or found
            sentiment, spam = (found[r] / ordinary[r] for r in ("sentiment", "spam"))
            row = {"text": name, **found, "×": f"{sentiment:.2f}", "× ": f"{spam:.2f}"}
            if name != _ORDINARY:
                met = max(sentiment, spam) <= _TARGET
                row |= {"target": f"≤ {_TARGET:g}", "met": "yes" if met else "no"}
            yield row


def _all(folder: Path, megabytes: float) -> Iterator[tuple[str, bytes]]:
    yield _ORDINARY, "\n\n".join(diverse(folder, megabytes).texts).encode()
    yield from texts(megabytes)


def _read(text: bytes, scratch: Path) -> dict[str, float] | None:
    """What each byte of the text cost a process of its own; None if it died."""
    whole, quarter = scratch / "whole.csv", scratch / "quarter.csv"
    _write(whole, text)
    _write(quarter, text[: len(text) // 4])
    try:
        said = json.loads(python("-m", "benchmarks.text.adversarial_job", str(whole), str(quarter)))
    except subprocess.CalledProcessError as died:
        print(f"exit status {died.returncode}", file=sys.stderr)
        return None
    (full, memory), (part, _) = said
    costs = {reading: 1e9 * seconds / len(text) for reading, seconds in full.items()}
    growth = max(full[reading] / (4 * part[reading]) for reading in full)
    return {**costs, "growth": growth, "memory": round(1e6 * memory / len(text))}


def _write(path: Path, text: bytes) -> None:
    """A table of two rows, each with one half of the text."""
    half = len(text) // 2
    with path.open("wb") as file:
        file.write(b"text,label\n")
        for part, label in ((text[:half], b"one"), (text[half:], b"other")):
            file.write(b'"' + part.replace(b'"', b'""') + b'",' + label + b"\n")
