"""What rows without labels bring, where labels are few."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hidden.texts import read
from benchmarks.report import Row
from likely import Classifier, Multinomial

ALPHA = 0.01
LEGEND = (
    f"Accuracy on the test set of multinomial Naive Bayes (alpha {ALPHA}) from few labelled rows,\n"
    "without and with the unlabelled ones. `weight` is what an unlabelled row counts, chosen on\n"
    "folds of the labelled rows; `at 1` is what counting them in full would give. `weighed` is\n"
    "`Classifier()` on the labelled rows alone, `auto` the same with the unlabelled ones, and\n"
    "`claims` its own leave-one-out accuracy."
)
WIDTHS = {
    "data": 14, "labelled": 8, "unlabelled": 10, "without": 7, "with": 7, "weight": 6, "at 1": 6,
    "weighed": 7, "auto": 6, "claims": 6,
}  # fmt: skip


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    most = 2_000 if quick else None
    random = np.random.default_rng(0)
    texts, labels = read(folder / "imdb" / "train.csv", most)
    test = read(folder / "imdb" / "test.csv", most)
    unlabelled, _ = read(folder / "imdb" / "unlabelled_10k.csv", most)
    order = random.permutation(len(texts))
    for n in (100, 500) if quick else (100, 500, 2_000):
        some = order[:n]
        labelled = [texts[i] for i in some], [labels[i] for i in some]
        yield {"data": "imdb", **_measured(labelled, unlabelled, test)}
    texts, labels = read(folder / "20ng_stripped" / "train.csv", None)
    test = read(folder / "20ng_stripped" / "test.csv", most)
    classes = np.array(labels)
    some = np.concatenate(
        [random.permutation(np.flatnonzero(classes == c))[:20] for c in sorted(set(labels))]
    )
    others = np.setdiff1d(np.arange(len(texts)), some)[:most]
    labelled = [texts[i] for i in some], [labels[i] for i in some]
    yield {"data": "20ng_stripped", **_measured(labelled, [texts[i] for i in others], test)}


def _measured(
    labelled: tuple[list[str], list[str]],
    unlabelled: list[str],
    test: tuple[list[str], list[str]],
) -> Row:
    def accuracy(model: Classifier, **options: Any) -> float:
        model.fit(*labelled, **options)
        return float((model.predict(test[0]) == np.array(test[1])).mean())

    plain = Classifier(Multinomial(ALPHA), threads=2)
    without = accuracy(plain)
    full = accuracy(plain, unlabelled=unlabelled, unlabelled_weight=1.0)
    chosen = accuracy(plain, unlabelled=unlabelled)
    assert plain.learned is not None
    default = Classifier(threads=2)
    return {
        "labelled": len(labelled[0]),
        "unlabelled": len(unlabelled),
        "without": without,
        "with": chosen,
        "weight": plain.learned.weight,
        "at 1": full,
        "weighed": accuracy(Classifier(threads=2)),
        "auto": accuracy(default, unlabelled=unlabelled),
        "claims": default.loo.accuracy,
        "gains": {str(weight): gain for weight, gain in plain.learned.gains.items()},
    }


def chart(found: list[Row]) -> str:
    """Bars of the accuracies, a pair for each row."""
    lines = [""]
    for row in found:
        name = f"{row['data']} {row['labelled']:,}"
        for which, mark in (("without", "░"), ("with", "█"), ("weighed", "▓")):
            bar = mark * round(50 * row[which])
            lines.append(f"{name:<20} {which:<8} {bar} {row[which]:.1%}")
            name = ""
    return "\n".join(lines)
