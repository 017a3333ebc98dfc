"""Three tests of whether a difference between two systems is more than chance.

Each gives a p-value, two-sided: how often chance alone would make a difference as large as the one
seen, if the null hypothesis held.
"""

import math
from collections.abc import Sequence

import numpy as np

from likely.evaluation.counts import Array, DistinctRows
from likely.evaluation.metrics import Metric

# Up to so many rows that only one has right, McNemar's test counts every possibility.
_EXACT = 1000

_AT_ONCE = 100_000

# Differences that are equal but for rounding are equal.
_NEAR = 1e-12


def mcnemar(only_first: int, only_second: int) -> float:
    """McNemar's test, of the numbers of rows that only one of the two has right.

    >>> mcnemar(1, 8)
    0.0390625

    Exact, by the binomial distribution, while these are few; else by χ² with one degree of freedom
    and a continuity correction.
    """
    few, n = min(only_first, only_second), only_first + only_second
    if n <= _EXACT:
        ways = sum(math.comb(n, k) for k in range(few + 1))
        return min(1.0, ways / 2 ** (n - 1)) if n else 1.0
    chi_squared = max(abs(only_first - only_second) - 1, 0) ** 2 / n
    return math.erfc(math.sqrt(chi_squared / 2))


def is_exact(only_first: int, only_second: int) -> bool:
    """Whether McNemar's test of these counts every possibility."""
    return only_first + only_second <= _EXACT


def randomization(kinds: DistinctRows, metric: Metric, rounds: int, seed: list[int]) -> float:
    """Approximate randomisation: the answers of the two are swapped, row by row, by coin tosses.

    p = (1 + rounds with a difference as large) / (1 + rounds)
    """
    chance = np.random.default_rng(seed)
    differ = kinds.said[0] != kinds.said[1]
    every = kinds.all()
    observed = abs(metric(kinds.counts(every)) - metric(kinds.counts(None, every)))
    lines = max(1, _AT_ONCE // kinds.width)
    as_large = 0
    for start in range(0, rounds, lines):
        shape = (min(lines, rounds - start), int(differ.sum()))
        kept = np.tile(kinds.sizes, (shape[0], 1))
        kept[:, differ] = chance.binomial(kinds.sizes[differ], 0.5, shape)
        swapped = kinds.sizes - kept
        gaps = metric(kinds.counts(swapped, kept)) - metric(kinds.counts(kept, swapped))
        as_large += int(np.count_nonzero(abs(gaps) >= observed - _NEAR))
    return (1 + as_large) / (1 + rounds)


def paired_bootstrap(observed: float, resampled: Array) -> float:
    """The bootstrap test: how often resampled differences stray from the one seen by as much as it.

    p = (1 + resamples with |d* − d| ≥ |d|) / (1 + resamples)
    """
    as_large = np.count_nonzero(abs(resampled - observed) >= abs(observed) - _NEAR)
    return (1 + int(as_large)) / (1 + len(resampled))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: of several tests, the chance that any is wrongly called significant.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted
