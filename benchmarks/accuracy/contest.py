"""All systems on all sets: one row each."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import likely
from benchmarks.accuracy.systems import CLASSIC, DEFAULT, PEERS, SEARCHED, SECOND, answers
from benchmarks.text.ablation import mcnemar
from benchmarks.text.sets import splits

LEGEND = """\
Percent right and macro-F1 on the test texts, expected calibration error (15 bins) and log-loss of
the probabilities, seconds to learn (2 threads; searches included). `p` is McNemar's exact
probability that a difference to the default model as uneven came by chance. Logistic regression
with its search is left out where there are more than 8 classes: it takes many minutes."""
WIDTHS = {
    "set": 17,
    "system": 17,
    "right": 6,
    "macro-F1": 8,
    "ECE": 6,
    "log-loss": 8,
    "seconds": 7,
    "p": 6,
}

SETS = (
    "trec_qc",
    "cr",
    "mpqa",
    "sms_spam",
    "rt_polarity",
    "subj",
    "sst2",
    "tweeteval_emotion",
    "r8",
    "spooky_author",
    "stackoverflow20",
    "r52",
    "20ng_stripped",
    "imdb",
)

# Of more classes, logistic regression and its search take longer than all the rest together.
_MOST_CLASSES = 8


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for train, test in splits(folder, *(SETS[:4] if quick else SETS)):
        ours: Any = None
        for system, learn in {**DEFAULT, **SECOND, **CLASSIC, **PEERS}.items():
            if system == SEARCHED and len(set(train.labels)) > _MOST_CLASSES:
                continue
            start = time.perf_counter()
            model = learn(train.texts, train.labels)
            seconds = time.perf_counter() - start
            classes, labels, proba = answers(model, test.texts)
            right = labels == np.array(test.labels)
            ours = right if ours is None else ours
            better, worse = int(np.sum(right & ~ours)), int(np.sum(ours & ~right))
            found = likely.evaluate(test.labels, labels, proba, classes=classes)
            yield {
                "set": train.name,
                "system": system,
                "right": f"{100 * right.mean():.2f}",
                "macro-F1": f"{float(found.macro_f1):.3f}",
                "ECE": None if proba is None else f"{float(found.ece):.3f}",
                "log-loss": None if proba is None else f"{float(found.log_loss):.3f}",
                "seconds": f"{seconds:.1f}",
                "p": None if right is ours else f"{mcnemar(better, worse):.3f}",
                "accuracy": float(right.mean()),
                "p_value": mcnemar(better, worse),
                "took": seconds,
            }
