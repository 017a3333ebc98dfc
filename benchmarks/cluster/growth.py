"""What grows with the table: seconds, tallies, the model, the memory of the driver."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import likely
from benchmarks.cluster.mllib import NAMES, estimators
from benchmarks.cluster.passes import Watched
from benchmarks.cluster.spark import CORES, in_spark, session, write
from benchmarks.data import MissingError
from benchmarks.made_up.endless import endless
from benchmarks.measure import clocked
from benchmarks.processes import peak, reset_peak
from benchmarks.run import Run
from benchmarks.table import Row
from likely.model import partitions
from likely.model.partitions import Tables, Task

NOTES = """\
Text whose vocabulary never ceases to grow, on Spark `local[2]`; `alone` is one process with two
threads that reads the same file. A tally is that of one partition, as it is sent; its ledger has
eight bytes for each row. `driver MB` is what the driver's Python takes beyond its start at its
peak; Java comes on top. Once each. `--sizes 10,5000` sets the megabytes; above 1,000 MB only the
plain model is fitted."""
COLUMNS = ("model", "MB", "rows", "features", "partitions", "tally, mean MB", "largest", "sum MB")
COLUMNS += ("ledger MB", "seconds", "MB/s", "alone, MB/s", "driver MB", "same file")

_SIZES = (10, 100, 1000)
_MOST_FOR_DEFAULT = 1000


@dataclass(frozen=True)
class Size:
    """How many bytes the tally of a partition has."""

    task: Task[bytes]

    def __call__(self, tables: Tables) -> int:
        return len(self.task(tables))


class Sized(Watched):
    """Partitions that also say how large their tallies are, in a pass of its own."""

    sizes: list[int]
    beside = 0.0

    def total(self, columns: Any, task: Any, add: Any) -> bytes:
        self.sizes, self.beside = clocked(lambda: self._parts.map(columns, Size(task)))
        return super().total(columns, task, add)


def rows(run: Run) -> Iterator[Row]:
    sizes = run.sizes or ((1,) if run.quick else _SIZES)
    free = shutil.disk_usage(tempfile.gettempdir()).free / 1e6
    if free < 3 * max(sizes):
        have = f"{tempfile.gettempdir()} has {free:,.0f} MB left"
        raise MissingError(f"it takes {3 * max(sizes):,.0f} MB and {have}")
    diverse = run.data.diverse(megabytes=75)
    for megabytes in sizes:
        with TemporaryDirectory(prefix="likely-") as scratch:
            path = Path(scratch, "texts.parquet")
            n_rows, written = write(path, endless(diverse), megabytes)
            for name, title in NAMES.items():
                if name == "plain" or megabytes <= _MOST_FOR_DEFAULT:
                    yield _row(title, n_rows, written, in_spark(fitted, scratch, str(path), name))


def _row(title: str, n_rows: int, megabytes: float, found: dict[str, Any]) -> Row:
    sizes = found["sizes"]
    return {
        "model": title,
        "MB": megabytes,
        "rows": n_rows,
        "features": found["features"],
        "partitions": len(sizes),
        "tally, mean MB": sum(sizes) / len(sizes) / 1e6,
        "largest": max(sizes) / 1e6,
        "sum MB": found["sum"] / 1e6,
        "ledger MB": n_rows * 8 / 1e6,
        "seconds": found["seconds"],
        "MB/s": megabytes / found["seconds"],
        "alone, MB/s": megabytes / found["alone"],
        "driver MB": found["driver"],
        "same file": found["same"],
    }


def fitted(folder: str, path: str, name: str) -> dict[str, Any]:
    """A model fitted on Spark and alone, and what that took."""
    from likely.spark.partitions import SparkPartitions

    frame, estimator = session(folder).read.parquet(path), estimators()[name]
    spec = estimator.classifier().spec
    before = reset_peak()
    parts = Sized(SparkPartitions(frame))
    model, seconds = clocked(lambda: partitions.fit(spec, parts, "label", threads=CORES))
    driver = peak() - before
    local = likely.Classifier(spec.likelihood, threads=CORES)
    _, alone = clocked(lambda: local.fit(likely.open_table(path), "label"))
    return {
        "features": sum(each.features() for each in model.tally.statistics),
        "sizes": parts.sizes,
        "sum": next(n_bytes for what, _, n_bytes in parts.passes if what.startswith("tally")),
        "seconds": seconds - parts.beside,
        "alone": alone,
        "driver": driver,
        "same": likely.Classifier.of(spec, model).to_bytes() == local.to_bytes(),
    }
