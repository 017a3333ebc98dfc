"""Naive Bayes beside QDA, whose covariances cost many parameters, from few rows to many."""

from collections.abc import Iterator

import numpy as np

from benchmarks.claims.dataset import Dataset, Places
from benchmarks.claims.gaussians import Kind, draw, tables, with_covariance
from benchmarks.claims.intervals import mean, negated, percent, points
from benchmarks.claims.verdicts import side
from benchmarks.run import Run
from benchmarks.table import Row

NOTES = """\
Accuracy in percent on 2,000 rows that were not learned (all others, where there are fewer), having
learned so many: means of 20 draws and their 95 % intervals. QDA has a covariance per class, shrunk
where it is singular; Naive Bayes (NB) has a variance per class and column. Made-up rows are of two
Gaussians, others in each draw, for which the best possible decision is known (`best`); their
columns depend on each other, in each class in another way (`correlated`), or not (`independent`,
for comparison). Tested, but for independent columns: up to 100 rows QDA is above NB, and from 1,000
rows up NB is above QDA."""
COLUMNS = ("set", "columns", "rows", "majority", "best", "QDA", "NB", "QDA − NB", "result")

_MADE_UP: tuple[tuple[Kind, int], ...]
_MADE_UP = (("correlated", 2), ("correlated", 10), ("correlated", 20), ("independent", 10))
_SIZES = (30, 100, 1000, 4000)
_FEW, _MANY = 100, 1000
_TEST = 2000
# Fewer rows to predict would say little.
_LEAST = 70


def rows(run: Run) -> Iterator[Row]:
    for kind, n_columns in _MADE_UP:
        for n in _SIZES:
            found = [_made_up(kind, n_columns, n, seed) for seed in run.draws(20)]
            row = _row(found, n, judged=kind == "correlated")
            yield {"set": kind, "columns": n_columns, **row}
    for dataset in tables(run.data):
        for n in _SIZES:
            if n <= len(dataset.labels) - _LEAST:
                found = [_accuracies(dataset, *dataset.draw(k, n, _TEST)) for k in run.draws(20)]
                row = {"set": dataset.name, "columns": len(dataset.cells)}
                yield {**row, "majority": dataset.majority, **_row(found, n, judged=True)}


def _row(found: list[dict[str, float]], n: int, *, judged: bool) -> Row:
    """From the accuracies of each draw, what a row says of them."""
    levels = {who: np.array([one[who] for one in found]) for who in found[0]}
    ahead = mean(levels["QDA"] - levels["NB"])
    row: Row = {"rows": n} | {who: percent(mean(own)) for who, own in levels.items()}
    row["QDA − NB"] = points(ahead)
    if judged and (n <= _FEW or n >= _MANY):
        row["result"] = side(ahead if n <= _FEW else negated(ahead))
    return row


def _made_up(kind: Kind, n_columns: int, n: int, seed: int) -> dict[str, float]:
    dataset, posterior = draw(kind, n_columns, n + _TEST, np.random.default_rng([seed, n_columns]))
    train, test = np.split(np.arange(n + _TEST), [n])
    best = float(np.mean(posterior.argmax(axis=1)[test] == dataset.labels[test]))
    return {"best": best} | _accuracies(dataset, train, test)


def _accuracies(dataset: Dataset, train: Places, test: Places) -> dict[str, float]:
    return {
        who: with_covariance(dataset, who).accuracy("naive", train, test) for who in ("QDA", "NB")
    }
