"""Tables from files: CSV, TSV and JSON lines, read whole."""

import csv
import difflib
import io
import json
import sys
from pathlib import Path
from typing import Any

from likely.errors import DataError

Columns = dict[str, list[Any]]

_TARGETS = ("label", "target", "class", "y", "category", "labels")
_TEXTS = ("text", "texts", "message", "body", "review", "content", "comment", "sentence")


def read_table(path: str) -> Columns:
    """The columns of a file, in its order; `-` is standard input."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data[: error.start].count(b"\n") + 1
        raise DataError(
            f"{path}, line {row}: the file is not UTF-8 there\n"
            f"hint: `iconv -f latin1 -t utf-8 {path}` converts it, if that is what it is"
        ) from None
    if not text.strip():
        raise DataError(f"{path} is empty")
    return _json_lines(path, text) if _is_json(path, text) else _separated(path, text)


def find_target(path: str, columns: Columns, given: str | None) -> str:
    """The column with the labels: the one given, or one with a telling name."""
    if given is not None:
        return _known(path, columns, given)
    for name in columns:
        if name.lower() in _TARGETS:
            return name
    raise DataError(
        f"{path} has no column that is called like a target; it has {_listed(columns)}\n"
        "hint: `--target COL` names it"
    )


def find_text(path: str, columns: Columns, given: str | None) -> str:
    """The column with the texts: the one given, one with a telling name, or the longest."""
    if given is not None:
        return _known(path, columns, given)
    if not columns:
        raise DataError(f"{path} has no column of texts beside its target")
    for name in columns:
        if name.lower() in _TEXTS:
            return name
    wordy = {name: cells for name, cells in columns.items() if all(type(c) is str for c in cells)}
    if not wordy:
        raise DataError(f"{path} has no column of texts")
    return max(wordy, key=lambda name: sum(map(len, wordy[name])))


def _known(path: str, columns: Columns, name: str) -> str:
    if name in columns:
        return name
    close = difflib.get_close_matches(name, columns, n=1)
    hint = f"\nhint: did you mean `{close[0]}`?" if close else ""
    raise DataError(f"{path} has no column `{name}`; it has {_listed(columns)}{hint}")


def _listed(columns: Columns) -> str:
    return ", ".join(f"`{name}`" for name in columns)


def _is_json(path: str, text: str) -> bool:
    if path.endswith((".jsonl", ".ndjson")):
        return True
    return path == "-" and text.lstrip().startswith("{")


def _separated(path: str, text: str) -> Columns:
    csv.field_size_limit(2**31 - 1)
    delimiter = "\t" if path.lower().endswith((".tsv", ".tab")) else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(reader)
        twice = [name for name in header if header.count(name) > 1]
        if twice:
            raise DataError(f"{path} has two columns called `{twice[0]}`")
        columns: Columns = {name: [] for name in header}
        for row in reader:
            if not row:
                # A blank line is an empty cell if there is but one column.
                if len(header) > 1:
                    continue
                row = [""]
            if len(row) != len(header):
                raise DataError(
                    f"{path}, line {reader.line_num}: the row has {len(row)} fields, "
                    f"the header {len(header)}"
                )
            for column, cell in zip(columns.values(), row, strict=True):
                column.append(cell)
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from None
    return columns


def _json_lines(path: str, text: str) -> Columns:
    columns: Columns = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}, line {number}: the line is no JSON ({error})") from None
        if not isinstance(row, dict):
            raise DataError(f"{path}, line {number}: the line is no JSON object")
        columns = columns or {name: [] for name in row}
        if row.keys() != columns.keys():
            raise DataError(f"{path}, line {number}: the keys are not those of the first line")
        for name, cell in row.items():
            columns[name].append(cell)
    return columns
