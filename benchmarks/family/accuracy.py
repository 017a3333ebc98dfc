"""How often each is right about a row it has not seen.

Ours comes from one pass over the rows. scikit-learn learns anew for every row that is left out, or
for every tenth of the rows where that takes too long.
"""

import csv
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import likely
from benchmarks.speed.measure import race, timed

LEGEND = """\
Percent right when each row is left out; `baseline` always says the most common class. `same`: given
the very rows and values that scikit-learn was given, ours decides every row as it does. (From
version 1.9 on its LDA and QDA divide by n and n_c, ours by n − K and n_c − 1, so probabilities
differ a little.) Ours leaves out what is missing. scikit-learn takes a missing category as one more
category, and no row that lacks a number; `theirs` says how many."""

_TARGETS = {
    "iris": "species",
    "wine": "class",
    "penguins": "species",
    "pima_diabetes": "class",
    "mushroom": "class",
}
_WIDTHS = (13, 5, 7, 8, 19, 5, 12, 4, 8, 10, 22)
_MANY = 1000
_MISSING = ("", "?")

Columns = dict[str, Any]


@dataclass(frozen=True)
class Row:
    data: str
    rows: int
    classes: int
    baseline: float
    model: str
    ours: float | None = None
    scikit_learn: float | None = None
    same: bool | None = None
    our_time: float | None = None
    their_time: float | None = None
    theirs: str = ""

    def line(self) -> str:
        times = (_seconds(self.our_time), _seconds(self.their_time))
        same = {None: "", True: "yes", False: "no"}[self.same]
        known = (self.data, f"{self.rows:,}", str(self.classes), _percent(self.baseline))
        right = (_percent(self.ours), _percent(self.scikit_learn))
        return _line(*known, self.model, *right, same, *times, self.theirs)


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    for name, target in _TARGETS.items():
        path = folder / f"tab_{name}" / "all.csv"
        if not path.exists():
            print(f"{name}: left out, there is no `{path}`", file=sys.stderr)
            continue
        numbers, categories, y = _read(path, target)
        _, counts = np.unique(y, return_counts=True)
        about = (name, len(y), len(counts), counts.max() / len(y))
        for model, *sides in _models(numbers, categories, len(y) >= _MANY, quick):
            yield Row(*about, model, **_measured(y, *sides))


def _read(path: Path, target: str) -> tuple[Columns, Columns, Any]:
    """Columns of numbers, NaN where one is missing; columns of anything else; the labels."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *cells = csv.reader(file)
    columns = dict(zip(header, map(list, zip(*cells, strict=True)), strict=True))
    y, numbers = np.array(columns.pop(target)), {}
    for name, column in columns.items():
        try:
            numbers[name] = np.array([np.nan if c in _MISSING else float(c) for c in column])
        except ValueError:
            continue
    return numbers, {name: columns[name] for name in columns if name not in numbers}, y


def _models(numbers: Columns, categories: Columns, many: bool, quick: bool) -> Iterator[Any]:
    """A name; our likelihood and what it reads; their model, what it reads, and if in folds."""
    ours = {n: [None if c in _MISSING else c for c in column] for n, column in categories.items()}
    both, one_hot = numbers | ours, []
    if numbers:
        x = np.column_stack(list(numbers.values()))
        lda, qda = LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()
        yield "Gaussian NB", likely.Gaussian(), numbers, GaussianNB(), x
        yield "LDA", likely.Gaussian("shared"), numbers, lda, x
        yield "QDA", likely.Gaussian("full"), numbers, qda, x
    if categories:
        cells = np.column_stack(list(categories.values()))
        one_hot = [OneHotEncoder(sparse_output=False).fit_transform(cells)]
        x = OrdinalEncoder().fit_transform(cells)
        peer = CategoricalNB(alpha=1.0, min_categories=x.max(axis=0).astype(int) + 1)
        yield "categories, m = 1", likely.Categorical(m=1.0), ours
        yield "categories, α = 1", likely.Categorical(alpha=1.0), ours, peer, x, many & quick
    if numbers and categories:
        apart = {tuple(numbers): likely.Gaussian("full"), tuple(categories): likely.Categorical()}
        yield "QDA × categories", apart, both
    scale = make_column_transformer(
        (StandardScaler(), list(range(len(numbers)))), remainder="passthrough"
    )
    logistic = make_pipeline(scale, LogisticRegression(max_iter=1000))
    x = np.column_stack([*numbers.values(), *one_hot])
    yield "logistic regression", None, both, logistic, x, many


def _measured(
    y: Any, likelihood: Any, columns: Columns, peer: Any = None, x: Any = None, folds: bool = False
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if likelihood is not None:
        model = likely.Classifier(likelihood)
        (found["our_time"],) = race(timed(lambda: model.fit(columns, y, loo=True)), rounds=3)
        found["ours"] = model.loo.accuracy
    if peer is not None:
        whole = ~np.isnan(x).any(axis=1)
        x, y = x[whole], y[whole]
        start = time.perf_counter()
        predictions = _unseen(peer, x, y, folds)
        found["their_time"] = time.perf_counter() - start
        found["scikit_learn"] = float(np.mean(predictions == y))
        remarks = [f"without {(~whole).sum()} rows"] * (not whole.all()) + ["10 folds"] * folds
        found["theirs"] = ", ".join(remarks)
        if likelihood is not None and not folds:
            again = likely.Classifier(likelihood).fit(x, y, loo=True).loo
            found["same"] = bool((again.predictions == predictions).all())
    return found


def _unseen(peer: Any, x: Any, y: Any, folds: bool) -> Any:
    """What a model says of each row, having learned from others only."""
    splits = StratifiedKFold(10, shuffle=True, random_state=0) if folds else LeaveOneOut()
    predictions = np.empty_like(y)
    for rest, out in splits.split(x, y):
        predictions[out] = peer.fit(x[rest], y[rest]).predict(x[out])
    return predictions


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


def _line(*cells: str) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
    return f"| {' | '.join(padded)} |"


NAMES = tuple(field.name.replace("_l", "-l").replace("_", " ") for field in fields(Row))
BLANK = _line(*[""] * len(NAMES))
