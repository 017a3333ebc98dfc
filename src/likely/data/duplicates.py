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
class ExactDuplicates:
    """For each row, how often its text occurs in each class; empty for a text that occurs once."""

    starts: NDArray[np.uint32]
    """Where the entries of each row begin."""
    classes: NDArray[np.uint32]
    counts: NDArray[np.uint64]

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], truth: NDArray[np.uint32]) -> "ExactDuplicates":
        """Duplicates are found by the hashes of the texts; `truth` is the class of each row."""
        _, group, size = np.unique(hashes, return_inverse=True, return_counts=True)
        return cls._gather(group, group, truth, size[group] > 1)

    @classmethod
    def of_sets(cls, hashes: NDArray[np.uint64], sets: Sets) -> "ExactDuplicates":
        """The same for multi-label rows; here a text that occurs once is listed too."""
        _, group = np.unique(hashes, return_inverse=True)
        members = np.repeat(group, lengths_of(sets))
        return cls._gather(group, members, sets[1], np.ones(len(hashes), dtype=np.bool_))

    @classmethod
    def _gather(
        cls,
        group: NDArray[np.intp],
        members: NDArray[np.intp],
        classes: NDArray[np.uint32],
        listed: NDArray[np.bool_],
    ) -> "ExactDuplicates":
        """For each listed row, how often its group of duplicates is in each class."""
        width = int(classes.max(initial=0)) + 1
        keys, count = np.unique(members * width + classes, return_counts=True)
        owner, of_key = np.divmod(keys, width)
        first = np.searchsorted(owner, np.arange(int(group.max(initial=-1)) + 2))
        lengths = np.where(listed, first[group + 1] - first[group], 0)
        starts, places = gathered(first[group], lengths)
        return cls(starts, of_key[places].astype(np.uint32), count[places].astype(np.uint64))

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
