"""The rows that guarantees are checked on: the messages of the example `gullpoint`."""

import csv
from collections.abc import Sequence
from typing import Any

from likely.examples import path

TARGET = "office"
Row = dict[str, str]


def messages() -> list[Row]:
    with open(path("gullpoint.csv"), newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def labeled(rows: Sequence[Row]) -> tuple[dict[str, Any], list[str]]:
    """The columns of rows, and their labels."""
    columns = {name: [row[name] for row in rows] for name in rows[0] if name != TARGET}
    return columns, [row[TARGET] for row in rows]
