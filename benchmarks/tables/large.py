"""What a file takes that is larger than one would like to hold in memory."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import MissingError
from benchmarks.made_up.tables import write
from benchmarks.processes import python
from benchmarks.run import Run
from benchmarks.table import Row

NOTES = """\
`likely train FILE -o m.likely`, leave-one-out included, then `likely predict m.likely FILE`
to nowhere. The file has a column of text (50,000 words), two of numbers, two of categories and two
classes; the smaller one is the beginning of the larger. `processor` adds the seconds of all
processors; `peak MB` is the resident memory of the whole process. What grows with the rows is the
ledger, 8 bytes each."""
COLUMNS = ("what", "file, MB", "rows", "seconds", "processor", "MB/s", "peak MB", "ledger MB")
COLUMNS += ("model MB",)

# A process inherits the peak memory of the one that starts it. So this one, which is small, does.
_RUN = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
command = [sys.executable, *sys.argv[1:]]
done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
seconds = time.perf_counter() - start
if done.returncode:
    sys.exit(done.stderr)
took = resource.getrusage(resource.RUSAGE_CHILDREN)
peak = took.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
print(json.dumps([seconds, took.ru_utime + took.ru_stime, peak]))
"""


def rows(run: Run) -> Iterator[Row]:
    megabytes, n_words = (1, 500) if run.quick else (3000, 50_000)
    free = shutil.disk_usage(tempfile.gettempdir()).free / 1e6
    if free < 1.2 * megabytes:
        have = f"{tempfile.gettempdir()} has {free:,.0f} MB left"
        raise MissingError(f"it takes {1.2 * megabytes:,.0f} MB and {have}")
    for size in (megabytes / 10, megabytes):
        with tempfile.TemporaryDirectory(prefix="likely-") as scratch:
            yield from _taken(Path(scratch, "table.csv"), size, n_words)


def _taken(path: Path, megabytes: float, n_words: int) -> Iterator[Row]:
    n_rows = write(path, megabytes, n_words, mixed=True)
    size, model = path.stat().st_size / 1e6, path.with_suffix(".likely")
    commands = {"train": (path, "-o", model), "predict": (model, path)}
    for what, arguments in commands.items():
        said = python("-c", _RUN, "-m", "likely", what, *map(str, arguments))
        seconds, processor, peak = json.loads(said)
        yield {
            "what": what,
            "file, MB": size,
            "rows": n_rows,
            "seconds": seconds,
            "processor": processor,
            "MB/s": size / seconds,
            "peak MB": peak,
            "ledger MB": n_rows * 8 / 1e6,
            "model MB": model.stat().st_size / 1e6,
        }
