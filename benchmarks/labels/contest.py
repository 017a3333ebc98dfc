"""F1 and training time on texts with several labels.

All choose their thresholds on the training rows alone: ours on left-out scores, the peer's on those
of three folds, per label, with the same shrinkage for rare ones. That is part of its training, as
it is of ours. Each has one thread, and time is the processor's, which other programs do not change.
"""

import itertools
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import likely
from benchmarks.report import Row
from likely.model.target import MultiLabel, histograms, with_thresholds

LEGEND = (
    "Several labels per row: micro- and macro-F1 on the test file; seconds of processor time to "
    "train,\nand how many times those of the default model that is.\n"
    "logistic: OneVsRest(LogisticRegression) on TF-IDF of words and pairs, said from 0.5 on, and "
    "from thresholds tuned on three folds of the training rows."
)
WIDTHS = {
    "set": 16,
    "system": 22,
    "micro-F1": 8,
    "macro-F1": 8,
    "exact": 6,
    "seconds": 8,
    "ratio": 6,
}
SETS = ("reuters_aptemod", "goemotions")
_QUICK = 1500

Rows = tuple[list[str], list[list[str]]]
Found = tuple[str, list[list[Any]], float]
"""The name of a system, what it says of the test rows, and how long it trained."""


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    for name in SETS:
        train, test = (_read(folder / name / f"{part}.jsonl", quick) for part in ("train", "test"))
        labels = sorted({label for _, sets in (train, test) for row in sets for label in row})
        default = None
        for system, said, seconds in itertools.chain(
            _ours(train, test[0]), _logistic(train, test[0])
        ):
            default = default or seconds
            yield _row(name, system, test[1], said, labels, seconds, seconds / default)


def _ours(train: Rows, test: list[str]) -> Iterator[Found]:
    for system, second in (("likely", False), ("likely, second opinion", True)):
        began = time.process_time()
        model = likely.Classifier(second_opinion=second).fit(*train)
        seconds = time.process_time() - began
        yield system, model.predict(test), seconds


def _read(path: Path, quick: bool) -> Rows:
    with path.open(encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    found = found[:_QUICK] if quick else found
    return [row["text"] for row in found], [row["labels"] for row in found]


def _row(
    name: str,
    system: str,
    truth: list[list[str]],
    said: list[list[Any]],
    labels: list[str],
    seconds: float,
    ratio: float,
) -> Row:
    judged = likely.evaluate(truth, said, classes=labels, intervals=False)
    return {
        "set": name,
        "system": system,
        "micro-F1": float(judged.micro_f1),
        "macro-F1": float(judged.macro_f1),
        "exact": float(judged.accuracy),
        "seconds": seconds,
        "ratio": ratio,
    }


def _logistic(train: Rows, test: list[str]) -> Iterator[Found]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MultiLabelBinarizer

    def pipeline() -> Any:
        words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        return make_pipeline(
            words, OneVsRestClassifier(LogisticRegression(C=10, solver="liblinear"))
        )

    binarizer = MultiLabelBinarizer()
    truth = binarizer.fit_transform(train[1])
    labels = tuple(binarizer.classes_.tolist())
    began = time.process_time()
    fitted = pipeline().fit(train[0], truth)
    seconds = time.process_time() - began
    scores = fitted.predict_proba(test)
    yield "logistic, 0.5", _said(labels, scores >= 0.5), seconds

    began = time.process_time()
    texts, held = np.array(train[0], dtype=object), np.zeros(truth.shape)
    with warnings.catch_warnings():
        # A fold without a rare label has nothing to learn of it, which is said of every one.
        warnings.filterwarnings("ignore", "Label not .* is present in all", UserWarning)
        for kept, left in KFold(3, shuffle=True, random_state=0).split(texts):
            held[left] = pipeline().fit(texts[kept], truth[kept]).predict_proba(texts[left])
    bars = _tuned(labels, held, truth.astype(bool))
    seconds += time.process_time() - began
    yield "logistic, tuned", _said(labels, scores >= bars), seconds


def _tuned(labels: tuple[Any, ...], held: Any, truth: Any) -> Any:
    """The thresholds that ours would choose for these probabilities."""
    odds = np.log(np.clip(held, 1e-12, None) / np.clip(1 - held, 1e-12, None))
    return with_thresholds(MultiLabel(), labels, *histograms(odds, truth)).bars(labels)


def _said(labels: tuple[Any, ...], said: Any) -> list[list[Any]]:
    return [[labels[place] for place in np.flatnonzero(row)] for row in said]
