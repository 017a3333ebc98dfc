"""Rows of numbers, made up or from tables, for classifiers with a Gaussian per class."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.special import softmax
from scipy.stats import multivariate_normal

from benchmarks.claims.dataset import Dataset, datasets, of_columns
from benchmarks.data import Data
from likely import Gaussian

COVARIANCES = {"QDA": "full", "NB": "diagonal", "LDA": "shared"}

Kind = Literal["correlated", "shared", "independent"]

_TABLES = ("wine", "wheat_seeds", "ionosphere", "pima_diabetes", "banknote", "phoneme")
_APART = 1.5
_CAUSES = 2


def tables(data: Data) -> Iterator[Dataset]:
    """The numeric columns of those tables that are there."""
    for dataset in datasets(data, (), _TABLES):
        numeric = {name: c for name, c in dataset.cells.items() if c.dtype.kind == "f"}
        yield of_columns(dataset.name, numeric, dataset.labels)


def with_covariance(dataset: Dataset, classifier: str) -> Dataset:
    """The same rows, for one of the classifiers above."""
    likelihood = {tuple(dataset.cells): Gaussian(COVARIANCES[classifier])}
    return replace(dataset, likelihood=likelihood)


def draw(
    kind: Kind, n_columns: int, n: int, chance: np.random.Generator
) -> tuple[Dataset, np.ndarray]:
    """Rows of two Gaussians, and the probability of either class given the row.

    Columns are `independent` given the class, or depend on each other through hidden causes, in
    both classes alike (`shared`) or in each its own way (`correlated`).
    """
    deviations = np.exp(chance.normal(0, 0.3, size=(2, n_columns)))
    correlations = np.stack([_correlations(n_columns, chance) for _ in range(2)])
    if kind == "shared":
        deviations[1], correlations[1] = deviations[0], correlations[0]
    elif kind == "independent":
        correlations[:] = np.eye(n_columns)
    covariances = correlations * deviations[:, :, None] * deviations[:, None]
    apart = chance.normal(size=n_columns)
    means = np.outer([0, _APART], apart / np.linalg.norm(apart))
    y, z = chance.integers(2, size=n), chance.normal(size=(n, n_columns))
    shaped = np.stack([z @ root.T for root in np.linalg.cholesky(covariances)])
    x = means[y] + shaped[y, np.arange(n)]
    pairs = zip(means, covariances, strict=True)
    scores = np.column_stack([multivariate_normal(*pair).logpdf(x) for pair in pairs])
    columns = {f"number {place}": column for place, column in enumerate(x.T)}
    return of_columns(f"{kind}, {n_columns} columns", columns, y), softmax(scores, axis=1)


def _correlations(n_columns: int, chance: np.random.Generator) -> np.ndarray:
    """Each column is noise and a mixture of the hidden causes, with weights drawn at random."""
    weights = chance.normal(size=(n_columns, _CAUSES))
    covariance = np.eye(n_columns) + weights @ weights.T
    deviations = np.sqrt(np.diag(covariance))
    return covariance / np.outer(deviations, deviations)
