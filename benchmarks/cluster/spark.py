"""Spark on two processors of this machine, and files that it reads as likely does.

A table is measured in a process of its own, with a Java machine of its own: Spark keeps its first
settings for as long as that lives.
"""

import os
import shutil
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from benchmarks.data import Corpus, MissingError, Pair, take
from benchmarks.processes import call

CORES = 2
# IMDb is learned and asked for as often.
COPIES = 10

# A part of a Parquet file that Spark cannot split, in megabytes of text.
_GROUP = 16


def in_spark(function: Any, *arguments: Any) -> Any:
    """What a function returns in a process of its own, if Spark can run here."""
    import pyspark  # noqa: F401

    if not has_java():
        raise MissingError("Spark needs Java, and there is none")
    return call(function, *arguments)


def has_java() -> bool:
    return shutil.which("java") is not None or "JAVA_HOME" in os.environ


def session(folder: str) -> Any:
    """Spark with two tasks at a time; what does not fit into memory goes to this folder."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": "0",
        "spark.driver.memory": "6g",
        "spark.local.dir": folder,
        "spark.log.level": "ERROR",
        "spark.sql.warehouse.dir": folder,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{CORES}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def write_copies(path: Path, corpus: Corpus, copies: int) -> str:
    """The corpus so many times as a Parquet file."""
    pairs = chain.from_iterable(repeat(list(corpus.pairs), copies))
    write(path, pairs, corpus.megabytes * copies)
    return str(path)


def write(path: Path, pairs: Iterator[Pair], megabytes: float) -> tuple[int, float]:
    """So many megabytes of text as a Parquet file; its rows and megabytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    group = min(_GROUP, megabytes / 2 / CORES)
    schema = pa.schema({"text": pa.string(), "label": pa.string()})
    n_rows, written = 0, 0.0
    with pq.ParquetWriter(path, schema) as file:
        while megabytes - written > 1e-6:
            part = take("part", pairs, min(group, megabytes - written))
            if not part.texts:
                break
            file.write_table(pa.table({"text": part.texts, "label": part.labels}, schema))
            n_rows += len(part.texts)
            written += part.megabytes
    return n_rows, written
