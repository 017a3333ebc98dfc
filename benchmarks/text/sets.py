"""Labelled texts, and which of them are learned from and which are asked about."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.speed.corpus import Corpus, read


def splits(folder: Path, *names: str) -> Iterator[tuple[Corpus, Corpus]]:
    """Train and test of each set that is there; one that is not is said to be left out."""
    for name in present(folder, *names):
        yield split(folder, name)


def present(folder: Path, *names: str) -> Iterator[str]:
    for name in names:
        if (folder / name).exists():
            yield name
        else:
            print(f"{name}: left out, there is no `{folder / name}`", file=sys.stderr)


def split(folder: Path, name: str) -> tuple[Corpus, Corpus]:
    """The files `train` and `test`, or 80 % and the rest of the shuffled file `all`."""
    if (folder / name / "test.csv").exists():
        return load(folder, name, "train"), load(folder, name, "test")
    whole = load(folder, name, "all")
    order = np.random.RandomState(0).permutation(len(whole.texts))
    cut = int(0.8 * len(order))
    return pick(whole, order[:cut]), pick(whole, order[cut:])


def load(folder: Path, name: str, part: str) -> Corpus:
    texts, labels = zip(*read(folder / name / f"{part}.csv"), strict=True)
    return Corpus(name, list(texts), list(labels))


def pick(corpus: Corpus, rows: np.ndarray) -> Corpus:
    pairs = [(corpus.texts[row], corpus.labels[row]) for row in rows]
    return Corpus(corpus.name, *map(list, zip(*pairs, strict=True)))
