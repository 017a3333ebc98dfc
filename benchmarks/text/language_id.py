"""Which of 75 languages a text is in."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.data import Corpus
from benchmarks.measure import race, timed
from benchmarks.peers import character_naive_bayes
from benchmarks.run import Run
from benchmarks.table import Row
from likely import Classifier, Multinomial, Text

NOTES = """\
Accuracy in percent, all having learned from the same 80 % of the sentences. α of
`Text.language_id()` is the one with the best leave-one-out accuracy on its training sentences; the
test texts have no say in it. The others read the same character n-grams, of one to four. Seconds
are the best of two alternating rounds, texts in lists; what is predicted are the test sentences.
`×`: how many times as fast as scikit-learn's."""
COLUMNS = ("model", "sentences", "word pairs", "single words", "train, s", "×", "predict, s", "× ")

_SET = "langid_lingua75"
_TARGETS = {"sentences": "≥ 97.8", "word pairs": "≥ 92.8", "single words": "≥ 77.9"}
_TARGETS |= {"×": "≥ 20", "× ": "≥ 20"}
_GRID = (0.1, 0.05, 0.02, 0.01, 0.005)

Models = dict[str, Any]
Asked = dict[str, Corpus]


def rows(run: Run) -> Iterator[Row]:
    train, test = run.data.split(_SET)
    asked = {
        "sentences": test,
        "word pairs": run.data.texts(_SET, "word_pairs"),
        "single words": run.data.texts(_SET, "single_words"),
    }
    yield {"model": "target", **_TARGETS}
    right = _leave_one_out(train)
    best = max(right, key=right.__getitem__)
    ours = {f"Text.language_id(), α = {best:g}": _ours(Text.language_id(), best)}
    for row in _measured(ours, train, asked):
        yield row | {"leave-one-out": right}
    for alpha in (1.0, 0.1):
        models = {
            f"scikit-learn, 1–4, α = {alpha:g}": character_naive_bayes(alpha),
            f"ours, 1–4, α = {alpha:g}": _ours(Text(word_ngrams=None, char_ngrams=(1, 4)), alpha),
            f"ours, 1–4, α = {alpha:g}, two threads": _ours(
                Text(word_ngrams=None, char_ngrams=(1, 4)), alpha, threads=2
            ),
        }
        yield from _measured(models, train, asked)


def _leave_one_out(train: Corpus) -> dict[float, float]:
    """The leave-one-out accuracy of each α.

    The texts are counted once: α changes what is estimated, not what is counted.
    """
    columns, tally, right = {"text": train.texts}, None, {}
    for alpha in _GRID:
        likelihood = Multinomial(alpha, text=Text.language_id())
        model = Classifier({"text": likelihood}, prior="uniform", ledger=False, threads=2)
        tally = model.observe(columns, train.labels) if tally is None else tally
        model.tally = tally
        right[alpha] = model.leave_one_out(columns, train.labels).accuracy
    return right


def _ours(text: Text, alpha: float, threads: int = 1) -> Classifier:
    return Classifier(Multinomial(alpha, text=text), prior="uniform", ledger=False, threads=threads)


def _measured(models: Models, train: Corpus, asked: Asked) -> Iterator[Row]:
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
