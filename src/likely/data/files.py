"""Tables in files, read a batch of rows at a time.

CSV and TSV, JSON lines, Parquet and Arrow, ARFF, a folder per class, fastText's lines, the journal
of a model that learns; plain or compressed. Whatever the size, memory holds one batch of it.
"""

import codecs
import io
import os
import re
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, cast

import numpy as np

from likely import _kernel
from likely.data.table import MISSING, POINTS, DecimalMark, Decimals, Table, named, repeated
from likely.errors import DataError, OptionError

Progress = Callable[[int], None]
Invalid = Literal["refuse", "replace"]
_Read = TypeVar("_Read")

# A batch ends with the row that fills it.
_ROWS = 65_536
_BYTES = 16_000_000
# Batches of a pipe are smaller, since a reader may be waiting.
_STREAM_ROWS = 4_096
_STREAM_BYTES = 1_000_000

# Longer rows are refused, and longer texts in files of their own; the kernel has the same limit.
_LONGEST_ROW = _kernel.LONGEST_ROW

_STANDARD = "standard input"

# Stands for the whole line of a JSON file. No column has this name.
LINE = "\0line"

_NO_COMMA = ("\t", ";", "|")
_DELIMITERS = (",", *_NO_COMMA)
_JSON = (".jsonl", ".ndjson")
_ARROW = (".parquet", ".arrow", ".feather", ".ipc")
_COMPRESSED = (".gz", ".zst")


class Source(ABC):
    """A table that can be read any number of times, in batches of rows.

    `size` is the number of bytes to read, if known; while reading, `progress` is called with how
    many were read, from 0 on.
    """

    name: str
    columns: tuple[str, ...]
    size: int | None = None
    has_lines = False
    """Whether rows are JSON, so that the column LINE has their lines."""

    @abstractmethod
    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        """The rows, in their order, with these columns or all of them."""


class NoRows(Source):
    """A table of these columns that has no rows."""

    def __init__(self, name: str, columns: Sequence[str]):
        self.name, self.columns = name, tuple(columns)

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        return iter(())


def has_no_lines(path: str) -> bool:
    """Whether a file of JSON lines is empty, and so has no columns either."""
    plain = path.lower().removesuffix(".gz").removesuffix(".zst")
    if not plain.endswith(_JSON) or not os.path.isfile(path):
        return False
    return not _kernel.head(path, 65_536).strip()


def open_table(
    path: str | os.PathLike[str],
    *,
    invalid: Invalid = "refuse",
    encoding: str = "utf-8",
    decimal: DecimalMark | None = None,
) -> Source:
    """A table in a file or a folder; `-` is standard input.

    A row has at most 64 MiB, and what is compressed grows at most 1,000 times beyond its first GiB.
    Text that is not UTF-8 is refused, naming the line; with `invalid="replace"`, invalid bytes are
    read as U+FFFD. `encoding` is the Python name of another encoding. Given a path, a model opens
    it as its `Text` says.

    With `decimal=","`, cells of CSV or TSV like `169,17` are numbers, read as `169.17`. Without it,
    a file with tabs, `;` or `|` between its cells has decimal commas if some column holds only
    numbers with decimal commas and no column holds numbers with points.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "pets.csv")
    >>> _ = file.write_text("name,kind\\nRex,dog\\nTom,cat\\n")
    >>> source = open_table(file)
    >>> source.columns, sum(len(batch) for batch in source.batches())
    (('name', 'kind'), 2)
    """
    if invalid not in ("refuse", "replace"):
        raise OptionError(f'`invalid` is "refuse" or "replace", not {invalid!r}')
    if decimal not in (None, ".", ","):
        raise OptionError(f'`decimal` is "." or ",", not {decimal!r}')
    replace_invalid = invalid == "replace"
    name = os.fspath(path)
    errors = "replace" if replace_invalid else "strict"
    if name == "-":
        stream = recoded(standard_input(), encoding, _STANDARD, errors)
        return spooled(stream, _STANDARD, replace_invalid, decimal)
    if os.path.isdir(name):
        _refuse_commas(name, decimal)
        if os.path.isfile(os.path.join(name, "journal.sqlite")):
            from likely.data.journal import JournalRows

            return JournalRows(name)
        return _Folder(name, replace_invalid, encoding)
    if _is_model(name):
        raise DataError.of("file-is-a-model", file=name)
    if not _is_utf8(encoding) or (os.path.exists(name) and not os.path.isfile(name)):
        # A pipe can be read once, a table has to be readable more often.
        return spooled(_bytes(name, encoding, errors), name, replace_invalid, decimal)
    return _file(name, replace_invalid, decimal)


