"""Texts and labels of the datasets."""

import csv
import itertools
from pathlib import Path

csv.field_size_limit(1 << 30)


def read(path: Path, rows: int | None = None) -> tuple[list[str], list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        found = [
            (r["text"], r.get("label", "")) for r in itertools.islice(csv.DictReader(file), rows)
        ]
    return [text for text, _ in found], [label for _, label in found]
