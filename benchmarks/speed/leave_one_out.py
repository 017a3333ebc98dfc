"""Exact leave-one-out of all training rows against one prediction pass over them."""

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import cross_val_predict

import likely
from benchmarks import peers
from benchmarks.data import Corpus
from benchmarks.measure import race, timed
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, Target, comparison
from likely.data.table import texts
from likely.likelihoods.text import ALL_BLOCKS

_ALPHAS = [0.01, 0.05, 0.2, 1.0]


def rows(run: Run) -> Iterator[Row]:
    for name, ngrams in ours.BY_NAME.items():
        yield from _rows(run, name, ngrams)
    yield _against_folds(run)


def _rows(run: Run, name: str, ngrams: ours.Ngrams) -> Iterator[Row]:
    train = run.train
    model = ours.train_and_estimate(train.texts, train.labels, ngrams)
    one, four, predicting = race(
        timed(lambda: model.leave_one_out(train.texts, train.labels)),
        timed(lambda: _four_alphas(model, train)),
        timed(lambda: model.predict_proba(train.texts)),
        rounds=run.rounds(5),
    )
    for alphas, seconds, most in (("one α", one, 2), ("four α", four, 3)):
        what, target = f"leave-one-out, {name}, {alphas}", Target(most, at_most=True)
        yield comparison(what, seconds, "s", predicting, "ours, one prediction pass", target)


def _against_folds(run: Run) -> Row:
    """Training with leave-one-out, against ten folds of reading, training and predicting."""
    train = run.train
    model = likely.Classifier(likely.Multinomial())
    one, folds = race(
        timed(lambda: model.fit(train.texts, train.labels, loo=True)),
        timed(lambda: _cross_validated(train, 10)),
        rounds=run.rounds(2),
    )
    what, peer = "train with leave-one-out, words", "scikit-learn, 10-fold"
    return comparison(what, one, "s", folds, peer, Target(0.01, at_most=True))


def _cross_validated(corpus: Corpus, folds: int) -> object:
    """Texts are read anew for each fold: its vocabulary is that of the other folds."""
    return cross_val_predict(peers.naive_bayes(), corpus.texts, corpus.labels, cv=folds)


def _four_alphas(model: likely.Classifier, corpus: Corpus) -> object:
    """What it costs to choose α: the kernel takes several at once, the public method one."""
    classes = model.tally.view()
    places = {label: place for place, label in enumerate(classes.labels)}
    truth = np.array([places[label] for label in corpus.labels], dtype=np.uint32)
    return model.tally.statistics[0].leave_one_out(
        [(("multinomial", ALL_BLOCKS, 1, 0, False), list(_ALPHAS))],
        classes.slots,
        classes.rows,
        texts(corpus.texts),
        truth,
        None,
        None,
        model.threads,
    )
