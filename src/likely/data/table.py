"""Tables in memory: whatever the user has becomes named columns, checked once.

Each column is then read as what its likelihood needs: texts, numbers, categories or dates.
"""

import decimal
import math
import numbers as kinds
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.cells import written
from likely.data.label_sets import RowLabels
from likely.data.labels import plain_list
from likely.data.vectors import VectorRows, WrongCellError, found_vectors, read_vectors
from likely.errors import DataError, DataTypeError, OptionError

Links = NDArray[np.uint64]

_TRUTH = {"true": "1", "false": "0"}
_INFINITE = re.compile(r"[-+]?inf(inity)?", re.I)
_COMMAS = re.compile(r"[-+]?[0-9]+(,[0-9]+)+(\.[0-9]+)?|[-+]?[0-9]+(\.[0-9]+)+,[0-9]+")
_IS_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?")
_ONE_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+")
_HAS_POINT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")

DecimalMark = Literal[".", ","]

# The usual spellings of a missing cell.
MISSING = frozenset(["", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL"])


@dataclass(frozen=True)
class Numbers:
    """Rows of numbers; NaN where one is missing."""

    values: NDArray[np.float64]
    _blocks: dict[bool, _kernel.FractionalRows] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.values)

    def blocks(self, *, together: bool) -> _kernel.FractionalRows:
        """The rows as EM counts them, with other responsibilities each time; cached."""
        if together not in self._blocks:
            self._blocks[together] = _kernel.FractionalRows(together, self.values)
        return self._blocks[together]

    def chain(self, links: Links, secret: bytes | None = None, threads: int = 1) -> Links:
        """Continue the hash chain of each row."""
        return _kernel.chain_numbers(self.values, links, secret, threads)


@dataclass(frozen=True)
class Categories:
    """Categorical columns, each value spelled as a text; empty where it is missing."""

    columns: tuple[_kernel.Texts, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    def chain(self, links: Links, secret: bytes | None = None, threads: int = 1) -> Links:
        """Continue the hash chain of each row."""
        for column in self.columns:
            links = column.chain(links, secret, threads)
        return links


@dataclass(frozen=True)
class DateParts(Categories):
    """Columns of dates as categories, those of their parts; what tells rows apart are the dates."""

    dates: tuple[_kernel.Texts, ...]

    def chain(self, links: Links, secret: bytes | None = None, threads: int = 1) -> Links:
        """Continue the hash chain of each row."""
        return Categories(self.dates).chain(links, secret, threads)


@dataclass(frozen=True)
class TextColumns:
    """Text columns, and those of them that the rules read, in that order."""

    columns: tuple[_kernel.Texts, ...]
    read: tuple[_kernel.Texts, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    def chain(self, links: Links, secret: bytes | None = None, threads: int = 1) -> Links:
        """Continue the hash chain of each row."""
        for column in self.columns:
            links = column.chain(links, secret, threads)
        return links


FactorInput = _kernel.Texts | Numbers | Categories | TextColumns | VectorRows


def rows_at(part: FactorInput, places: NDArray[np.intp]) -> FactorInput:
    """Some rows of what a likelihood reads."""
    if len(places) == len(part) and (places[:-1] < places[1:]).all():
        return part
    match part:
        case Numbers(values):
            return Numbers(np.ascontiguousarray(values[places]))
        case VectorRows(values):
            return VectorRows(np.ascontiguousarray(values[places]))
        case Categories(columns):
            return Categories(tuple(_texts_at(column, places) for column in columns))
        case TextColumns(columns, read):
            of_columns, of_read = (
                [_texts_at(c, places) for c in those] for those in (columns, read)
            )
            return TextColumns(tuple(of_columns), tuple(of_read))
    return _texts_at(part, places)


def _texts_at(texts: _kernel.Texts, places: NDArray[np.intp]) -> _kernel.Texts:
    return _kernel.Texts(texts.take(places))


def concatenated(parts: Sequence[FactorInput]) -> FactorInput:
    """Rows after rows of what a likelihood reads."""
    first, every = parts[0], cast(Any, parts)
    if len(parts) == 1:
        return first
    match first:
        case Numbers():
            return Numbers(np.concatenate([part.values for part in every]))
        case VectorRows():
            return VectorRows(np.concatenate([part.values for part in every]))
        case Categories(columns):
            return Categories(
                tuple(_joined(part.columns[at] for part in every) for at in range(len(columns)))
            )
        case TextColumns(columns, read):
            return TextColumns(
                tuple(_joined(part.columns[at] for part in every) for at in range(len(columns))),
                tuple(_joined(part.read[at] for part in every) for at in range(len(read))),
            )
    return _joined(every)


def _joined(columns: Iterable[_kernel.Texts]) -> _kernel.Texts:
    return _kernel.Texts([text for column in columns for text in column.tolist()])


def row_hashes(
    columns: Iterable[FactorInput],
    links: Links | None = None,
    secret: bytes | None = None,
    threads: int = 1,
) -> Links:
    """A hash of each row, of its cells in these columns, in their order, after `links`."""
    for column in columns:
        start = np.zeros(len(column), dtype=np.uint64) if links is None else links
        links = column.chain(start, secret, threads)
    return np.zeros(0, dtype=np.uint64) if links is None else links


@dataclass(frozen=True)
class Decimals:
    """How the numbers of a file are written."""

    mark: DecimalMark = "."
    commas: frozenset[str] = frozenset()
    """The columns whose decimal commas were converted to points."""
    points: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """The columns with points although decimals have commas: the first such row, and its cell."""


POINTS = Decimals()


@dataclass(frozen=True)
class Batch:
    """Labeled rows: the input of each factor, and the labels."""

    parts: tuple[FactorInput, ...]
    labels: RowLabels

    def __len__(self) -> int:
        return len(self.labels)


class Table:
    """Columns of equal length under different names.

    >>> Table.of({"height": [1.8, 1.6], "name": ["Ada", "Bo"]}).names
    ('height', 'name')
    >>> Table.of([[1.8, 70], [1.6, 60]]).names
    ('x0', 'x1')

    Columns without names, of a list or an array, are called `x`, or `x0`, `x1`, … if there are
    several, and are identified by position.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        rows: int,
        *,
        named: bool,
        matrix: Any = None,
        missing: frozenset[str] = MISSING,
        offset: int = 1,
        decimals: Decimals = POINTS,
    ):
        self.columns = dict(columns)
        self.rows = rows
        self.named = named
        self.matrix = matrix
        self.missing = missing
        self.decimals = decimals
        # Columns that were converted, as the file has them.
        self.respelled: dict[str, Any] = {}
        # The number of the first row, for messages; or of each, where some are left out.
        self.offset = offset
        self.row_numbers: NDArray[np.int64] | None = None
        # If this is a sample, of how many rows.
        self.total = rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def as_written(self) -> dict[str, Any]:
        """The columns as the file has them."""
        return {name: self.respelled.get(name, cells) for name, cells in self.columns.items()}

    def __len__(self) -> int:
        return self.rows

    @classmethod
    def of(cls, x: Any) -> "Table":
        """The table, from any supported form."""
        if isinstance(x, Table):
            return x
        if isinstance(x, (str, bytes)):
            raise DataTypeError.of("one-string")
        if isinstance(x, Mapping):
            return cls._named(x)
        if isinstance(x, np.ma.MaskedArray):
            x = x.tolist()
        if isinstance(x, np.ndarray) and x.dtype.names:
            return cls._named({name: x[name] for name in x.dtype.names})
        shape = getattr(x, "shape", None)
        if isinstance(x, np.ndarray) and x.ndim == 2 and x.shape[1]:
            columns = {f"x{place}": x[:, place] for place in range(x.shape[1])}
            return cls(columns, len(x), named=False, matrix=x)
        if isinstance(x, np.ndarray) and x.ndim == 2:
            raise DataError.of("no-columns")
        if isinstance(shape, tuple) and len(shape) == 2:
            return cls._framed(x)
        if isinstance(shape, tuple) and len(shape) != 1:
            raise DataTypeError.of("wrong-shape", shape=shape)
        if isinstance(x, (set, frozenset)) or not isinstance(x, Iterable):
            raise DataTypeError.of("rows-of-another-type", type=type(x).__name__)
        if not hasattr(x, "__len__"):
            x = list(x)
        if isinstance(x, (list, tuple)) and x:
            if isinstance(x[0], Mapping):
                return cls._rows_by_name(x)
            if isinstance(x[0], (list, tuple, np.ndarray)):
                return cls._rows(x)
        return cls({"x": x}, len(x), named=False)

    @classmethod
    def of_row(cls, row: Any) -> "Table":
        """A single row, a text or its cells, as a table of one."""
        if isinstance(row, (str, bytes)):
            return cls.of([row])
        if isinstance(row, Mapping):
            return cls.of({name: [cell] for name, cell in row.items()})
        return cls.of([list(row)] if isinstance(row, Iterable) else [row])

    @classmethod
    def _named(cls, columns: Mapping[Any, Any]) -> "Table":
        lengths: dict[str, int] = {}
        for name, column in columns.items():
            if not isinstance(name, str):
                raise DataTypeError(f"columns have names, but {name!r} is {type(name).__name__}")
            unordered = isinstance(column, (str, bytes, Mapping, set, frozenset))
            if unordered or not hasattr(column, "__len__"):
                raise DataTypeError(f"`{name}` is no column but {type(column).__name__}")
            lengths[name] = len(column)
        if not lengths:
            raise DataError.of("no-columns")
        (first, rows), *others = lengths.items()
        for name, length in others:
            if length != rows:
                raise DataError.of(
                    "unequal-columns", first=first, rows=rows, column=name, length=length
                )
        masked = {n: c.tolist() for n, c in columns.items() if isinstance(c, np.ma.MaskedArray)}
        return cls({**columns, **masked}, rows, named=True)

    @classmethod
    def _framed(cls, frame: Any) -> "Table":
        import narwhals as nw

        given = getattr(frame, "columns", ())
        if isinstance(getattr(getattr(frame, "schema", None), "names", None), list):
            given = frame.schema.names
        names = [str(name) for name in given]
        twice = repeated(names)
        if twice is not None:
            raise DataError.of("repeated-column", column=twice)
        if type(frame).__name__ == "RecordBatch":
            return cls._named(dict(zip(names, frame.columns, strict=True)))
        try:
            eager = nw.from_native(frame, eager_only=True)
        except TypeError:
            raise DataTypeError(f"{type(frame).__name__} is no table that is known here") from None
        columns = (column.to_native() for column in eager.iter_columns())
        return cls._named(dict(zip(names, columns, strict=True)))

    @classmethod
    def _rows_by_name(cls, rows: Sequence[Any]) -> "Table":
        for place, row in enumerate(rows, 1):
            if not isinstance(row, Mapping):
                raise DataTypeError(f"row {place} is {type(row).__name__}, not a dictionary")
        names = sorted({name for row in rows for name in row}, key=str)
        # In the order of the rows that have all columns, if they agree, so that row order has no
        # effect.
        orders = {tuple(row) for row in rows if len(row) == len(names)}
        names = list(orders.pop()) if len(orders) == 1 else names
        return cls._named({name: [row.get(name) for row in rows] for name in names})

    @classmethod
    def _rows(cls, rows: Sequence[Any]) -> "Table":
        width = len(rows[0])
        for place, row in enumerate(rows, 1):
            if not isinstance(row, (list, tuple, np.ndarray)):
                raise DataTypeError(f"row {place} is {type(row).__name__}, not a list of cells")
            if len(row) != width:
                raise DataError.of("unequal-rows", width=width, row=place, length=len(row))
        if not width:
            raise DataError.of("no-columns")
        cells = [list(column) for column in zip(*rows, strict=True)]
        return cls({f"x{place}": cell for place, cell in enumerate(cells)}, len(rows), named=False)

    def reading(self, missing: frozenset[str]) -> "Table":
        """The same table, with these spellings of missing cells."""
        if missing == self.missing:
            return self
        table = Table(
            self.columns,
            self.rows,
            named=self.named,
            matrix=self.matrix,
            missing=missing,
            offset=self.offset,
            decimals=self.decimals,
        )
        table.total = self.total
        table.row_numbers = self.row_numbers
        return table

    def called(self, names: Sequence[str]) -> "Table":
        """The same table; columns without names get these."""
        return self if self.named else self.only(names)

    def only(self, names: Sequence[str]) -> "Table":
        """These columns alone, under these names."""
        columns = dict(zip(names, self.take(names), strict=True))
        table = Table(columns, self.rows, named=True, missing=self.missing, offset=self.offset)
        table.decimals = self.decimals
        table.row_numbers = self.row_numbers
        return table

    def at(self, rows: NDArray[np.int64]) -> "Table":
        """Some of the rows, by position."""
        matrix = None if self.matrix is None else self.matrix[rows]
        columns = {name: _cells_at(column, rows) for name, column in self.columns.items()}
        table = Table(columns, len(rows), named=self.named, matrix=matrix, missing=self.missing)
        table.decimals = self.decimals
        table.respelled = {n: _cells_at(column, rows) for n, column in self.respelled.items()}
        table.row_numbers = (
            rows + self.offset if self.row_numbers is None else self.row_numbers[rows]
        )
        return table

    def cut(self, rows: int) -> Iterator["Table"]:
        """The table in chunks of at most so many rows."""
        if len(self) <= rows:
            yield self
            return
        for start in range(0, len(self), rows):
            yield self.at(np.arange(start, min(start + rows, len(self))))

    def numbered(self, cells: Iterable[Any]) -> Iterable[tuple[int, Any]]:
        """The cells of a column with the numbers of their rows."""
        if self.row_numbers is None:
            return enumerate(cells, self.offset)
        return zip(self.row_numbers.tolist(), cells, strict=True)

    def number(self, row: int) -> int:
        """The number of a row, as messages name it."""
        return row + self.offset if self.row_numbers is None else int(self.row_numbers[row])

    def take(self, names: Sequence[str]) -> list[Any]:
        """The columns of these names; by position if the table has no names."""
        if not self.named:
            if not self.rows:
                return [[] for _ in names]
            if len(self.columns) != len(names):
                have = len(self.columns)
                found = "is 1 column" if have == 1 else f"are {have} columns"
                raise DataError.of("too-few-columns", found=found, needed=_listed(names))
            return list(self.columns.values())
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise DataError.of("missing-column", column=missing[0], known=named(self.names))
        return [self.columns[name] for name in names]

    def numbers(self, names: Sequence[str]) -> Numbers:
        """Numeric columns. Missing cells (None, NaN, an empty cell) are NaN."""
        columns = self.take(names)
        for name in names:
            if name in self.decimals.points:
                row, cell = self.decimals.points[name]
                raise DataError(not_a_number(cell, row, name, self.decimals))
        if self.matrix is not None and self.matrix.dtype.kind in "fiub":
            _check_whole(self.matrix, names, self)
            values = np.ascontiguousarray(self.matrix, dtype=np.float64)
        elif all(isinstance(column, _kernel.Texts) for column in columns):
            values = self._parsed(columns, names)
        else:
            values = np.empty((self.rows, len(columns)))
            for place, (name, column) in enumerate(zip(names, columns, strict=True)):
                values[:, place] = _numbers(column, name, self)
        values = self._without_numbers(values)
        infinite = _kernel.first_infinite(values)
        if infinite is not None:
            row, place = infinite
            raise DataError(not_a_number(math.inf, self.number(row), names[place]))
        return Numbers(values)

    def _without_numbers(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values, with NaN where a number such as -999 stands for a missing value."""
        spelled = [float(text) for text in self.missing if _IS_NUMBER.fullmatch(text)]
        if not spelled:
            return values
        return np.where(np.isin(values, spelled), np.nan, values)

    def _parsed(self, columns: list[Any], names: Sequence[str]) -> NDArray[np.float64]:
        values, wrong = _kernel.parse_numbers(columns, sorted(self.missing))
        if wrong is not None:
            row, place = wrong
            cell = columns[place].tolist()[row]
            row = self.number(row)
            _number(cell, row, names[place], self)  # says what is wrong with it
            raise DataError(not_a_number(cell, row, names[place], self.decimals))
        return values.reshape(self.rows, len(columns))

    def vectors(self, name: str, length: int | None = None) -> VectorRows:
        """A column of vectors, of this length or else of that of the first one."""
        (column,) = self.take((name,))
        try:
            return read_vectors(column, length, self._is_gone, sorted(self.missing))
        except WrongCellError as wrong:
            raise DataError(f"row {self.number(wrong.row)} of `{name}` {wrong}") from None

    def found_vectors(self, name: str) -> VectorRows | None:
        """A column that holds vectors and nothing else; None of any other column."""
        return found_vectors(self.columns[name], self._is_gone, sorted(self.missing))

    def _is_gone(self, cell: Any) -> bool:
        return is_missing(cell.strip() if isinstance(cell, str) else cell, self.missing)

    def categories(self, names: Sequence[str], needed: str = "a category") -> Categories:
        """Categorical columns, each value in its one spelling.

        `needed` ends the error message for a cell of another type.
        """
        pairs = zip(names, self.take(names), strict=True)
        return Categories(tuple(_categories(column, name, self, needed) for name, column in pairs))

    def texts(self, names: Sequence[str], *, replace_invalid: bool = False) -> _kernel.Texts:
        """A text column. In a table of named columns, a missing text is empty."""
        (column,) = self.take(names)
        if isinstance(column, _kernel.Texts):
            return column.spelled()
        if not self.named:
            return texts(column, replace_invalid=replace_invalid).spelled()
        if _is_arrow(column) and column.null_count:
            column = column.fill_null("") if _holds_texts(column) else column.to_pylist()
        if not _is_arrow(column) or not _holds_texts(column):
            cells = column if isinstance(column, (list, tuple)) else plain_list(column)
            if set(map(type, cells)) != {str}:
                column = [
                    ""
                    if is_missing(cell, frozenset())
                    else _text(cell, f"row {row} of `{names[0]}`")
                    for row, cell in self.numbered(cells)
                ]
        return texts(column, replace_invalid=replace_invalid).spelled()


def _text(cell: Any, what: str) -> str | bytes:
    return cell if isinstance(cell, bytes) else written(cell, what, "a text")


def repeated(names: Iterable[str]) -> str | None:
    """The first name that occurs twice."""
    known: set[str] = set()
    for name in names:
        if name in known:
            return name
        known.add(name)
    return None


def _cells_at(column: Any, rows: NDArray[np.int64]) -> Any:
    if isinstance(column, np.ndarray):
        return column[rows]
    if isinstance(column, _kernel.Texts):
        return column.take(rows)
    cells = column if isinstance(column, (list, tuple)) else plain_list(column)
    return [cells[row] for row in rows]


def _is_arrow(column: Any) -> bool:
    return type(column).__module__.partition(".")[0] == "pyarrow"


def _holds_texts(array: Any) -> bool:
    """Whether an Arrow array holds strings or bytes, in any layout."""
    return any(kind in str(array.type) for kind in ("string", "binary"))


def texts(x: Any, *, replace_invalid: bool = False) -> _kernel.Texts:
    """A text column: a list, an array or a series of strings, or an Arrow string array."""
    if _is_arrow(x):
        return _arrow_texts(x, replace_invalid)
    return _kernel.Texts(x if isinstance(x, (list, tuple)) else plain_list(x), replace_invalid)


def _numbers(column: Any, name: str, table: Table) -> NDArray[np.float64]:
    if hasattr(column, "to_numpy"):
        column = _to_numpy(column)
    array = column if isinstance(column, np.ndarray) else np.empty(0, dtype=object)
    if array.ndim == 1 and array.dtype.kind in "fiub" and len(array) == len(column):
        _check_whole(array, [name], table)
        return array.astype(np.float64)
    cells = column if isinstance(column, (list, tuple)) else plain_list(column)
    numbered = table.numbered(cells)
    found = [_number(cell, row, name, table) for row, cell in numbered]
    return np.array(found, dtype=np.float64)


def _to_numpy(column: Any) -> Any:
    """A series or an Arrow array as NumPy's, or as a list where that would round or fail."""
    if _is_arrow(column):
        whole = not column.null_count and str(column.type).startswith(
            ("int", "uint", "float", "double")
        )
        return column.to_numpy() if whole else column.to_pylist()
    return column.to_numpy()


def _number(cell: Any, row: int, name: str, table: Table) -> float:
    if type(cell) is float:
        return cell
    if type(cell) is int and -(2**53) <= cell <= 2**53:
        return float(cell)
    if is_missing(cell.strip() if isinstance(cell, str) else cell, table.missing):
        return math.nan
    try:
        if isinstance(cell, str):
            cell = _TRUTH.get(cell.strip().lower(), cell)
            # Python reads 1_000 and other scripts' digits as numbers; files do not.
            found = float(cell if cell.isascii() and "_" not in cell else "no number")
            cell = int(cell) if len(cell) > 15 and cell.strip(" +-").isdigit() else cell
        elif isinstance(cell, (kinds.Real, np.bool_)) or type(cell).__name__ == "Decimal":
            found = float(cell)
        else:
            raise DataTypeError.of(
                "number-of-another-type", row=row, column=name, type=type(cell).__name__
            )
    except (ValueError, OverflowError):
        raise DataError(not_a_number(cell, row, name, table.decimals)) from None
    if isinstance(cell, (int, np.integer)) and found != int(cell):
        raise DataError(_too_long(int(cell), row, name))
    return found


def not_a_number(cell: Any, row: int, name: str, decimals: Decimals = POINTS) -> str:
    """What is wrong with a cell of a numeric column, and what to do."""
    text = str(cell).strip()
    if _INFINITE.fullmatch(text):
        hint = "leave the row out, or make the cell missing (NaN)"
        return f"row {row} of `{name}` is infinite\nhint: {hint}"
    found = f"row {row} of `{name}` is {_shown(cell)}, which is no number"
    if decimals.mark == "," and (_HAS_POINT.fullmatch(text) or _COMMAS.fullmatch(text)):
        found += (
            "\nhint: numbers of this file have decimal commas, 2,7, and no points, 1000; "
            "`--decimal .` says that they have points"
        )
    elif _COMMAS.fullmatch(text):
        found += (
            "\nhint: numbers are written with a point, 2.7, and no comma, 1000; `--decimal ,` "
            '(`open_table(path, decimal=",")`) reads a CSV or TSV file with decimal commas'
        )
    return found


def is_nearly_a_number(text: str) -> bool:
    """Whether a text was probably meant as a number: `2,7`, `inf`."""
    return bool(_INFINITE.fullmatch(text) or _COMMAS.fullmatch(text))


def _check_whole(array: NDArray[Any], names: Sequence[str], table: Table) -> None:
    """Refuse integers that a float cannot represent."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or not array.size:
        return
    if int(array.max()) <= 2**53 and int(array.min()) >= -(2**53):
        return
    rows = array.reshape(len(array), -1)
    for row, place in np.argwhere((rows > 2**53) | (rows < -(2**53))):
        cell = int(rows[row, place])
        if int(float(cell)) != cell:
            raise DataError(_too_long(cell, table.number(int(row)), names[place]))


def _too_long(cell: int, row: int, name: str) -> str:
    return (
        f"row {row} of `{name}` is {_shown(cell)}, which has more digits than a number holds\n"
        "hint: is it an identifier? Then leave the column out, or take it as a category"
    )


def _categories(column: Any, name: str, table: Table, needed: str) -> _kernel.Texts:
    missing = table.missing
    if isinstance(column, _kernel.Texts):
        return column.spelled(sorted(missing))
    cells = column if isinstance(column, (list, tuple)) else plain_list(column)
    if set(map(type, cells)) != {str}:
        cells = [
            cell
            if type(cell) is str
            else ""
            if is_missing(cell, missing)
            else written(cell, f"row {row} of `{name}`", needed)
            for row, cell in table.numbered(cells)
        ]
    try:
        return _kernel.Texts(cells).spelled(sorted(missing))
    except DataError:
        wrong = next(row for row, cell in table.numbered(cells) if not _is_unicode(cell))
        raise DataError.of("not-unicode", row=wrong, column=name) from None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def spellings(missing: Iterable[str]) -> frozenset[str]:
    """The spellings of a missing cell, including the empty one."""
    if isinstance(missing, (str, bytes)) or not isinstance(missing, Iterable):
        raise OptionError(f"`missing` is a list of spellings, not {missing!r}")
    found = frozenset(missing)
    if not all(isinstance(spelling, str) for spelling in found):
        raise OptionError("`missing` lists spellings, which are texts")
    # There is nothing to learn from an empty cell; decimal commas are points in a table.
    return found | {""} | {text.replace(",", ".") for text in found if _ONE_COMMA.fullmatch(text)}


def is_missing(cell: Any, spellings: frozenset[str]) -> bool:
    """Whether a cell is missing."""
    if cell is None or isinstance(cell, str):
        return cell is None or cell in spellings
    if isinstance(cell, (float, np.floating)):
        return math.isnan(cell)
    if isinstance(cell, decimal.Decimal):
        return cell.is_nan()
    if isinstance(cell, np.datetime64):
        return bool(np.isnat(cell))
    return type(cell).__name__ in ("NAType", "NaTType")


def _shown(cell: Any) -> str:
    spelled = repr(cell)
    return spelled if len(spelled) <= 40 else spelled[:39] + "…"


def named(names: Sequence[str], most: int = 8) -> str:
    """Names in a sentence: the first few, and how many more there are."""
    more = f" and {len(names) - most:,} more" if names[most:] else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more


def _listed(names: Sequence[str]) -> str:
    return f"{named(names)} {'is' if len(names) == 1 else 'are'}"


def _arrow_texts(array: Any, replace_invalid: bool) -> _kernel.Texts:
    """Borrow the buffers of an Arrow array; other layouts than plain strings are cast first."""
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if not isinstance(array, pa.Array):
        raise DataTypeError(f"texts are one column of strings, not a {type(array).__name__}")
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    known = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
    if kind not in known:
        raise DataTypeError(f"texts are strings, not {array.type}")
    if kind not in known[:3] or replace_invalid:
        return _kernel.Texts(array.to_pylist(), replace_invalid)
    if not pa.types.is_string(array.type):
        array = array.cast(pa.large_string())
    if array.null_count:
        row = array.is_null().index(True).as_py() + 1
        raise DataTypeError(f'text {row} is None, not a string; leave the row out, or give ""')
    narrow = pa.types.is_string(array.type)
    width: type[np.signedinteger[Any]] = np.int32 if narrow else np.int64
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, dtype=width) if offsets else np.zeros(1, dtype=width)
    starts = starts[array.offset : array.offset + len(array) + 1].astype(np.int64)
    content = np.frombuffer(data, dtype=np.uint8) if data else np.zeros(0, dtype=np.uint8)
    return _kernel.Texts.from_arrow(content, np.ascontiguousarray(starts))
