"""How often a model of all columns is right, beside models of one kind of columns each."""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields
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
`baseline` says the shares of the classes whatever the row. `wins in`: where mixed is better than
each single kind of Naive Bayes."""

_TARGETS = {"adult": "income", "titanic": "survived", "penguins": "species", "mushroom": "class"}
_ONE_KIND = {
    "text": ("text only", likely.Multinomial),
    "number": ("numbers only", likely.Gaussian),
    "category": ("categories only", likely.Categorical),
}
_WIDTHS = (8, 6, 33, 28, 6, 8, 22)

Columns = dict[str, Any]


@dataclass(frozen=True)
class Row:
    data: str
    rows: int
    model: str
    columns: str
    right: float
    log_loss: float
    wins_in: str = ""

    def line(self) -> str:
        figures = (f"{100 * self.right:.2f}", f"{self.log_loss:.4f}")
        return _line(self.data, f"{self.rows:,}", self.model, self.columns, *figures, self.wins_in)


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    for name, target in _TARGETS.items():
        path = folder / f"tab_{name}"
        if not path.exists():
            print(f"{name}: left out, there is no `{path}`", file=sys.stderr)
            continue
        said: dict[str, list[Any]] = defaultdict(list)
        read: dict[str, str] = {}
        truth = []
        for train, y, test, y_test in _splits(path, target):
            classes = np.unique(y)
            truth.extend(y_test)
            for model, about, probabilities in _models(train, y, test):
                said[model].append(probabilities)
                read[model] = about
        measured = {m: _measured(np.vstack(p), np.array(truth), classes) for m, p in said.items()}
        for model, (right, loss) in measured.items():
            wins = _wins(measured) if model == "mixed" else ""
            yield Row(name, len(truth), model, read[model], right, loss, wins)


def _splits(path: Path, target: str) -> Iterator[tuple[Columns, Any, Columns, Any]]:
    """What to learn from and what to be asked about, columns and labels of each."""
    if (path / "test.csv").exists():
        yield *_read(path / "train.csv", target), *_read(path / "test.csv", target)
        return
    columns, y = _read(path / "all.csv", target)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for rest, out in folds.split(y, y):
        parts = ({n: column[part] for n, column in columns.items()} for part in (rest, out))
        yield next(parts), y[rest], next(parts), y[out]


def _read(path: Path, target: str) -> tuple[Columns, Any]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *cells = csv.reader(file)
    columns = dict(zip(header, np.array(cells, dtype=object).T, strict=True))
    return columns, columns.pop(target).astype(str)


def _models(train: Columns, y: Any, test: Columns) -> Iterator[tuple[str, str, Any]]:
    """For each model its name, what it reads, and the probabilities it gives."""
    mixed = likely.Classifier().fit(train, y)
    kinds = {k: [n for n, c in mixed.choices.items() if c.kind == k] for k in _ONE_KIND}
    kinds = {kind: names for kind, names in kinds.items() if names}
    about = ", ".join(f"{len(names)} {kind}" for kind, names in kinds.items())
    yield "mixed", about, mixed.predict_proba(test)
    for kind, names in kinds.items():
        model, likelihood = _ONE_KIND[kind]
        own = likely.Classifier({name: likelihood() for name in names}).fit(train, y)
        yield model, f"{len(names)} {kind}", own.predict_proba({n: test[n] for n in names})
    peer = make_pipeline(_transformer(kinds), LogisticRegression(max_iter=5000))
    x, x_test = (_arranged(columns, kinds) for columns in (train, test))
    yield "scikit-learn, logistic regression", about, peer.fit(x, y).predict_proba(x_test)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    yield "baseline", "none", np.tile(shares, (len(x_test), 1))


def _transformer(kinds: dict[str, list[str]]) -> ColumnTransformer:
    places: dict[str, list[int]] = defaultdict(list)
    for place, kind in enumerate(kind for kind, names in kinds.items() for _ in names):
        places[kind].append(place)
    scale = make_pipeline(SimpleImputer(strategy="mean"), StandardScaler())
    steps = [("number", scale, places["number"])] * bool(places["number"])
    one_hot = OneHotEncoder(handle_unknown="ignore")
    steps += [("category", one_hot, places["category"])] * bool(places["category"])
    steps += [(f"text {place}", TfidfVectorizer(), place) for place in places["text"]]
    return ColumnTransformer(steps)


def _arranged(columns: Columns, kinds: dict[str, list[str]]) -> Any:
    """The columns side by side, in the order of their kinds; missing numbers are NaN."""
    arranged = {name: columns[name] for names in kinds.values() for name in names}
    for name in kinds.get("number", ()):
        arranged[name] = [np.nan if c in ("", "?", "NA") else float(c) for c in columns[name]]
    return np.array(list(arranged.values()), dtype=object).T


def _measured(probabilities: Any, truth: Any, classes: Any) -> tuple[float, float]:
    right = float(np.mean(classes[probabilities.argmax(axis=1)] == truth))
    return right, float(log_loss(truth, probabilities, labels=classes))


def _wins(measured: dict[str, tuple[float, float]]) -> str:
    mixed = measured["mixed"]
    singles = [measured[name] for name, _ in _ONE_KIND.values() if name in measured]
    if len(singles) == 1:
        return "there is only one kind"
    by_right = all(mixed[0] > right for right, _ in singles)
    by_loss = all(mixed[1] < loss for _, loss in singles)
    return " and ".join(["accuracy"] * by_right + ["log-loss"] * by_loss) or "nothing"


def _line(*cells: str) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
    return f"| {' | '.join(padded)} |"


NAMES = tuple(field.name.replace("log_", "log-").replace("_", " ") for field in fields(Row))
BLANK = _line(*[""] * len(NAMES))
