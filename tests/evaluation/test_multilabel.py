"""Rows with any number of labels, beside scikit-learn's figures."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

import likely
from likely.errors import DataError

NEAR = {"rel": 1e-12, "abs": 1e-12}


def matrices(n_rows=200, n_classes=6, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random((n_rows, n_classes)) < 0.3).astype(int)
    said = np.where(rng.random(y.shape) < 0.85, y, 1 - y)
    return y, said


def as_sets(matrix):
    return [set(np.flatnonzero(row).tolist()) for row in matrix]


def check(y, said, found, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"sample_weight": weights}
        assert found.accuracy == pytest.approx(sk.accuracy_score(y, said, **options), **NEAR)
        assert found.hamming_loss == pytest.approx(sk.hamming_loss(y, said, **options), **NEAR)
        for average in ("macro", "micro", "weighted"):
            more = options | {"average": average, "zero_division": 0}
            for name in ("precision", "recall", "f1"):
                expected = getattr(sk, f"{name}_score")(y, said, **more)
                assert found.figures[f"{average}_{name}"] == pytest.approx(expected, **NEAR)


@pytest.mark.parametrize("seed", range(5))
def test_the_figures_of_scikit_learn(seed):
    y, said = matrices(seed=seed)
    scores = np.random.default_rng(seed).random(y.shape).round(1) + 0.2 * y
    found = likely.evaluate(y, said, scores)
    check(y, said, found)
    expected = sk.label_ranking_average_precision_score(y, scores)
    assert found.label_ranking == pytest.approx(expected, **NEAR)
    assert found.is_multilabel
    assert found.mcc is None
    weights = np.random.default_rng(1).random(len(y))
    found = likely.evaluate(y, said, scores, weights=weights, intervals=False)
    check(y, said, found, weights)
    expected = sk.label_ranking_average_precision_score(y, scores, sample_weight=weights)
    assert found.label_ranking == pytest.approx(expected, **NEAR)


@settings(max_examples=50)
@given(st.lists(st.tuples(*[st.lists(st.booleans(), min_size=3, max_size=3)] * 2), min_size=1))
def test_any_rows(rows):
    y, said = (np.array(part, dtype=int) for part in zip(*rows, strict=True))
    check(y, said, likely.evaluate(y, said, intervals=False))


def test_matrices_dense_and_sparse_and_sets_are_the_same():
    y, said = matrices()
    classes = list("abcdef")
    named = [[{classes[k] for k in row} for row in as_sets(part)] for part in (y, said)]
    forms = [
        (y, said),
        (scipy.sparse.csr_matrix(y), scipy.sparse.csr_array(said)),
        (as_sets(y), [sorted(row) * 2 for row in as_sets(said)]),
        (list(map(tuple, as_sets(y))), said),
        tuple(named),
    ]
    facts = []
    for place, (gold, predicted) in enumerate(forms):
        given = classes if place == 4 else range(6)
        found = likely.evaluate(gold, predicted, classes=given).to_json()
        facts.append({name: fact for name, fact in found.items() if name.endswith(("f1", "_low"))})
    assert all(one == facts[0] for one in facts)


def test_thousands_of_labels_are_never_written_out():
    rng = np.random.default_rng(0)
    n_classes = 20_000
    y = [[int(label)] for label in rng.permutation(n_classes)]
    said = [[*row, (row[0] + 1) % n_classes] for row in y]
    tracemalloc.start()
    found = likely.evaluate(y, said, resamples=20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.classes) == n_classes
    assert found.micro_recall == 1.0
    assert found.macro_precision == 0.5
    # A byte for each row and label would be 400 MB.
    assert peak < 150_000_000


def test_the_baseline_is_the_commonest_set():
    y = [["a", "b"], ["b", "a"], [], ["a"]]
    found = likely.evaluate(y, [["a", "b"]] * 4)
    assert found.accuracy == found.majority_baseline == 0.5
    assert "majority baseline `a` and `b`" in str(found)
    assert "subset accuracy" in str(found)
    assert likely.evaluate([[], [], ["a"]], [["a"]] * 3).commonest == "no label"


def test_there_is_no_confusion_matrix():
    found = likely.evaluate([["a"]], [["b"]])
    assert "confusion" not in found.to_json()
    with pytest.raises(DataError, match="no confusion matrix"):
        _ = found.confusion


def test_the_order_of_rows_does_not_matter():
    y, said = matrices()
    scores = np.random.default_rng(0).random(y.shape)
    other = np.random.default_rng(1).permutation(len(y))
    one = likely.evaluate(y, said, scores).to_json()
    assert likely.evaluate(y[other], said[other], scores[other]).to_json() == one