def _is_model(name: str) -> bool:
    """Whether a file begins like a model file."""
    if not os.path.isfile(name):
        return False
    with open(name, "rb") as file:
        return file.read(34)[8:] == b'{"__metadata__":{"likely":'


def standard_input() -> BufferedReader:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise DataError("standard input is closed, and it is to be read\nhint: name a file")
    return cast(BufferedReader, sys.stdin.buffer)


class _Bytes(Protocol):
    """A stream of bytes; empty at the end."""

    def read1(self, size: int = -1, /) -> bytes: ...


def recoded(stream: _Bytes, encoding: str, name: str, errors: str = "strict") -> _Bytes:
    """Bytes in some encoding, compressed or not, as UTF-8; those in UTF-8 as they are."""
    if _is_utf8(encoding):
        return stream
    return _Recoded(_kernel.FileBytes(name, stream), encoding, errors, name)


class _Recoded:
    """Bytes in some encoding, as UTF-8."""

    def __init__(self, stream: _Bytes, encoding: str, errors: str, name: str):
        self._stream, self._encoding, self._name = stream, encoding, name
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._ahead = b""
        self._done = 0

    def read1(self, size: int = -1, /) -> bytes:
        while not self._ahead:
            more = self._stream.read1(1 << 20)
            try:
                self._ahead = self._decoder.decode(more, final=not more).encode()
            except UnicodeError as error:
                # Some codecs name no position: "UTF-16 stream does not start with BOM".
                start = getattr(error, "start", None)
                what = f"byte {self._done + start:,} is" if start is not None else "the file is"
                raise DataError(f"{self._name}: {what} not {self._encoding}") from None
            except ValueError as error:
                # Codecs such as `idna` and `punycode` raise errors of their own.
                raise DataError(f"{self._name}: it is not {self._encoding} ({error})") from None
            self._done += len(more)
            if not more:
                break
        size = len(self._ahead) if size < 0 else size
        given, self._ahead = self._ahead[:size], self._ahead[size:]
        return given


def _is_utf8(encoding: str) -> bool:
    try:
        # Codecs that are not text encodings, such as base64, are refused here too.
        b"a".decode(encoding, "replace")
        return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
    except (LookupError, UnicodeError):
        raise OptionError(
            f"no encoding is called {encoding!r}; there are utf-8, utf-16, latin-1, cp1252, "
            "shift_jis and others"
        ) from None


def _bytes(path: str, encoding: str, errors: str) -> _Bytes:
    """The bytes of a file or a pipe, as UTF-8."""
    if not _is_utf8(encoding) and path.lower().endswith((*_ARROW, ".arff")):
        raise DataError(f"{path}: an encoding is not known of such a file; convert it first")
    refuse_device(path)
    return recoded(_kernel.FileBytes(path), encoding, path, errors)


def refuse_device(path: str) -> None:
    """Refuse to read a device other than a terminal: it has no end, or no data."""
    if os.path.exists(path) and stat.S_ISCHR(os.stat(path).st_mode):
        with open(path, "rb", buffering=0) as device:
            if not device.isatty():
                raise DataError(f"{path}: it is a device, which has nothing to read")


def too_long(name: str) -> DataError:
    """The error about a row that has no end."""
    return DataError(
        f"{name}: a row has more than {_LONGEST_ROW >> 20} MiB, which is no row of a table\n"
        "hint: is a line end missing?"
    )


class Stream(Source):
    """A table whose rows are read as they come, once; of JSON, `names` are the columns."""

    def __init__(
        self,
        stream: _Bytes,
        name: str,
        form: str,
        names: list[str] | None = None,
        decimal: DecimalMark | None = None,
    ):
        if form not in _DELIMITERS:
            _refuse_commas(name, decimal)
        self.name = name
        self.has_lines = form == "json"
        # The rest of the stream is unknown, so decimal commas have to be stated.
        self._decimal = decimal or "."
        self._reader = _kernel.TableReader(name, form, False, names, stream)
        self.columns = tuple(self._reader.header)

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        for table in _tables(self._reader, self, columns, None, _STREAM_ROWS, _STREAM_BYTES):
            yield _with_points(table, _decimals_in([table], self._decimal))


