"""Discriminative classifiers beside ours, on the same features and the same folds.

scikit-learn has them. Texts are TF-IDF weights of the features that the model counts, each row of
length one; numbers are standardised, a missing one is the mean; categories have a column for each
value.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.classifier import Classifier
from likely.data.columns import nearest
from likely.data.labeled import labeled, whole
from likely.data.labels import label_array
from likely.data.table import Categories, Numbers, Table
from likely.data.vectors import VectorRows
from likely.errors import OptionError
from likely.evaluation.cross_validation import CrossValidation
from likely.model.learning import observe
from likely.tally.ledger import Ledger

NEIGHBOURS = ("logistic", "svm", "tree", "forest", "knn")


def predict_alike(
    names: Iterable[str],
    model: Classifier,
    x: Any,
    y: Any,
    found: CrossValidation,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> dict[str, NDArray[Any]]:
    """The predictions of each comparison model for the rows that `found` predicts, fold by fold."""
    made = {name: _neighbour(name, seed) for name in names}
    table, labels = whole(labeled(x, model.target if y is None else y))
    truth = label_array(labels.values)[labels.slots]
    said = {name: np.empty_like(found.predictions) for name in made}
    for place, (repeat, fold) in enumerate(
        sorted(set(zip(found.repeats.tolist(), found.folds.tolist(), strict=True)))
    ):
        here = (found.repeats == repeat) & (found.folds == fold)
        rest = np.setdiff1d(np.arange(len(truth)), found.rows[here])
        learned, asked = _features(model, table.at(rest), truth[rest], table.at(found.rows[here]))
        for name, estimator in made.items():
            said[name][here] = estimator.fit(learned, truth[rest]).predict(asked)
        if progress is not None:
            progress(place + 1)
    return said


def _neighbour(name: str, seed: int) -> Any:
    if name not in NEIGHBOURS:
        raise OptionError(f"there is no neighbour {name!r}; {nearest(name, NEIGHBOURS)}")
    try:
        from sklearn import ensemble, linear_model, neighbors, svm, tree
    except ImportError:
        raise OptionError(
            "scikit-learn is needed for its classifiers\nhint: `pip install 'likely[sklearn]'`"
        ) from None
    return {
        "logistic": lambda: linear_model.LogisticRegression(max_iter=1000, random_state=seed),
        "svm": lambda: svm.LinearSVC(random_state=seed),
        "tree": lambda: tree.DecisionTreeClassifier(random_state=seed),
        "forest": lambda: ensemble.RandomForestClassifier(random_state=seed),
        "knn": lambda: neighbors.KNeighborsClassifier(),
    }[name]()


def _features(model: Classifier, rest: Table, truth: NDArray[Any], new: Table) -> tuple[Any, Any]:
    """The features of training rows and of new rows, by the vocabulary of the former."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    product = model.plan(rest, truth).product
    tally = observe(product, Ledger.of(False), labeled(rest, truth), model.threads)
    learned: list[Any] = []
    asked: list[Any] = []
    parts = zip(tally.statistics, product.read(rest), product.read(new), strict=True)
    for statistic, ours, theirs in parts:
        transformer: Any
        if isinstance(ours, _kernel.Texts):
            assert isinstance(statistic, _kernel.TextCounts)
            transformer = TfidfTransformer()
            pair = [_matrix(statistic, part, model.threads) for part in (ours, theirs)]
        elif isinstance(ours, (Numbers, VectorRows)):
            transformer = StandardScaler()
            pair = [np.asarray(part.values) for part in (ours, theirs)]  # type: ignore[union-attr]
        elif isinstance(ours, Categories):
            transformer = OneHotEncoder(handle_unknown="ignore")
            pair = [_cells(part) for part in (ours, theirs)]
        else:
            continue
        learned.append(_without_gaps(transformer.fit_transform(pair[0])))
        asked.append(_without_gaps(transformer.transform(pair[1])))
    return sparse.hstack(learned, format="csr"), sparse.hstack(asked, format="csr")


def _matrix(counts: _kernel.TextCounts, texts: Any, threads: int) -> Any:
    from scipy import sparse

    starts, columns, times, names = counts.matrix(texts, threads)
    shape = (len(texts), len(names))
    return sparse.csr_array((times, columns.astype(np.int32), starts.astype(np.int32)), shape=shape)


def _without_gaps(matrix: Any) -> Any:
    """A sparse matrix in which a missing number is the mean."""
    from scipy import sparse

    return sparse.csr_array(np.nan_to_num(matrix) if isinstance(matrix, np.ndarray) else matrix)


def _cells(part: Any) -> NDArray[Any]:
    return np.column_stack([np.array(column.tolist(), dtype=object) for column in part.columns])
