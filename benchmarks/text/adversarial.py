"""Whether a text can be made that is slow to read, or breaks the reader."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.measure import clocked
from benchmarks.processes import call, growth_while
from benchmarks.run import Run
from benchmarks.table import Cell, Row, Target
from benchmarks.text.hostile import texts
from likely import Classifier, Multinomial, Text

NOTES = """\
Files of about ten megabytes, two rows of one long text each, learned from and predicted; a process
for each file. Nanoseconds of the processor for each byte, the least of four rounds, read as
`Text.sentiment()` with surface features and as `Text.spam()`, both with `invalid="replace"`;
`×` compares that with ordinary text, `growth` with a quarter of the same text (the worse of the two
readings): 1 is linear, 4 quadratic. `memory` is by how much the process grows at its peak,
in bytes for each byte of text."""
COLUMNS = ("text", "sentiment", "×", "spam", "× ", "growth", "memory", "target", "met")

_ORDINARY = "ordinary text"
_TARGET = Target(2, at_most=True)
_READINGS = {
    "sentiment": replace(Text.sentiment(), surface_features=True, invalid="replace"),
    "spam": replace(Text.spam(), invalid="replace"),
}
_ROUNDS = 4


def rows(run: Run) -> Iterator[Row]:
    megabytes = 0.01 if run.quick else 10.0
    ordinary: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="likely-") as scratch:
        for name, text in _all(run, megabytes):
            found = _read(text, Path(scratch))
            if found is None:
                yield {"text": name, "target": str(_TARGET), "met": "crash"}
                continue
            ordinary = ordinary or found
            ratios = [found[reading] / ordinary[reading] for reading in _READINGS]
            times = {c: Cell(r, f"{r:.2f}") for c, r in zip(("×", "× "), ratios, strict=True)}
            yield {"text": name, **found, **times} | (
                {} if name == _ORDINARY else _TARGET.judge(max(ratios))
            )


def _all(run: Run, megabytes: float) -> Iterator[tuple[str, bytes]]:
    yield _ORDINARY, "\n\n".join(run.data.diverse(megabytes).texts).encode()
    hostile = texts(megabytes)
    yield from [next(hostile)] if run.quick else hostile


def _read(text: bytes, scratch: Path) -> dict[str, float] | None:
    """What each byte of the text cost a process of its own; None if it died."""
    whole, quarter = scratch / "whole.csv", scratch / "quarter.csv"
    _write(whole, text)
    _write(quarter, text[: len(text) // 4])
    try:
        (full, memory), (part, _) = call(costs, str(whole), str(quarter))
    except subprocess.CalledProcessError as died:
        print(f"exit status {died.returncode}", file=sys.stderr)
        return None
    each = {reading: 1e9 * seconds / len(text) for reading, seconds in full.items()}
    growth = max(full[reading] / (4 * part[reading]) for reading in full)
    return {**each, "growth": growth, "memory": round(1e6 * memory / len(text))}


def costs(*paths: str) -> list[tuple[dict[str, float], float]]:
    """For each table the least seconds of each reading, and the megabytes they took."""
    return [_cost(Path(path)) for path in paths]


def _cost(path: Path) -> tuple[dict[str, float], float]:
    seconds: dict[str, float] = {}

    def read() -> None:
        for name, text in _READINGS.items():
            seconds[name] = min(_seconds(path, text) for _ in range(_ROUNDS))

    return seconds, growth_while(read)


def _seconds(path: Path, text: Text) -> float:
    """Of the processor: what else the machine does is not counted."""
    model = Classifier({"text": Multinomial(text=text)}, ledger=False)
    return clocked(lambda: model.fit(path, "label").predict(path), time.process_time)[1]


def _write(path: Path, text: bytes) -> None:
    """A table of two rows, each with one half of the text."""
    half = len(text) // 2
    with path.open("wb") as file:
        file.write(b"text,label\n")
        for part, label in ((text[:half], b"one"), (text[half:], b"other")):
            file.write(b'"' + part.replace(b'"', b'""') + b'",' + label + b"\n")
