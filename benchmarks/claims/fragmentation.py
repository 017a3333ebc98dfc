"""Many features that matter equally: a tree must split its rows for each, Naive Bayes need not."""

from collections.abc import Iterator

import numpy as np

from benchmarks.claims.intervals import half_width, mean, percent, points
from benchmarks.claims.verdicts import side
from benchmarks.peers import searched_tree
from benchmarks.run import Run
from benchmarks.table import Row
from likely import Categorical, Classifier

NOTES = """\
Made-up bits, independent given the class, all equally telling; the more there are, the less each
tells, so that about 90 % can be right (`best` knows how the rows were made). Accuracy in percent
on 5,000 rows having learned 1,000: means of 10 draws and their 95 % intervals. The tree chooses by
five-fold cross-validation whether its leaves keep 1, 5, 20 or 50 rows. Tested from 5 bits up: NB is
above the tree."""
COLUMNS = ("bits", "best", "NB", "tree", "leaves", "rows a leaf", "NB − tree", "result")

# Odd numbers: as many bits for as against would be a tie.
_BITS = (1, 5, 25, 125)
_TRAIN, _TEST = 1000, 5000
# A normal deviate with 90 % of the others below it.
_DEVIATE = 1.28


def rows(run: Run) -> Iterator[Row]:
    for n_bits in _BITS:
        found = [_one(n_bits, seed) for seed in run.draws(10)]
        best, naive, tree, leaves = (np.array(own) for own in zip(*found, strict=True))
        ahead = mean(naive - tree)
        level = {"best": mean(best), "NB": mean(naive), "tree": mean(tree)}
        row: Row = {"bits": n_bits} | {who: percent(own) for who, own in level.items()}
        for name, figure in (("leaves", mean(leaves)), ("rows a leaf", mean(_TRAIN / leaves))):
            row[name] = half_width(figure, 0)
        row["NB − tree"] = points(ahead)
        yield row | ({"result": side(ahead)} if n_bits > 1 else {})


def _one(n_bits: int, seed: int) -> tuple[float, float, float, int]:
    """How much of one draw each has right, and how many leaves the tree has."""
    x, y = draw(n_bits, _TRAIN + _TEST, seed)
    train, test = slice(_TRAIN), slice(_TRAIN, None)
    best = x[test].sum(axis=1) > n_bits / 2
    naive = Classifier(Categorical(), ledger=False).fit(x[train].astype(str), y[train])
    grown = searched_tree().fit(x[train], y[train])
    said = best, naive.predict(x[test].astype(str)), grown.predict(x[test])
    right = (float(np.mean(own == y[test])) for own in said)
    return *right, int(grown.best_estimator_.get_n_leaves())


def draw(n_bits: int, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Bits that are 1 a little more often in the class 1, and 0 in the class 0."""
    chance = np.random.default_rng([seed, n_bits])
    y = chance.integers(2, size=n_rows)
    tells = _DEVIATE / 2 / np.sqrt(n_bits + _DEVIATE**2)
    return (chance.random((n_rows, n_bits)) < 0.5 + tells * (2 * y[:, None] - 1)).astype(int), y
