"""What each way of reading a text is worth, beside its plain words."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

import likely
from benchmarks.speed.corpus import Corpus
from benchmarks.text.sets import splits
from likely import Binary, Multinomial, Text

LEGEND = """\
Percent right on the test texts, by how many points that is above the multinomial on plain words,
and McNemar's exact p: how probable so uneven a split of the texts on which just one of the two is
right would be by chance. Of twenty p, one is below .05 for nothing. `all four` are negation, pairs,
presence and punctuation."""
WIDTHS = {"reading": 16, "rt_polarity": 17, "cr": 17, "sst2": 17, "imdb": 17}

_SETS = ("rt_polarity", "cr", "sst2", "imdb")
_READINGS = {
    "plain words": Multinomial(),
    "negation": Multinomial(text=Text(negation="en")),
    "pairs too": Multinomial(text=Text((1, 2))),
    "presence": Binary(),
    "no stop words": Multinomial(text=Text(stop_words="en")),
    "TF-IDF": Multinomial(tfidf=True),
    "punctuation": Multinomial(text=Text(punctuation=True)),
    "marks": Multinomial(text=Text(marks=True)),
    "stems": Multinomial(text=Text(stem="en")),
    "all four": Binary(text=Text((1, 2), negation="en", punctuation=True)),
    "Text.sentiment()": Binary(text=Text.sentiment()),
}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    sets = list(splits(folder, *(_SETS[:-1] if quick else _SETS)))
    plain: dict[str, Any] = {}
    for reading, likelihood in _READINGS.items():
        row: dict[str, Any] = {"reading": reading, "figures": {}}
        for train, test in sets:
            right = _right(likelihood, train, test)
            before = plain.setdefault(train.name, right)
            gained, lost = int(np.sum(right & ~before)), int(np.sum(before & ~right))
            figures = {
                "right": 100 * float(right.mean()),
                "difference": 100 * (gained - lost) / len(right),
                "gained": gained,
                "lost": lost,
                "p": mcnemar(gained, lost),
            }
            row["figures"][train.name] = figures
            row[train.name] = _cell(figures)
        yield row


def mcnemar(gained: int, lost: int) -> float:
    """The two-sided probability of a split at least as uneven if either side is as likely."""
    return float(binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def _right(likelihood: Any, train: Corpus, test: Corpus) -> Any:
    model = likely.Classifier(likelihood, ledger=False).fit(train.texts, train.labels)
    return model.predict(test.texts) == np.array(test.labels)


def _cell(figures: dict[str, Any]) -> str:
    right, p = f"{figures['right']:.2f}", figures["p"]
    if not figures["gained"] + figures["lost"]:
        return right
    shown = "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
    return f"{right} {figures['difference']:+.2f} {shown}"
