"""A model of all columns, beside models of columns of one type each."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import likely
from benchmarks.data import Columns, Data, numbers
from benchmarks.peers import mixed_logistic
from benchmarks.run import Run
from benchmarks.table import Row

NOTES = """\
Accuracy in percent and log-loss (nats a row, probabilities no smaller than 2e-16) on rows that were
not learned: Adult's test set, elsewhere ten stratified folds, the same for all. `mixed` is
`likely.Classifier()`, which finds out what each column is; the others are given the types it found.
`baseline` knows the shares of the classes and nothing of the row. `better in`: where mixed is
better than each Naive Bayes of columns of one type."""
COLUMNS = ("data", "rows", "model", "columns", "accuracy", "log-loss", "better in")

_TARGETS = {"adult": "income", "titanic": "survived", "penguins": "species", "mushroom": "class"}
_ONE_TYPE = {
    "text": ("text only", likely.Multinomial),
    "numeric": ("numbers only", likely.Gaussian),
    "categorical": ("categories only", likely.Categorical),
}


def rows(run: Run) -> Iterator[Row]:
    for folder in run.data.present(*(f"tab_{name}" for name in _TARGETS)):
        name = folder.removeprefix("tab_")
        predicted, truth, columns = defaultdict(list), [], {}
        for train, y, test, y_test in _splits(run.data, name):
            truth.extend(y_test)
            for model, read, probabilities in _models(train, y, test):
                predicted[model].append(probabilities)
                columns[model] = read
        measured = {model: _measured(np.vstack(own), truth) for model, own in predicted.items()}
        for model, figures in measured.items():
            better = {"better in": _better(measured)} if model == "mixed" else {}
            about = {"data": name, "rows": len(truth), "model": model, "columns": columns[model]}
            yield about | figures | better


def _splits(data: Data, name: str) -> Iterator[tuple[Columns, Any, Columns, Any]]:
    """What to learn from and what to predict, columns and labels of each."""
    target = _TARGETS[name]
    if (data.folder / f"tab_{name}" / "test.csv").exists():
        yield *data.columns(name, "train", target), *data.columns(name, "test", target)
        return
    columns, y = data.columns(name, "all", target)
    for rest, out in StratifiedKFold(10, shuffle=True, random_state=0).split(y, y):
        train, test = ({n: cells[part] for n, cells in columns.items()} for part in (rest, out))
        yield train, y[rest], test, y[out]


def _models(train: Columns, y: Any, test: Columns) -> Iterator[tuple[str, str, Any]]:
    """For each model its name, the columns it reads, and the probabilities it gives."""
    mixed = likely.Classifier().fit(train, y)
    types = {k: [n for n, c in mixed.column_roles.items() if c.role == k] for k in _ONE_TYPE}
    types = {kind: names for kind, names in types.items() if names}
    columns = ", ".join(f"{len(names)} {kind}" for kind, names in types.items())
    yield "mixed", columns, mixed.predict_proba(test)
    for kind, names in types.items():
        model, likelihood = _ONE_TYPE[kind]
        own = likely.Classifier({name: likelihood() for name in names}).fit(train, y)
        yield model, f"{len(names)} {kind}", own.predict_proba(test)
    yield "scikit-learn LogisticRegression", columns, _logistic(train, y, test, types)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    yield "baseline", "", np.tile(shares, (len(next(iter(test.values()))), 1))


def _logistic(train: Columns, y: Any, test: Columns, types: dict[str, list[str]]) -> Any:
    """A missing number is NaN, a missing category one more category."""
    names = [name for those in types.values() for name in those]
    missing, numeric = tuple(likely.Classifier().missing), types.get("numeric", ())
    x, x_test = (
        np.array(
            [numbers(own[n], missing) if n in numeric else own[n] for n in names], dtype=object
        ).T
        for own in (train, test)
    )
    places = {kind: [names.index(name) for name in those] for kind, those in types.items()}
    return mixed_logistic(places).fit(x, y).predict_proba(x_test)


def _measured(probabilities: Any, truth: list[str]) -> dict[str, float]:
    predicted = np.unique(truth)[probabilities.argmax(axis=1)]
    accuracy = 100 * float(np.mean(predicted == np.array(truth)))
    return {"accuracy": accuracy, "log-loss": float(log_loss(truth, probabilities))}


def _better(measured: dict[str, dict[str, float]]) -> str:
    mixed = measured["mixed"]
    others = [measured[name] for name, _ in _ONE_TYPE.values() if name in measured]
    if len(others) == 1:
        return "(there is one type)"
    accuracy = all(mixed["accuracy"] > other["accuracy"] for other in others)
    loss = all(mixed["log-loss"] < other["log-loss"] for other in others)
    return " and ".join(["accuracy"] * accuracy + ["log-loss"] * loss) or "neither"
