"""A log of decisions, if one is wanted: what was predicted, by which model; no texts."""

import hashlib
import json
import os
from datetime import UTC, datetime
from typing import Any

from likely.data.labels import plain_list
from likely.data.table import Table
from likely.errors import OptionError
from likely.server.living import Served, plain_cell


class DecisionLog:
    """JSON lines: time, digest and event of the model, a hash of the row, and the answer."""

    def __init__(self, path: str):
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError as error:
            raise OptionError(f"{path}: the log cannot be written: {error.strerror}") from None

    def write(self, served: Served, table: Table, found: list[dict[str, Any]]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        about = {"time": now, "digest": served.snapshot, "sequence": served.sequence}
        lines = [
            json.dumps({**about, "input": hashed, **answer}, ensure_ascii=False)
            for hashed, answer in zip(_hashes(served, table), found, strict=True)
        ]
        # One write for all, so that workers do not write into each other's lines.
        os.write(self._file, ("\n".join(lines) + "\n").encode("utf-8", "replace"))


def _hashes(served: Served, table: Table) -> list[str]:
    """A SHA-256 of the cells of each row that the model reads, as JSON."""
    columns = served.classifier.columns
    cells = [map(plain_cell, plain_list(column)) for column in table.take(columns)]
    found = []
    for row in zip(*cells, strict=True):
        text = json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False)
        found.append(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())
    return found
