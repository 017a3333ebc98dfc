"""Confusion tables: in memory, or in a file whose header says what its rows are.

    gold,urgent,normal,spam          predicted,urgent,normal,spam
    urgent,8,5,3                     urgent,8,10,1
    normal,10,60,30                  normal,5,60,50
    spam,1,50,200                    spam,3,30,200

Both are the same table. Rows may come in another order than columns.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.cells import spelled, written
from likely.data.files import Source
from likely.data.labels import Label, labels, plain_list
from likely.data.table import MISSING, repeated
from likely.errors import DataError, DataTypeError, LikelyError, OptionError
from likely.evaluation.answers import Answers, Column
from likely.render import counted, name

_GOLD, _PREDICTED = "gold", "predicted"
# Beyond, sums of counts are no longer exact in floating point.
_MOST_ROWS = 2**53


@dataclass(frozen=True, eq=False)
class ConfusionTable:
    """How often each class was predicted as which: a row per gold class, a column per prediction.

    >>> table = ConfusionTable.of([[8, 2], [1, 9]], ["spam", "ham"])
    >>> table.classes, table.counts.tolist()
    (('spam', 'ham'), [[8, 2], [1, 9]])
    """

    classes: tuple[Label, ...]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, matrix: Any, classes: Any = None) -> "ConfusionTable":
        """A table in memory: nested lists, an array, or a data frame with its names."""
        shape = getattr(matrix, "shape", (0, 0))
        if len(shape) != 2 or isinstance(matrix, (str, bytes)) or not hasattr(matrix, "__len__"):
            raise DataTypeError("a confusion table is a matrix: a list of rows, an array, a frame")
        columns = getattr(matrix, "columns", None)
        cells = _rows(matrix if columns is None else np.asarray(matrix, dtype=object))
        width = len(cells[0]) if cells else 0
        if not width:
            raise DataError("the confusion table is empty")
        if len(cells) != width:
            raise DataError(
                f"the confusion table has {len(cells):,} rows and {width:,} columns; "
                "it needs one of each for every class"
            )
        if columns is None:
            order = list(range(width)) if classes is None else plain_list(classes)
            if len(order) != width:
                raise OptionError(
                    f"`classes` has {counted(len(order), 'name', 'names')}, but the confusion "
                    f"table has {width:,} rows and columns"
                )
            return cls._named(order, order, cells, order, classes is not None)
        of_columns = plain_list(columns)
        of_rows = plain_list(getattr(matrix, "index", of_columns))
        order = of_columns if classes is None else plain_list(classes)
        return cls._named(of_rows, of_columns, cells, order, True)

    @classmethod
    def read(cls, source: Source) -> "ConfusionTable":
        """The table in a file; the first cell of its header says what its rows are."""
        corner, *heads = (column.strip() for column in source.columns)
        rows_are = corner.lower()
        if rows_are not in (_GOLD, _PREDICTED):
            raise DataError(
                f"{source.name}: the first cell of the header says what the rows are, `{_GOLD}` or "
                f"`{_PREDICTED}`, and this one {f'is `{name(corner)}`' if corner else 'is empty'}\n"
                f"hint: with `{_GOLD}` each row is a gold class and each column a predicted one, "
                f"with `{_PREDICTED}` the other way round"
            )
        stubs: list[str] = []
        cells: list[list[Any]] = []
        for table in source.batches():
            columns = [plain_list(table.columns[column]) for column in source.columns]
            for stub, *row in zip(*columns, strict=True):
                stubs.append("" if stub is None else written(stub, "the name of a row").strip())
                cells.append(row)
        if not stubs:
            raise DataError.of("no-rows-in-file", file=source.name)
        try:
            if "" in stubs:
                raise DataError(f"row {stubs.index('') + 1} has no name")
            found = cls._named(stubs, heads, cells, heads, True)
        except LikelyError as error:
            raise error.within(f"{source.name}: ") from None
        return found if rows_are == _GOLD else cls(found.classes, found.counts.T.copy())

    @classmethod
    def _named(
        cls,
        rows: Sequence[Any],
        columns: Sequence[Any],
        cells: Sequence[Sequence[Any]],
        order: Sequence[Any],
        are_named: bool,
    ) -> "ConfusionTable":
        """The table with its classes in this order, the same in rows and columns."""
        classes, of_columns, of_rows = (
            _names(names, what)
            for names, what in ((order, "class"), (columns, "column"), (rows, "row"))
        )
        _check_same(of_rows, of_columns, "row", "column")
        _check_same(classes, of_columns, "class", "column")
        counts: list[list[int]] = []
        for row, line in enumerate(cells):
            counts.append([])
            for column, cell in enumerate(line):
                try:
                    counts[-1].append(_count(cell))
                except LikelyError as error:
                    where = f"row {row + 1}, column {column + 1}"
                    if are_named:
                        stub, head = name(of_rows[row]), name(of_columns[column])
                        where = f"row {row + 1} (`{stub}`), column `{head}`"
                    raise error.within(f"{where}: ") from None
        total = sum(map(sum, counts))
        if not total:
            raise DataError("every count is 0, so there is nothing to evaluate")
        if total > _MOST_ROWS:
            raise DataError("the counts add up to more than 2⁵³ rows, which is not supported")
        places = ({label: n for n, label in enumerate(names)} for names in (of_rows, of_columns))
        down, across = ([place[label] for label in classes] for place in places)
        return cls(classes, np.array(counts, dtype=np.int64)[down][:, across])

    @property
    def answers(self) -> Answers:
        """A row for each kind of answer that occurs, with how often it does."""
        gold, predicted = np.nonzero(self.counts)
        k = len(self.classes)
        truth, said = (Column(codes, np.arange(k + 1), np.arange(k)) for codes in (gold, predicted))
        return Answers(self.classes, False, truth, (said,), self.counts[gold, predicted])


def _rows(matrix: Any) -> list[list[Any]]:
    """The cells of a matrix, row by row."""
    rows = plain_list(matrix)
    for place, row in enumerate(rows, 1):
        if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
            raise DataTypeError(f"row {place} of the confusion table is {row!r}, not a list")
    found = [plain_list(row) for row in rows]
    for place, cells in enumerate(found, 1):
        if len(cells) != len(found[0]):
            raise DataError(
                f"row {place} of the confusion table has {counted(len(cells), 'cell', 'cells')}, "
                f"but row 1 has {len(found[0]):,}"
            )
    return found


def _names(given: Sequence[Any], what: str) -> tuple[Label, ...]:
    """The names of rows, columns or classes; none comes twice."""
    try:
        found = labels(list(given))
    except LikelyError as error:
        raise error.within(f"the name of a {what}: ") from None
    twice = repeated(given)
    if twice is not None:
        many = {"class": "classes"}.get(what, f"{what}s")
        raise DataError(f"two {many} are called `{name(twice)}`")
    return found.values


def _check_same(ours: Sequence[Label], theirs: Sequence[Label], what: str, other: str) -> None:
    """Refuse names that only one of the two has."""
    hint = "\nhint: rows and columns have the names of the same classes, in any order"
    for names, others, own, lacks in ((ours, theirs, what, other), (theirs, ours, other, what)):
        known = set(others)
        alone = next((one for one in names if one not in known), None)
        if alone is not None:
            raise DataError(f"there is a {own} called `{name(alone)}`, but no such {lacks}{hint}")


def _count(cell: Any) -> int:
    """A whole number from 0 up."""
    if cell is None or cell != cell or (isinstance(cell, str) and cell.strip() in MISSING):
        raise DataError("the cell is empty\nhint: write 0 where nothing was counted")
    shown = spelled(written(cell, "the cell", "a number"))
    if shown.isascii() and shown.isdigit():
        return int(shown)
    hint = "\nhint: the cells are numbers of rows, not shares" if "." in shown else ""
    raise DataError(f"`{name(shown)}` is not a whole number from 0 up{hint}")
