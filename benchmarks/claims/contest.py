"""The same rows for all: as Naive Bayes reads them, and as a matrix for the others."""

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.speed.corpus import Corpus
from likely import Categorical, Classifier, Gaussian, Multinomial
from likely.sklearn import TextVectorizer

TARGETS = {"adult": "income", "mushroom": "class", "pima_diabetes": "class"}

Places = np.ndarray


@dataclass(frozen=True, eq=False)
class Contest:
    """Labelled rows. Each contender learns some of them and says what others are."""

    name: str
    cells: Any
    labels: np.ndarray
    likelihood: Any
    matrix: Any
    is_text: bool

    def naive(self, train: Places, test: Places) -> np.ndarray:
        model = Classifier(self.likelihood, ledger=False)
        return model.fit(self._some(train), self.labels[train]).predict(self._some(test))

    def logistic(self, train: Places, test: Places) -> np.ndarray:
        weighting = [TfidfTransformer()] if self.is_text else []
        return self._peer(make_pipeline(*weighting, LogisticRegression(max_iter=1000)), train, test)

    def tree(self, train: Places, test: Places) -> np.ndarray:
        return self._peer(DecisionTreeClassifier(random_state=0), train, test)

    def right(self, contender: str, train: Places, test: Places) -> float:
        said = getattr(self, contender)(train, test)
        return float(np.mean(said == self.labels[test]))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows to learn and to ask about: 1,000 and 2,000, fewer of a small table."""
        n_train = 1000 if len(self.labels) >= 2000 else 500
        return n_train, min(2000, len(self.labels) - n_train)

    def draw(self, seed: int, n_train: int, n_test: int) -> tuple[Places, Places]:
        """Rows to learn and others to be asked about, at random, with more than one class."""
        chance = np.random.default_rng(seed)
        while True:
            order = chance.permutation(len(self.labels))
            train, test = order[:n_train], order[len(order) - n_test :]
            if len(set(self.labels[train])) > 1:
                return train, test

    def only(self, places: Places) -> "Contest":
        some, labels = self._some(places), self.labels[places]
        return replace(self, cells=some, labels=labels, matrix=self.matrix[places])

    def _some(self, places: Places) -> Any:
        if self.is_text:
            return [self.cells[place] for place in places]
        return {name: column[places] for name, column in self.cells.items()}

    def _peer(self, model: Any, train: Places, test: Places) -> np.ndarray:
        learned = self.matrix[train]
        # A column without a cell in the learned rows tells nothing and costs time.
        there = np.flatnonzero(learned.getnnz(axis=0))
        model.fit(learned[:, there], self.labels[train])
        return model.predict(self.matrix[test][:, there])


def majority(labels: Any) -> str:
    """The percentage right of always saying the commonest class."""
    return f"{100 * np.unique(labels, return_counts=True)[1].max() / len(labels):.1f}"


def of_texts(corpus: Corpus) -> Contest:
    matrix = TextVectorizer().fit_transform(corpus.texts).tocsr()
    labels = np.array(corpus.labels)
    return Contest(corpus.name, corpus.texts, labels, Multinomial(), matrix, True)


def of_columns(name: str, columns: dict[str, np.ndarray], labels: np.ndarray) -> Contest:
    """Columns of numbers get bell curves, others counts of their values."""
    numbers = {n for n, column in columns.items() if column.dtype.kind == "f"}
    likelihood = {n: Gaussian() if n in numbers else Categorical() for n in columns}
    parts = []
    if numbers:
        cells = np.column_stack([columns[n] for n in columns if n in numbers])
        parts.append(csr_matrix(StandardScaler().fit_transform(cells)))
    if len(numbers) < len(columns):
        cells = np.column_stack([columns[n] for n in columns if n not in numbers])
        parts.append(OneHotEncoder().fit_transform(cells))
    return Contest(name, columns, labels, likelihood, hstack(parts).tocsr(), False)


def read_table(folder: Path, name: str) -> Contest:
    path = folder / f"tab_{name}"
    file = path / ("train.csv" if (path / "train.csv").exists() else "all.csv")
    with file.open(encoding="utf-8", newline="") as lines:
        header, *cells = csv.reader(lines)
    columns = dict(zip(header, np.array(cells).T, strict=True))
    labels = columns.pop(TARGETS[name])
    return of_columns(name, {n: _numbers(column) for n, column in columns.items()}, labels)


def _numbers(column: np.ndarray) -> np.ndarray:
    try:
        return column.astype(float)
    except ValueError:
        return column
