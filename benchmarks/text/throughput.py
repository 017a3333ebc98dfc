"""What preprocessing costs: megabytes a second with it, beside plain words."""

from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

from benchmarks.data import Corpus
from benchmarks.measure import timed, turns
from benchmarks.run import Run
from benchmarks.table import Row, Target
from likely import Classifier, Multinomial, Text

NOTES = """\
One thread, no ledger, texts in a list. Training ends when the first prediction could be made. MB/s
are of the best of 21 alternating rounds; the ratio is the median of those within each round, which
what else the machine does changes least."""
COLUMNS = ("what", "reading", "MB/s", "plain words, MB/s", "ratio", "target", "met")

_TARGET = Target(0.6)
_CLOSE = "negation, punctuation, surface features"
_READINGS = {
    "negation": Text(negation="en"),
    "punctuation": Text(punctuation=True),
    "surface features": Text(surface_features=True),
    _CLOSE: Text(negation="en", punctuation=True, surface_features=True),
    "… and normal form": Text(
        negation="en", punctuation=True, surface_features=True, normalize=True
    ),
}


def rows(run: Run) -> Iterator[Row]:
    train, test = run.train, run.test
    readings = {"plain words": Text(), **_READINGS}
    rounds = run.rounds(21)
    learning = {name: partial(_learned, text, train) for name, text in readings.items()}
    yield from _compared("train", train, learning, rounds)
    models = {name: _learned(text, train) for name, text in readings.items()}
    predicting = {name: partial(model.predict, test.texts) for name, model in models.items()}
    yield from _compared("predict", test, predicting, rounds)


def _compared(
    what: str, corpus: Corpus, works: dict[str, Callable[[], Any]], rounds: int
) -> Iterator[Row]:
    plain, *others = turns(*map(timed, works.values()), rounds=rounds)
    for reading, own in zip(_READINGS, others, strict=True):
        ratio = median(a / b for a, b in zip(plain, own, strict=True))
        row: Row = {"what": what, "reading": reading}
        row["MB/s"] = corpus.megabytes / min(own)
        row["plain words, MB/s"] = corpus.megabytes / min(plain)
        row["ratio"] = ratio
        if reading == _CLOSE:
            row |= _TARGET.judge(ratio)
        yield row


def _learned(text: Text, corpus: Corpus) -> Classifier:
    model = Classifier(Multinomial(text=text), ledger=False).fit(corpus.texts, corpus.labels)
    model.predict(corpus.texts[:1])
    return model
