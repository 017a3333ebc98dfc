"""The bag of words: a text without the order of its words.

    P(x | c) = n! / (x₁! · … · x_V!) · Π_w P(w | c)^x_w        n = Σ_w x_w

The multinomial coefficient is the number of sentences that have the same bag. It is the same in all
classes, so the posterior is that of a sentence. Unknown and neutral words are left out of it.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.table import FactorInput
from likely.errors import OptionError
from likely.likelihoods.base import AnyLikelihood
from likely.likelihoods.text import Multinomial, TextLikelihood, rows_of
from likely.model.fitted import Fitted

Array = NDArray[np.float64]

# So many factorials are spelled out.
_MOST = 6


def coefficient(counts: Iterable[int]) -> int:
    """n! / (x₁! · … · x_V!).

    >>> coefficient([2, 1])
    3
    """
    found, n = 1, 0
    for count in counts:
        n += count
        found *= math.comb(n, count)
    return found


def spelled(counts: Iterable[int]) -> str:
    """The coefficient as factorials, without those of 1.

    >>> spelled([2, 1, 3]), spelled([1, 1])
    ('6!/(3!·2!)', '2!')
    """
    given = list(counts)
    repeated = sorted((count for count in given if count > 1), reverse=True)
    below = "·".join(f"{count}!" for count in repeated[:_MOST]) + "·…" * (len(repeated) > _MOST)
    shown = {0: "", 1: f"/{below}"}.get(len(repeated), f"/({below})")
    return f"{sum(given)}!{shown}"


def check_bag(fitted: Fitted) -> None:
    """Refuse a model under which texts are no bags of words, or have no probability."""
    texts = [
        factor.likelihood
        for factor in fitted.product.factors
        if isinstance(factor.likelihood, TextLikelihood)
    ]
    wrong = [each for each in texts if not has_bag(each)]
    if wrong or not texts:
        what = f"not of `{wrong[0]!r}`" if wrong else "and this model reads no texts"
        raise OptionError(
            f"the probability of a bag of words is that of a multinomial of single words, {what}\n"
            "hint: `likely train --model multinomial`, in Python `Classifier(Multinomial())`"
        )
    fitted.check_joint("bag")


def has_bag(likelihood: AnyLikelihood) -> bool:
    """Whether a text is a bag of words under this likelihood."""
    if not isinstance(likelihood, Multinomial) or likelihood.tfidf or likelihood.skip_top:
        return False
    return set(likelihood.text.blocks) == {"word"}


def log_joint(fitted: Fitted, x: Any, threads: int) -> Array:
    """log P(x, c) of bags, a row per row and a column per class."""
    found = [np.zeros((0, len(fitted.classes)))]
    for table in fitted.tables(x):
        parts = fitted.parts(table)
        coefficients = _log_coefficients(fitted, parts, threads)
        found.append(fitted.scores(parts, threads) + coefficients[:, None])
    return np.vstack(found)


def _log_coefficients(fitted: Fitted, parts: tuple[FactorInput, ...], threads: int) -> Array:
    """The logarithm of the multinomial coefficients of each row."""
    total = np.zeros(len(parts[0]))
    factors, statistics = fitted.product.factors, fitted.counted.statistics
    for factor, statistic, part in zip(factors, statistics, parts, strict=True):
        if not isinstance(factor.likelihood, TextLikelihood):
            continue
        assert isinstance(statistic, _kernel.TextCounts)
        assert isinstance(part, _kernel.Texts)
        starts, _, times, _ = statistic.matrix(factor.likelihood.shown(part), threads)
        row = rows_of(starts)
        total += _log_factorials(np.bincount(row, times, minlength=len(part)))
        total -= np.bincount(row, _log_factorials(times), minlength=len(part))
    return total


def _log_factorials(numbers: NDArray[Any]) -> Array:
    values, places = np.unique(numbers, return_inverse=True)
    return np.array([math.lgamma(float(value) + 1) for value in values])[places]
