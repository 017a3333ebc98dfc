"""All systems on all sets: one row each."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import likely
from benchmarks.accuracy.systems import CLASSIC, DEFAULT, PEERS, SEARCHED, STACKED, answers
from benchmarks.measure import clocked
from benchmarks.run import Run
from benchmarks.table import Cell, Row
from benchmarks.text.ablation import mcnemar

NOTES = """\
Accuracy in percent and macro-F1 on the test texts, expected calibration error (15 bins) and
log-loss of the probabilities, seconds to train (2 threads; searches included). `p` is McNemar's
exact p of the difference to the default model. Logistic regression with its search is left out
where there are more than 8 classes: it takes many minutes."""
COLUMNS = ("set", "system", "accuracy", "macro-F1", "ECE", "log-loss", "seconds", "p")

_SETS = ("trec_qc", "cr", "mpqa", "sms_spam", "rt_polarity", "subj", "sst2", "tweeteval_emotion")
_SETS += ("r8", "spooky_author", "stackoverflow20", "r52", "20ng_stripped", "imdb")

# Of more classes, logistic regression and its search take longer than all the rest together.
_MOST_CLASSES = 8


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present(*(_SETS[:1] if run.quick else _SETS)):
        train, test = run.data.split(name)
        ours: Any = None
        for system, make in {**DEFAULT, **STACKED, **CLASSIC, **PEERS}.items():
            if system == SEARCHED and len(set(train.labels)) > _MOST_CLASSES:
                continue
            model, seconds = clocked(lambda: make().fit(train.texts, train.labels))  # noqa: B023
            classes, labels, proba = answers(model, test.texts)
            right = labels == np.array(test.labels)
            ours = right if ours is None else ours
            p = mcnemar(int(np.sum(right & ~ours)), int(np.sum(ours & ~right)))
            found = likely.evaluate(test.labels, labels, proba, classes=classes)
            row = {"set": name, "system": system, "accuracy": _fixed(100 * right.mean(), 2)}
            row |= {"macro-F1": _fixed(found.macro_f1, 3), "seconds": _fixed(seconds, 1)}
            if proba is not None:
                row |= {"ECE": _fixed(found.ece, 3), "log-loss": _fixed(found.log_loss, 3)}
            yield row | ({} if right is ours else {"p": _fixed(p, 3)})


def _fixed(value: float, digits: int) -> Cell:
    return Cell(float(value), f"{value:.{digits}f}")
