"""How often each is right about a row it has not seen.

Ours comes from one pass over the rows. scikit-learn learns anew for every row that is left out, or
for every tenth of the rows where that takes too long.
"""

import csv
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
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
from likely.inputs import is_missing

TARGETS = {
    "iris": "species",
    "wine": "class",
    "penguins": "species",
    "pima_diabetes": "class",
    "mushroom": "class",
}
LEGEND = (
    "Percent right when each row is left out. `commonest`: by always saying the most common class. "
    "`same`:\ngiven the very rows and values that scikit-learn is given, ours says the same of "
    "every row as it does."
)
_COLUMNS = (
    *(("data", 13), ("rows", 5), ("classes", 7), ("commonest", 9), ("model", 29)),
    *(("ours", 5), ("theirs", 6), ("same", 4), ("our time", 8), ("their time", 10), ("notes", 7)),
)
_MANY = 1000


@dataclass(frozen=True)
class Data:
    """Columns of numbers, NaN where one is missing, and of categories, as the table spells them."""

    name: str
    numbers: dict[str, Any]
    categories: dict[str, Any]
    labels: Any


@dataclass(frozen=True)
class Result:
    data: str
    rows: int
    classes: int
    commonest: float
    model: str
    ours: float | None
    theirs: float | None
    same: bool | None
    our_seconds: float | None
    their_seconds: float | None
    notes: tuple[str, ...]

    def line(self, notes: list[str]) -> str:
        """The row of the table; `notes` are those that stand below it."""
        numbers = " ".join(f"[{notes.index(note) + 1}]" for note in self.notes)
        same = {None: "", True: "yes", False: "NO"}[self.same]
        known = (self.data, f"{self.rows:,}", str(self.classes), _percent(self.commonest))
        right = _percent(self.ours), _percent(self.theirs)
        took = _seconds(self.our_seconds), _seconds(self.their_seconds)
        return _line(*known, self.model, *right, same, *took, numbers)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def read(folder: Path, name: str) -> Data | None:
    """A table of the folder; a column is of numbers if all its cells are that are not missing."""
    path = folder / f"tab_{name}" / "all.csv"
    if not path.exists():
        return None
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    labels = np.array(columns.pop(TARGETS[name]))
    data = Data(name, {}, {}, labels)
    for column, cells in columns.items():
        try:
            found = [np.nan if is_missing(cell) else float(cell) for cell in cells]
            data.numbers[column] = np.array(found)
        except ValueError:
            data.categories[column] = cells
    return data


def results(data: Data, quick: bool) -> Iterator[Result]:
    """Every model that fits the columns, with its peer if it has one; then the logistic one."""
    y, all_rows = data.labels, np.ones(len(data.labels), dtype=bool)
    whole, codes, one_hot = all_rows, None, np.empty((len(y), 0))
    if data.numbers:
        numbers = np.column_stack(list(data.numbers.values()))
        whole = ~np.isnan(numbers).any(axis=1)
        for name, likelihood, peer in (
            ("Gaussian NB", likely.Gaussian(), GaussianNB()),
            ("LDA", likely.Gaussian("shared"), LinearDiscriminantAnalysis()),
            ("QDA", likely.Gaussian("full"), QuadraticDiscriminantAnalysis()),
        ):
            yield _compare(data, name, likelihood, data.numbers, peer, numbers, whole)
    if data.categories:
        cells = np.column_stack(list(data.categories.values()))
        codes = OrdinalEncoder().fit_transform(cells)
        one_hot = OneHotEncoder(sparse_output=False).fit_transform(cells)
        peer = CategoricalNB(alpha=1.0, min_categories=codes.max(axis=0).astype(int) + 1)
        lenient, laplace = likely.Categorical(m=1.0), likely.Categorical(alpha=1.0)
        yield _compare(data, "categories, m = 1", lenient, data.categories)
        folds = quick and len(y) >= _MANY
        yield _compare(
            data, "categories, α = 1", laplace, data.categories, peer, codes, all_rows, folds
        )
    if data.numbers and data.categories:
        parts = {tuple(data.numbers): likely.Gaussian("full")}
        parts[tuple(data.categories)] = likely.Categorical()
        yield _compare(data, "QDA × categories", parts, {**data.numbers, **data.categories})
    matrix = np.column_stack([*data.numbers.values(), one_hot])
    scale = make_column_transformer(
        (StandardScaler(), list(range(len(data.numbers)))), remainder="passthrough"
    )
    logistic = make_pipeline(scale, LogisticRegression(max_iter=1000))
    folds = len(y) >= _MANY
    yield _compare(data, "logistic regression", None, None, logistic, matrix, whole, folds)


def _compare(
    data: Data,
    name: str,
    likelihood: Any,
    columns: Any,
    peer: Any = None,
    matrix: Any = None,
    rows: Any = None,
    folds: bool = False,
) -> Result:
    """Ours on `columns`, theirs on those `rows` of `matrix` that it can take."""
    y, notes = data.labels, list[str]()
    ours = theirs = same = our_seconds = their_seconds = None
    if likelihood is not None:
        model = likely.Classifier(likelihood)
        (our_seconds,) = race(timed(lambda: model.fit(columns, y, loo=True)), rounds=3)
        ours = model.loo.accuracy
    if peer is not None:
        x, its_y = matrix[rows], y[rows]
        start = time.perf_counter()
        predictions = _unseen(peer, x, its_y, folds)
        their_seconds = time.perf_counter() - start
        theirs = float(np.mean(predictions == its_y))
        if likelihood is not None and not folds:
            again = likely.Classifier(likelihood).fit(x, its_y, loo=True).loo
            same = bool((again.predictions == predictions).all())
        if not rows.all():
            notes.append(f"theirs without the {(~rows).sum()} rows that lack numbers")
        if any(is_missing(cell) for cells in data.categories.values() for cell in cells):
            notes.append("to theirs, a missing category is one more category")
        if folds:
            notes.append("theirs in 10 folds, not one row at a time")
    (_, most), *_ = Counter(y.tolist()).most_common(1)
    known = (data.name, len(y), len(set(y.tolist())), most / len(y), name)
    return Result(*known, ours, theirs, same, our_seconds, their_seconds, tuple(notes))


def _unseen(peer: Any, x: Any, y: Any, folds: bool) -> Any:
    """What a model says of each row, learned from others only."""
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
    padded = (cell.ljust(width) for cell, (_, width) in zip(cells, _COLUMNS, strict=True))
    return f"| {' | '.join(padded)} |"


HEADING = "\n".join([_line(*(n for n, _ in _COLUMNS)), _line(*("-" * w for _, w in _COLUMNS))])
