"""Figures of probabilities and of their order, beside scikit-learn's."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

import likely
from likely.evaluation.ranking import Ranking

NEAR = {"rel": 1e-12, "abs": 1e-12}


def rows(n_rows=300, n_classes=3, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    proba = rng.dirichlet(np.ones(n_classes), n_rows)
    proba[np.arange(n_rows), y] += rng.random(n_rows)
    if ties:
        proba = np.round(proba * 4) + 1
    proba /= proba.sum(axis=1, keepdims=True)
    return y, proba.argmax(axis=1), proba


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_figures_of_scikit_learn(n_classes, ties, weighted):
    y, said, proba = rows(n_classes=n_classes, ties=ties)
    weights = np.random.default_rng(1).random(len(y)) if weighted else None
    found = likely.evaluate(y, said, proba, weights=weights, intervals=False)
    assert found.log_loss == pytest.approx(sk.log_loss(y, proba, sample_weight=weights), **NEAR)
    truth = np.eye(n_classes)[y]
    squares = ((proba - truth) ** 2).sum(axis=1) / (2 if n_classes == 2 else 1)
    assert found.brier == pytest.approx(np.average(squares, weights=weights), **NEAR)
    if n_classes == 2:
        args, options = (y, proba[:, 1]), {"sample_weight": weights}
        assert found.roc_auc == pytest.approx(sk.roc_auc_score(*args, **options), **NEAR)
        assert found.brier == pytest.approx(sk.brier_score_loss(*args, **options), **NEAR)
        expected = sk.average_precision_score(*args, **options)
        assert found.average_precision == pytest.approx(expected, **NEAR)
        assert found.per_class[0].roc_auc == pytest.approx(found.roc_auc, **NEAR)
    else:
        # With weights scikit-learn averages the classes no differently.
        aucs = [
            sk.roc_auc_score(truth[:, k], proba[:, k], sample_weight=weights)
            for k in range(n_classes)
        ]
        assert found.roc_auc == pytest.approx(np.mean(aucs), **NEAR)
        if not weighted:
            assert found.roc_auc == pytest.approx(
                sk.roc_auc_score(y, proba, multi_class="ovr"), **NEAR
            )
        expected = sk.average_precision_score(truth, proba, sample_weight=weights)
        assert found.average_precision == pytest.approx(expected, **NEAR)


def test_the_calibration_error_by_hand():
    y, said, proba = rows(n_rows=1000)
    confidence, right = proba[np.arange(len(y)), said], y == said
    total, table = 0.0, []
    for place in range(15):
        here = (confidence >= place / 15) & (
            (confidence < (place + 1) / 15) if place < 14 else (confidence <= 1)
        )
        if here.any():
            total += here.sum() * abs(confidence[here].mean() - right[here].mean())
            table.append((int(here.sum()), confidence[here].mean(), right[here].mean()))
    found = likely.evaluate(y, said, proba)
    assert found.ece == pytest.approx(total / len(y), **NEAR)
    assert [one.rows for one in found.reliability] == [size for size, _, _ in table]
    for one, (_, mean, share) in zip(found.reliability, table, strict=True):
        assert (one.confidence, one.accuracy) == pytest.approx((mean, share), **NEAR)
    assert found.ece.low <= found.ece <= found.ece.high


def test_confidence_is_the_probability_of_what_was_said():
    found = likely.evaluate(["a", "b"], ["b", "b"], [[0.7, 0.3], [0.4, 0.6]])
    assert [one.confidence for one in found.reliability] == pytest.approx([0.3, 0.6])


def test_a_class_that_is_never_true_has_no_order():
    proba = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]
    found = likely.evaluate(["a", "b", "a"], ["a", "b", "a"], proba, classes=["a", "b", "c"])
    assert found.per_class[2].roc_auc is None
    assert found.per_class[2].average_precision is None
    assert found.roc_auc == found.average_precision == 1.0


def test_one_class_or_one_row_has_no_order():
    found = likely.evaluate(["a", "a"], ["a", "a"], [[1.0], [1.0]])
    assert found.roc_auc is None
    assert found.log_loss == found.brier == found.ece == 0.0
    found = likely.evaluate(["a"], ["b"], [[0.25, 0.75]])
    assert found.roc_auc is None
    assert found.log_loss == pytest.approx(np.log(4))
    assert found.average_precision is None


def test_how_many_rows_the_log_loss_clips_is_said():
    found = likely.evaluate(["a", "b"], ["a", "a"], [[1.0, 0.0], [1.0, 0.0]], intervals=False)
    assert found.log_loss == pytest.approx(sk.log_loss(["a", "b"], [[1.0, 0.0], [1.0, 0.0]]))
    said = "1 row had a probability below 2.2e-16 for its label, counted as that in the log-loss"
    assert said in found.warnings
    assert said in " ".join(str(found).split())
    assert found.to_json()["log_loss_clipped"] == 1
    small = likely.evaluate(["a", "b"], ["a", "a"], [[1.0, 0.0], [1 - 1e-12, 1e-12]])
    assert small.log_loss_clipped == 0
    assert not any("2.2e-16" in warning for warning in small.warnings)


def test_columns_in_the_wrong_order_are_noticed():
    y, said, proba = rows(n_classes=2)
    found = likely.evaluate(y, said, proba[:, ::-1], intervals=False)
    assert any("order of `classes`" in warning for warning in found.warnings)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=1, max_size=30
    )
)
def test_any_order_with_ties_and_weights(rows):
    scores, positive, weights = map(np.array, zip(*rows, strict=True))
    auc, precision = Ranking(scores / 4.0, positive).figures(weights[None].astype(float))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = weights[positive].sum()
        if own and weights[~positive].sum():
            expected = sk.roc_auc_score(positive, scores, sample_weight=weights)
            assert auc[0] == pytest.approx(expected, **NEAR)
        else:
            assert np.isnan(auc[0])
        if own:
            expected = sk.average_precision_score(positive, scores, sample_weight=weights)
            assert precision[0] == pytest.approx(expected, **NEAR)
