"""Exact duplicates and near-duplicates of texts.

A text is not really left out while a duplicate of it stays: the model has still seen it. So a text
is left out together with its duplicates, whatever their class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import Sets, lengths_of
from likely.errors import DataError, OptionError


def near_duplicates(
    texts: Sequence[str], likeness: float = 0.8, threads: int = 1
) -> NDArray[np.uint32]:
    """For each text, the position of the first text that it is a near-duplicate of, or its own.

    Two texts are near-duplicates if the Jaccard similarity of their word trigrams is at least
    `likeness`; so are texts that a chain of such pairs connects.

    >>> text = "the ferry to the island leaves the old harbour at nine every morning"
    >>> near_duplicates([text, "no ferry today", text.upper() + "!", text + " now"]).tolist()
    [0, 1, 0, 0]
    """
    if not 0 < likeness <= 1:
        raise OptionError(f"likeness is a number above 0 and up to 1, not {likeness!r}")
    for row, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise DataError(f"text {row} is no text but {text!r}")
    return _kernel.Texts(texts).near_duplicates(likeness, threads)


@dataclass(frozen=True, eq=False)
class Copies:
    """How often texts occur in each class: additive, so parts of the rows are counted apart."""

    texts: NDArray[np.uint64]
    """The hashes of the texts, sorted."""
    rows: NDArray[np.uint64]
    """How many rows have each text."""
    owners: NDArray[np.intp]
    """The position of the text of each count, rising."""
    classes: NDArray[np.uint32]
    counts: NDArray[np.uint64]

    @classmethod
    def of(
        cls, hashes: NDArray[np.uint64], sets: Sets, among: NDArray[np.uint64] | None = None
    ) -> "Copies":
        """Of the texts of some rows, or of those `among` them, sorted; `sets` has their classes."""
        lengths = lengths_of(sets)
        if among is None:
            texts, group = np.unique(hashes, return_inverse=True)
            owner, classes = np.repeat(group, lengths), sets[1]
        else:
            texts = among
            group = np.minimum(np.searchsorted(texts, hashes), max(len(texts) - 1, 0))
            there = texts[group] == hashes if len(texts) else np.zeros(len(hashes), dtype=bool)
            of_slot = np.repeat(there, lengths)
            owner, classes = np.repeat(group, lengths)[of_slot], sets[1][of_slot]
            group = group[there]
        rows = np.bincount(group, minlength=len(texts)).astype(np.uint64)
        return cls._summed(texts, rows, owner, classes, np.ones(len(owner), dtype=np.uint64))

    @classmethod
    def _summed(
        cls,
        texts: NDArray[np.uint64],
        rows: NDArray[np.uint64],
        owner: NDArray[np.intp],
        classes: NDArray[np.uint32],
        counts: NDArray[np.uint64],
    ) -> "Copies":
        width = int(classes.max(initial=0)) + 1
        keys, place = np.unique(owner * width + classes, return_inverse=True)
        total = np.zeros(len(keys), dtype=np.uint64)
        np.add.at(total, place, counts)
        owners, of_key = np.divmod(keys, width)
        return cls(texts, rows, owners, of_key.astype(np.uint32), total)

    def __add__(self, other: "Copies") -> "Copies":
        """The copies of the same texts in more rows."""
        return self._summed(
            self.texts,
            self.rows + other.rows,
            np.concatenate([self.owners, other.owners]),
            np.concatenate([self.classes, other.classes]),
            np.concatenate([self.counts, other.counts]),
        )


@dataclass(frozen=True, eq=False)
class ExactDuplicates:
    """For each row, how often its text occurs in each class; empty for a text that occurs once."""

    starts: NDArray[np.uint32]
    """Where the entries of each row begin."""
    classes: NDArray[np.uint32]
    counts: NDArray[np.uint64]

    @classmethod
    def of(
        cls,
        hashes: NDArray[np.uint64],
        truth: NDArray[np.uint32],
        copies: "Copies | None" = None,
    ) -> "ExactDuplicates":
        """Duplicates are found by the hashes of the texts; `truth` is the class of each row."""
        sets = np.arange(len(truth) + 1, dtype=np.uint32), truth
        copies = Copies.of(hashes, sets) if copies is None else copies
        group = np.searchsorted(copies.texts, hashes)
        return cls._gather(copies, group, copies.rows[group] > 1)

    @classmethod
    def of_sets(
        cls, hashes: NDArray[np.uint64], sets: Sets, copies: "Copies | None" = None
    ) -> "ExactDuplicates":
        """The same for multi-label rows; here a text that occurs once is listed too."""
        copies = Copies.of(hashes, sets) if copies is None else copies
        group = np.searchsorted(copies.texts, hashes)
        return cls._gather(copies, group, np.ones(len(hashes), dtype=np.bool_))

    @classmethod
    def _gather(
        cls, copies: "Copies", group: NDArray[np.intp], listed: NDArray[np.bool_]
    ) -> "ExactDuplicates":
        """For each listed row, how often its group of duplicates is in each class."""
        first = np.searchsorted(copies.owners, np.arange(len(copies.texts) + 1))
        lengths = np.where(listed, first[group + 1] - first[group], 0)
        starts, places = gathered(first[group], lengths)
        return cls(starts, copies.classes[places], copies.counts[places])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def _lengths(self) -> NDArray[np.intp]:
        starts = self.starts.astype(np.intp)
        return starts[1:] - starts[:-1]

    @property
    def are_there(self) -> NDArray[np.bool_]:
        """Which rows have duplicates, if only those are listed."""
        return np.asarray(self._lengths > 0)

    def of_class(self, truth: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """How many rows of its class are left out with each row, itself included."""
        out = np.ones(len(self), dtype=np.uint64)
        rows = np.repeat(np.arange(len(self)), self._lengths)
        mine = self.classes == truth[rows]
        out[rows[mine]] = self.counts[mine]
        return out

    def take(self, rows: NDArray[np.intp]) -> "ExactDuplicates":
        """Those of some rows."""
        starts, places = gathered(self.starts[rows], self._lengths[rows])
        return ExactDuplicates(starts, self.classes[places], self.counts[places])

    @property
    def arrays(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64]]:
        return self.starts, self.classes, self.counts


def gathered(
    first: NDArray[Any], lengths: NDArray[np.intp]
) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """Ranges of entries joined: where each begins, and where each entry came from."""
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    return starts.astype(np.uint32), np.repeat(first.astype(np.intp), lengths) + within
