"""What rows without labels bring, where labels are few."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Row
from likely import Classifier, Multinomial

ALPHA = 0.01
NOTES = f"""\
Accuracy on the test set of multinomial Naive Bayes (alpha {ALPHA}) from few labeled rows, without
and with the unlabeled ones. `weight` is what an unlabeled row counts, chosen on folds of the
labeled rows; `at 1` is what counting them in full would give. `tuned` is `Classifier()` on the
labeled rows alone, `auto` the same with the unlabeled ones, and `leave-one-out` its own estimate of
its accuracy."""
COLUMNS = ("data", "labeled", "unlabeled", "without", "with", "weight", "at 1", "tuned", "auto")
COLUMNS += ("leave-one-out",)


def rows(run: Run) -> Iterator[Row]:
    random = np.random.default_rng(0)
    for name in run.data.present("imdb"):
        train, test = run.data.split(name)
        unlabeled = run.data.texts(name, "unlabelled_10k").texts
        order = random.permutation(len(train.texts))
        for n in (100, 500) if run.quick else (100, 500, 2_000):
            yield {"data": name, **_measured(train.pick(order[:n]), unlabeled, test)}
    for name in run.data.present("20ng_stripped"):
        train, test = run.data.split(name)
        classes = np.array(train.labels)
        some = np.concatenate(
            [random.permutation(np.flatnonzero(classes == c))[:20] for c in sorted(set(classes))]
        )
        others = np.setdiff1d(np.arange(len(classes)), some)
        unlabeled = [train.texts[row] for row in others]
        yield {"data": name, **_measured(train.pick(some), unlabeled, test)}


def _measured(labeled: Corpus, unlabeled: list[str], test: Corpus) -> Row:
    def accuracy(model: Classifier, **options: Any) -> float:
        model.fit(labeled.texts, labeled.labels, **options)
        return float((model.predict(test.texts) == np.array(test.labels)).mean())

    plain = Classifier(Multinomial(ALPHA), threads=2)
    row: Row = {"labeled": len(labeled.texts), "unlabeled": len(unlabeled)}
    row["without"] = accuracy(plain)
    row["at 1"] = accuracy(plain, unlabeled=unlabeled, unlabeled_weight=1.0)
    row["with"] = accuracy(plain, unlabeled=unlabeled)
    assert plain.learned is not None
    row["weight"] = plain.learned.weight
    row["gains"] = {str(weight): gain for weight, gain in plain.learned.gains.items()}
    row["tuned"] = accuracy(Classifier(threads=2))
    default = Classifier(threads=2)
    row["auto"] = accuracy(default, unlabeled=unlabeled)
    return row | {"leave-one-out": default.loo.accuracy}
