"""What a fit does: how often it reads the table, for how long, and what comes back."""

import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.cluster.mllib import NAMES, estimators
from benchmarks.cluster.spark import COPIES, in_spark, session, write_copies
from benchmarks.measure import clocked
from benchmarks.run import Run
from benchmarks.table import Row
from likely.model import partitions
from likely.model.partitions import Count, Partitions, Sample

NOTES = """\
IMDb ten times over, on Spark `local[2]`. Each pass is a job of Spark over all partitions; `MB back`
is what the driver receives: of tallies, their sum. The last row of a model is what the driver does
beside that."""
COLUMNS = ("model", "pass", "seconds", "MB back")


class Watched:
    """Partitions, and what was asked of them."""

    def __init__(self, parts: Partitions):
        self._parts = parts
        self.columns = parts.columns
        self.passes: list[tuple[str, float, int]] = []

    def count(self) -> int:
        found, seconds = clocked(self._parts.count)
        self.passes.append(("count the rows", seconds, 0))
        return found

    def map(self, columns: Sequence[str], task: Any) -> list[Any]:
        found, seconds = clocked(lambda: self._parts.map(columns, task))
        what = "count copies of the sampled texts"
        if isinstance(task, Sample):
            what = "sample for the plan" if task.plan is None else "sample for the tuning"
        self.passes.append((what, seconds, sum(len(pickle.dumps(each)) for each in found)))
        return found

    def total(self, columns: Sequence[str], task: Count, add: Any) -> bytes:
        found, seconds = clocked(lambda: self._parts.total(columns, task, add))
        self.passes.append(("tally, and add up", seconds, len(found)))
        return found


def rows(run: Run) -> Iterator[Row]:
    copies = 2 if run.quick else COPIES
    with TemporaryDirectory(prefix="likely-") as scratch:
        train = write_copies(Path(scratch, "train.parquet"), run.train, copies)
        found = in_spark(measured, scratch, train)
    for model, passes in found:
        for what, seconds, n_bytes in passes:
            yield {"model": model, "pass": what, "seconds": seconds, "MB back": n_bytes / 1e6}


def measured(folder: str, train: str) -> list[tuple[str, list[tuple[str, float, int]]]]:
    from likely.spark.partitions import SparkPartitions

    frame, found = session(folder).read.parquet(train), []
    for name, title in NAMES.items():
        spec = estimators()[name].classifier().spec
        partitions.fit(spec, SparkPartitions(frame.limit(1000)), "label")
        watched = Watched(SparkPartitions(frame))
        _, seconds = clocked(lambda: partitions.fit(spec, watched, "label", threads=2))  # noqa: B023
        here = seconds - sum(own for _, own, _ in watched.passes)
        found.append((title, [*watched.passes, ("on the driver", here, 0)]))
    return found
