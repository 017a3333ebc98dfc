"""The partitions of a Spark DataFrame: a task on each, by `mapInArrow` and nothing else."""

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import likely
from likely.data.columns import nearest
from likely.data.table import Table
from likely.errors import DataError, DataTypeError, LikelyError, ModelError
from likely.model.partitions import Add, Made, Tables, Task

# What a task makes, pickled and in pieces, since a cell of a DataFrame has at most 2 GB and a
# message of Spark Connect less. A refusal is the pickled error.
_PIECES = "partition int, piece int, is_refused boolean, value binary"
_PIECE = 16_000_000

# So many tallies are added in one place.
_TOGETHER = 8

# How Spark says that a file is not what the schema promises.
_UNREADABLE = re.compile(r"\[FAILED_READ_FILE[.\w]*\] .*? file (\S+)\.\s+(.*?)\.?\s*SQLSTATE")
_CAUSE = re.compile(r"Caused by: [\w.$]+: (.+)")

Batches = Iterable[Any]


class SparkPartitions:
    """Rows of a DataFrame, which Spark reads anew for each task."""

    def __init__(self, frame: DataFrame):
        check_frame(frame)
        self._frame = frame
        self.columns = tuple(frame.columns)
        check_names(self.columns)
        self._rows_of: dict[int, int] = {}

    def count(self) -> int:
        own = F.spark_partition_id().alias("own")
        counted = _collected(self._frame.select(own).groupBy("own").count())
        self._rows_of = {row["own"]: row["count"] for row in counted}
        return sum(self._rows_of.values())

    def map(self, columns: Sequence[str], task: Task[Made]) -> list[Made]:
        return list(_made(self._mapped(columns, task)))

    def total(self, columns: Sequence[str], task: Task[bytes], add: Add) -> bytes:
        if not self._rows_of:
            self.count()
        values, parts = self._mapped(columns, task), len(self._rows_of)
        while parts > _TOGETHER:
            groups = -(-parts // _TOGETHER)
            apart = values.repartition(groups, F.col("partition") % groups)
            values, parts = apart.mapInArrow(_Adding(add, likely.__version__), _PIECES), groups
        return add(_made(values))

    def _mapped(self, columns: Sequence[str], task: Task[Any]) -> DataFrame:
        running = Running(task, tuple(columns), likely.__version__)
        return numbered(named(self._frame, columns)).mapInArrow(running, _PIECES)


def spelled(name: str) -> str:
    """The name of a column as Spark reads it; without quotes, a dot is a path."""
    return "`" + name.replace("`", "``") + "`"


def check_frame(frame: Any) -> None:
    """Refuse what is no DataFrame of Spark."""
    if not hasattr(frame, "mapInArrow"):
        home = type(frame).__module__.partition(".")[0]
        raise DataTypeError(
            f"the rows are a DataFrame of Spark, not a {type(frame).__name__} of {home}\n"
            "hint: `toLocal()` and `likely.Classifier` take rows in memory"
        )


def check_names(columns: Sequence[str]) -> None:
    """Refuse two columns of one name."""
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise DataError.of("repeated-column", column=twice)


def named(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """These columns of a frame."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        known = nearest(missing[0], frame.columns)
        raise DataError(f"the table has no column `{missing[0]}`; {known}")
    return frame.select([F.col(spelled(name)) for name in columns])


def numbered(frame: DataFrame) -> DataFrame:
    """The frame with plain names; `mapInArrow` reads some others as paths."""
    return frame.toDF(*(f"c{n}" for n in range(len(frame.columns))))


@dataclass(frozen=True)
class Running:
    """A task on one partition, where Spark has it."""

    task: Task[Any]
    columns: tuple[str, ...]
    version: str

    def __call__(self, batches: Batches) -> Iterator[Any]:
        def made() -> Any:
            return self.task(tables(batches, self.columns))

        return _pieces(made, self.version)


@dataclass(frozen=True)
class _Adding:
    """Tallies of several partitions, added up where Spark has brought them together."""

    add: Add
    version: str

    def __call__(self, batches: Batches) -> Iterator[Any]:
        rows = [row for batch in batches for row in batch.to_pylist()]
        refused = [row for row in rows if row["is_refused"]]
        if refused or not rows:
            return iter([_batch(refused)] if refused else [])
        return _pieces(lambda: self.add(_joined(rows)), self.version)


def tables(batches: Batches, columns: Sequence[str]) -> Tables:
    """Arrow's batches as tables; lists as Python has them."""
    for batch in batches:
        cells = zip(columns, batch.columns, strict=True)
        given = {name: _cells(column) for name, column in cells}
        yield Table(given, batch.num_rows, named=True)


def _cells(column: Any) -> Any:
    import pyarrow as pa

    if not pa.types.is_nested(column.type):
        return column
    found = column.to_pylist()
    is_list = pa.types.is_list(column.type)
    if is_list and column.type.value_type in (pa.string(), pa.large_string()):
        # Labels: null is none of them, as an empty cell of a file is.
        return [[] if cell is None else cell for cell in found]
    return found


def check_version(version: str) -> None:
    """Refuse an executor with another version of Likely than the driver has."""
    if likely.__version__ != version:
        raise ModelError(
            f"Likely is {likely.__version__} here, and {version} at the driver\n"
            "hint: install the same version on all machines of the cluster"
        )


def _pieces(make: Callable[[], Any], version: str) -> Iterator[Any]:
    """What is made here, pickled and cut in pieces; or the error that refuses it."""
    number = partition()
    try:
        check_version(version)
        value, is_refused = pickle.dumps(make()), False
    except LikelyError as error:
        value, is_refused = pickle.dumps(error.within(f"partition {number}: ")), True
    for piece, start in enumerate(range(0, len(value), _PIECE)):
        cut = value[start : start + _PIECE]
        yield _batch(
            [{"partition": number, "piece": piece, "is_refused": is_refused, "value": cut}]
        )


def _batch(rows: list[dict[str, Any]]) -> Any:
    import pyarrow as pa

    number, piece = pa.field("partition", pa.int32()), pa.field("piece", pa.int32())
    kinds = [number, piece, pa.field("is_refused", pa.bool_()), pa.field("value", pa.binary())]
    return pa.RecordBatch.from_pylist(rows, pa.schema(kinds))


def partition() -> int:
    """The number of the partition whose task runs here."""
    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def _made(values: DataFrame) -> Iterator[Any]:
    """What the tasks have made, one partition after another."""
    return _joined([row.asDict() for row in _collected(values)])


def _collected(frame: DataFrame) -> list[Any]:
    """The rows of a frame; what Spark tells at length is said in a sentence."""
    try:
        return frame.collect()
    except Exception as error:
        said = str(error)
        if "No module named 'likely'" in said:
            raise ModelError(
                "Likely is not installed on the executors\n"
                "hint: install the same version on all machines of the cluster"
            ) from None
        if found := _UNREADABLE.search(said):
            file, why = found.groups()
            # Of malformed cells, the last cause has the most to say.
            causes = [why] if why else _CAUSE.findall(said) or ["it does not say why"]
            raise DataError(
                f"Spark cannot read the partition from `{file}`: {causes[-1]}\n"
                "hint: all files of a table have columns of the same types"
            ) from None
        raise


def _joined(rows: list[dict[str, Any]]) -> Iterator[Any]:
    """Pieces put together again; the first refusal is raised."""
    rows = sorted(rows, key=lambda row: (not row["is_refused"], row["partition"], row["piece"]))
    found: dict[int, list[bytes]] = {}
    for row in rows:
        if row["is_refused"]:
            raise pickle.loads(row["value"])
        found.setdefault(row["partition"], []).append(bytes(row["value"]))
    return (pickle.loads(b"".join(pieces)) for pieces in found.values())
