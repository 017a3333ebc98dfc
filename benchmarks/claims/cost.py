"""Time and memory of training, beside logistic regression."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

from benchmarks.claims.intervals import mean
from benchmarks.claims.training import logistic, megabytes, naive
from benchmarks.claims.verdicts import speaks
from benchmarks.speed.corpus import reviews
from benchmarks.speed.fresh import python
from benchmarks.speed.measure import Contender, timed
from likely.evaluation.intervals import Figure, flat
from likely.sklearn import TextVectorizer

CLAIM = "Naive Bayes is very fast and needs little memory"
LEGEND = f"""\
{CLAIM}.
Training on 33 MB of IMDb's reviews (or of generated ones), one thread, the two in turns: the means
of 5 rounds, and how many times as much logistic regression takes, a geometric mean with its 95 %
interval. `from texts`: `likely.Classifier`, and scikit-learn's logistic regression on TF-IDF, for
which our vectorizer reads the texts. `one matrix`: both are scikit-learn's, on that TF-IDF.
Memory is the growth at the peak of a fresh process beyond the loaded texts. Judged: a tenth of the
time at most, and half the memory."""
WIDTHS = {"training": 24, "NB": 8, "LR": 8, "LR / NB": 20, "asked": 5, "speaks": 7}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    rounds = 2 if quick else 5
    corpus = reviews(folder, "train", megabytes(quick))
    texts, labels = corpus.texts, corpus.labels
    race = timed(lambda: naive(texts, labels)), timed(lambda: logistic(texts, labels))
    yield _row("time, from texts", *_turns(*race, rounds), _seconds, 10.0)
    matrix = TfidfTransformer().fit_transform(TextVectorizer().fit_transform(texts))
    theirs, peer = MultinomialNB(), LogisticRegression(max_iter=1000)
    race = timed(lambda: theirs.fit(matrix, labels)), timed(lambda: peer.fit(matrix, labels))
    yield _row("time, one matrix", *_turns(*race, rounds), _seconds, 10.0)
    memory = _turns(_memory("naive", folder, quick), _memory("logistic", folder, quick), rounds)
    yield _row("peak memory, from texts", *memory, lambda mb: f"{mb:.0f} MB", 2.0)


def _memory(who: str, folder: Path, quick: bool) -> Contender:
    arguments = ["benchmarks.claims.training", who, str(folder.absolute()), *["quick"] * quick]
    return lambda: float(python("-m", *arguments))


def _turns(ours: Contender, theirs: Contender, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = zip(*((ours(), theirs()) for _ in range(rounds)), strict=True)
    return np.array(first), np.array(second)


def _row(
    name: str, ours: np.ndarray, theirs: np.ndarray, unit: Callable[[float], str], asked: float
) -> dict[str, Any]:
    ratio = times(ours, theirs)
    row = {"training": name, "NB": unit(ours.mean()), "LR": unit(theirs.mean())}
    row |= {"LR / NB": "{:.1f} [{:.1f}, {:.1f}]".format(*_ends(ratio)), "asked": f"> {asked:g}"}
    return row | {"speaks": speaks(ratio, asked), "ratio": flat({"ratio": ratio})}


def times(ours: np.ndarray, theirs: np.ndarray) -> Figure:
    """How many times as much theirs is, as a geometric mean over the rounds."""
    return Figure(*np.exp(_ends(mean(np.log(theirs / ours)))).tolist())


def _ends(figure: Figure) -> tuple[float, float, float]:
    return float(figure), figure.low, figure.high


def _seconds(value: float) -> str:
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.2f} s"
