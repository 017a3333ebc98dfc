"""What rows without labels bring, where labels are few."""

import warnings
from collections.abc import Iterator

import numpy as np

from benchmarks.data import Corpus
from benchmarks.peers import label_spreading, self_training
from benchmarks.run import Run
from benchmarks.table import Row
from likely import Classifier

_UNLABELED, _TEST = 3_000, 2_000

NOTES = f"""\
Accuracy in percent, the mean of five draws of the labeled rows, so many of each class;
{_UNLABELED:,} other rows are unlabeled, up to {_TEST:,} are predicted. `tuned` is `Classifier()` on
the labeled rows alone, `auto` the same with the unlabeled ones; `used` says in how many draws
folds of the labeled rows chose them, and `worst` is the difference in the worst draw. Beside them,
on TF-IDF: scikit-learn's SelfTrainingClassifier around logistic regression, and LabelSpreading in a
hundred dimensions (truncated SVD)."""
COLUMNS = ("data", "per class", "tuned", "auto", "gain", "worst", "used")
COLUMNS += ("self-training", "spreading")

_SETS = ("imdb", "20ng_stripped", "r8", "sms_spam", "stackoverflow20")
_LABELS = (2, 5, 10, 20, 100)


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present(*_SETS):
        train, test = run.data.split(name)
        some = np.random.RandomState(1).permutation(len(test.texts))[:_TEST]
        test = test.pick(some)
        for n in (2,) if run.quick else _LABELS:
            found = [_measured(*drawn(train, n, seed), test) for seed in run.draws(5)]
            tuned, auto, used, training, spreading = np.array(found).T
            row: Row = {"data": name, "per class": n, "tuned": 100 * tuned.mean()}
            row |= {"auto": 100 * auto.mean(), "gain": 100 * (auto - tuned).mean()}
            row |= {"worst": 100 * float((auto - tuned).min()), "used": int(used.sum())}
            yield row | {
                "self-training": 100 * training.mean(),
                "spreading": 100 * spreading.mean(),
            }


def drawn(train: Corpus, n: int, seed: int) -> tuple[Corpus, list[str]]:
    """So many labeled rows of each class, and unlabeled ones."""
    random = np.random.RandomState(seed)
    labels = np.array(train.labels)
    order = random.permutation(len(labels))
    some = np.concatenate([order[labels[order] == c][:n] for c in sorted(set(train.labels))])
    others = random.permutation(np.setdiff1d(order, some))[:_UNLABELED]
    return train.pick(some), [train.texts[row] for row in others]


def _measured(labeled: Corpus, unlabeled: list[str], test: Corpus) -> tuple[float, ...]:
    truth = np.array(test.labels)

    def accuracy(predicted: np.ndarray) -> float:
        return float((predicted == truth).mean())

    alone = Classifier(threads=2).fit(labeled.texts, labeled.labels)
    auto = Classifier(threads=2).fit(labeled.texts, labeled.labels, unlabeled=unlabeled)
    assert auto.learned is not None
    found = [accuracy(model.predict(test.texts)) for model in (alone, auto)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        beside = [
            accuracy(peer(labeled, unlabeled, test.texts))
            for peer in (self_training, label_spreading)
        ]
    return *found, float(auto.learned.weight > 0), *beside
