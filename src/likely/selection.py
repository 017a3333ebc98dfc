"""Data selection: rows of a large pool that resemble those of a target.

    log w(x) = log P(x | target) − log P(x | rest of the pool)

by two language models. The target may be small, so its counts are interpolated with the pool's, a
quarter and three quarters; otherwise long texts full of rare words would win. A first pass finds
the rest of the pool: all but the rows that resemble the target most when compared with the whole
pool.

Rows are kept by importance resampling: as if drawn one by one without putting back, each with
probability ∝ w (Xie et al. 2023), by adding Gumbel noise to log w and keeping the largest; or just
the largest. The pool is read as a stream, five times; memory holds one batch of it, and the counts.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.columns import TEXT_NAMES, nearest
from likely.data.files import Progress
from likely.data.table import Table, named
from likely.data.unlabeled import Unlabeled, unlabeled
from likely.errors import DataError, OptionError
from likely.likelihoods.text import rows_of
from likely.numbers import is_number
from likely.text import Text

Array = NDArray[np.float64]

# Buckets of hashed features; a million of them is an array of 8 MB.
_BITS = 20

# The weight of the pool in the interpolation: so many times the size of the target.
_POOL = 3.0

# How many keys are read at once to find the smallest one to keep.
_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Kept:
    """Rows of one batch of the pool that are kept, and the log-ratio of each."""

    table: Table
    rows: NDArray[np.int64]
    log_ratios: Array


class _Features(Protocol):
    """The features of texts: collected first, then counted and weighted."""

    def see(self, texts: _kernel.Texts, side: int) -> None: ...
    def seen(self) -> tuple[Array, Array]: ...
    def count(self, texts: _kernel.Texts) -> Array: ...
    def score(self, texts: _kernel.Texts, weights: Array) -> Array: ...


class _Hashed:
    """Features in buckets: memory does not grow with what is read."""

    def __init__(self, words: int, threads: int):
        self._words, self._threads = words, threads
        self._counts = np.zeros((2, 1 << _BITS))

    def see(self, texts: _kernel.Texts, side: int) -> None:
        self._counts[side] += self.count(texts)

    def seen(self) -> tuple[Array, Array]:
        return self._counts[0], self._counts[1]

    def count(self, texts: _kernel.Texts) -> Array:
        return _kernel.count_buckets(texts, _BITS, self._words, self._threads).astype(np.float64)

    def score(self, texts: _kernel.Texts, weights: Array) -> Array:
        return _kernel.score_buckets(texts, weights, self._words, self._threads)


class _Exact:
    """Every feature by itself."""

    def __init__(self, words: int, threads: int):
        self._reading, self._threads = Text(word_ngrams=(1, words)).reading, threads
        self._tally = _kernel.TextCounts.zero(self._reading, 2)
        self._codes = self._tally.codes()

    def see(self, texts: _kernel.Texts, side: int) -> None:
        slots = np.full(len(texts), side, dtype=np.uint32)
        more = _kernel.TextCounts.observe(self._reading, texts, slots, 2, self._threads)
        self._tally = self._tally.plus(more)

    def seen(self) -> tuple[Array, Array]:
        cells, classes, times, _ = self._tally.cells()
        counts = np.zeros((2, len(cells)))
        counts[classes, np.repeat(np.arange(len(cells)), cells)] = times
        self._codes = self._tally.codes()
        return counts[0], counts[1]

    def count(self, texts: _kernel.Texts) -> Array:
        _, columns, times = self._codes.matrix(texts, self._threads)
        counts = np.bincount(columns, weights=times, minlength=self._tally.features())
        return counts.astype(np.float64)

    def score(self, texts: _kernel.Texts, weights: Array) -> Array:
        starts, columns, times = self._codes.matrix(texts, self._threads)
        added = weights[columns] * times
        scores = np.bincount(rows_of(starts), weights=added, minlength=len(texts))
        return scores.astype(np.float64)


def _weights(target: Array, pool: Array, chosen: Array | None) -> Array:
    """What each feature adds to the log-ratio, against the pool or the rest of it."""
    size = target.sum()
    # A feature that is not in the pool never occurs there.
    share = np.where(pool > 0, pool, 1.0) / pool.sum()
    blended = (target / size + _POOL * share) / (1 + _POOL)
    rest = share
    if chosen is not None:
        left = pool - chosen
        rest = (left + _POOL * size * share) / (left.sum() + _POOL * size)
    return np.ascontiguousarray(np.log(blended) - np.log(rest))


def select_rows(
    target: Any,
    pool: Any,
    keep: float | int,
    *,
    text: str | None = None,
    features: Literal["hashed", "exact"] = "hashed",
    words: int = 2,
    draw: Literal["sample", "top"] = "sample",
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Iterator[Kept]:
    """The rows of `pool` that look like `target`, batch by batch, in the order of the pool.

    Both are lists of texts, tables or files; `text` names their column of texts. `keep` is a share
    of the pool (0.1) or a number of rows (5000). `features` are hashed into a fixed number of
    buckets, or "exact", which takes memory for every word n-gram of up to `words` words.

    >>> pool = ["the striker scored", "the minister resigned", "a late goal by the striker"]
    >>> kept = next(select_rows(["the striker scored a goal"] * 3, pool, 2, draw="top"))
    >>> kept.rows.tolist()
    [0, 2]
    """
    if features not in ("hashed", "exact"):
        raise OptionError(f'`features` are "hashed" or "exact", not {features!r}')
    if draw not in ("sample", "top"):
        raise OptionError(f'`draw` is "sample" or "top", not {draw!r}')
    if not isinstance(words, int) or not 1 <= words <= _kernel.LONGEST_NGRAM:
        raise OptionError(
            f"`words` is an n-gram length from 1 to {_kernel.LONGEST_NGRAM}, not {words!r}"
        )
    found: _Features = (_Hashed if features == "hashed" else _Exact)(words, threads)
    sides = [(unlabeled(target), "target"), (unlabeled(pool), "pool")]
    columns = [_column(rows, who, text) for rows, who in sides]
    n_rows = 0
    for side, ((rows, who), column) in enumerate(zip(sides, columns, strict=True)):
        n_rows = 0
        for table in rows.batches([column]):
            found.see(_texts(table, column), side)
            n_rows += len(table)
        if not n_rows:
            raise DataError(f"the {who} has no rows")
    of_target, of_pool = found.seen()
    if not of_target.sum():
        raise DataError("the target has no words, so nothing can look like it")
    stream, n_kept = _Pool(sides[1][0], columns[1]), _number(keep, n_rows)
    with tempfile.TemporaryFile() as spool:
        stream.score(spool, found, _weights(of_target, of_pool, None), None)
        chosen = np.zeros_like(of_pool)
        for kept in stream.kept(spool, n_kept, None):
            some = _texts(kept.table, stream.column).take(kept.rows)
            chosen += found.count(_kernel.Texts(some))
        random = np.random.default_rng(seed) if draw == "sample" else None
        stream.score(spool, found, _weights(of_target, of_pool, chosen), random)
        yield from stream.kept(spool, n_kept, progress)


@dataclass(frozen=True, eq=False)
class _Pool:
    """The pool as a stream, and its rows' keys and log-ratios in a file beside it."""

    rows: Unlabeled
    column: str

    def score(
        self,
        spool: IO[bytes],
        features: _Features,
        weights: Array,
        random: np.random.Generator | None,
    ) -> None:
        """Write the key of every row, and its log-ratio."""
        spool.seek(0)
        for table in self.rows.batches([self.column]):
            ratios = features.score(_texts(table, self.column), weights)
            noise = 0.0 if random is None else random.gumbel(size=len(ratios))
            spool.write(np.stack([ratios + noise, ratios], axis=1).tobytes())

    def kept(self, spool: IO[bytes], n_kept: int, progress: Progress | None) -> Iterator[Kept]:
        """The rows with the largest keys, batch by batch; of equal ones, the first."""
        least, ties = _least_kept(spool, n_kept)
        spool.seek(0)
        for table in self.rows.batches(self.rows.columns, progress):
            read = np.frombuffer(spool.read(16 * len(table))).reshape(-1, 2)
            keys = _sortable(read[:, 0])
            equal = np.flatnonzero(keys == least)
            chosen = np.sort(np.concatenate([np.flatnonzero(keys > least), equal[:ties]]))
            ties -= min(ties, len(equal))
            if len(chosen):
                yield Kept(table, chosen, read[chosen, 1].copy())


