"""What each person adds to the score of their sentences, and what two sides of them differ by."""

import numpy as np
from numpy.typing import NDArray

from likely.evaluation.intervals import Figure, figures
from likely.fairness.scores import Array
from likely.fairness.sentences import Codes

_ROUNDS = 9_999
_RESAMPLES = 2_000
_NEAR = 1e-12


class Effects:
    """What each person adds to the score, and what two sides of them differ by."""

    def __init__(self, sums: Array, sizes: Array, side: NDArray[np.bool_], strata: Codes):
        self.sums, self.sizes, self.side, self.strata = sums, sizes, side, strata
        self.gap = float(self._gaps(side[None].astype(float), (~side)[None].astype(float))[0])

    def _gaps(self, ones: Array, others: Array) -> Array:
        """The gap for each line of weights of the persons of either side."""
        total, weight = np.zeros(len(ones)), 0.0
        for stratum in np.unique(self.strata):
            here = self.strata == stratum
            share = self.sizes[here].sum()
            means = [
                (w[:, here] @ self.sums[here]) / np.maximum(w[:, here] @ self.sizes[here], _NEAR)
                for w in (ones, others)
            ]
            total += share * (means[0] - means[1])
            weight += share
        return total / weight

    @property
    def p_value(self) -> float:
        """How often persons assigned at random within their stratum make a gap as large."""
        chance = np.random.default_rng(0)
        shuffled = np.zeros((_ROUNDS, len(self.side)), dtype=bool)
        for stratum in np.unique(self.strata):
            here = np.flatnonzero(self.strata == stratum)
            order = chance.random((_ROUNDS, len(here))).argsort(axis=1)
            shuffled[:, here] = order < self.side[here].sum()
        gaps = self._gaps(shuffled.astype(float), (~shuffled).astype(float))
        return float((1 + np.count_nonzero(abs(gaps) >= abs(self.gap) - _NEAR)) / (1 + _ROUNDS))

    @property
    def figure(self) -> Figure:
        """The gap, with the interval that drawing persons again gives; none of single persons."""
        chance = np.random.default_rng(1)
        weights = np.zeros((_RESAMPLES, len(self.side)))
        for stratum in np.unique(self.strata):
            for side in (True, False):
                here = np.flatnonzero((self.strata == stratum) & (self.side == side))
                if len(here) < 2:
                    return Figure(self.gap)
                drawn = chance.multinomial(len(here), [1 / len(here)] * len(here), _RESAMPLES)
                weights[:, here] = drawn
        gaps = self._gaps(weights * self.side, weights * ~self.side)
        return figures(np.array([self.gap]), [gaps[:, None]], 0.95)[0]