def _file(path: str, replace_invalid: bool, decimal: DecimalMark | None) -> Source:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix in (*_ARROW, ".arff"):
        _refuse_commas(path, decimal)
        return _Arff(path) if suffix == ".arff" else _Arrow(path)
    return _Kernel(path, path, _format(path, suffix), replace_invalid, decimal)


def _refuse_commas(name: str, decimal: DecimalMark | None) -> None:
    if decimal == ",":
        raise OptionError(
            f"{name}: decimal commas are read in CSV and TSV; in other files numbers have points"
        )


def _format(path: str, suffix: str) -> str:
    """What the kernel reads: JSON, labeled lines, or cells with something between them.

    The file name says which, or else its beginning: the most frequent separator in the first line.
    """
    if suffix in (".tsv", ".tab"):
        return "\t"
    head = _kernel.head(path, 65_536).decode("utf-8-sig", "replace")
    if head.startswith("__label__"):
        return "labeled"
    if suffix in _JSON or (suffix != ".csv" and head.lstrip().startswith("{")):
        return "json"
    if suffix != ".csv" and head.lstrip().startswith("["):
        raise DataError(
            f"{path}: it is one JSON array; JSON is read line by line, an object on each\n"
            "hint: `jq -c '.[]'` takes an array apart"
        )
    return separator(first_line(head.lstrip("\r\n")))


def first_line(head: str) -> str:
    return re.split(r"[\r\n]", head, maxsplit=1)[0]


def separator(line: str) -> str:
    """The most frequent of the usual separators in a header."""
    outside = "".join(part for place, part in enumerate(line.split('"')) if place % 2 == 0)
    return max(_DELIMITERS, key=outside.count)


class _Kernel(Source):
    """CSV, TSV, JSON lines or labeled lines."""

    def __init__(
        self, path: str, name: str, form: str, replace_invalid: bool, decimal: DecimalMark | None
    ):
        if form not in _DELIMITERS:
            _refuse_commas(name, decimal)
        self.name = name
        self._options = (path, form, replace_invalid)
        # With commas between cells, and in JSON, numbers have decimal points.
        self._decimal = "." if decimal is None and form not in _NO_COMMA else decimal
        self.has_lines = form == "json"
        self.columns = tuple(_kernel.TableReader(*self._options).header)
        self.size = os.path.getsize(path)

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        decimals = self._decimals
        return (_with_points(table, decimals) for table in self._read(columns, progress))

    @cached_property
    def _decimals(self) -> Decimals:
        # All rows are read, so that neither their order nor a sample decides.
        return _decimals_in(self._read(None, None), self._decimal)

    def _read(self, columns: Sequence[str] | None, progress: Progress | None) -> Iterator[Table]:
        """The rows as they are written."""
        reader = _kernel.TableReader(*self._options, list(self.columns))
        return _tables(reader, self, columns, progress)


def _decimals_in(tables: Iterable[Table], mark: DecimalMark | None) -> Decimals:
    """How numbers are written in a file; without a mark, it is inferred from its columns."""
    if mark == ".":
        return POINTS
    words, commas, telling = set[str](), set[str](), set[str]()
    points: dict[str, tuple[int, str]] = {}
    numbers: set[str] = set()
    for table in tables:
        for name, column in table.columns.items():
            word, point, comma, tells = column.decimal_marks(sorted(MISSING))
            if point is not None and name not in points:
                points[name] = table.number(point), column.take(np.array([point]))[0]
            if word:
                words.add(name)
            if comma:
                commas.add(name)
            if tells:
                telling.add(name)
        numbers = set(table.columns) - words
        if mark is None and not numbers:
            return POINTS
    for_commas, for_points = numbers & telling - points.keys(), numbers & points.keys() - commas
    if mark is None and (not for_commas or for_points):
        return POINTS
    return Decimals(",", frozenset(commas - points.keys()), points)


