"""The datasets of a folder: texts, tables, multi-label rows."""

import csv
import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.made_up.language import Language
from likely import open_table
from likely.data.labels import plain_list

MADE_UP = "made-up text"

Pair = tuple[str, str]
Columns = dict[str, np.ndarray]


class MissingError(Exception):
    """Something that a table needs is not here, so it is skipped."""


@dataclass(frozen=True, eq=False)
class Corpus:
    name: str
    texts: list[str]
    labels: list[str]

    @cached_property
    def megabytes(self) -> float:
        return sum(map(n_bytes, self.texts)) / 1e6

    @property
    def pairs(self) -> Iterator[Pair]:
        return zip(self.texts, self.labels, strict=True)

    def pick(self, rows: np.ndarray) -> "Corpus":
        texts, labels = zip(*((self.texts[row], self.labels[row]) for row in rows), strict=True)
        return Corpus(self.name, list(texts), list(labels))


@dataclass(frozen=True)
class Data:
    """A folder of datasets, and what was asked for and is not there."""

    folder: Path
    missing: list[str] = field(default_factory=list)

    def path(self, name: str) -> Path:
        """Where a file or dataset is."""
        path = self.folder / name
        if not path.exists():
            raise MissingError(f"there is no `{path}`")
        return path

    def present(self, *names: str) -> Iterator[str]:
        """Those datasets that are there; the others are noted."""
        for name in names:
            reason = f"{name}: there is no `{self.folder / name}`"
            if (self.folder / name).exists():
                yield name
            elif reason not in self.missing:
                self.missing.append(reason)

    def texts(self, name: str, part: str, rows: int | None = None) -> Corpus:
        pairs = itertools.islice(read(self.path(f"{name}/{part}.csv")), rows)
        texts, labels = zip(*pairs, strict=True)
        return Corpus(name, list(texts), list(labels))

    def whole(self, name: str) -> Corpus:
        """The file `all`, or the files `train` and `test` together."""
        if (self.folder / name / "all.csv").exists():
            return self.texts(name, "all")
        train, test = self.texts(name, "train"), self.texts(name, "test")
        return Corpus(name, train.texts + test.texts, train.labels + test.labels)

    def split(self, name: str) -> tuple[Corpus, Corpus]:
        """The files `train` and `test`, or 80 % and the rest of the shuffled file `all`."""
        if (self.folder / name / "test.csv").exists():
            return self.texts(name, "train"), self.texts(name, "test")
        whole = self.texts(name, "all")
        order = np.random.RandomState(0).permutation(len(whole.texts))
        cut = int(0.8 * len(order))
        return whole.pick(order[:cut]), whole.pick(order[cut:])

    def columns(self, name: str, part: str, target: str) -> tuple[Columns, np.ndarray]:
        """The cells of a table as text, by column, and the labels."""
        with self.path(f"tab_{name}/{part}.csv").open(encoding="utf-8", newline="") as file:
            header, *cells = csv.reader(file)
        columns = dict(zip(header, np.array(cells, dtype=object).T, strict=True))
        return columns, columns.pop(target).astype(str)

    def multilabel(self, name: str, part: str) -> tuple[list[str], list[list[str]]]:
        """Texts, and the labels of each."""
        with self.path(f"{name}/{part}.jsonl").open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return [row["text"] for row in rows], [row["labels"] for row in rows]

    def reviews(self, part: str, megabytes: float) -> Corpus:
        """IMDb's "train" or "test", two classes in equal parts; without them, made-up text."""
        path = self.folder / "imdb" / f"{part}.csv"
        if path.exists():
            return take("IMDb", read(path), megabytes)
        seed = {"train": 1, "test": 2}[part]
        return take(MADE_UP, Language(100_000).pairs(seed), megabytes)

    def diverse(self, megabytes: float) -> Corpus:
        """As large a vocabulary as there is at hand: reviews and diaries."""
        paths = [self.folder / name / "train.csv" for name in ("imdb", "blogs_sample")]
        found = [path for path in paths if path.exists()]
        if not found:
            return take(MADE_UP, Language(200_000).pairs(3), megabytes)
        # Taken in turns, any stretch of it is like any other.
        turns = itertools.zip_longest(*map(read, found))
        pairs = (pair for turn in turns for pair in turn if pair is not None)
        return take("real text", pairs, megabytes)


def take(name: str, pairs: Iterable[Pair], megabytes: float) -> Corpus:
    """The first so many megabytes, or all there are."""
    texts, labels, left = [], [], megabytes * 1e6
    for text, label in pairs:
        texts.append(text)
        labels.append(label)
        left -= n_bytes(text)
        if left <= 0:
            break
    return Corpus(name, texts, labels)


def n_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def read(path: Path) -> Iterator[Pair]:
    """The columns `text` and `label` of a CSV file, whose fields may be long and hold newlines."""
    for batch in open_table(path).batches(["text", "label"]):
        yield from zip(*map(plain_list, batch.columns.values()), strict=True)


def numbers(column: Any, missing: tuple[str, ...] = ()) -> np.ndarray:
    """A column as numbers, NaN where one is missing; unchanged if it holds anything else."""
    try:
        return np.array([np.nan if cell in missing else float(cell) for cell in column])
    except ValueError:
        return column
