"""What a lexicon is worth while labels are few."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Cell, Row, in_percent
from likely import Classifier, Lexicon, Multinomial, Polarity, Text

NOTES = """\
Accuracy in percent on the test texts, having learned from so many labels, half of each class, drawn
at random; the mean of twenty draws and its 95 % interval. `words` are the plain words; `LEX` adds a
feature for each hit of a lexicon, `net` a Gaussian over the net polarity; V is VADER's lexicon, O
the opinion lexicon of Hu and Liu. Without any label, the sign of the net polarity decides, and a
text whose net polarity is 0 counts half."""
COLUMNS = ("set", "labels", "words", "LEX V", "LEX O", "net V", "net O")

_SETS = ("rt_polarity", "sst2")
_LEXICONS = {"V": "lexicons/vader_lexicon.txt", "O": "opinion_lexicon/all.csv"}
_LABELS = (10, 20, 50, 100, 200, 500, 1000)


def rows(run: Run) -> Iterator[Row]:
    lexicons = {letter: Lexicon.read(run.data.path(path)) for letter, path in _LEXICONS.items()}
    for name in run.data.present(*_SETS):
        train, test = run.data.split(name)
        alone = {f"net {letter}": accuracy_alone(own, test) for letter, own in lexicons.items()}
        row: Row = {"set": name, "labels": 0}
        yield row | {column: in_percent(own) for column, own in alone.items()}
        for n in _LABELS[:3] if run.quick else _LABELS:
            draws = [_draw(train, n, seed) for seed in run.draws(20)]
            row = {"set": name, "labels": n}
            for column, likelihood in _likelihoods(lexicons).items():
                right = [_right(likelihood, draw, test) for draw in draws]
                half = 1.96 * np.std(right, ddof=1) / np.sqrt(len(right))
                row[column] = Cell(right, f"{100 * np.mean(right):.1f} ± {100 * half:.1f}")
            yield row


def _likelihoods(lexicons: dict[str, Lexicon]) -> dict[str, Any]:
    given: dict[str, Any] = {"words": Multinomial()}
    for letter, lexicon in lexicons.items():
        given[f"LEX {letter}"] = Multinomial(text=Text(lexicon=lexicon))
    for letter, lexicon in lexicons.items():
        given[f"net {letter}"] = [Multinomial(), Polarity(lexicon, negation="en")]
    return given


def _draw(train: Corpus, n: int, seed: int) -> Corpus:
    """So many texts, half of each class."""
    draw, labels = np.random.default_rng(seed), np.array(train.labels)
    classes = np.unique(labels)
    halves = [draw.choice(np.flatnonzero(labels == c), n // 2, replace=False) for c in classes]
    return train.pick(np.concatenate(halves))


def _right(likelihood: Any, train: Corpus, test: Corpus) -> float:
    model = Classifier({"text": likelihood}, ledger=False)
    model.fit({"text": train.texts}, train.labels)
    return float(np.mean(model.predict({"text": test.texts}) == np.array(test.labels)))


def accuracy_alone(lexicon: Lexicon, test: Corpus, negation: str | None = "en") -> float:
    """The accuracy of the sign of the net polarity; a text whose net polarity is 0 counts half."""
    said = lexicon.classify(test.texts, positive="pos", negative="neg", negation=negation)
    pairs = zip(said, test.labels, strict=True)
    return float(np.mean([0.5 if ours is None else ours == label for ours, label in pairs]))
