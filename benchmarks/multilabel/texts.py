"""F1 and training time on multi-label texts.

All choose their thresholds on the training rows alone: ours on leave-one-out scores, the peer on
those of three folds, per label, with the same shrinkage for rare ones. That is part of its
training, as it is of ours. Each has one thread, and time is the processor's, which other programs
do not change.
"""

import itertools
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import KFold
from sklearn.preprocessing import MultiLabelBinarizer

import likely
from benchmarks.measure import clocked
from benchmarks.peers import multilabel_logistic
from benchmarks.run import Run
from benchmarks.table import Row
from likely.model.target import MultiLabel, with_thresholds
from likely.model.target.thresholds import histograms

NOTES = """\
Micro- and macro-F1 and the share of exact sets on the test file; seconds of processor time to
train, and how many times those of the default model that is. logistic:
OneVsRest(LogisticRegression) on TF-IDF of words and bigrams, with the threshold 0.5, and with
thresholds tuned on three folds of the training rows."""
COLUMNS = ("set", "system", "micro-F1", "macro-F1", "exact", "seconds", "ratio")

_SETS = ("reuters_aptemod", "goemotions")

Rows = tuple[list[str], list[list[str]]]
Found = tuple[str, list[list[Any]], float]
"""The name of a system, its predictions for the test rows, and how long it trained."""


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present(*_SETS):
        train, test = (run.data.multilabel(name, part) for part in ("train", "test"))
        labels = sorted({label for _, sets in (train, test) for row in sets for label in row})
        default = None
        systems = itertools.chain(_ours(train, test[0]), _logistic(train, test[0]))
        for system, predicted, seconds in systems:
            default = default or seconds
            judged = likely.evaluate(test[1], predicted, classes=labels, intervals=False)
            row = {"set": name, "system": system, "micro-F1": float(judged.micro_f1)}
            row |= {"macro-F1": float(judged.macro_f1), "exact": float(judged.accuracy)}
            yield row | {"seconds": seconds, "ratio": seconds / default}


def _ours(train: Rows, test: list[str]) -> Iterator[Found]:
    for system, stacked in (("likely", False), ("likely, stacked linear", True)):
        model = likely.Classifier(stack_linear=stacked)
        _, seconds = clocked(lambda: model.fit(*train), time.process_time)  # noqa: B023
        yield system, model.predict(test), seconds


def _logistic(train: Rows, test: list[str]) -> Iterator[Found]:
    texts, binarizer = train[0], MultiLabelBinarizer()
    truth = binarizer.fit_transform(train[1])
    labels = tuple(binarizer.classes_.tolist())
    model = multilabel_logistic()
    _, seconds = clocked(lambda: model.fit(texts, truth), time.process_time)
    scores = model.predict_proba(test)
    yield "logistic, 0.5", _sets(labels, scores >= 0.5), seconds
    thresholds, more = clocked(lambda: _thresholds(labels, texts, truth), time.process_time)
    yield "logistic, tuned", _sets(labels, scores >= thresholds), seconds + more


def _thresholds(labels: tuple[Any, ...], texts: list[str], truth: Any) -> Any:
    """Those that ours would choose for the probabilities of held-out rows."""
    cells, held = np.array(texts, dtype=object), np.zeros(truth.shape)
    with warnings.catch_warnings():
        # A fold without a rare label has nothing to learn of it, and warns for every one.
        warnings.filterwarnings("ignore", "Label not .* is present in all", UserWarning)
        for kept, left in KFold(3, shuffle=True, random_state=0).split(cells):
            model = multilabel_logistic().fit(cells[kept], truth[kept])
            held[left] = model.predict_proba(cells[left])
    found = histograms(held, truth.astype(bool))
    return with_thresholds(MultiLabel(), labels, *found).threshold_array(labels)


def _sets(labels: tuple[Any, ...], predicted: Any) -> list[list[Any]]:
    return [[labels[place] for place in np.flatnonzero(row)] for row in predicted]
