"""What a file takes that is larger than one would like to hold in memory: time and memory."""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.speed.fresh import python
from benchmarks.tables import generated

LEGEND = """\
`likely train BIG.csv -o m.likely` (counting and leave-one-out) and `likely predict m.likely BIG.csv
> /dev/null`, on a made-up table with a column of text (50,000 words), two of numbers, two of
categories and two classes. Seconds of the wall, of all processors, and peak resident memory of the
whole process; beside it that for the first tenth of the file. What may grow with the rows is the
ledger, 8 bytes each; while a model is read or written there are several copies of it."""

_WORDS = 50_000
_WIDTHS = (7, 8, 9, 9, 8, 11, 8, 8, 15, 9, 10)

# Runs a command and says what it took. A process inherits the peak memory of the one that starts
# it, so the one that starts it is small.
_RUN = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run([sys.executable, *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - start
took = resource.getrusage(resource.RUSAGE_CHILDREN)
unit = 1 if sys.platform == "darwin" else 1024
peak = took.ru_maxrss * unit / 1e6
print(json.dumps({"seconds": seconds, "cpu": took.ru_utime + took.ru_stime, "peak": peak}))
"""


@dataclass(frozen=True)
class Row:
    what: str
    file: float
    rows: int
    seconds: float
    speed: float
    cpu_seconds: float
    peak: float
    a_tenth: float
    """The same of a file of a tenth of the size."""
    peak_of_a_tenth: float
    ledger: float
    model_file: float

    def line(self) -> str:
        return _line(
            self.what,
            _megabytes(self.file),
            f"{self.rows:,}",
            f"{self.seconds:.1f} s",
            f"{self.speed:.0f} MB/s",
            f"{self.cpu_seconds:.1f} s",
            _megabytes(self.peak),
            f"{self.a_tenth:.0f} MB/s",
            _megabytes(self.peak_of_a_tenth),
            _megabytes(self.ledger),
            _megabytes(self.model_file),
        )


def rows(_: Path, quick: bool) -> Iterator[Row]:
    megabytes = 200 if quick else 3000
    free = shutil.disk_usage(tempfile.gettempdir()).free / 1e6
    if free < 1.5 * megabytes:
        wanted = f"{1.5 * megabytes:,.0f} MB, and {tempfile.gettempdir()} has {free:,.0f}"
        print(f"large: left out, it takes {wanted}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="likely-") as scratch:
        small = _taken(Path(scratch) / "small", megabytes / 10)
        big = _taken(Path(scratch) / "big", megabytes)
    size, n_rows, model = big["size"], big["rows"], big["model"]
    for what in ("train", "predict"):
        ours, tenth = big[what], small[what]
        yield Row(
            what=what,
            file=size,
            rows=n_rows,
            seconds=ours["seconds"],
            speed=size / ours["seconds"],
            cpu_seconds=ours["cpu"],
            peak=ours["peak"],
            a_tenth=small["size"] / tenth["seconds"],
            peak_of_a_tenth=tenth["peak"],
            ledger=n_rows * 8 / 1e6,
            model_file=model,
        )


def _taken(folder: Path, megabytes: float) -> dict[str, Any]:
    """What training and predicting took, on a table that is removed again."""
    folder.mkdir()
    path, model = folder / "table.csv", folder / "model.likely"
    n_rows = generated.write(path, megabytes, _WORDS, mixed=True)
    size = path.stat().st_size / 1e6
    train = _run("train", str(path), "-o", str(model))
    predict = _run("predict", str(model), str(path))
    path.unlink()
    model_size = model.stat().st_size / 1e6
    return {"rows": n_rows, "size": size, "model": model_size, "train": train, "predict": predict}


def _run(*arguments: str) -> dict[str, float]:
    found: dict[str, float] = json.loads(python("-c", _RUN, "-m", "likely", *arguments))
    return found


def _megabytes(value: float) -> str:
    return f"{value:,.0f} MB"


def _line(*cells: str) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
    return f"| {' | '.join(padded)} |"


NAMES = tuple(field.name.replace("_", " ") for field in fields(Row))
BLANK = _line(*[""] * len(NAMES))
