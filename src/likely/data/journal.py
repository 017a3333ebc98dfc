"""The rows that a model learned through its journal, as a table: their cells and their label."""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from likely.data.files import Progress, Source
from likely.data.table import Table
from likely.errors import DataError

FILE = "journal.sqlite"
_LABEL = "label"
_ROWS = 65_536


class JournalRows(Source):
    """The folder `MODEL.journal`; forgotten rows are no part of it."""

    def __init__(self, path: str):
        self.name = path
        with closing(self._opened()) as database:
            first = self._all(database, "LIMIT 1").fetchone()
        if first is None:
            raise DataError.of("no-rows-in-file", file=path)
        self._cells = tuple(json.loads(first[0]))
        label = _LABEL
        while label in self._cells:
            label += "_"
        self.columns = (*self._cells, label)
        self.size = os.path.getsize(Path(path, FILE))

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        names = self.columns if columns is None else tuple(columns)
        first = 1
        if progress is not None:
            progress(0)
        with closing(self._opened()) as database:
            found = self._all(database)
            while batch := found.fetchmany(_ROWS):
                rows = [(*json.loads(cells).values(), json.loads(label)) for cells, label in batch]
                cells = dict(zip(self.columns, map(list, zip(*rows, strict=True)), strict=True))
                chosen = {name: cells[name] for name in names}
                yield Table(chosen, len(rows), named=True, offset=first)
                first += len(rows)
        if progress is not None:
            progress(self.size or 0)

    def _opened(self) -> sqlite3.Connection:
        where = f"{Path(self.name, FILE).absolute().as_uri()}?mode=ro"
        return sqlite3.connect(where, uri=True, timeout=0)

    def _all(self, database: sqlite3.Connection, more: str = "") -> sqlite3.Cursor:
        query = f"SELECT cells, label FROM row WHERE forgotten IS NULL ORDER BY id {more}"
        try:
            return database.execute(query)
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise DataError(
                    f"{self.name}: a server is using this journal\n"
                    "hint: end it first, or take the answers from its page"
                ) from None
            raise DataError(f"{self.name}: the journal cannot be read ({error})") from None
