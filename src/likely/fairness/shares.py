"""Attributing a gap in mean probability to the contributions that make it.

Contributions add up to scores, s(x) = Σ_j e_j(x) with an entry per class, and the probability of
the class c is p_c = exp(s_c) / Σ_k exp(s_k). Take a row x of one side and a row y of the other:
along the straight way from s(y) to s(x), each contribution gets the part of the change of p_c that
it makes (the Aumann–Shapley value), which of two classes has a closed form:

    share_j(x, y) = (e_j(x) − e_j(y)) · (p(x) − p(y)) / (z(x) − z(y))        z = s_c − s_other

and where z(x) → z(y) its limit, (e_j(x) − e_j(y)) · p·(1 − p). The share of j is the mean over all
pairs of rows, so that what a pair has in common gets nothing, the shares add up to the difference
of the mean probabilities, and unbounded contributions cannot make more of a gap than there is.

Of more classes the way is cut into steps, and on each step from q to r, with the logarithmic mean
L_k = (r_k − q_k) / (ln r_k − ln q_k) of the probabilities and w_k = L_k / Σ_i L_i,

    r_c − q_c = L_c · (Δs_c − Σ_k w_k Δs_k)

exactly, which is linear in what each contribution adds to Δs; of two classes that is the form
above, whatever the number of steps.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likely.fairness.scores import Array
from likely.fairness.sentences import Codes

# Of more than two classes, so many steps; fewer where that would be more numbers than this.
_STEPS, _NUMBERS = 8, 30_000_000


@dataclass(frozen=True, eq=False)
class Slopes:
    """What a unit of each score of each row adds to the gap between two sides of rows."""

    sides: tuple[Array, Array]
    means: tuple[float, float]
    """The mean probability of either side."""

    @property
    def gap(self) -> float:
        return self.means[0] - self.means[1]

    def share(self, one: Array, other: Array) -> float:
        """The share of a contribution in the gap, given its scores of the rows of either side."""
        return float(sum((e * s).sum() for e, s in zip((one, other), self.sides, strict=True)))


def slopes(one: Array, other: Array, place: int, frames: tuple[Codes, Codes] | None) -> Slopes:
    """Compare each row of scores with those of the other side, or with those of its frame."""
    classes = one.shape[1]
    pairs = list(_pairs(len(one), len(other), frames))
    numbers = sum(len(here) * len(there) for here, there in pairs) * classes
    steps = 1 if classes == 2 else int(np.clip(_NUMBERS // max(numbers, 1), 1, _STEPS))
    sides = np.zeros_like(one), np.zeros_like(other)
    means = [0.0, 0.0]
    n_rows = sum(len(here) for here, _ in pairs)
    for here, there in pairs:
        weight = 1 / (n_rows * len(there))
        means[0] += np.exp(_log_softmax(one[here]))[:, place].sum() / n_rows
        means[1] += np.exp(_log_softmax(other[there]))[:, place].sum() * len(here) * weight
        for row in here:
            each = _mean_slopes(other[there], one[row], place, steps) * weight
            sides[0][row] += each.sum(axis=0)
            sides[1][there] -= each
    return Slopes(sides, (float(means[0]), float(means[1])))


def _pairs(
    n_one: int, n_other: int, frames: tuple[Codes, Codes] | None
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The rows of either side that are compared; a frame that one side lacks has none."""
    if frames is None:
        yield np.arange(n_one), np.arange(n_other)
        return
    for frame in np.intersect1d(*frames):
        yield np.flatnonzero(frames[0] == frame), np.flatnonzero(frames[1] == frame)


def _mean_slopes(start: Array, end: Array, place: int, steps: int) -> Array:
    """∂p/∂s on the straight way from each row of `start` to `end`, in the mean over the way."""
    total, ways = np.zeros_like(start), end - start
    before = _log_softmax(start)
    for step in range(1, steps + 1):
        after = _log_softmax(start + ways * (step / steps))
        means = _log_mean(before, after)
        own = means[:, place, None]
        total -= own * means / means.sum(axis=1, keepdims=True)
        total[:, place] += own[:, 0]
        before = after
    return total / steps


def _log_mean(one: Array, other: Array) -> Array:
    """The logarithmic mean of numbers, given their logarithms; of equals, the number."""
    apart = np.abs(one - other)
    share = np.ones_like(apart)
    np.divide(-np.expm1(-apart), apart, out=share, where=apart > 0)
    return np.asarray(np.exp(np.maximum(one, other)) * share)


def _log_softmax(scores: Array) -> Array:
    lower = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(lower - np.log(np.exp(lower).sum(axis=1, keepdims=True)))
