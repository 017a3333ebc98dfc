"""The same rows for all: as Naive Bayes reads them, and as a matrix for the others."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks import peers
from benchmarks.data import Corpus, Data, numbers
from benchmarks.table import Cell, in_percent
from likely import Categorical, Classifier, Gaussian, Multinomial
from likely.sklearn import TextVectorizer

TARGETS = {"adult": "income", "mushroom": "class", "pima_diabetes": "class"}
SYSTEMS = {"naive": "NB", "logistic": "LR", "tree": "tree"}

Places = np.ndarray


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labeled rows. Each system learns some of them and predicts others."""

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
        return self._peer(peers.logistic(tfidf=self.is_text), train, test)

    def tree(self, train: Places, test: Places) -> np.ndarray:
        return self._peer(peers.tree(), train, test)

    def neighbors(self, train: Places, test: Places) -> np.ndarray:
        """By the cosine of TF-IDF weights for texts, by distance in standardized columns."""
        return self._peer(peers.searched_neighbors(len(train), tfidf=self.is_text), train, test)

    def count_neighbors(self, train: Places, test: Places) -> np.ndarray:
        """By Euclidean distance, for texts that of their counts."""
        return self._peer(peers.searched_neighbors(len(train)), train, test)

    def accuracy(self, system: str, train: Places, test: Places) -> float:
        return float(np.mean(getattr(self, system)(train, test) == self.labels[test]))

    @property
    def majority(self) -> Cell:
        return majority(self.labels)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows to learn and to predict: 1,000 and 2,000, fewer of a small table."""
        n_train = 1000 if len(self.labels) >= 2000 else 500
        return n_train, min(2000, len(self.labels) - n_train)

    def draw(self, seed: int, n_train: int, n_test: int) -> tuple[Places, Places]:
        """Rows to learn and others to predict, at random, with more than one class."""
        chance = np.random.default_rng(seed)
        while True:
            order = chance.permutation(len(self.labels))
            train, test = order[:n_train], order[max(n_train, len(order) - n_test) :]
            if len(set(self.labels[train])) > 1:
                return train, test

    def only(self, places: Places) -> "Dataset":
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


def majority(labels: Any) -> Cell:
    """The accuracy of always predicting the most common class."""
    return in_percent(np.unique(labels, return_counts=True)[1].max() / len(labels))


def of_texts(corpus: Corpus) -> Dataset:
    matrix = TextVectorizer().fit_transform(corpus.texts).tocsr()
    labels = np.array(corpus.labels)
    return Dataset(corpus.name, corpus.texts, labels, Multinomial(), matrix, True)


def of_columns(name: str, columns: dict[str, np.ndarray], labels: np.ndarray) -> Dataset:
    """Numeric columns get Gaussians, others counts of their values."""
    numeric = {n for n, column in columns.items() if column.dtype.kind == "f"}
    likelihood = {n: Gaussian() if n in numeric else Categorical() for n in columns}
    parts = []
    if numeric:
        cells = np.column_stack([columns[n] for n in columns if n in numeric])
        parts.append(csr_matrix(StandardScaler().fit_transform(cells)))
    if len(numeric) < len(columns):
        cells = np.column_stack([columns[n] for n in columns if n not in numeric])
        parts.append(OneHotEncoder().fit_transform(cells))
    return Dataset(name, columns, labels, likelihood, hstack(parts).tocsr(), False)


def datasets(data: Data, texts: tuple[str, ...], tables: tuple[str, ...]) -> Iterator[Dataset]:
    """Those of the sets of texts and of the tables that are there."""
    for name in data.present(*texts):
        yield of_texts(data.texts(name, "all"))
    for folder in data.present(*(f"tab_{name}" for name in tables)):
        name = folder.removeprefix("tab_")
        part = "train" if (data.folder / folder / "train.csv").exists() else "all"
        columns, labels = data.columns(name, part, TARGETS.get(name, "class"))
        yield of_columns(name, {n: numbers(column) for n, column in columns.items()}, labels)
