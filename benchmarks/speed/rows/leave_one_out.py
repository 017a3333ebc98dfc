"""Exact leave-one-out of all training rows against one prediction pass over them."""

from collections.abc import Iterator

import numpy as np

import likely
from benchmarks.speed import ours, peers
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.measure import race, timed
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target
from likely import inputs
from likely.likelihoods.text import ALL_BLOCKS

_ALPHAS = [0.01, 0.05, 0.2, 1.0]


def rows(setting: Setting) -> Iterator[Row]:
    for name, words in (("words", (1, 1)), ("1-2-grams", (1, 2))):
        yield from _rows(setting, name, words)
    yield _against_folds(setting)


def _rows(setting: Setting, name: str, words: ours.Words) -> Iterator[Row]:
    train = setting.train
    model = ours.train_and_estimate(train.texts, train.labels, words)
    one, four, predicting = race(
        timed(lambda: model.leave_one_out(train.texts, train.labels)),
        timed(lambda: _four_alphas(model, train)),
        timed(lambda: model.predict_proba(train.texts)),
        rounds=setting.rounds(5),
    )
    for alphas, seconds, most in (("one α", one, 2), ("four α", four, 3)):
        what, target = f"leave-one-out, {name}, {alphas}", Target(most, at_most=True)
        yield Row(what, seconds, "s", predicting, "ours, one prediction pass", target)


def _against_folds(setting: Setting) -> Row:
    """Learning and leaving every row out, against ten folds of reading, learning and predicting."""
    train = setting.train
    model = likely.Classifier(likely.Multinomial())
    one, folds = race(
        timed(lambda: model.fit(train.texts, train.labels, loo=True)),
        timed(lambda: peers.cross_validate(train.texts, train.labels, 10)),
        rounds=setting.rounds(2),
    )
    what, peer = "learn and leave every row out, words", "scikit-learn, 10-fold"
    return Row(what, one, "s", folds, peer, Target(0.01, at_most=True))


def _four_alphas(model: likely.Classifier, corpus: Corpus) -> object:
    """What it costs to choose α: the kernel takes several at once, the front door takes one."""
    classes = model.tally.view()
    places = {label: place for place, label in enumerate(classes.labels)}
    truth = np.array([places[label] for label in corpus.labels], dtype=np.uint32)
    return model.tally.statistics[0].leave_one_out(
        [(("multinomial", ALL_BLOCKS, 1, 0, False), list(_ALPHAS))],
        classes.slots,
        classes.rows,
        inputs.texts(corpus.texts),
        truth,
        None,
        None,
        model.threads,
    )
