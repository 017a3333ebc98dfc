"""What goes wrong on executors: a mapper of batches that fails in the middle of a partition."""

import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def kill_workers() -> None:
    """End this Python worker of an executor and all beside it, those that count among them."""
    for pid in children_of(os.getppid()):
        if pid != os.getpid():
            os.kill(pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def kill_machine() -> None:
    """End the worker of a standalone cluster that this runs under, and its executor."""
    daemon = os.getppid()
    executor = parent_of(daemon)
    worker = parent_of(executor)
    for pid, is_what in ((worker, b"deploy.worker.Worker"), (executor, b"ExecutorBackend")):
        assert is_what in Path(f"/proc/{pid}/cmdline").read_bytes()
        os.kill(pid, signal.SIGKILL)
    time.sleep(60)


def fail() -> None:
    raise RuntimeError("this attempt fails")


def nothing() -> None:
    """No fault: how often the partition was begun is counted all the same."""


def be_slow() -> None:
    time.sleep(6)


def parent_of(pid: int) -> int:
    """The process that started this one."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def children_of(pid: int) -> list[int]:
    """The processes that this one has started."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and parent_of(int(folder.name)) == pid:
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def is_new(folder: str, name: str) -> bool:
    """Whether nobody has asked this before."""
    try:
        os.close(os.open(f"{folder}/{name}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def attempts(folder: str) -> int:
    """How often this was asked before."""
    return next(number for number in itertools.count() if is_new(folder, f"{number}"))


@dataclass(frozen=True)
class Shrinking:
    """The batches of a table that has fewer rows each time that it is read."""

    folder: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch.slice(attempts(self.folder))


@dataclass(frozen=True)
class Fault:
    """The batches of a table, with a fault in one of its partitions.

    The folder counts how often that partition was begun. The fault comes after the first batch, at
    every other attempt: each pass over the table meets it once, and is repeated.
    """

    folder: str
    partition: int
    do: Callable[[], None]
    once_from: int | None = None
    """If it comes a single time, the first attempt that may meet it."""

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        is_here = TaskContext.get().partitionId() == self.partition
        attempt = attempts(self.folder) if is_here else 1
        for number, batch in enumerate(batches):
            if number == 1 and is_here and self._is_met(attempt):
                self.do()
            yield batch

    def _is_met(self, attempt: int) -> bool:
        if self.once_from is None:
            return attempt % 2 == 0
        return attempt >= self.once_from and is_new(self.folder, "met")


def faulty(frame: Any, folder: Any, do: Callable[[], None], once_from: int | None = None) -> Any:
    """The frame with a fault in its largest partition."""
    from pyspark.sql import functions as F

    sizes = frame.groupBy(F.spark_partition_id().alias("own")).count().collect()
    largest = max(sizes, key=lambda row: row["count"])
    fault = Fault(str(folder), largest["own"], do, once_from)
    return frame.mapInArrow(fault, frame.schema)


FAULTS = {"kill workers": kill_workers, "kill machine": kill_machine, "fail": fail, "slow": be_slow}
