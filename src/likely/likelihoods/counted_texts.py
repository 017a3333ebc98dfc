"""The factors of a text as they were counted: its words, and under Bernoulli those it lacks."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.likelihoods.counted import CountedFactor, Power, Share, share
from likely.tally import Classes

# So many absent features have a factor each; more of them are one, with those of equal probability
# as a power.
_EACH = 8

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TextRow:
    """The known features of a text, and how often each class has any feature."""

    names: list[str]
    """All features that were seen in training, in their order."""
    found: list[tuple[int, int]]
    """The places of those in the text, in its order, and how often each occurs."""
    _starts: Counts
    _of: Counts
    _counts: Counts
    n_classes: int
    skipped: frozenset[int] = frozenset()
    """The places of the most frequent words, which are left out."""

    @classmethod
    def of(
        cls,
        statistic: _kernel.TextCounts,
        classes: Classes,
        text: _kernel.Texts,
        reading: _kernel.Reading,
        *,
        of_documents: bool,
        skip_top: int = 0,
    ) -> "TextRow":
        """A text; of each feature its occurrences are counted, or the documents that hold it.

        `skip_top` leaves out that many of the words that occur most often.
        """
        _, places, counts, names = statistic.matrix(text, 1)
        ends = np.cumsum(statistic.codes().sizes)
        block = np.searchsorted(ends, places, side="right").tolist()
        spoken = [name for kind in reading.features(text) for name in kind]
        order = {name: at for at, name in reversed(list(enumerate(spoken)))}
        pairs = zip(block, places.tolist(), counts.tolist(), strict=True)
        found = sorted((b, order.get(names[at], len(order)), at, n) for b, at, n in pairs)
        lengths, of, times, documents = statistic.cells()
        of_feature = np.repeat(np.arange(len(names)), lengths)
        often = np.bincount(of_feature, weights=times, minlength=len(names))
        by_frequency = sorted(range(ends[0]), key=lambda at: (-often[at], names[at]))
        skipped = frozenset(by_frequency[:skip_top])
        return cls(
            names,
            [(at, n) for _, _, at, n in found if at not in skipped],
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
            np.flatnonzero(classes.rows)[of],
            (documents if of_documents else times).astype(np.int64),
            len(classes),
            skipped,
        )

    @property
    def absent(self) -> list[int]:
        """The places of the features that the text lacks."""
        there = {at for at, _ in self.found}
        return [at for at in range(len(self.names)) if at not in there]

    @property
    def totals(self) -> list[int]:
        """How many features each class has in all."""
        left_out = np.sum([self.counts(at) for at in self.skipped] or [[0]], axis=0)
        every = [self._counts[self._of == c].sum() for c in range(self.n_classes)]
        return [int(n) for n in every - left_out]

    def counts(self, place: int) -> list[int]:
        """How often each class has a feature."""
        here = slice(self._starts[place], self._starts[place + 1])
        found = np.zeros(self.n_classes, dtype=np.int64)
        found[self._of[here]] = self._counts[here]
        return [int(n) for n in found]

    def absent_counts(self) -> list[list[tuple[int, int]]]:
        """For each class, the counts of absent features, and how many features have each."""
        there = np.array([at for at, _ in self.found], dtype=np.int64)
        feature = np.repeat(np.arange(len(self.names)), np.diff(self._starts))
        lacks = ~np.isin(feature, there)
        tables = []
        for c in range(self.n_classes):
            seen = self._counts[lacks & (self._of == c)]
            values, n = np.unique(seen, return_counts=True)
            table = list(zip(values.tolist(), n.tolist(), strict=True))
            never = len(self.names) - len(there) - len(seen)
            tables.append([*table[::-1], (0, never)] if never else table[::-1])
        return tables


def of_multinomial(row: TextRow, alpha: Fraction, *, once: bool) -> list[CountedFactor]:
    """P(w | c) = (n_w + α) / (n + α·V), as often as w occurs, or once."""
    vocabulary = len(row.names) - len(row.skipped)
    wholes = [n + alpha * vocabulary for n in row.totals]

    def shares(place: int) -> list[Share]:
        # Without smoothing, a class without words has probability 0 for each, not 0/0.
        counts = zip(row.counts(place), wholes, strict=True)
        return [share(n + alpha, whole, Fraction(0)) for n, whole in counts]

    return [
        CountedFactor.of(row.names[place], shares(place), 1 if once else n)
        for place, n in row.found
    ]


def of_bernoulli(
    row: TextRow, alpha: Fraction, rows: Sequence[int], absent: str
) -> list[CountedFactor]:
    """P(w | c) = (n_w + α) / (n + 2α) if the text has w, else 1 − P(w | c).

    `rows` are the n documents of each class, and `absent` is what features are called that the text
    lacks.
    """
    wholes = [n + 2 * alpha for n in rows]

    def there(place: int) -> list[Share]:
        counts = zip(row.counts(place), wholes, strict=True)
        return [share(n + alpha, whole, Fraction(0)) for n, whole in counts]

    def gone(of_class: int, count: int) -> Share:
        return share(rows[of_class] - count + alpha, wholes[of_class], Fraction(1))

    found = [CountedFactor.of(row.names[place], there(place)) for place, _ in row.found]
    n_absent = len(row.names) - len(row.found)
    if n_absent <= _EACH:
        for place in row.absent:
            shares = [gone(c, n) for c, n in enumerate(row.counts(place))]
            found.append(CountedFactor.of(row.names[place], shares, sign="1 − P"))
        return found
    powers: list[tuple[Power, ...]] = [
        tuple((gone(c, count), n) for count, n in table)
        for c, table in enumerate(row.absent_counts())
    ]
    return [*found, CountedFactor(f"{n_absent:,} {absent}", 1, tuple(powers))]
