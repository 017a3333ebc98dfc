"""Mixtures of Gaussians beside scikit-learn's, from the same start, step for step."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measure import race, timed
from benchmarks.peers import gaussian_mixture
from benchmarks.run import Run
from benchmarks.table import Cell, Row
from likely import Gaussian, Mixture

NOTES = """\
Thirty steps of EM from the same start, one thread each and two each, the best of nine alternating
rounds. Ours are exact sums, whatever the order of the rows and the threads. `apart` is the largest
difference between the means."""
COLUMNS = ("rows", "columns", "groups", "covariance", "threads", "likely s", "sklearn s", "ratio")
COLUMNS += ("apart",)

_STEPS = 30
_SIZES = ((20_000, 2, 3), (50_000, 5, 3), (20_000, 10, 5))


def rows(run: Run) -> Iterator[Row]:
    for n, columns, k in ((2_000, 2, 3),) if run.quick else _SIZES:
        random = np.random.default_rng(0)
        group = random.integers(0, k, size=n)
        x = random.normal(size=(n, columns)) + group[:, None] * random.uniform(1, 3, size=columns)
        start = random.dirichlet(np.ones(k), size=n)
        for covariance in ("diagonal", "shared", "full"):
            for threads in (1, 2):
                row = {"rows": n, "columns": columns, "groups": k, "covariance": covariance}
                with threadpool_limits(threads):
                    measured = _measured(x, start, covariance, threads, run.rounds(9))
                yield {**row, "threads": threads, **measured}


def _measured(x: Any, start: Any, covariance: str, threads: int, rounds: int) -> Row:
    works = (
        partial(_ours, x, start, covariance, threads),
        partial(gaussian_mixture, x, start, covariance, _STEPS),
    )
    ours, theirs = race(*map(timed, works), rounds=rounds)
    mixture, expected = (work() for work in works)
    (found,) = mixture.model.estimates.values()
    apart = abs(found.means - expected.means_[np.argsort(-expected.weights_)]).max()
    row: Row = {"likely s": ours, "sklearn s": theirs, "ratio": theirs / ours}
    return row | {"apart": Cell(float(apart), f"{apart:.1e}")}


def _ours(x: Any, start: Any, covariance: str, threads: int) -> Mixture:
    options: dict[str, Any] = {"floor": 0} if covariance == "diagonal" else {"shrinkage": 0}
    likelihood = Gaussian(covariance, **options)  # type: ignore[arg-type]
    options = {"tolerance": 0, "iterations": _STEPS, "threads": threads}
    return Mixture(likelihood, start.shape[1], **options).fit(x, start=start)
