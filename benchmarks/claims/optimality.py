"""Rows drawn from a naive model, for which the best possible classifier is known."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.claims.dataset import Dataset, of_columns, of_texts
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import POINT, side
from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Row

NOTES = """\
Rows drawn from a naive model, so that the best possible decision is known (`best`): 30 bits, 10
numbers with a Gaussian per class, or texts of 20 words out of 300. Accuracy in percent on 5,000
rows, having learned so many, and how far Naive Bayes and logistic regression stay below the best:
means of 10 draws, each of another model, and their 95 % intervals. Tested at 10,000 rows: NB is
less than one point below the best."""
COLUMNS = ("rows of", "learned", "best", "NB − best", "LR − best", "result")

_SIZES = (100, 1000, 10_000)
_TEST = 5000

Draw = Callable[[np.random.Generator, int], tuple[Dataset, np.ndarray]]


def rows(run: Run) -> Iterator[Row]:
    for name, draw in (("bits", _bits), ("numbers", _numbers), ("words", _words)):
        for n in _SIZES:
            found = [_one(draw, n, seed) for seed in run.draws(10)]
            best, naive, logistic = (np.array(own) for own in zip(*found, strict=True))
            behind = {"NB": mean(naive - best), "LR": mean(logistic - best)}
            row: Row = {"rows of": name, "learned": n, "best": percent(mean(best))}
            row |= {f"{who} − best": points(own) for who, own in behind.items()}
            if n == _SIZES[-1]:
                row["result"] = side(behind["NB"], -POINT)
            yield row


def _one(draw: Draw, n: int, seed: int) -> tuple[float, float, float]:
    dataset, best = draw(np.random.default_rng(seed), n + _TEST)
    train, test = np.split(np.arange(n + _TEST), [n])
    right = (dataset.accuracy(who, train, test) for who in ("naive", "logistic"))
    return float(np.mean(best[test] == dataset.labels[test])), *right


def _bits(chance: np.random.Generator, n: int) -> tuple[Dataset, np.ndarray]:
    theta = chance.beta(4, 4, size=(2, 30))
    y = chance.integers(2, size=n)
    x = chance.random((n, 30)) < theta[y]
    scores = x @ np.log(theta).T + ~x @ np.log(1 - theta).T
    columns = {f"bit {place}": bits.astype(str) for place, bits in enumerate(x.T)}
    return of_columns("bits", columns, y), scores.argmax(axis=1)


def _numbers(chance: np.random.Generator, n: int) -> tuple[Dataset, np.ndarray]:
    centre, width = chance.normal(0, 0.5, size=(2, 10)), chance.uniform(0.7, 1.4, size=(2, 10))
    y = chance.integers(2, size=n)
    x = chance.normal(centre[y], width[y])
    scores = -(((x[:, None] - centre) / width) ** 2 / 2 + np.log(width)).sum(axis=2)
    columns = {f"number {place}": numbers for place, numbers in enumerate(x.T)}
    return of_columns("numbers", columns, y), scores.argmax(axis=1)


def _words(chance: np.random.Generator, n: int) -> tuple[Dataset, np.ndarray]:
    theta = chance.dirichlet(np.ones(300)) * chance.lognormal(0, 0.4, size=(2, 300))
    theta /= theta.sum(axis=1, keepdims=True)
    y = chance.integers(2, size=n)
    counts = chance.multinomial(20, theta[y])
    names = np.array([f"w{place}" for place in range(300)])
    texts = [" ".join(np.repeat(names, row)) for row in counts]
    return of_texts(Corpus("words", texts, y.tolist())), (counts @ np.log(theta).T).argmax(axis=1)
