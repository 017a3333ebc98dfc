"""What close reading costs: megabytes a second with it, beside plain words."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.speed.corpus import Corpus
from benchmarks.speed.measure import timed, turns
from benchmarks.speed.setting import Setting
from likely import Classifier, Multinomial, Text

LEGEND = """\
One thread, no ledger, texts in a list. Training ends when the first prediction could be made. MB/s
are of the best of 21 alternating rounds; the ratio is the median of those within each round, which
what else the machine does changes least."""
WIDTHS = {"what": 9, "reading": 36, "MB/s": 6, "plain words, MB/s": 17, "ratio": 6}
WIDTHS |= {"target": 6, "met": 3}

_TARGET = 0.6
_CLOSE = "negation, punctuation, every mark"
_READINGS = {
    "negation": Text(negation="en"),
    "punctuation": Text(punctuation=True),
    "every mark": Text(marks=True),
    _CLOSE: Text(negation="en", punctuation=True, marks=True),
    "… and normal form": Text(negation="en", punctuation=True, marks=True, normalize=True),
}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    setting = Setting(folder, quick)
    train, test = setting.train, setting.test
    readings = {"plain words": Text(), **_READINGS}
    rounds = setting.rounds(21)
    learning = {name: partial(_learned, text, train) for name, text in readings.items()}
    yield from _compared("train", train, learning, rounds)
    models = {name: _learned(text, train) for name, text in readings.items()}
    predicting = {name: partial(model.predict, test.texts) for name, model in models.items()}
    yield from _compared("predict", test, predicting, rounds)


def _compared(
    what: str, corpus: Corpus, works: dict[str, Callable[[], Any]], rounds: int
) -> Iterator[dict[str, Any]]:
    plain, *others = turns(*map(timed, works.values()), rounds=rounds)
    for reading, own in zip(_READINGS, others, strict=True):
        ratio = median(a / b for a, b in zip(plain, own, strict=True))
        row: dict[str, Any] = {"what": what, "reading": reading}
        row["MB/s"] = corpus.megabytes / min(own)
        row["plain words, MB/s"] = corpus.megabytes / min(plain)
        row["ratio"] = ratio
        if reading == _CLOSE:
            row |= {"target": f"≥ {_TARGET}", "met": "yes" if ratio >= _TARGET else "no"}
        yield row


def _learned(text: Text, corpus: Corpus) -> Classifier:
    model = Classifier(Multinomial(text=text), ledger=False).fit(corpus.texts, corpus.labels)
    model.predict(corpus.texts[:1])
    return model
