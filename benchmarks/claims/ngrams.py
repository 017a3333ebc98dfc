"""Longer runs of words: how many there are, how few are met again, and how much is right."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claims.contest import majority
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import speaks
from benchmarks.speed.corpus import Corpus
from benchmarks.text.sets import load, pick, present
from likely.evaluation.intervals import flat
from likely.sklearn import MultinomialNB, TextVectorizer

CLAIM = "Longer n-grams are sparse"
LEGEND = f"""\
{CLAIM}.
Runs of exactly n words, in 80 % of 5,000 texts: how many there are, and the percentage that occurs
only `once`. In the other 20 %: the percentage of runs `never learned`, and the percentage right of
the multinomial model on these runs (`n alone`) and on all runs of up to n words. Means of 10 splits
and their 95 % intervals. Judged from n = 2 up: the percentages of runs seen once and never learned
are larger than for n − 1."""
WIDTHS = {"set": 11, "n": 1, "runs": 9, "once": 10, "never learned": 13, "majority": 8}
WIDTHS |= {"n alone": 10, "up to n": 10, "up to n − words": 20, "speaks": 15}

_SETS = {"rt_polarity": "all", "imdb": "train", "r8": "train"}
_TEXTS = 5000
_LONGEST = 4


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for name in present(folder, *_SETS):
        corpus = load(folder, name, _SETS[name])
        order = np.random.default_rng(0).permutation(len(corpus.texts))
        sample = pick(corpus, order[: 500 if quick else _TEXTS])
        draws, sizes = 3 if quick else 10, range(1, _LONGEST + 1)
        by_n = {n: _measured(sample, n, draws) for n in sizes}
        for n, found in by_n.items():
            level = {key: mean(own) for key, own in found.items()}
            row = {"set": name, "n": n, "runs": round(level["runs"])}
            row |= {key: percent(level[key]) for key in ("once", "never learned")}
            row |= {"majority": majority(sample.labels)}
            row |= {key: percent(level[key]) for key in ("n alone", "up to n")}
            if n > 1:
                row["up to n − words"] = points(mean(found["up to n"] - by_n[1]["up to n"]))
                grown = (found[key] - by_n[n - 1][key] for key in ("once", "never learned"))
                row["speaks"] = " ".join(speaks(mean(own)) for own in grown)
            yield row | {"figures": flat(level)}


def _measured(corpus: Corpus, n: int, draws: int) -> dict[str, np.ndarray]:
    alone = TextVectorizer(ngram_range=(n, n)).fit_transform(corpus.texts).tocsr()
    up_to = TextVectorizer(ngram_range=(1, n)).fit_transform(corpus.texts).tocsr()
    labels = np.array(corpus.labels)
    found = []
    for seed in range(draws):
        order = np.random.default_rng(seed).permutation(len(labels))
        train, test = np.split(order, [int(0.8 * len(order))])
        runs, once, never = sparsity(alone[train], alone[test])
        right = (_right(matrix, labels, train, test) for matrix in (alone, up_to))
        found.append((runs, once, never, *right))
    names = ("runs", "once", "never learned", "n alone", "up to n")
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


def _right(matrix: Any, labels: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    learned = matrix[train]
    known = np.flatnonzero(learned.getnnz(axis=0))
    model = MultinomialNB().fit(learned[:, known], labels[train])
    return float(np.mean(model.predict(matrix[test][:, known]) == labels[test]))
