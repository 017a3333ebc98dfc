"""The rows of the table, by the name one asks for them."""

from collections.abc import Callable, Iterator

from benchmarks.speed.rows import (
    against_scikit_learn,
    files,
    growth,
    imports,
    leave_one_out,
    life,
    memory,
    starting,
    threads,
    vowpal,
    wordcount,
)
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row

ROWS: dict[str, Callable[[Setting], Iterator[Row]]] = {
    "words": against_scikit_learn.words,
    "bigrams": against_scikit_learn.bigrams,
    "vowpal": vowpal.rows,
    "wordcount": wordcount.rows,
    "threads": threads.rows,
    "leave-one-out": leave_one_out.rows,
    "memory": memory.rows,
    "growth": growth.rows,
    "files": files.rows,
    "imports": imports.rows,
    "starting": starting.rows,
    "life": life.rows,
}
