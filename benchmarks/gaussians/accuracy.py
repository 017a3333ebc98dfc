"""Accuracy on rows left out.

Ours comes from one pass over the rows. scikit-learn learns anew for every row that is left out, or
for every tenth of the rows where that takes too long.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import likely
from benchmarks import peers
from benchmarks.data import Columns, numbers
from benchmarks.measure import clocked, race, timed
from benchmarks.run import Run
from benchmarks.table import Cell, Row, in_percent

NOTES = """\
Leave-one-out accuracy in percent; `baseline` always says the most common class. `same`: given
the very rows and values that scikit-learn was given, ours decides every row as it does. (From
version 1.9 on its LDA and QDA divide by n and n_c, ours by n − K and n_c − 1, so probabilities
differ a little.) Ours leaves out what is missing. scikit-learn takes a missing category as one more
category, and no row that lacks a number; `theirs` says how many."""
COLUMNS = ("data", "rows", "classes", "baseline", "model", "ours", "scikit-learn", "same")
COLUMNS += ("our time", "their time", "theirs")

_TARGETS = {
    "iris": "species",
    "wine": "class",
    "penguins": "species",
    "pima_diabetes": "class",
    "mushroom": "class",
}
_MANY = 1000
_MISSING = ("", "?")


def rows(run: Run) -> Iterator[Row]:
    names = [f"tab_{name}" for name in _TARGETS]
    for folder in run.data.present(*(names[:1] if run.quick else names)):
        name = folder.removeprefix("tab_")
        cells, y = run.data.columns(name, "all", _TARGETS[name])
        cut = slice(40 if run.quick else None)
        columns, y = {n: numbers(column[cut], _MISSING) for n, column in cells.items()}, y[cut]
        _, counts = np.unique(y, return_counts=True)
        about = {"data": name, "rows": len(y), "classes": len(counts)}
        about["baseline"] = in_percent(counts.max() / len(y))
        for model, *sides in _models(columns, many=len(y) >= _MANY):
            yield {**about, "model": model, **_measured(y, *sides)}


def _models(columns: Columns, many: bool) -> Iterator[Any]:
    """A name; our likelihood and what it reads; their model, what it reads, and if in folds."""
    numeric = {n: column for n, column in columns.items() if column.dtype.kind == "f"}
    others = {n: column for n, column in columns.items() if n not in numeric}
    ours = {n: [None if c in _MISSING else c for c in column] for n, column in others.items()}
    both, one_hot = numeric | ours, []
    if numeric:
        x = np.column_stack(list(numeric.values()))
        nb, lda, qda = (peer() for peer in peers.GAUSSIANS.values())
        yield "Gaussian NB", likely.Gaussian(), numeric, nb, x
        yield "LDA", likely.Gaussian("shared"), numeric, lda, x
        yield "QDA", likely.Gaussian("full"), numeric, qda, x
    if others:
        cells = np.column_stack(list(others.values()))
        one_hot = [OneHotEncoder(sparse_output=False).fit_transform(cells)]
        x = OrdinalEncoder().fit_transform(cells)
        peer = CategoricalNB(alpha=1.0, min_categories=x.max(axis=0).astype(int) + 1)
        yield "categories, m = 1", likely.Categorical(m=1.0), ours
        yield "categories, α = 1", likely.Categorical(alpha=1.0), ours, peer, x
    if numeric and others:
        apart = {tuple(numeric): likely.Gaussian("full"), tuple(others): likely.Categorical()}
        yield "QDA × categories", apart, both
    x = np.column_stack([*numeric.values(), *one_hot])
    yield "logistic regression", None, both, peers.scaled_logistic(len(numeric)), x, many


def _measured(
    y: Any, likelihood: Any, columns: Any, peer: Any = None, x: Any = None, folds: bool = False
) -> Row:
    found: Row = {}
    if likelihood is not None:
        model = likely.Classifier(likelihood)
        (seconds,) = race(timed(lambda: model.fit(columns, y, loo=True)), rounds=3)
        found |= {"ours": in_percent(model.loo.accuracy), "our time": _seconds(seconds)}
    if peer is not None:
        whole = ~np.isnan(x).any(axis=1)
        x, y = x[whole], y[whole]
        predictions, seconds = clocked(lambda: _unseen(peer, x, y, folds))
        found |= {"scikit-learn": in_percent(np.mean(predictions == y))}
        remarks = [f"without {(~whole).sum()} rows"] * (not whole.all()) + ["10 folds"] * folds
        found |= {"their time": _seconds(seconds), "theirs": ", ".join(remarks)}
        if likelihood is not None and not folds:
            again = likely.Classifier(likelihood).fit(x, y, loo=True).loo
            found["same"] = bool((again.predictions == predictions).all())
    return found


def _unseen(peer: Any, x: Any, y: Any, folds: bool) -> Any:
    """Predictions of each row by a model that learned from others only."""
    splits = StratifiedKFold(10, shuffle=True, random_state=0) if folds else LeaveOneOut()
    predictions = np.empty_like(y)
    for rest, out in splits.split(x, y):
        predictions[out] = peer.fit(x[rest], y[rest]).predict(x[out])
    return predictions


def _seconds(seconds: float) -> Cell:
    return Cell(seconds, f"{1000 * seconds:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s")
