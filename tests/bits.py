"""The digests of a small model of each kind: `python tests/bits.py` prints them.

They are to be the same on every machine, with every version of NumPy. Rows are drawn by Python, so
that nothing but the models depends on those.
"""

import hashlib
import json
import random
import sys

import numpy as np

import likely

CLASSES = ["art", "law", "sport"]
COMMON = [f"common{i}" for i in range(40)]
OWN = {label: [f"{label}{i}" for i in range(30)] for label in CLASSES}


def text(chosen, labels):
    own = [word for label in labels for word in OWN[label]]
    return " ".join(chosen.choices([*COMMON, *own], k=chosen.randint(3, 15)))


def texts(n, seed):
    chosen = random.Random(seed)
    labels = [chosen.choice(CLASSES) for _ in range(n)]
    return [text(chosen, [label]) for label in labels], labels


def texts_of_several(n, seed):
    chosen = random.Random(seed)
    labels = [sorted(chosen.sample(CLASSES, k=chosen.randint(0, 2))) for _ in range(n)]
    return [text(chosen, each) for each in labels], labels


def table(n, seed):
    chosen = random.Random(seed)
    labels = [chosen.choice(CLASSES) for _ in range(n)]
    place = {label: i for i, label in enumerate(CLASSES)}
    rows = {
        "length": [chosen.gauss(place[label], 1.5) for label in labels],
        "weight": [chosen.lognormvariate(place[label] / 2, 1.0) for label in labels],
        "price": [round(chosen.uniform(0, 1e6), 2) for _ in labels],
        "town": [chosen.choice(["Ada", "Bern", "Cork", label, None]) for label in labels],
        "kind": [chosen.choice("uvwxyz") for _ in labels],
    }
    return rows, labels


def models():
    """A model of each kind, fitted."""
    unlabeled, _ = texts(150, 4)
    x, y = texts(150, 3)
    mixed, labels = table(150, 6)
    mixed["text"], _ = texts(150, 7)
    numbers = {("length", "weight", "price"): likely.Gaussian("full")}
    yield "texts", likely.Classifier().fit(x, y)
    # Of these, files are known to differ where the logarithm of a processor does in its last bit.
    yield "several labels", likely.Classifier().fit(*texts_of_several(200, 4))
    yield "a table", likely.Classifier().fit(*table(700, 2))
    yield "a table with texts", likely.Classifier().fit(mixed, labels)
    yield "unlabeled", likely.Classifier().fit(x, y, unlabeled=unlabeled)
    yield (
        "unlabeled, shared out",
        likely.Classifier().fit(x, y, unlabeled=unlabeled, unlabeled_weight=0.5),
    )
    yield "stacked linear model", likely.Classifier(stack_linear=True).fit(x, y)
    yield "stacked on a table", likely.Classifier(stack_linear=True).fit(*table(300, 8))
    yield "stacked on all", likely.Classifier(stack_linear=True).fit(mixed, labels)
    yield "ellipses", likely.Classifier(numbers, tune=True).fit(*table(150, 9))


def bits():
    """For each kind, the digest of the tally and that of the file."""
    return {
        name: [model.digest, hashlib.sha256(model.to_bytes()).hexdigest()]
        for name, model in models()
    }


def features():
    """What the processor can do that NumPy chooses by; what it takes for granted is not there."""
    module = sys.modules.get("numpy._core._multiarray_umath")
    module = module or sys.modules["numpy.core._multiarray_umath"]
    return [name for name in module.__cpu_dispatch__ if module.__cpu_features__[name]]


if __name__ == "__main__":
    json.dump({"numpy": np.__version__, "features": features(), "bits": bits()}, sys.stdout)
