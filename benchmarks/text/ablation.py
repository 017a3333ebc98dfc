"""What each way of reading a text is worth, beside its plain words."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import binomtest

import likely
from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Cell, Row
from likely import BinaryMultinomial, Multinomial, Text

NOTES = """\
Accuracy in percent on the test texts, how many points that is above the multinomial on plain
words, and McNemar's exact p. Of twenty p, one is below .05 by chance. `all four` are negation,
bigrams, presence and punctuation."""
_SETS = ("rt_polarity", "cr", "sst2", "imdb")
COLUMNS = ("reading", *_SETS)

_READINGS = {
    "plain words": Multinomial(),
    "negation": Multinomial(text=Text(negation="en")),
    "bigrams too": Multinomial(text=Text((1, 2))),
    "presence": BinaryMultinomial(),
    "no stop words": Multinomial(text=Text(stop_words="en")),
    "TF-IDF": Multinomial(tfidf=True),
    "punctuation": Multinomial(text=Text(punctuation=True)),
    "surface features": Multinomial(text=Text(surface_features=True)),
    "stems": Multinomial(text=Text(stem="en")),
    "all four": BinaryMultinomial(text=Text((1, 2), negation="en", punctuation=True)),
    "Text.sentiment()": BinaryMultinomial(text=Text.sentiment()),
}


def rows(run: Run) -> Iterator[Row]:
    sets = [run.data.split(name) for name in run.data.present(*_SETS)]
    plain: dict[str, Any] = {}
    for reading, likelihood in _READINGS.items():
        row: Row = {"reading": reading}
        for train, test in sets:
            right = _right(likelihood, train, test)
            before = plain.setdefault(train.name, right)
            gained, lost = int(np.sum(right & ~before)), int(np.sum(before & ~right))
            row[train.name] = _cell(right, gained, lost)
        if sets:
            yield row


def mcnemar(gained: int, lost: int) -> float:
    """The two-sided probability of a split at least as uneven if either side is as likely."""
    return float(binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def _right(likelihood: Any, train: Corpus, test: Corpus) -> Any:
    model = likely.Classifier(likelihood, ledger=False).fit(train.texts, train.labels)
    return model.predict(test.texts) == np.array(test.labels)


def _cell(right: Any, gained: int, lost: int) -> Cell:
    accuracy, p = 100 * float(right.mean()), mcnemar(gained, lost)
    difference = 100 * (gained - lost) / len(right)
    value = {"accuracy": accuracy, "difference": difference, "gained": gained, "lost": lost, "p": p}
    shown = "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
    change = f" {difference:+.2f} {shown}" if gained + lost else ""
    return Cell(value, f"{accuracy:.2f}{change}")
