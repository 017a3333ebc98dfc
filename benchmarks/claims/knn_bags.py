"""The nearest neighbors beside Naive Bayes, on bags of words and on a few dense columns."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.claims.dataset import Dataset, of_texts
from benchmarks.claims.gaussians import tables
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import side
from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Cell, Row

NOTES = """\
Accuracy in percent on 2,000 rows that were not learned (all others, where there are fewer), having
learned so many: means of 10 draws and their 95 % intervals. `columns` are the words of the learned
texts, and so many percent of their cells are `filled`. Naive Bayes (NB) is multinomial. k-nearest
neighbors (kNN) go by the cosine of TF-IDF weights, `on counts` by the Euclidean distance of counts;
k is one of 1, 3, 5, 10, 20, 50, 100 and 200 (at most half of the rows), by five-fold
cross-validation. Repeated texts are left out. Tested: NB is above kNN, and above kNN on counts.
Tables are for comparison; on them NB has Gaussians, and columns are standardized for kNN."""
COLUMNS = (
    "set",
    "rows",
    "columns",
    "filled",
    "majority",
    "NB",
    "kNN",
    "on counts",
    "NB − kNN",
    "NB − on counts",
    "result",
)

_SETS = {"sms_spam": "all", "trec_qc": "train", "rt_polarity": "all", "subj": "all", "r8": "train"}
_SIZES = (100, 1000, 3000)
_SYSTEMS = {"naive": "NB", "neighbors": "kNN", "count_neighbors": "on counts"}


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present(*_SETS):
        dataset = of_texts(without_repeated(run.data.texts(name, _SETS[name])))
        yield from _curve(dataset, run, _SYSTEMS)
    systems = {system: name for system, name in _SYSTEMS.items() if name != "on counts"}
    for dataset in tables(run.data):
        yield from _curve(dataset, run, systems)


def _curve(dataset: Dataset, run: Run, systems: dict[str, str]) -> Iterator[Row]:
    for n in _SIZES[:1] if run.quick else _SIZES:
        if n > len(dataset.labels) * 2 // 3:
            return
        draws = [dataset.draw(seed, n, 2000) for seed in run.draws(10)]
        right = {
            name: np.array([dataset.accuracy(system, *draw) for draw in draws])
            for system, name in systems.items()
        }
        ahead = {f"NB − {name}": mean(right["NB"] - right[name]) for name in right if name != "NB"}
        row: Row = {"set": dataset.name, "rows": n, **_density(dataset.matrix, draws)}
        row |= {"majority": dataset.majority}
        row |= {name: percent(mean(own)) for name, own in right.items()}
        row |= {name: points(figure) for name, figure in ahead.items()}
        yield row | ({"result": " ".join(map(side, ahead.values()))} if dataset.is_text else {})


def _density(matrix: Any, draws: list[Any]) -> Row:
    """How many columns the learned rows have, and the share of cells that are not zero."""
    found = []
    for train, _ in draws:
        learned = matrix[train]
        n_columns = int(np.sum(learned.getnnz(axis=0) > 0))
        found.append((n_columns, learned.nnz / len(train) / n_columns))
    n_columns, filled = np.mean(found, axis=0)
    return {"columns": round(n_columns), "filled": Cell(float(filled), f"{100 * filled:.1f}")}


def without_repeated(corpus: Corpus) -> Corpus:
    """Each text once: the nearest neighbor of a repeated text would be itself."""
    first = {text: place for place, text in reversed(list(enumerate(corpus.texts)))}
    return corpus.pick(np.array(sorted(first.values())))
