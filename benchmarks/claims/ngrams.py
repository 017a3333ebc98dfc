"""Longer n-grams: how many there are, how few are met again, and how much is right."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.claims.dataset import majority
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import side
from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Row
from likely.sklearn import MultinomialNB, TextVectorizer

NOTES = """\
Word n-grams in 80 % of 5,000 texts: how many there are, and the percentage that occurs only `once`.
In the other 20 %: the percentage of n-grams `never learned`, and the accuracy of the multinomial
model on these n-grams (`n alone`) and on all 1- to n-grams. Means of 10 splits and their 95 %
intervals. Tested from n = 2 up: the percentages of n-grams seen once and never learned are larger
than for n − 1."""
COLUMNS = (
    "set",
    "n",
    "n-grams",
    "once",
    "never learned",
    "majority",
    "n alone",
    "up to n",
    "up to n − words",
    "result",
)

_SETS = {"rt_polarity": "all", "imdb": "train", "r8": "train"}
_TEXTS = 5000
_LONGEST = 4


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present(*_SETS):
        corpus = run.data.texts(name, _SETS[name])
        order = np.random.default_rng(0).permutation(len(corpus.texts))
        sample = corpus.pick(order[:_TEXTS])
        by_n = {n: _measured(sample, n, run.draws(10)) for n in range(1, _LONGEST + 1)}
        for n, found in by_n.items():
            level = {key: mean(own) for key, own in found.items()}
            row: Row = {"set": name, "n": n, "n-grams": round(level["n-grams"])}
            row |= {key: percent(level[key]) for key in ("once", "never learned")}
            row |= {"majority": majority(sample.labels)}
            row |= {key: percent(level[key]) for key in ("n alone", "up to n")}
            if n > 1:
                row["up to n − words"] = points(mean(found["up to n"] - by_n[1]["up to n"]))
                grown = (found[key] - by_n[n - 1][key] for key in ("once", "never learned"))
                row["result"] = " ".join(side(mean(own)) for own in grown)
            yield row


def _measured(corpus: Corpus, n: int, seeds: range) -> dict[str, np.ndarray]:
    alone = TextVectorizer(ngram_range=(n, n)).fit_transform(corpus.texts).tocsr()
    up_to = TextVectorizer(ngram_range=(1, n)).fit_transform(corpus.texts).tocsr()
    labels = np.array(corpus.labels)
    found = []
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(labels))
        train, test = np.split(order, [int(0.8 * len(order))])
        total, once, never = sparsity(alone[train], alone[test])
        accuracies = (_accuracy(matrix, labels, train, test) for matrix in (alone, up_to))
        found.append((total, once, never, *accuracies))
    names = ("n-grams", "once", "never learned", "n alone", "up to n")
    return dict(zip(names, np.array(found, dtype=float).T, strict=True))


def sparsity(learned: Any, asked: Any) -> tuple[int, float, float]:
    """How many features were learned, the share of them seen once, and that of those asked, new."""
    times, anew = (np.asarray(matrix.sum(axis=0)).ravel() for matrix in (learned, asked))
    known = times > 0
    return (
        int(known.sum()),
        float(np.mean(times[known] == 1)),
        float(anew[~known].sum() / anew.sum()),
    )


def _accuracy(matrix: Any, labels: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    learned = matrix[train]
    known = np.flatnonzero(learned.getnnz(axis=0))
    model = MultinomialNB().fit(learned[:, known], labels[train])
    return float(np.mean(model.predict(matrix[test][:, known]) == labels[test]))
