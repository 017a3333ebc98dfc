"""Where EM starts: at responsibilities that are guessed, given, or follow from given means."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.table import Numbers, named
from likely.errors import DataError, OptionError
from likely.likelihoods.base import Columns
from likely.likelihoods.gaussian import Gaussian
from likely.likelihoods.product import Product
from likely.model.em import EM, EMResult, Responsibilities
from likely.model.prior import log_prior, log_sum

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StartMeans:
    """Means to start from, their deviations and shares, and what follows from them."""

    means: dict[str, Array]
    """By column, one for each group."""
    deviations: dict[str, Array]
    shares: Array
    responsibilities: list[Responsibilities]
    objective: float
    """NaN if there are other columns, of which the means say nothing."""


@dataclass(frozen=True, eq=False)
class EMRun:
    """A run of EM: where it started, and where it ended."""

    em: EM
    begin: list[Responsibilities]
    end: EMResult
    start: int | None = None
    """Which of several starts this is, from 1; None if it was given."""
    means: StartMeans | None = None
    """The means it started from, if they were given."""

    @cached_property
    def is_singular(self) -> bool:
        """Whether a group has no spread of its own."""
        return self.em.is_singular(self.end.tally)

    @property
    def is_sound(self) -> bool:
        """Whether it converged, to groups that all have a spread of their own."""
        return self.end.end == "converged" and not self.is_singular

    def worth(self, weights: Array | None) -> float:
        """The objective, in which the log-likelihood of each row counts as `weights` say."""
        if weights is None:
            return self.end.objective[-1]
        evidence = log_sum(np.concatenate(self.em.scores(self.end.tally)))
        return self.end.objective[-1] + math.fsum((weights - 1) * evidence)

    @property
    def n_steps(self) -> int:
        """How many steps it took from the first estimates; given means are the first."""
        return len(self.end.objective) - (self.means is None)


def at_means(start_means: Any, em: EM) -> StartMeans:
    """The responsibilities of Gaussians of these means, which have independent columns.

    Deviations are those of the likelihoods, if they are known, and of all rows otherwise; shares
    are those of the prior, or equal if it has none. Columns without means are not read.
    """
    k = len(em.labels)
    numeric = {
        column: (number, place, likelihood.known_variances(columns))
        for number, (likelihood, columns) in gaussians(em.product).items()
        for place, column in enumerate(columns)
    }
    means = _checked(start_means, tuple(numeric), k)
    shares = log_prior(em.prior, em.labels, np.full(k, 1.0))
    scores = [np.zeros((len(batch[0]), k)) + shares for batch in em.batches]
    deviations: dict[str, Array] = {}
    for column, mu in means.items():
        factor, place, known = numeric[column]
        parts = [batch[factor] for batch in em.batches]
        cells = [part.values[:, place] for part in parts if isinstance(part, Numbers)]
        sigma = _deviation(known, place, cells)
        deviations[column] = np.full(k, sigma)
        for table, x in zip(scores, cells, strict=True):
            density = -0.5 * ((x[:, None] - mu) / sigma) ** 2 - math.log(sigma)
            # A missing number says nothing.
            table += np.nan_to_num(density - 0.5 * math.log(2 * math.pi), nan=0.0)
    found = [_kernel.soft_assign(table, em.whole, 1) for table in scores]
    is_all = len(means) == len(em.product.columns)
    objective = math.fsum(evidence for _, evidence in found) if is_all else math.nan
    responsibilities = [share for share, _ in found]
    return StartMeans(means, deviations, np.exp(shares), responsibilities, objective)


def gaussians(product: Product) -> dict[int, tuple[Gaussian, Columns]]:
    """The factors that are Gaussians of numbers, and their columns."""
    return {
        number: (factor.likelihood, factor.columns)
        for number, factor in enumerate(product.factors)
        if isinstance(factor.likelihood, Gaussian) and factor.likelihood.reads_numbers
    }


def _checked(start_means: Any, columns: tuple[str, ...], k: int) -> dict[str, Array]:
    """The means by column; a list of them is for all columns."""
    if not columns:
        raise OptionError("`start_means` are of numeric columns, and no Gaussian reads one")
    if isinstance(start_means, Mapping):
        given = dict(start_means)
    else:
        try:
            table = np.asarray(start_means, dtype=np.float64)
        except (TypeError, ValueError):
            raise OptionError("`start_means` are numbers, one for each group") from None
        if table.ndim == 1 and len(columns) == 1:
            table = table[:, None]
        if table.ndim != 2 or table.shape[1] != len(columns):
            raise OptionError(
                f"`start_means` has a row for each group, with the mean of {named(columns)}; "
                f"this one has the shape {table.shape}"
            )
        given = dict(zip(columns, table.T, strict=True))
    for column, mu in given.items():
        if column not in columns:
            raise OptionError(
                f"`start_means` names `{column}`; the numeric columns are {named(columns)}"
            )
        try:
            given[column] = np.asarray(mu, dtype=np.float64)
        except (TypeError, ValueError):
            raise OptionError(f"`start_means` of `{column}` are numbers, not {mu!r}") from None
        if given[column].shape != (k,) or not np.isfinite(given[column]).all():
            raise OptionError(
                f"`start_means` of `{column}` are {k} numbers, one for each group, not {mu!r}"
            )
    if not given:
        raise OptionError("`start_means` is empty")
    return given


def _deviation(known: list[float] | None, place: int, cells: list[Array]) -> float:
    """The standard deviation of a column: known, or that of all its rows."""
    if known is not None:
        return math.sqrt(known[place])
    x = np.concatenate(cells)
    x = x[~np.isnan(x)]
    return (float(x.std()) if len(x) else 0.0) or 1.0


def at_responsibilities(start: Any, em: EM) -> list[Responsibilities]:
    """The responsibilities that the caller starts with."""
    found = np.array(start, dtype=np.float64)
    n_rows = sum(len(batch[0]) for batch in em.batches)
    shape = (n_rows, len(em.labels))
    if found.shape != shape:
        raise DataError(
            f"`start` has a row of {shape[1]} probabilities for each of {shape[0]:,} rows; "
            f"this one has the shape {found.shape}"
        )
    if not (found >= 0).all() or not np.allclose(found.sum(axis=1), 1):
        raise DataError("every row of `start` holds probabilities that sum to 1")
    with np.errstate(divide="ignore"):
        responsibilities, _ = _kernel.soft_assign(np.log(found), em.whole, 1)
    return split(responsibilities, em)


def at_groups(groups: NDArray[np.intp], em: EM) -> list[Responsibilities]:
    """The responsibilities that give each row to one group."""
    responsibilities = np.zeros((len(groups), len(em.labels)), dtype=np.uint64)
    responsibilities[np.arange(len(groups)), groups] = em.whole
    return split(responsibilities, em)


def split(responsibilities: Responsibilities, em: EM) -> list[Responsibilities]:
    """Responsibilities of all rows, batch by batch."""
    ends = np.cumsum([len(batch[0]) for batch in em.batches])[:-1]
    return [np.ascontiguousarray(each) for each in np.split(responsibilities, ends)]
