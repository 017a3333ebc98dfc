"""Bias and variance of the probabilities of QDA, Naive Bayes and LDA."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from benchmarks.claims.dataset import Dataset, Places
from benchmarks.claims.gaussians import COVARIANCES, Kind, draw, tables
from benchmarks.claims.intervals import half_width, mean, points
from benchmarks.claims.verdicts import side
from benchmarks.run import Run
from benchmarks.table import Row
from likely import Classifier, Gaussian

NOTES = """\
The squared error of the predicted probabilities, summed over the classes and averaged over rows
that were not learned, is bias² + variance + noise: 20 models of one kind learn 20 draws of the
rows; bias² is how far their mean is from the true probabilities, the variance how far they are
apart. In hundredths, without what 20 draws add to bias² by chance. Means of 20 repetitions and
their 95 % intervals. Made-up rows are of two Gaussians whose columns depend on each other in each
class in another way (`correlated`), in both alike (`shared`) or not at all (`independent`), and 100
are learned. In tables the true probabilities are unknown, so noise is part of their bias²; it is
the same for all three. A third of a table is predicted (1,000 rows at most), half of the others
learned (200 at most). Tested: bias² rises from QDA to Naive Bayes (NB) to LDA, and the variance
with the number of parameters, in the order that `claimed` gives."""
COLUMNS = ("set", "of", "claimed", "QDA", "NB", "LDA", "second − first", "third − second", "result")

_COLUMNS = (2, 10)
_KINDS: tuple[Kind, ...] = ("correlated", "shared", "independent")
_MODELS = 20
_LEARNED, _MOST_LEARNED = 100, 200
_ASKED = 1000
_BY_BIAS = ("QDA", "NB", "LDA")
# The two parts of the error, by classifier.
Parts = dict[str, tuple[float, float]]


def rows(run: Run) -> Iterator[Row]:
    for kind in _KINDS:
        for n_columns in _COLUMNS:
            found = [_made_up(kind, n_columns, seed) for seed in run.draws(20)]
            name = f"{kind}, {n_columns} columns"
            yield from _rows(name, found, parameters(n_columns, 2), "bias²")
    for dataset in tables(run.data):
        found = [_table(dataset, seed) for seed in run.draws(20)]
        sizes = parameters(len(dataset.cells), len(set(dataset.labels)))
        yield from _rows(dataset.name, found, sizes, "bias² + noise")


def _rows(name: str, found: list[Parts], sizes: dict[str, int], bias: str) -> Iterator[Row]:
    by_size = sorted(sizes, key=lambda who: sizes[who])
    shown_sizes = [f"{who} {sizes[who]:,}" for who in by_size]
    orders = ((bias, _BY_BIAS, _BY_BIAS), ("variance", by_size, shown_sizes))
    for place, (part, order, shown) in enumerate(orders):
        level = {who: np.array([one[who][place] for one in found]) for who in COVARIANCES}
        steps = [mean(level[after] - level[before]) for before, after in pairwise(order)]
        row: Row = {"set": name, "of": part, "claimed": " < ".join(shown)}
        row |= {who: half_width(mean(own), 1, 100) for who, own in level.items()}
        row |= {"second − first": points(steps[0]), "third − second": points(steps[1])}
        yield row | {"result": " ".join(map(side, steps))}


def parameters(n_columns: int, n_classes: int) -> dict[str, int]:
    """How many numbers each estimates."""
    triangle, means = n_columns * (n_columns + 1) // 2, n_columns * n_classes
    return {"QDA": means + triangle * n_classes, "NB": 2 * means, "LDA": means + triangle}


def _made_up(kind: Kind, n_columns: int, seed: int) -> Parts:
    n = _ASKED + _MODELS * _LEARNED
    dataset, posterior = draw(kind, n_columns, n, np.random.default_rng([seed, n_columns]))
    asked, *learned = np.split(np.arange(n), range(_ASKED, n, _LEARNED))
    return _parts(dataset, learned, asked, posterior[asked])


def _table(dataset: Dataset, seed: int) -> Parts:
    chance, classes = np.random.default_rng(seed), np.unique(dataset.labels)
    n_asked = min(_ASKED, len(dataset.labels) // 3)
    asked, others = np.split(chance.permutation(len(dataset.labels)), [n_asked])
    learned: list[Places] = []
    while len(learned) < _MODELS:
        some = chance.choice(others, min(_MOST_LEARNED, len(others) // 2), replace=False)
        if len(set(dataset.labels[some])) == len(classes):
            learned.append(some)
    return _parts(dataset, learned, asked, dataset.labels[asked, None] == classes)


def _parts(dataset: Dataset, learned: list[Places], asked: Places, truth: np.ndarray) -> Parts:
    x = np.column_stack(list(dataset.cells.values()))
    found = {}
    for who, covariance in COVARIANCES.items():
        model = Classifier(Gaussian(covariance), ledger=False)
        probable = [
            model.fit(x[some], dataset.labels[some]).predict_proba(x[asked]) for some in learned
        ]
        found[who] = decomposed(np.stack(probable), truth)
    return found


def decomposed(probable: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Bias² and variance of probabilities by model, row and class. Their sum is the mean error."""
    variance = float(probable.var(axis=0, ddof=1).sum(axis=1).mean())
    off = float(((probable.mean(axis=0) - truth) ** 2).sum(axis=1).mean())
    return off - variance / len(probable), variance
