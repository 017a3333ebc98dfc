"""Expectation-maximization: estimates from rows whose class is unknown.

    E   responsibilities P(c | x) of each unlabeled row, by the current estimates
    M   new estimates, from the tally of the rows weighted by their responsibilities

Neither step can lower the objective, the log-likelihood plus the log-prior that smoothing is:

    Σ log P(x_i, y_i)  +  w · Σ log P(x_j)  +  log P(estimates)

over the labeled rows i and the unlabeled rows j of weight w. (Without smoothing this is the
log-likelihood; with it the log-likelihood alone may fall.)
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import Label, Shares
from likely.data.table import Batch, FactorInput
from likely.errors import OptionError
from likely.likelihoods.base import Scores
from likely.likelihoods.product import Product
from likely.likelihoods.vectors import Vectors
from likely.model.prior import Prior, added_rows, log_prior
from likely.tally import Counting, Tally

Responsibilities = NDArray[np.uint64]

# Rounding may lower the objective by this much, relative to it.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class EMResult:
    """The tally, the responsibilities of unlabeled rows, and the objective after each step."""

    tally: Tally
    responsibilities: list[Responsibilities]
    objective: tuple[float, ...]
    end: Literal["converged", "steps ran out", "stopped"]
    """Whether the last step gained almost nothing, was the last one allowed, or was undone."""


@dataclass(frozen=True, eq=False)
class EM:
    """Unlabeled rows in batches, labeled rows, and the model to estimate."""

    product: Product
    prior: Prior
    labels: tuple[Label, ...]
    batches: tuple[tuple[FactorInput, ...], ...]
    known: tuple[Batch, ...] = ()
    """Labeled rows, with labels as `Shares`."""
    weight: float = 1.0
    """The weight of an unlabeled row."""
    threads: int = 1
    drops_rare: bool = False
    """Whether features of texts that a single unlabeled row holds are left out."""

    def __post_init__(self) -> None:
        check_generative(self.product)

    @property
    def whole(self) -> int:
        """The units that an unlabeled row is divided into."""
        return round(self.weight * _kernel.WHOLE)

    @cached_property
    def _known(self) -> Tally:
        """The tally of the labeled rows."""
        counting = Counting(self.product, threads=self.threads, in_parts=True)
        for batch in self.known:
            counting.add(batch)
        return counting.tally()

    def tally(self, responsibilities: list[Responsibilities]) -> Tally:
        """The tally of all rows under these responsibilities (the M step counts it)."""
        counting = Counting(self.product, threads=self.threads, in_parts=True)
        for batch, share in zip(self.batches, responsibilities, strict=True):
            counting.add(Batch(batch, Shares(self.labels, share)))
        every = self._known + counting.tally()
        return self.product.without_rare(every, self.whole + 1) if self.drops_rare else every

    def scores(self, tally: Tally) -> list[Scores]:
        """log P(x, c) of the unlabeled rows by the estimates from a tally."""
        classes = tally.view(self.labels)
        weights = self.product.estimate(tally, classes)
        priors = log_prior(self.prior, classes.labels, classes.weights)
        return [self.product.score(weights, each, self.threads) + priors for each in self.batches]

    def e_step(self, tally: Tally) -> tuple[list[Responsibilities], float]:
        """The responsibilities by the estimates from a tally, and the objective."""
        classes = tally.view(self.labels)
        weights = self.product.estimate(tally, classes)
        priors = log_prior(self.prior, classes.labels, classes.weights)
        once, per_row = self.product.smoothing(weights, classes)
        constants = priors + per_row
        virtual = added_rows(self.prior)
        total = [once, virtual * float(priors.sum()) if virtual else 0.0]
        for batch in self.known:
            scores = self.product.score(weights, batch.parts, self.threads) + constants
            assert isinstance(batch.labels, Shares)
            total.append(math.fsum(scores[batch.labels.slots > 0]))
        responsibilities = []
        for unlabeled in self.batches:
            scores = self.product.score(weights, unlabeled, self.threads)
            scores += constants
            share, evidence = _kernel.soft_assign(scores, self.whole, self.threads)
            responsibilities.append(share)
            total.append(self.weight * evidence)
        return responsibilities, math.fsum(total)

    def is_singular(self, tally: Tally) -> bool:
        """Whether a class has no spread of its own, by the estimates from a tally."""
        return self.product.is_singular(self.product.estimate(tally, tally.view(self.labels)))

    def run(
        self,
        start: list[Responsibilities],
        tolerance: float,
        most: int,
        seen: Callable[[Tally, list[Responsibilities], float], Any] | None = None,
    ) -> EMResult:
        """Iterate from initial responsibilities until a step gains less than `tolerance` per row.

        `seen` is called after every step: with its tally, and the responsibilities and objective by
        the estimates from it.
        """
        rows = sum(map(len, start)) + sum(map(len, self.known))
        before = tally = self.tally(start)
        responsibilities, path = start, list[float]()
        while True:
            found, objective = self.e_step(tally)
            if path and objective < path[-1] - _ROUNDING * (1 + abs(path[-1])):
                # Regularized covariances maximize no objective, and rows with missing numbers are
                # scored by a covariance that they were left out of.
                return EMResult(before, responsibilities, tuple(path), "stopped")
            path.append(objective)
            if seen is not None:
                seen(tally, found, objective)
            gained = path[-1] - path[-2] if len(path) > 1 else math.inf
            if gained < tolerance * rows:
                return EMResult(tally, responsibilities, tuple(path), "converged")
            if len(path) > most:
                return EMResult(tally, responsibilities, tuple(path), "steps ran out")
            before, responsibilities = tally, found
            tally = self.tally(responsibilities)


def check_generative(product: Product) -> None:
    """Refuse likelihoods under which rows have no probability."""
    for factor in product.factors:
        likelihood = factor.likelihood
        name = type(likelihood).__name__
        if getattr(likelihood, "tfidf", False):
            raise OptionError(
                f"with `tfidf`, {name} no longer gives rows a probability, so rows without a label "
                "cannot be assigned to classes by it\nhint: leave `tfidf` out"
            )
        if not likelihood.is_joint:
            first = factor.columns[0]
            hint = "use `Multinomial()` for texts"
            if isinstance(likelihood, Vectors):
                hint = f'`columns={{"{first}": "drop"}}` (`--drop-column {first}`) drops the column'
            raise OptionError(
                f"{name} scores are not probabilities of rows, so rows without a label cannot be "
                f"assigned to classes by them\nhint: {hint}"
            )
