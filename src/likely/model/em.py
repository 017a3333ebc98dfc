"""Rows whose class is hidden: the same estimates, from rows that belong to classes in part.

    E   share each hidden row out: P(c | x), by the estimates there are
    M   estimate anew, from the tally of rows in responsibilities

Neither step can lower the objective, log P(rows) plus the log of what smoothing draws estimates to:

    Σ log P(x_i, y_i)  +  w · Σ log P(x_j)  +  log P(estimates)

over the rows i whose class is known and the rows j, of weight w, whose class is hidden. (Without
smoothing this is the log-likelihood; with it the log-likelihood alone may fall.)
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
from likely.model.prior import Prior, added_rows, log_prior
from likely.tally import Counting, Tally

Responsibilities = NDArray[np.uint64]

# By so much, relative to the objective, rounding may lower it.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class EMResult:
    """Where EM came to: the tally, the responsibilities of the hidden rows, and the objective on the way."""

    tally: Tally
    responsibilities: list[Responsibilities]
    objective: tuple[float, ...]
    end: Literal["converged", "steps ran out", "stopped"]
    """Whether the last step gained next to nothing, was the last one allowed, or was taken back."""


@dataclass(frozen=True, eq=False)
class EM:
    """Rows of hidden class in batches, rows of known class beside them, and what is estimated."""

    product: Product
    prior: Prior
    labels: tuple[Label, ...]
    batches: tuple[tuple[FactorInput, ...], ...]
    known: tuple[Batch, ...] = ()
    """Rows that have a class, as `Shares`."""
    weight: float = 1.0
    """What a hidden row counts."""
    threads: int = 1

    def __post_init__(self) -> None:
        check_generative(self.product)

    @property
    def whole(self) -> int:
        """The responsibilities of a hidden row."""
        return round(self.weight * _kernel.WHOLE)

    @cached_property
    def _known(self) -> Tally:
        """The tally of the rows that have a class; none of them is no rows in responsibilities."""
        counting = Counting(self.product, threads=self.threads, in_parts=True)
        for batch in self.known:
            counting.add(batch)
        return counting.tally()

    def tally(self, responsibilities: list[Responsibilities]) -> Tally:
        """What was seen, if the hidden rows belong to the classes like this."""
        counting = Counting(self.product, threads=self.threads, in_parts=True)
        for batch, share in zip(self.batches, responsibilities, strict=True):
            counting.add(Batch(batch, Shares(self.labels, share)))
        return self._known + counting.tally()

    def scores(self, tally: Tally) -> list[Scores]:
        """log P(x, c) of the hidden rows by these estimates."""
        classes = tally.view(self.labels)
        weights = self.product.estimate(tally, classes)
        priors = log_prior(self.prior, classes.labels, classes.weights)
        return [self.product.score(weights, each, self.threads) + priors for each in self.batches]

    def e_step(self, tally: Tally) -> tuple[list[Responsibilities], float]:
        """To whom the hidden rows belong by these estimates, and the objective under them."""
        classes = tally.view(self.labels)
        weights = self.product.estimate(tally, classes)
        priors = log_prior(self.prior, classes.labels, classes.weights)
        once, per_row = self.product.smoothing(weights, classes)
        constants = priors + per_row
        imagined = added_rows(self.prior)
        total = [once, imagined * float(priors.sum()) if imagined else 0.0]
        for batch in self.known:
            scores = self.product.score(weights, batch.parts, self.threads) + constants
            assert isinstance(batch.labels, Shares)
            total.append(math.fsum(scores[batch.labels.slots > 0]))
        responsibilities = []
        for hidden in self.batches:
            scores = self.product.score(weights, hidden, self.threads)
            scores += constants
            share, evidence = _kernel.soft_assign(scores, self.whole, self.threads)
            responsibilities.append(share)
            total.append(self.weight * evidence)
        return responsibilities, math.fsum(total)

    def run(
        self,
        start: list[Responsibilities],
        tolerance: float,
        most: int,
        seen: Callable[[Tally], Any] | None = None,
    ) -> EMResult:
        """Step up from a guess until a step gains less than `tolerance` per row.

        `seen` is shown every tally on the way.
        """
        rows = sum(map(len, start)) + sum(map(len, self.known))
        before = tally = self.tally(start)
        responsibilities, path = start, list[float]()
        while True:
            found, objective = self.e_step(tally)
            if path and objective < path[-1] - _ROUNDING * (1 + abs(path[-1])):
                # Covariances that have to be made regular are no maximum of anything, and rows with
                # gaps are scored by a covariance that they take no part in.
                return EMResult(before, responsibilities, tuple(path), "stopped")
            path.append(objective)
            if seen is not None:
                seen(tally)
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
                "cannot be shared out among classes by it\nhint: leave `tfidf` out"
            )
        if not likelihood.is_joint:
            raise OptionError(
                f"{name} scores are no probabilities of rows, so rows without a label cannot be "
                "shared out among classes by them\nhint: `Multinomial()` reads texts and is one"
            )