def _with_points(table: Table, decimals: Decimals) -> Table:
    """The table, with points in place of decimal commas."""
    table.decimals = decimals
    for name in decimals.commas.intersection(table.columns):
        table.respelled[name] = table.columns[name]
        table.columns[name] = table.columns[name].pointed()
    return table


def _tables(
    reader: _kernel.TableReader,
    source: Source,
    columns: Sequence[str] | None,
    progress: Progress | None,
    most_rows: int | None = None,
    most_bytes: int | None = None,
) -> Iterator[Table]:
    names = source.columns if columns is None else columns
    # For JSON, the line itself follows its columns.
    places = {
        **{name: place for place, name in enumerate(source.columns)},
        LINE: len(source.columns),
    }
    missing = [name for name in names if name not in places]
    if missing:
        listed = named(source.columns)
        raise DataError.of(
            "missing-column-of-file", file=source.name, column=missing[0], known=listed
        )
    wanted = [places[name] for name in names]
    first, limit = 1, (most_rows or _ROWS, most_bytes or _BYTES)

    def read() -> tuple[list[_kernel.Texts], int] | None:
        # The reading thread also reports progress, since only it may use the reader.
        cells = reader.next(wanted, *limit)
        return None if cells is None else (cells, reader.consumed)

    if progress is not None:
        progress(0)
    for cells, consumed in _ahead(read):
        rows = len(cells[0]) if cells else 0
        yield Table(dict(zip(names, cells, strict=True)), rows, named=True, offset=first)
        first += rows
        if progress is not None:
            progress(consumed)


