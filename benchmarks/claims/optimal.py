"""Rows drawn from a naive model, for which the best possible classifier is known."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claims.contest import Contest, of_columns, of_texts
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import POINT, speaks
from benchmarks.speed.corpus import Corpus
from likely.evaluation.intervals import flat

CLAIM = "Naive Bayes is optimal when independence holds"
LEGEND = f"""\
{CLAIM}.
Rows drawn from a naive model, so that the best possible decision is known (`best`): 30 bits, 10
numbers with a bell curve per class, or texts of 20 words out of 300. Percent right on 5,000 rows,
having learned so many, and how far Naive Bayes and logistic regression stay below the best: means
of 10 draws, each of another model, and their 95 % intervals. Judged at 10,000 rows: NB is less than
one point below the best."""
WIDTHS = {"rows of": 7, "learned": 7, "best": 10, "NB − best": 20, "LR − best": 20, "speaks": 7}

_SIZES = (100, 1000, 10_000)
_TEST = 5000

Draw = Callable[[np.random.Generator, int], tuple[Contest, np.ndarray]]


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for name, draw in (("bits", _bits), ("numbers", _numbers), ("words", _words)):
        for n in _SIZES:
            found = [_one(draw, n, seed) for seed in range(3 if quick else 10)]
            best, naive, logistic = (np.array(own) for own in zip(*found, strict=True))
            behind = {"NB": mean(naive - best), "LR": mean(logistic - best)}
            row = {"rows of": name, "learned": n, "best": percent(mean(best))}
            row |= {f"{who} − best": points(own) for who, own in behind.items()}
            if n == _SIZES[-1]:
                row["speaks"] = speaks(behind["NB"], -POINT)
            yield row | {"behind": flat(behind)}


def _one(draw: Draw, n: int, seed: int) -> tuple[float, float, float]:
    contest, best = draw(np.random.default_rng(seed), n + _TEST)
    train, test = np.split(np.arange(n + _TEST), [n])
    right = (contest.right(who, train, test) for who in ("naive", "logistic"))
    return float(np.mean(best[test] == contest.labels[test])), *right


def _bits(chance: np.random.Generator, n: int) -> tuple[Contest, np.ndarray]:
    theta = chance.beta(4, 4, size=(2, 30))
    y = chance.integers(2, size=n)
    x = chance.random((n, 30)) < theta[y]
    scores = x @ np.log(theta).T + ~x @ np.log(1 - theta).T
    columns = {f"bit {place}": bits.astype(str) for place, bits in enumerate(x.T)}
    return of_columns("bits", columns, y), scores.argmax(axis=1)


def _numbers(chance: np.random.Generator, n: int) -> tuple[Contest, np.ndarray]:
    centre, width = chance.normal(0, 0.5, size=(2, 10)), chance.uniform(0.7, 1.4, size=(2, 10))
    y = chance.integers(2, size=n)
    x = chance.normal(centre[y], width[y])
    scores = -(((x[:, None] - centre) / width) ** 2 / 2 + np.log(width)).sum(axis=2)
    columns = {f"number {place}": numbers for place, numbers in enumerate(x.T)}
    return of_columns("numbers", columns, y), scores.argmax(axis=1)


def _words(chance: np.random.Generator, n: int) -> tuple[Contest, np.ndarray]:
    theta = chance.dirichlet(np.ones(300)) * chance.lognormal(0, 0.4, size=(2, 300))
    theta /= theta.sum(axis=1, keepdims=True)
    y = chance.integers(2, size=n)
    counts = chance.multinomial(20, theta[y])
    names = np.array([f"w{place}" for place in range(300)])
    texts = [" ".join(np.repeat(names, row)) for row in counts]
    return of_texts(Corpus("words", texts, y.tolist())), (counts @ np.log(theta).T).argmax(axis=1)
