"""Learning curves of the words of a text, and of the same with a lexicon."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.claims.dataset import Dataset, majority
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import side
from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Row, in_percent
from benchmarks.text.lexicon import accuracy_alone
from likely import Lexicon, Multinomial, Polarity, Text

NOTES = """\
Accuracy in percent on 2,000 texts that were not learned (all others, where there are fewer), having
learned so many: means of 20 draws and their 95 % intervals. `words` is the multinomial model;
`with hits` counts each word of the opinion lexicon of Hu and Liu also as a hit of its category,
`with polarity` adds a Gaussian over the net polarity of the text. Without labels the sign of the
net polarity decides, and a text whose net polarity is 0 counts half. Tested up to 100 labels: both
are above the words alone."""
COLUMNS = (
    "set",
    "labels",
    "majority",
    "words",
    "with hits",
    "with polarity",
    "hits − words",
    "polarity − words",
    "result",
)

_SETS = {"rt_polarity": "all", "cr": "all", "sst2": "train", "imdb": "train"}
_LABELS = (10, 30, 100, 300, 1000, 3000)
_FEW = 100


def rows(run: Run) -> Iterator[Row]:
    lexicon = Lexicon.read(run.data.path("opinion_lexicon/all.csv"))
    for name in run.data.present(*_SETS):
        corpus = run.data.texts(name, _SETS[name])
        share = majority(corpus.labels)
        alone = in_percent(accuracy_alone(lexicon, corpus, negation=None))
        yield {"set": name, "labels": 0, "majority": share, "with polarity": alone}
        readings = {
            "words": Multinomial(),
            "hits": Multinomial(text=Text(lexicon=lexicon)),
            "polarity": [Multinomial(), Polarity(lexicon)],
        }
        datasets = {who: _dataset(corpus, likelihood) for who, likelihood in readings.items()}
        for n in _LABELS[:3] if run.quick else _LABELS:
            draws = [datasets["words"].draw(seed, n, 2000) for seed in run.draws(20)]
            right = {
                who: np.array([own.accuracy("naive", *draw) for draw in draws])
                for who, own in datasets.items()
            }
            gains = {who: mean(right[who] - right["words"]) for who in ("hits", "polarity")}
            row: Row = {"set": name, "labels": n, "majority": share}
            row["words"] = percent(mean(right["words"]))
            row |= {f"with {who}": percent(mean(right[who])) for who in gains}
            row |= {f"{who} − words": points(gain) for who, gain in gains.items()}
            yield row | ({"result": " ".join(map(side, gains.values()))} if n <= _FEW else {})


def _dataset(corpus: Corpus, likelihood: Any) -> Dataset:
    """A table of one column, which several likelihoods may read."""
    cells = {"text": np.array(corpus.texts, dtype=object)}
    labels = np.array(corpus.labels)
    return Dataset(corpus.name, cells, labels, {"text": likelihood}, None, is_text=False)