def _ahead(read: Callable[[], _Read | None]) -> Iterator[_Read]:
    """What `read` returns until it returns None, each read while the previous one is in use."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as reading:
        batch = reading.submit(read)
        while (found := batch.result()) is not None:
            batch = reading.submit(read)
            yield found


class _Spooled(_Kernel):
    """Standard input, kept in a temporary file while it is needed."""

    def __init__(self, file: Any, name: str, replace_invalid: bool, decimal: DecimalMark | None):
        self._file = file
        form = _format(file.name, Path(file.name).suffix)
        super().__init__(file.name, name, form, replace_invalid, decimal)

    def _read(self, columns: Sequence[str] | None, progress: Progress | None) -> Iterator[Table]:
        # Errors name what the user named, not the temporary file.
        path, form, replace = self._options
        with open(path, "rb") as stream:
            reader = _kernel.TableReader(self.name, form, replace, list(self.columns), stream)
            yield from _tables(reader, self, columns, progress)


def spooled(
    stream: _Bytes,
    name: str = _STANDARD,
    replace_invalid: bool = False,
    decimal: DecimalMark | None = None,
) -> Source:
    """A table that can be read only once, kept in a temporary file while it is needed."""
    import tempfile

    suffix = "".join(Path(re.sub(r"\.(gz|zst)$", "", name)).suffixes[-1:])
    file = tempfile.NamedTemporaryFile(prefix="likely-", suffix=suffix)  # noqa: SIM115
    begun = 0
    while chunk := stream.read1(1 << 20):
        # Without line ends the input may never end.
        cut = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        begun = begun + len(chunk) if cut < 0 else len(chunk) - cut - 1
        if begun > _LONGEST_ROW:
            raise too_long(name)
        _keep(file, chunk)
    _keep(file, b"")
    try:
        return _Spooled(file, name, replace_invalid, decimal)
    except DataError as error:
        raise DataError(str(error).replace(file.name, name)) from None


def _keep(file: Any, chunk: bytes) -> None:
    """Append to a temporary file, and flush it to disk."""
    try:
        file.write(chunk)
        file.flush()
    except OSError as error:
        error.filename = f"the temporary file {file.name}"
        raise


class _Arrow(Source):
    """Parquet, Arrow or Feather; pyarrow reads them."""

    def __init__(self, path: str):
        try:
            import pyarrow as pa
            import pyarrow.parquet
        except ImportError:
            raise DataError(
                f"{path}: pyarrow is needed to read it\nhint: `pip install 'likely[arrow]'`"
            ) from None
        self.name, self._pyarrow = path, pa
        self._is_parquet = path.lower().endswith(".parquet")
        # pyarrow words the errors for missing files differently from the system.
        open(path, "rb").close()
        with self._reporting_damage(), self._opened() as file:
            schema = file.schema_arrow if self._is_parquet else file.schema
            self.columns = tuple(schema.names)
        _check_names(path, self.columns)

    def _opened(self) -> Any:
        if self._is_parquet:
            return self._pyarrow.parquet.ParquetFile(self.name)
        return self._pyarrow.ipc.open_file(self._pyarrow.OSFile(self.name))

    @contextmanager
    def _reporting_damage(self) -> Iterator[None]:
        """Report whatever pyarrow raises as a damaged file, which can make it raise anything."""
        try:
            yield
        except Exception as error:
            kind = "parquet" if self._is_parquet else "ipc"
            why = str(error).partition("\n")[0][:200] or type(error).__name__
            raise DataError.of(
                "damaged-arrow-file", file=self.name, kind=kind, reason=why
            ) from None

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        names = list(self.columns if columns is None else columns)
        batches, first = self._read(names), 1
        while True:
            with self._reporting_damage():
                found = next(batches, None)
            if found is None:
                break
            cells, rows = found
            yield Table(dict(zip(names, cells, strict=True)), rows, named=True, offset=first)
            first += rows

    def _read(self, names: list[str]) -> Iterator[tuple[list[Any], int]]:
        """Validated columns and their length; a damaged column may point beyond its end."""
        with self._opened() as file:
            for batch in self._whole(file, names):
                chosen = batch.select(names)
                chosen.validate(full=True)
                for start in range(0, chosen.num_rows, _ROWS):
                    part = chosen.slice(start, _ROWS)
                    yield [self._cells(column) for column in part.columns], part.num_rows

    def _cells(self, column: Any) -> Any:
        """A column as it is, or as a list if Python may not represent it: the year 300,000."""
        types, kind = self._pyarrow.types, column.type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        odd = types.is_temporal(kind) or types.is_decimal(kind) or types.is_nested(kind)
        return column.to_pylist() if odd else column

    def _whole(self, file: Any, names: list[str]) -> Iterator[Any]:
        if self._is_parquet:
            return cast(Iterator[Any], file.iter_batches(batch_size=_ROWS, columns=names))
        return (file.get_batch(place) for place in range(file.num_record_batches))


class _Folder(Source):
    """A folder for each class, with a text in each file."""

    columns = ("text", "label")

    def __init__(self, path: str, replace_invalid: bool, encoding: str):
        self.name = path
        self._encoding = encoding
        self._errors = "replace" if replace_invalid else "strict"
        self._files = [
            (file.relative_to(path).parts[0], str(file))
            for file in sorted(Path(path).glob("*/**/*"))
            if file.is_file() and not _is_hidden(file, path)
        ]
        if not self._files:
            raise DataError(f"{path} has no folders with files in them, one folder per class")
        self.size = sum(os.path.getsize(file) for _, file in self._files)

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        rows: list[tuple[str, str]] = []
        size = total = 0
        first = 1
        if progress is not None:
            progress(0)
        for label, path in self._files:
            with open(path, "rb") as file:
                content = file.read(_LONGEST_ROW + 1)
            if len(content) > _LONGEST_ROW:
                raise DataError(f"{path}: the text has more than {_LONGEST_ROW >> 20} MiB")
            try:
                rows.append((content.decode(self._encoding, self._errors), label))
            except UnicodeDecodeError:
                called = "UTF-8" if _is_utf8(self._encoding) else self._encoding
                raise DataError(f"{path}: the file is not {called}") from None
            size, total = size + len(content), total + len(content)
            if size > _BYTES or len(rows) >= _ROWS:
                yield _columns(rows, self.columns, columns, first)
                first += len(rows)
                rows, size = [], 0
                if progress is not None:
                    progress(total)
        if rows:
            yield _columns(rows, self.columns, columns, first)


def is_text_of(folder: str, file: str) -> bool:
    """Whether a file, which need not exist yet, is or would be a text of a folder of texts."""
    inside = [path for path in Path(folder).glob("*/**/*") if not _is_hidden(path, folder)]
    texts = [path for path in inside if path.is_file()]
    if os.path.exists(file) and any(os.path.samefile(path, file) for path in texts):
        return True
    classes = [path for path in Path(folder).glob("*") if not _is_hidden(path, folder)]
    folders = [path for path in (*classes, *inside) if path.is_dir()]
    # Writing follows a symbolic link, which stays where it is.
    places = [place for place in map(Path, (file, os.path.realpath(file))) if place.name[0] != "."]
    return any(os.path.samefile(path, place.parent) for path in folders for place in places)


def _is_hidden(path: Path, folder: str) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


class _Arff(Source):
    """Weka's format: attributes by name, then rows."""

    # A quoted cell, or the text between two commas; then a comma or the end. There is no
    # backtracking, so a cell takes time and memory linear in its length.
    _CELL = re.compile(
        r"""\s*+(?:'((?:[^'\\]|\\.)*+)'\s*+(?=,|$)|"((?:[^"\\]|\\.)*+)"\s*+(?=,|$)|([^,]*+))(,|$)"""
    )

    def __init__(self, path: str):
        self.name = self._path = path
        self.size = os.path.getsize(path)
        names = []
        for _, line in self._lines():
            word, *rest = line.split(None, 1)
            if word.lower() == "@attribute" and rest:
                names.append(self._attribute(rest[0]))
            elif word.lower() == "@data":
                break
        else:
            raise DataError(f"{path}: there is no `@data` line, so it is no ARFF file")
        _check_names(path, names)
        self.columns = tuple(names)

    def _lines(self) -> Iterator[tuple[int, str]]:
        """The lines that are neither empty nor comments, with their numbers."""
        decoder = io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder("utf-8-sig")(), translate=True
        )
        stream, begun, size, number, more = _kernel.FileBytes(self._path), [""], 0, 0, b" "
        while more:
            more = stream.read1(1 << 20)
            try:
                text = decoder.decode(more, final=not more)
            except UnicodeDecodeError:
                raise DataError(f"{self._path}: the file is not UTF-8") from None
            begun.append(text)
            size += sys.getsizeof(text)
            if more and "\n" not in text:
                if size > _LONGEST_ROW:
                    raise too_long(self._path)
                continue
            *lines, rest = "".join([*begun, "" if more else "\n"]).split("\n")
            begun, size = [rest], sys.getsizeof(rest)
            for line in map(str.strip, lines):
                number += 1
                if line and not line.startswith("%"):
                    yield number, line

    def _attribute(self, declared: str) -> str:
        """The name in `name type`, which may be quoted."""
        quoted = re.match(r"""'([^']*)'|"([^"]*)\"""", declared)
        return (quoted[1] or quoted[2]) if quoted else declared.split(None, 1)[0]

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        lines = self._lines()
        for _, line in lines:
            if line.split(None, 1)[0].lower() == "@data":
                break
        rows: list[tuple[str, ...]] = []
        first, size = 1, 0
        for number, line in lines:
            where = f"{self._path}, line {number}"
            if line.startswith("{"):
                raise DataError(f"{where}: sparse rows are not read")
            cells = self._cells(line)
            if len(cells) != len(self.columns):
                raise DataError(
                    f"{where}: the row has {len(cells)} cells, but there are "
                    f"{len(self.columns)} attributes"
                )
            rows.append(cells)
            size += len(line)
            if len(rows) >= _ROWS or size > _BYTES:
                yield _columns(rows, self.columns, columns, first)
                first += len(rows)
                rows, size = [], 0
        if rows:
            yield _columns(rows, self.columns, columns, first)

    def _cells(self, line: str) -> tuple[str, ...]:
        cells, place = [], 0
        while found := self._CELL.match(line, place):
            quoted = found[1] if found[1] is not None else found[2]
            cells.append(found[3].strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
            place = found.end()
            if found[4] != ",":
                break
        return tuple(cells)


def _check_names(path: str, names: Sequence[str]) -> None:
    twice = repeated(names)
    if twice is not None:
        raise DataError.of("repeated-column-of-file", file=path, column=twice)


def _columns(
    rows: list[Any], names: tuple[str, ...], wanted: Sequence[str] | None, first: int
) -> Table:
    cells = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    chosen = {name: cells[name] for name in wanted or names}
    return Table(chosen, len(rows), named=True, offset=first)
