"""Which of 75 languages a text is in."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from benchmarks.speed.corpus import Corpus
from benchmarks.speed.measure import race, timed
from benchmarks.text.sets import load, pick, split
from likely import Classifier, Multinomial, Text

LEGEND = """\
Percent right, all having learned from the same 80 % of the sentences. α of `Text.language()` is the
one that is best on its training sentences, each left out in turn; the test texts have no say in it.
The others read runs of one to four characters, the same ones. Seconds are the best of two
alternating rounds, texts in lists; what is predicted are the test sentences. `×`: how many times as
fast as scikit-learn's."""
WIDTHS = {"model": 34, "sentences": 9, "word pairs": 10, "single words": 12, "train, s": 8}
WIDTHS |= {"×": 5, "predict, s": 10, "× ": 5}

_SET = "langid_lingua75"
_WANTED = {"sentences": "≥ 97.8", "word pairs": "≥ 92.8", "single words": "≥ 77.9"}
_WANTED |= {"×": "≥ 20", "× ": "≥ 20"}
_GRID = (0.1, 0.05, 0.02, 0.01, 0.005)

Models = dict[str, Any]
Asked = dict[str, Corpus]


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    if not (folder / _SET).exists():
        print(f"{_SET}: left out, there is no `{folder / _SET}`", file=sys.stderr)
        return
    train, test = split(folder, _SET)
    asked = {
        "sentences": test,
        "word pairs": load(folder, _SET, "word_pairs"),
        "single words": load(folder, _SET, "single_words"),
    }
    if quick:
        train = pick(train, np.arange(0, len(train.texts), 10))
        asked = {n: pick(c, np.arange(0, len(c.texts), 10)) for n, c in asked.items()}
    yield {"model": "wanted", **_WANTED}
    right = left_out(train)
    best = max(right, key=right.__getitem__)
    ours = {f"Text.language(), α = {best:g}": _ours(Text.language(), best)}
    for row in _measured(ours, train, asked):
        yield row | {"left out": right}
    for alpha in (1.0, 0.1):
        models = {
            f"scikit-learn, 1–4, α = {alpha:g}": _theirs(alpha),
            f"ours, 1–4, α = {alpha:g}": _ours(Text(words=None, chars=(1, 4)), alpha),
            f"ours, 1–4, α = {alpha:g}, two threads": _ours(
                Text(words=None, chars=(1, 4)), alpha, threads=2
            ),
        }
        yield from _measured(models, train, asked)


def left_out(train: Corpus) -> dict[float, float]:
    """How often each α is right about training texts it has not seen.

    The texts are counted once: α changes what is estimated, not what is counted.
    """
    columns, tally, right = {"text": train.texts}, None, {}
    for alpha in _GRID:
        likelihood = Multinomial(alpha, text=Text.language())
        model = Classifier({"text": likelihood}, prior="uniform", ledger=False, threads=2)
        tally = model.observe(columns, train.labels) if tally is None else tally
        model.tally = tally
        right[alpha] = model.leave_one_out(columns, train.labels).accuracy
    return right


def _ours(text: Text, alpha: float, threads: int = 1) -> Classifier:
    return Classifier(Multinomial(alpha, text=text), prior="uniform", ledger=False, threads=threads)


def _theirs(alpha: float) -> Any:
    runs = CountVectorizer(analyzer="char_wb", ngram_range=(1, 4))
    return make_pipeline(runs, MultinomialNB(alpha=alpha, fit_prior=False))


def _measured(models: Models, train: Corpus, asked: Asked) -> Iterator[dict[str, Any]]:
    """Seconds and accuracies of each; the first is the one the others are compared with."""
    learning = [timed(partial(_learned, model, train)) for model in models.values()]
    learned = race(*learning, rounds=2)
    sentences = asked["sentences"].texts
    predicted = race(*(timed(partial(m.predict, sentences)) for m in models.values()), rounds=2)
    for (name, model), *seconds in zip(models.items(), learned, predicted, strict=True):
        row = {"model": name}
        for what, corpus in asked.items():
            row[what] = 100 * float(np.mean(model.predict(corpus.texts) == np.array(corpus.labels)))
        row |= {"train, s": seconds[0], "predict, s": seconds[1]}
        if seconds[0] != learned[0]:
            row |= {"×": learned[0] / seconds[0], "× ": predicted[0] / seconds[1]}
        yield row


def _learned(model: Any, train: Corpus) -> None:
    """Train up to where predicting is mere looking up; ours estimates when first asked."""
    model.fit(train.texts, train.labels).predict(train.texts[:1])
