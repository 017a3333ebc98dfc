"""How often a model of all columns is right, beside models of one kind of columns each."""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import likely

LEGEND = """\
Percent right and log-loss (nats a row, probabilities no smaller than 2e-16) on rows that were not
learned: Adult's test set, elsewhere ten stratified folds, the same for all. `mixed` is
`likely.Classifier()`, which finds out what each column is; the others are given the kinds it found.
`baseline` knows the shares of the classes and nothing of the row. `better in`: where mixed is
better than each Naive Bayes of one kind of columns."""
WIDTHS = {"data": 8, "rows": 6, "model": 32, "columns": 28, "% right": 7, "log-loss": 8}
WIDTHS |= {"better in": 21}

_TARGETS = {"adult": "income", "titanic": "survived", "penguins": "species", "mushroom": "class"}
_ONE_KIND = {
    "text": ("text only", likely.Multinomial),
    "number": ("numbers only", likely.Gaussian),
    "category": ("categories only", likely.Categorical),
}
_THEIRS = {
    "number": make_pipeline(SimpleImputer(strategy="mean"), StandardScaler()),
    "category": OneHotEncoder(handle_unknown="ignore"),
}

Columns = dict[str, Any]


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for name, target in _TARGETS.items():
        path = folder / f"tab_{name}"
        if not path.exists():
            print(f"{name}: left out, there is no `{path}`", file=sys.stderr)
            continue
        said, truth, columns = defaultdict(list), [], {}
        for train, y, test, y_test in _splits(path, target):
            truth.extend(y_test)
            for model, read, probabilities in _models(train, y, test):
                said[model].append(probabilities)
                columns[model] = read
        measured = {model: _measured(np.vstack(all_), truth) for model, all_ in said.items()}
        for model, figures in measured.items():
            better = {"better in": _better(measured)} if model == "mixed" else {}
            about = {"data": name, "rows": len(truth), "model": model, "columns": columns[model]}
            yield about | figures | better


def _splits(path: Path, target: str) -> Iterator[tuple[Columns, Any, Columns, Any]]:
    """What to learn from and what to be asked about, columns and labels of each."""
    if (path / "test.csv").exists():
        yield *_read(path / "train.csv", target), *_read(path / "test.csv", target)
        return
    columns, y = _read(path / "all.csv", target)
    for rest, out in StratifiedKFold(10, shuffle=True, random_state=0).split(y, y):
        train, test = ({n: cells[part] for n, cells in columns.items()} for part in (rest, out))
        yield train, y[rest], test, y[out]


def _read(path: Path, target: str) -> tuple[Columns, Any]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *cells = csv.reader(file)
    columns = dict(zip(header, np.array(cells, dtype=object).T, strict=True))
    return columns, columns.pop(target).astype(str)


def _models(train: Columns, y: Any, test: Columns) -> Iterator[tuple[str, str, Any]]:
    """For each model its name, the columns it reads, and the probabilities it gives."""
    mixed = likely.Classifier().fit(train, y)
    kinds = {k: [n for n, c in mixed.choices.items() if c.kind == k] for k in _ONE_KIND}
    kinds = {kind: names for kind, names in kinds.items() if names}
    columns = ", ".join(f"{len(names)} {kind}" for kind, names in kinds.items())
    yield "mixed", columns, mixed.predict_proba(test)
    for kind, names in kinds.items():
        model, likelihood = _ONE_KIND[kind]
        own = likely.Classifier({name: likelihood() for name in names}).fit(train, y)
        yield model, f"{len(names)} {kind}", own.predict_proba(test)
    yield "scikit-learn LogisticRegression", columns, _logistic(train, y, test, kinds)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    yield "baseline", "", np.tile(shares, (len(next(iter(test.values()))), 1))


def _logistic(train: Columns, y: Any, test: Columns, kinds: dict[str, list[str]]) -> Any:
    """Standardised numbers, one-hot categories and TF-IDF; missing is NaN, or one more category."""
    names = [name for those in kinds.values() for name in those]
    number = set(kinds.get("number", ()))
    x, x_test = (
        np.array([_floats(table[n]) if n in number else table[n] for n in names], dtype=object).T
        for table in (train, test)
    )
    steps = [
        (kind, _THEIRS[kind], [names.index(name) for name in those])
        for kind, those in kinds.items()
        if kind != "text"
    ]
    steps += [(name, TfidfVectorizer(), names.index(name)) for name in kinds.get("text", ())]
    peer = make_pipeline(ColumnTransformer(steps), LogisticRegression(max_iter=5000))
    return peer.fit(x, y).predict_proba(x_test)


def _floats(cells: Any) -> list[float]:
    missing = likely.Classifier().missing
    return [np.nan if cell in missing else float(cell) for cell in cells]


def _measured(probabilities: Any, truth: list[str]) -> dict[str, float]:
    predicted = np.unique(truth)[probabilities.argmax(axis=1)]
    right = 100 * float(np.mean(predicted == np.array(truth)))
    return {"% right": right, "log-loss": float(log_loss(truth, probabilities))}


def _better(measured: dict[str, dict[str, float]]) -> str:
    mixed = measured["mixed"]
    others = [measured[name] for name, _ in _ONE_KIND.values() if name in measured]
    if len(others) == 1:
        return "(there is one kind)"
    right = all(mixed["% right"] > other["% right"] for other in others)
    loss = all(mixed["log-loss"] < other["log-loss"] for other in others)
    return " and ".join(["% right"] * right + ["log-loss"] * loss) or "neither"