def _column(rows: Unlabeled, who: str, given: str | None) -> str:
    """The text column: the one given, the only one, or one with a usual name."""
    if given is not None and given in rows.columns:
        return given
    telling = [name for name in rows.columns if name.lower() in TEXT_NAMES]
    if given is None and (len(rows.columns) == 1 or telling):
        return (telling or list(rows.columns))[0]
    if given is not None:
        raise DataError(f"the {who} has no column `{given}`; {nearest(given, rows.columns)}")
    listed = named(rows.columns)
    raise DataError(f"the {who} has no column with the usual name of a text; it has {listed}")


def _texts(table: Table, column: str) -> _kernel.Texts:
    return table.texts([column] if table.named else table.names)


def _number(keep: Any, rows: int) -> int:
    """How many rows are kept."""
    plain = is_number(keep)
    if plain and isinstance(keep, (int, np.integer)) and keep >= 1:
        if keep > rows:
            raise DataError(f"{keep:,} rows are to be kept, but the pool has {rows:,}")
        return int(keep)
    if plain and 0 < keep <= 1:
        return max(1, int(keep * rows + 0.5))
    raise OptionError(f"`keep` is a share from 0 to 1, or a number of rows, not {keep!r}")


def _sortable(keys: Array) -> NDArray[np.uint64]:
    """Numbers as whole numbers in the same order."""
    bits = (keys + 0.0).view(np.uint64)
    sign = np.uint64(1) << np.uint64(63)
    return np.where(bits & sign, ~bits, bits | sign)


def _least_kept(spool: IO[bytes], n_kept: int) -> tuple[np.uint64, int]:
    """The smallest key that is kept, and how many of those equal to it are.

    Found 16 bits at a time, so that no more than a chunk of the keys is ever in memory.
    """
    prefix, above = 0, 0
    for shift in (48, 32, 16, 0):
        counts = np.zeros(1 << 16, dtype=np.int64)
        spool.seek(0)
        while data := spool.read(16 * _CHUNK):
            keys = _sortable(np.frombuffer(data).reshape(-1, 2)[:, 0].copy())
            here = keys if shift == 48 else keys[keys >> np.uint64(shift + 16) == prefix]
            digits = (here >> np.uint64(shift)) & np.uint64(0xFFFF)
            counts += np.bincount(digits.astype(np.int64), minlength=1 << 16)
        from_top = np.cumsum(counts[::-1])
        place = int(np.searchsorted(from_top, n_kept - above))
        above += int(from_top[place - 1]) if place else 0
        prefix = (prefix << 16) | (0xFFFF - place)
    return np.uint64(prefix), n_kept - above
