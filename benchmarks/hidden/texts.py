"""Texts and labels of the datasets."""

from pathlib import Path

from likely import open_table
from likely.data.labels import plain_list


def read(path: Path, rows: int | None = None) -> tuple[list[str], list[str]]:
    texts, labels = [], []
    for batch in open_table(path).batches():
        found = {name: plain_list(cells) for name, cells in batch.columns.items()}
        texts += found["text"]
        labels += found.get("label", [""] * len(batch))
        if rows is not None and len(texts) >= rows:
            break
    return texts[:rows], labels[:rows]
