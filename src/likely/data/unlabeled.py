"""Rows without labels: in memory, or in a file that is read a batch at a time."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from likely.data.columns import SAMPLE, nearest, sampled
from likely.data.files import Progress, Source, open_table
from likely.data.table import Table
from likely.errors import DataError


@dataclass(frozen=True)
class Unlabeled:
    """Rows that come in batches."""

    columns: tuple[str, ...]
    _rows: Source | Table

    def batches(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[Table]:
        """The rows; of a file, only these columns."""
        if isinstance(self._rows, Table):
            yield self._rows
            return
        there = set(self.columns)
        missing = [name for name in columns if name not in there]
        if missing:
            raise DataError(
                f"{self._rows.name}: column `{missing[0]}` is missing; "
                + nearest(missing[0], self.columns)
            )
        yield from self._rows.batches(columns, progress)

    def sample(self) -> Table:
        """A sample of the rows."""
        if isinstance(self._rows, Table):
            return self._rows if len(self._rows) <= SAMPLE else sampled([self._rows])
        sample = sampled(self._rows.batches(self.columns))
        if not len(sample):
            raise DataError.of("no-rows-in-file", file=self._rows.name)
        return sample


def unlabeled(x: Any) -> Unlabeled:
    """Rows, from any supported form."""
    if isinstance(x, os.PathLike):
        x = open_table(x)
    if isinstance(x, Source):
        return Unlabeled(x.columns, x)
    table = Table.of(x)
    return Unlabeled(table.names, table)
