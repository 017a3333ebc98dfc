"""Learning curves: how much is right after how few rows."""

from collections.abc import Iterator

import numpy as np

from benchmarks.claims.dataset import SYSTEMS, Dataset, datasets
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import side
from benchmarks.run import Run
from benchmarks.table import Row

NOTES = """\
Accuracy in percent on 2,000 rows that were not learned, having learned so many: means of 20 draws
(5 of 1,000 rows and more) and their 95 % intervals. Naive Bayes (NB) is multinomial for texts, bell
curves and counts of values for tables; logistic regression (LR; on texts over TF-IDF) and the
decision tree are scikit-learn's with their defaults. `majority`: always the most common class.
Tested up to 100 rows: NB is above LR, and above the tree."""
COLUMNS = ("set", "rows", "majority", "NB", "LR", "tree", "NB − LR", "NB − tree", "result")

_TEXTS, _TABLES = ("rt_polarity", "subj"), ("adult", "mushroom")
_SIZES = (10, 30, 100, 300, 1000, 5000)
_JUDGED = 100


def rows(run: Run) -> Iterator[Row]:
    for dataset in datasets(run.data, _TEXTS, _TABLES):
        yield from _curve(dataset, run)


def _curve(dataset: Dataset, run: Run) -> Iterator[Row]:
    for n in _SIZES[:2] if run.quick else _SIZES:
        draws = [dataset.draw(seed, n, 2000) for seed in run.draws(20 if n < 1000 else 5)]
        right = {
            name: np.array([dataset.accuracy(system, *draw) for draw in draws])
            for system, name in SYSTEMS.items()
        }
        ahead = {f"NB − {name}": mean(right["NB"] - right[name]) for name in ("LR", "tree")}
        row: Row = {"set": dataset.name, "rows": n, "majority": dataset.majority}
        row |= {name: percent(mean(own)) for name, own in right.items()}
        row |= {name: points(figure) for name, figure in ahead.items()}
        if n <= _JUDGED:
            row["result"] = " ".join(map(side, ahead.values()))
        yield row
