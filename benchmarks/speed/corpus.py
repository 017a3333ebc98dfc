"""Texts with labels: real ones where they are at hand, generated ones elsewhere."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.speed.language import Language
from likely import open_table
from likely.data.labels import plain_list

Pair = tuple[str, str]


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


def reviews(data: Path, part: str, megabytes: float) -> Corpus:
    """IMDb's "train" or "test", two classes in equal parts."""
    path = data / "imdb" / f"{part}.csv"
    if path.exists():
        return take("IMDb", read(path), megabytes)
    seed = {"train": 1, "test": 2}[part]
    return take("generated text", Language(100_000).pairs(seed), megabytes)


def diverse(data: Path, megabytes: float) -> Corpus:
    """As large a vocabulary as there is at hand: reviews and diaries."""
    paths = [data / "imdb" / "train.csv", data / "blogs_sample" / "train.csv"]
    found = [path for path in paths if path.exists()]
    if not found:
        return take("generated text", Language(200_000).pairs(3), megabytes)
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
