"""The rows in the body of a request, in any of the forms they come in.

JSON: one row, a list of rows, or `{"rows": …, "labels": …}`; a row is a dictionary by column, or a
text where the model reads one column. Tables in other forms (CSV, JSON lines, Arrow) come under
their content type, and have their labels in the column of the target.
"""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from likely.data.files import Stream, first_line, separator
from likely.data.labels import plain_list
from likely.data.table import Table
from likely.errors import DataError
from likely.model.fitted import Fitted

# A model that learned texts without a column name calls their column so.
_UNNAMED, _TEXT = ("x",), "text"
_JSON_LINES = ("application/x-ndjson", "application/jsonl")
# So much of a table tells what is between its cells.
_HEAD = 65_536


class BodyError(DataError):
    """A body that is not in the form that its content type names."""


class MediaTypeError(DataError):
    """A content type that is not read here."""


@dataclass(frozen=True)
class Rows:
    """Rows, and their labels if they came beside them."""

    x: Table
    y: Any = None
    n: int = 0


def read(body: bytes, content_type: str, fitted: Fitted, limit: int) -> Rows:
    """The rows of a body; labels that are in a column stay there."""
    kind = content_type.partition(";")[0].strip().lower() or "application/json"
    if kind == "application/json":
        return _from_json(parsed(body), fitted, limit)
    if kind in _JSON_LINES:
        lines = enumerate(body.split(b"\n"))
        return _from_json([parsed(one, n) for n, one in lines if one.strip()], fitted, limit)
    if kind not in _TABLES:
        known = ", ".join(["application/json", *_JSON_LINES, *_TABLES])
        raise MediaTypeError(f"the content type {kind!r} is not read here; there are {known}")
    table = _TABLES[kind](body)
    _check_count(len(table), limit)
    return Rows(_called(table, fitted), None, len(table))


def parsed(body: bytes, line: int = 0) -> Any:
    """What is in JSON, which knows no NaN; errors add so many lines before it."""
    try:
        return _DECODER.decode(body.decode())
    except UnicodeDecodeError:
        raise BodyError("the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        where = f"line {line + error.lineno:,}, column {error.colno:,}"
        raise BodyError(f"the body is not JSON in {where}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, ValueError) else "it is nested too deep"
        raise BodyError(f"the body is not JSON: {why}") from None


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no number in JSON")


# Made once, since making it takes longer than to read a short body.
_DECODER = json.JSONDecoder(parse_constant=_refused)


def _from_json(found: Any, fitted: Fitted, limit: int) -> Rows:
    labels = None
    if isinstance(found, dict) and "rows" in found and "rows" not in fitted.columns:
        strangers = [name for name in found if name not in ("rows", "labels")]
        if strangers:
            raise BodyError(f"beside `rows` there may be `labels`, and not `{strangers[0]}`")
        found, labels = found["rows"], found.get("labels")
    elif isinstance(found, (dict, str)):
        found = [found]
    if not isinstance(found, list):
        raise BodyError("rows are a list of dictionaries by column, or of texts")
    _check_count(len(found), limit)
    if labels is not None:
        if not isinstance(labels, list):
            raise BodyError("`labels` is a list with a label, or a list of labels, for each row")
        if len(labels) != len(found):
            raise DataError.of("label-count", rows=len(found), labels=len(labels))
    for place, row in enumerate(found, 1):
        if type(row) is not type(found[0]) or not isinstance(row, (dict, str)):
            raise BodyError(
                f"row {place} is {_kind_of(row)}; rows are all dictionaries by column, or all texts"
            )
    if fitted.columns == _UNNAMED and found and isinstance(found[0], dict):
        found = [row[_TEXT] if row.keys() == {_TEXT} else row for row in found]
    return Rows(Table.of(found), labels, len(found))


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return names.get(type(value), "a number")


def _check_count(rows: int, limit: int) -> None:
    if not rows:
        raise BodyError("there are no rows in the body")
    if rows > limit:
        raise TooManyRowsError(f"there are {rows:,} rows, and at most {limit:,} in one request")


class TooManyRowsError(DataError):
    """More rows than one request may have."""


def _called(table: Table, fitted: Fitted) -> Table:
    """A table whose one column of texts may be called `text`."""
    if fitted.columns != _UNNAMED or _TEXT not in table.columns or "x" in table.columns:
        return table
    return Table.of({"x" if n == _TEXT else n: cells for n, cells in table.columns.items()})


def _lines(form: str | None) -> Callable[[bytes], Table]:
    """Tables that the kernel reads; their errors name the line and the column."""

    def read(body: bytes) -> Table:
        head = body[:_HEAD].decode("utf-8-sig", "replace").lstrip("\r\n")
        stream = io.BufferedReader(io.BytesIO(body))
        source = Stream(stream, "the body", form or separator(first_line(head)))
        columns: dict[str, list[Any]] = {name: [] for name in source.columns}
        for table in source.batches():
            for name, cells in table.columns.items():
                columns[name] += plain_list(cells)
        return Table.of(columns)

    return read


def _arrow(body: bytes) -> Table:
    try:
        import pyarrow as pa
    except ImportError:
        raise MediaTypeError(
            "pyarrow is needed to read Arrow\nhint: `pip install 'likely[arrow]'`"
        ) from None
    try:
        found = pa.ipc.open_stream(body).read_all()
        found.validate(full=True)
    except Exception as error:  # pyarrow raises all kinds of errors for damaged streams.
        raise BodyError(f"the body is no Arrow stream ({str(error)[:200]})") from None
    return Table.of(found)


_TABLES: dict[str, Callable[[bytes], Table]] = {
    "text/csv": _lines(None),
    "text/tab-separated-values": _lines("\t"),
    "application/vnd.apache.arrow.stream": _arrow,
}
