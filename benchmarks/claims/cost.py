"""Time and memory of training, beside logistic regression."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.naive_bayes import MultinomialNB

from benchmarks.claims.intervals import ends, mean
from benchmarks.claims.verdicts import side
from benchmarks.measure import Contender, timed, turns
from benchmarks.peers import logistic, vectorized_logistic
from benchmarks.run import Run
from benchmarks.speed.memory import training_memory
from benchmarks.speed.ours import train_and_estimate
from benchmarks.table import Cell, Row
from likely.evaluation.intervals import Figure
from likely.sklearn import TextVectorizer

NOTES = """\
Training on 33 MB of IMDb's reviews (or of made-up ones), one thread, the two in turns: the means of
5 rounds, and how many times as much logistic regression takes, a geometric mean with its 95 %
interval. `from texts`: `likely.Classifier`, and scikit-learn's logistic regression on TF-IDF, for
which our vectorizer reads the texts. `one matrix`: both are scikit-learn's, on that TF-IDF.
Memory is the growth at the peak of a fresh process beyond the loaded texts. Tested: a tenth of the
time at most, and half the memory."""
COLUMNS = ("training", "NB", "LR", "LR / NB", "asked", "result")


def rows(run: Run) -> Iterator[Row]:
    x, y = run.train.texts, run.train.labels
    works = partial(train_and_estimate, x, y), lambda: vectorized_logistic().fit(x, y)
    yield _row("time, from texts", *map(timed, works), run, _seconds, 10.0)
    matrix = TfidfTransformer().fit_transform(TextVectorizer().fit_transform(x))
    works = (partial(model.fit, matrix, y) for model in (MultinomialNB(), logistic()))
    yield _row("time, one matrix", *map(timed, works), run, _seconds, 10.0)
    memory = (partial(training_memory, who, run) for who in ("likely, estimated", "logistic"))
    yield _row("peak memory, from texts", *memory, run, lambda mb: f"{mb:.0f} MB", 2.0)


def _row(
    name: str,
    ours: Contender,
    peer: Contender,
    run: Run,
    unit: Callable[[float], str],
    asked: float,
) -> Row:
    own, theirs = map(np.array, turns(ours, peer, rounds=run.rounds(5)))
    ratio = times(own, theirs)
    row: Row = {"training": name, "NB": Cell(own.mean(), unit(own.mean()))}
    row["LR"] = Cell(theirs.mean(), unit(theirs.mean()))
    row["LR / NB"] = Cell(ends(ratio), "{:.1f} [{:.1f}, {:.1f}]".format(*ends(ratio)))
    return row | {"asked": f"> {asked:g}", "result": side(ratio, asked)}


def times(ours: np.ndarray, theirs: np.ndarray) -> Figure:
    """How many times as much theirs is, as a geometric mean over the rounds."""
    return Figure(*np.exp(ends(mean(np.log(theirs / ours)))).tolist())


def _seconds(value: float) -> str:
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.2f} s"
