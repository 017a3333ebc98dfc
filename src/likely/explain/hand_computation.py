"""A prediction computed by hand: its factors, and what becomes of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from likely.data.labels import Label
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.counted import CountedFactor, Power, Sign, product
from likely.model.prior import log_sum
from likely.numbers import json_number

Array = NDArray[np.float64]

# A fraction of more factors, or of larger numbers, is not written out: nobody could read it.
_MOST_FACTORS, _MOST_BITS = 1_000, 4_000
# The largest power of e that is a float.
_LARGEST = 709.0

_SIGNS: dict[str, Sign] = {"numeric": "p", "numbers": "p", "vector": "p"}


@dataclass(frozen=True, eq=False)
class Step:
    """One factor: its name, how often it counts, and the logarithm of all that for each class.

    `powers` are the ratios of counts that it is in each class, if it is that.
    """

    name: str
    times: int
    logs: Array
    powers: tuple[tuple[Power, ...], ...] | None = None
    sign: Sign = "P"
    term: Literal["prior", "bias", "likelihood"] = "likelihood"

    @classmethod
    def of_counts(cls, counted: CountedFactor) -> "Step":
        return cls(counted.name, counted.times, counted.logs, counted.powers, counted.sign)

    @classmethod
    def of_contribution(cls, contribution: Contribution, by_absence: bool = False) -> "Step":
        """A decimal; beside a factor for all absent words, a word has odds against absence."""
        sign = _SIGNS.get(contribution.kind, "P")
        sign = "odds" if by_absence and contribution.kind != "absence" else sign
        return cls(contribution.name, contribution.count, contribution.scores, sign=sign)

    def probabilities(self, place: int) -> Iterator[float]:
        """The probabilities that are multiplied in the class at this place, one after the other."""
        if self.sign == "factor":
            return
        if self.powers is None:
            each = math.exp(min(self.logs[place] / self.times, _LARGEST))
            yield from [each] * self.times
            return
        for (part, whole), times in self.powers[place]:
            yield from [float(part / whole)] * times


@dataclass(frozen=True)
class Underflow:
    """After how many factors a product of floating-point numbers is 0, though no factor is."""

    after: int
    factors: int


@dataclass(frozen=True, eq=False)
class HandComputation:
    """All steps of a prediction; print it."""

    classes: tuple[Label, ...]
    steps: tuple[Step, ...]
    probabilities: Array
    """The posterior of each class."""
    is_product: bool
    """Whether the steps are the prior and the likelihood, so that they are multiplied."""
    unknown: tuple[str, ...] = ()
    """Words of the row that were never seen in training, and are ignored."""
    left_out: tuple[str, ...] = ()
    """Words that were seen, but are ignored: too frequent, too rare, or neutral."""
    reason: str = ""
    """Why the steps are added and not multiplied, if so."""

    @property
    def totals(self) -> Array:
        """The logarithm of prior · likelihood of each class, or its sum."""
        return self._sum(self.steps)

    @property
    def log_prior(self) -> Array:
        return self._sum([step for step in self.steps if step.term == "prior"])

    @property
    def log_likelihood(self) -> Array:
        return self._sum([step for step in self.steps if step.term == "likelihood"])

    @property
    def log_evidence(self) -> float:
        """The logarithm of the sum over all classes."""
        (found,) = log_sum(self.totals[None])
        return float(found)

    def _sum(self, steps: "tuple[Step, ...] | list[Step]") -> Array:
        return np.asarray(np.sum([np.zeros(len(self.classes)), *(s.logs for s in steps)], axis=0))

    def product(self, place: int) -> Fraction | None:
        """The joint probability of the row and the class at this place, if it is a fraction."""
        if not self.is_product:
            return None
        powers: list[Power] = []
        for step in self.steps:
            if step.powers is None:
                return None
            powers += step.powers[place]
        return product(powers)

    def short_product(self, place: int) -> Fraction | None:
        """The same, unless it has so many digits that nobody could read it."""
        factors = (n for step in self.steps if step.powers for _, n in step.powers[place])
        found = self.product(place) if sum(factors) <= _MOST_FACTORS else None
        return None if found is None or found.denominator.bit_length() > _MOST_BITS else found

    def underflow(self, place: int) -> Underflow | None:
        """Where the product of floating-point numbers becomes 0 that is not, if it does."""
        if not self.is_product or np.isneginf(self.totals[place]):
            return None
        factors = [each for step in self.steps for each in step.probabilities(place)]
        found = 1.0
        for after, factor in enumerate(factors, start=1):
            found *= factor
            if not found:
                return Underflow(after, len(factors))
        return None

    def to_json(self) -> dict[str, Any]:
        from likely.explain.blackboard import factor

        places = range(len(self.classes))
        facts: dict[str, Any] = {
            "classes": list(self.classes),
            "steps": [
                {
                    "name": step.name,
                    "term": step.term,
                    "times": step.times,
                    "factors": [factor(step, place) for place in places],
                    "logs": list(map(json_number, step.logs)),
                }
                for step in self.steps
            ],
            "sums": list(map(json_number, self.totals)),
            "posterior": self.probabilities.tolist(),
            "unknown": list(self.unknown),
            "left_out": list(self.left_out),
        }
        if not self.is_product:
            return {**facts, "reason": self.reason}
        products = [self.short_product(place) for place in places]
        underflows = [self.underflow(place) for place in places]
        return {
            **facts,
            "products": [None if fraction is None else str(fraction) for fraction in products],
            "log_prior": list(map(json_number, self.log_prior)),
            "log_likelihood": list(map(json_number, self.log_likelihood)),
            "log_evidence": json_number(self.log_evidence),
            "underflows_after": [None if one is None else one.after for one in underflows],
        }

    def __str__(self) -> str:
        from likely.explain.blackboard import written

        return written(self)
