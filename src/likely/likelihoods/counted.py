"""Factors of P(x | c) as they were counted: ratios of counts, as one writes them by hand."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Share = tuple[Fraction, Fraction]
"""A numerator and a denominator, as they were counted."""

Power = tuple[Share, int]
"""A share, and how often it is multiplied."""

Sign = Literal["P", "1 − P", "p", "odds", "factor"]
"""A probability, its complement, a density, odds against absence, or a number without a class."""


_NEAR = Fraction(1, 2)


@dataclass(frozen=True)
class CountedFactor:
    """A factor, how often it is multiplied, and in each class the shares that it is made of."""

    name: str
    times: int
    powers: tuple[tuple[Power, ...], ...]
    sign: Sign = "P"

    @classmethod
    def of(
        cls, name: str, shares: Iterable[Share], times: int = 1, sign: Sign = "P"
    ) -> "CountedFactor":
        """A factor of one share in each class."""
        return cls(name, times, tuple(((share, times),) for share in shares), sign)

    @property
    def logs(self) -> NDArray[np.float64]:
        """The logarithm of the factor in each class."""
        return np.array([math.fsum(map(_log, of_class)) for of_class in self.powers])


def _log(power: Power) -> float:
    (part, whole), times = power
    ratio = part / whole
    if not ratio:
        return -math.inf
    # Near 1, a difference of logarithms would lose digits, which add up if it is multiplied often;
    # elsewhere it is there for integers of any size, where floats end.
    if abs(ratio - 1) < _NEAR:
        return times * math.log1p(float(ratio - 1))
    return times * (math.log(ratio.numerator) - math.log(ratio.denominator))


def product(powers: Iterable[Power]) -> Fraction:
    """The product of shares; only the result is reduced, since that takes longest."""
    numerator = denominator = 1
    for (part, whole), times in powers:
        ratio = part / whole
        numerator *= ratio.numerator**times
        denominator *= ratio.denominator**times
    return Fraction(numerator, denominator)


def share(part: Fraction | int, whole: Fraction | int, otherwise: Fraction) -> Share:
    """A part of a whole; where nothing was counted, what is assumed then.

    >>> share(2, 4, Fraction(0)), share(Fraction(1, 3), 1, Fraction(0))
    ((Fraction(2, 1), Fraction(4, 1)), (Fraction(1, 1), Fraction(3, 1)))
    """
    # Of a whole of 1, the part is a fraction itself.
    if whole in (0, 1):
        ratio = Fraction(part) if whole else otherwise
        return Fraction(ratio.numerator), Fraction(ratio.denominator)
    return Fraction(part), Fraction(whole)


def m_share(n_c: int, n: int, m: Fraction, p: Fraction) -> Share:
    """(n_c + m·p) / (n + m), and p where nothing was counted."""
    return share(n_c + m * p, n + m, p)


def exact(number: float) -> Fraction:
    """The number as it is written: 0.1 is 1/10."""
    return Fraction(str(number))


def is_certain(shares: Sequence[Share]) -> bool:
    """Whether all are 1, so that the factor says nothing."""
    return all(part == whole for part, whole in shares)
