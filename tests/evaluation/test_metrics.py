"""Every figure is scikit-learn's, also where classes are missing, alone, or weighed."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

import likely

NEAR = {"rel": 1e-12, "abs": 1e-12}


def scikit(y, said, weights=None, classes=None, beta=1.0):
    """The same figures by scikit-learn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"sample_weight": weights}
        found = {
            "accuracy": sk.accuracy_score(y, said, **options),
            "balanced_accuracy": sk.balanced_accuracy_score(y, said, **options),
            "mcc": sk.matthews_corrcoef(y, said, **options),
        }
        for average in ("macro", "micro", "weighted"):
            more = options | {"average": average, "labels": classes, "zero_division": 0}
            found |= {
                f"{average}_precision": sk.precision_score(y, said, **more),
                f"{average}_recall": sk.recall_score(y, said, **more),
                f"{average}_f1": sk.f1_score(y, said, **more),
            }
            if beta != 1:
                found[f"{average}_f_beta"] = sk.fbeta_score(y, said, beta=beta, **more)
    return found


def check(y, said, weights=None, classes=None, beta=1.0):
    found = likely.evaluate(y, said, weights=weights, classes=classes, beta=beta, intervals=False)
    for name, value in scikit(y, said, weights, classes, beta).items():
        assert found.figures[name] == pytest.approx(value, **NEAR), name
    labels = list(found.classes)
    confusion = sk.confusion_matrix(y, said, labels=labels, sample_weight=weights)
    assert found.confusion == pytest.approx(confusion, **NEAR)
    by_class = sk.precision_recall_fscore_support(
        y, said, labels=labels, sample_weight=weights, zero_division=0, beta=beta
    )
    for one, p, r, f, rows in zip(found.per_class, *by_class, strict=True):
        assert one.precision == pytest.approx(p, **NEAR)
        assert one.recall == pytest.approx(r, **NEAR)
        assert (one.f1 if beta == 1 else one.f_beta) == pytest.approx(f, **NEAR)
        assert one.rows == pytest.approx(rows, **NEAR)
    return found


@pytest.mark.parametrize("seed", range(10))
def test_random_labels(seed):
    rng = np.random.default_rng(seed)
    n_classes, n_rows = rng.integers(2, 12), rng.integers(20, 500)
    y = rng.integers(0, n_classes, n_rows)
    said = np.where(rng.random(n_rows) < 0.6, y, rng.integers(0, n_classes, n_rows))
    check(y, said)
    check(y, said, weights=rng.random(n_rows))
    check(y, said, weights=rng.integers(0, 3, n_rows).astype(float))
    check([f"c{label}" for label in y], [f"c{label}" for label in said], beta=float(rng.random()))
    check(y, said, beta=2)


@pytest.mark.parametrize(
    ("y", "said", "classes"),
    [
        (["a", "b", "a"], ["a", "a", "a"], None),
        (["a", "a", "a"], ["a", "b", "a"], None),
        (["a", "a"], ["b", "b"], None),
        (["a"], ["a"], ["a", "b"]),
        (["a"], ["b"], None),
        (["a", "b"], ["a", "b"], ["a", "b", "never"]),
        (["a", "b", "c"], ["b", "c", "a"], ["c", "b", "a"]),
        ([0, 1, 1], [0, 0, 1], None),
        ([True, False, True], [True, True, True], None),
    ],
    ids=str,
)
def test_classes_that_are_missing_or_alone(y, said, classes):
    check(y, said, classes=classes)


def test_one_class_alone():
    found = likely.evaluate(["a", "a"], ["a", "a"])
    assert found.accuracy == found.majority_baseline == found.macro_f1 == 1.0
    assert found.mcc == 0.0
    assert found.confusion.tolist() == [[2]]
    assert found.warnings[0] == "every row is `a`, so there was nothing to tell apart"


@settings(max_examples=50)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 1000)),
        min_size=1,
        max_size=40,
    ),
    beta=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
)
def test_any_rows(rows, beta):
    y, said, weights = zip(*rows, strict=True)
    if len({*y, *said}) > 1:
        check(y, said, beta=beta)
        check(y, said, weights=np.array(weights) / 8, beta=beta)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_what_holds_of_all_figures(rows):
    y, said = zip(*rows, strict=True)
    found = likely.evaluate(y, said, resamples=50)
    for name, figure in found.figures.items():
        assert (-1 if name == "mcc" else 0) <= figure <= 1
        if figure.low is not None:
            assert figure.low <= figure <= figure.high
    assert found.micro_f1 == found.accuracy == found.weighted_recall
    assert found.confusion.sum() == found.rows == len(rows)
    assert found.majority_baseline == max(found.confusion.sum(axis=1)) / len(rows)
    means = [one.f1 for one in found.per_class]
    assert found.macro_f1 == pytest.approx(np.mean(means))


def test_the_baseline_is_the_commonest_class_by_weight():
    found = likely.evaluate(["a", "a", "b"], ["a", "a", "a"], weights=[1, 1, 5])
    assert found.majority_baseline == pytest.approx(5 / 7)
    assert found.commonest == "`b`"
    assert found.accuracy == pytest.approx(2 / 7)


def test_f_beta_stands_beside_f1():
    y, said = ["a", "b", "b", "a", "b"], ["a", "b", "a", "a", "a"]
    one, two = likely.evaluate(y, said), likely.evaluate(y, said, beta=2)
    assert one.macro_f_beta is None
    assert one.per_class[0].f_beta is None
    assert two.macro_f1 == one.macro_f1
    assert two.macro_f_beta == pytest.approx(sk.fbeta_score(y, said, beta=2, average="macro"))
    assert "F2" in str(two)
    assert "F2" not in str(one)


def test_a_class_without_weight_counts_as_scikit_learn_counts_it():
    check(["a", "b", "c"], ["a", "b", "b"], weights=[1.0, 2.0, 0.0])


def test_labels_come_in_any_form():
    y, said = ["a", "b", "a"], ["a", "b", "b"]
    expected = likely.evaluate(y, said).to_json()
    forms = [tuple, iter, np.array, pd.Series, pl.Series, pa.array, lambda y: np.array(y, object)]
    for form in forms:
        assert likely.evaluate(form(y), form(said)).to_json() == expected


def test_numbers_of_rows_are_whole_where_they_are():
    y, said = ["a", "b"], ["a", "a"]
    assert repr(likely.evaluate(y, said).to_json()["confusion"]) == "[[1, 0], [1, 0]]"
    found = likely.evaluate(y, said, weights=[0.5, 2])
    assert found.confusion.tolist() == [[0.5, 0], [2, 0]]
    assert [one.rows for one in found.per_class] == [0.5, 2]
