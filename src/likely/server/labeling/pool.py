"""The rows to be labeled: their cells, what their words are, and where a word occurs."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.cells import spelled
from likely.data.files import Source
from likely.data.labels import plain_list
from likely.data.table import Table
from likely.errors import DataError

Places = NDArray[np.intp]

_MOST_ROWS = 5_000_000
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class Pool:
    """Rows in memory, by column, each cell as text or None."""

    name: str
    columns: dict[str, list[str | None]]
    texts: tuple[str, ...]
    """The columns that are read as texts."""

    @classmethod
    def of(cls, source: Source, texts: Sequence[str]) -> "Pool":
        columns: dict[str, list[str | None]] = {name: [] for name in source.columns}
        for table in source.batches():
            for name, cells in table.columns.items():
                columns[name] += [
                    None if c in (None, "") else spelled(c) for c in plain_list(cells)
                ]
            if len(columns[source.columns[0]]) > _MOST_ROWS:
                raise DataError(
                    f"{source.name} has more than {_MOST_ROWS:,} rows, which are held in memory\n"
                    "hint: label a sample of them"
                )
        found = cls(source.name, columns, tuple(texts))
        if not len(found):
            raise DataError.of("no-rows-in-file", file=source.name)
        return found

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def cells(self, item: int) -> dict[str, str | None]:
        return {name: cells[item] for name, cells in self.columns.items()}

    def table(self, items: Sequence[int] | Places) -> Table:
        """Some rows, as a model reads them."""
        return Table.of({n: [cells[i] for i in items] for n, cells in self.columns.items()})

    def fingerprint(self, items: int) -> str:
        """What tells the first so many rows from others."""
        found = hashlib.sha256()
        for name, cells in sorted(self.columns.items()):
            found.update(repr((name, cells[:items])).encode("utf-8", "replace"))
        return found.hexdigest()

    @cached_property
    def shown(self) -> list[str]:
        """The cells of each row in one lower-case text, for searching."""
        columns = list(self.columns.values())
        return [
            "\n".join(c for c in row if c is not None).lower() for row in zip(*columns, strict=True)
        ]

    def with_word(self, word: str) -> Places:
        """The rows in which a word occurs as a whole."""
        wanted = word.lower()
        pattern = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
        found = [i for i, text in enumerate(self.shown) if wanted in text and pattern.search(text)]
        return np.array(found, dtype=np.intp)

    def with_text(self, text: str) -> Places:
        """The rows in which a text occurs, anywhere."""
        wanted = text.lower()
        found = [i for i, text in enumerate(self.shown) if wanted in text]
        return np.array(found, dtype=np.intp)

    def words(self, item: int) -> set[str]:
        """The words of a row's texts, and its other cells."""
        found: set[str] = set()
        for name, cells in self.columns.items():
            if (cell := cells[item]) is None:
                continue
            if name in self.texts:
                found.update(_WORD.findall(cell.lower()))
            else:
                found.add(f"{name}={cell}")
        return found


def _cell(cell: Any) -> str | None:
    return None if cell is None or cell == "" else spelled(cell)
