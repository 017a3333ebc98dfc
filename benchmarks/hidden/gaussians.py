"""Mixtures of Gaussians beside scikit-learn's, from the same start, step for step."""

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from benchmarks.report import Row
from likely import Gaussian, Mixture

LEGEND = (
    "Thirty steps of EM from the same start, one thread each and two each, the best of nine\n"
    "interleaved runs. Ours are exact sums, whatever the order of the rows and the threads.\n"
    "`apart` is the largest difference between the means."
)
WIDTHS = {
    "rows": 8, "columns": 7, "groups": 6, "covariance": 10, "threads": 7,
    "likely s": 8, "sklearn s": 9, "ratio": 6, "apart": 9,
}  # fmt: skip
STEPS = 30
THEIRS = {"diagonal": "diag", "shared": "tied", "full": "full"}


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    for n, columns, k in (
        ((2_000, 2, 3),) if quick else ((20_000, 2, 3), (50_000, 5, 3), (20_000, 10, 5))
    ):
        random = np.random.default_rng(0)
        group = random.integers(0, k, size=n)
        x = random.normal(size=(n, columns)) + group[:, None] * random.uniform(1, 3, size=columns)
        start = random.dirichlet(np.ones(k), size=n)
        for covariance in THEIRS:
            for threads in (1, 2):
                setting = {"rows": n, "columns": columns, "groups": k, "covariance": covariance}
                with threadpool_limits(threads):
                    measured = _timed(x, start, covariance, threads)
                yield {**setting, "threads": threads, **measured}


def _timed(x: Any, start: Any, covariance: str, threads: int) -> Row:
    ours, theirs = [], []
    for _ in range(9):
        began = time.perf_counter()
        mixture = _ours(x, start, covariance, threads)
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        expected = _theirs(x, start, covariance)
        theirs.append(time.perf_counter() - began)
    (found,) = mixture.model.estimates.values()
    order = np.argsort(-expected.weights_)
    return {
        "likely s": min(ours),
        "sklearn s": min(theirs),
        "ratio": min(theirs) / min(ours),
        "apart": f"{abs(found.means - expected.means_[order]).max():.1e}",
    }


def _ours(x: Any, start: Any, covariance: str, threads: int = 1) -> Mixture:
    options: dict[str, Any] = {"floor": 0} if covariance == "diagonal" else {"shrinkage": 0}
    likelihood = Gaussian(covariance, **options)  # type: ignore[arg-type]
    options = {"tolerance": 0, "iterations": STEPS, "threads": threads}
    return Mixture(likelihood, start.shape[1], **options).fit(x, start=start)


def _theirs(x: Any, start: Any, covariance: str) -> GaussianMixture:
    model = GaussianMixture(
        start.shape[1], covariance_type=THEIRS[covariance], reg_covar=0, tol=0, max_iter=STEPS
    )
    model._initialize_parameters = lambda given, *_, **__: model._initialize(given, start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(x)
