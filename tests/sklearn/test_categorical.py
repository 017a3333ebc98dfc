import pickle

import numpy as np
import pytest
from sklearn import naive_bayes as theirs

from likely.errors import DataError, OptionError
from likely.sklearn import CategoricalNB

EXACT = {"rtol": 1e-10, "atol": 1e-12}


def rows(seed=0, n=80, columns=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 5, (n, columns)), rng.permutation(np.arange(n) % 3), rng.random(n)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha": 0.2},
        {"min_categories": 7},
        {"min_categories": [5, 6, 7, 8]},
        {"fit_prior": False},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_equal_to_scikit_learn(options, weighted):
    x, y, weights = rows()
    weights = weights if weighted else None
    a = CategoricalNB(**options).fit(x, y, weights)
    b = theirs.CategoricalNB(**options).fit(x, y, weights)
    np.testing.assert_array_equal(a.n_categories_, b.n_categories_)
    np.testing.assert_allclose(a.class_log_prior_, b.class_log_prior_, **EXACT)
    for name in ("category_count_", "feature_log_prob_"):
        for ours, expected in zip(getattr(a, name), getattr(b, name), strict=True):
            np.testing.assert_allclose(ours, expected, **EXACT)
    np.testing.assert_allclose(a.predict_proba(x), b.predict_proba(x), **EXACT)
    np.testing.assert_allclose(a.predict_joint_log_proba(x), b.predict_joint_log_proba(x), **EXACT)


def test_batches_may_bring_new_categories():
    x, y, _ = rows(1)
    order = np.argsort(x.max(axis=1), kind="stable")
    parts = CategoricalNB()
    for batch in np.array_split(order, 4):
        parts.partial_fit(x[batch], y[batch], classes=[0, 1, 2])
    whole = CategoricalNB().fit(x, y)
    assert (parts.predict_proba(x) == whole.predict_proba(x)).all()


def test_a_category_never_seen_says_nothing():
    x, y, _ = rows(2)
    model = CategoricalNB().fit(x, y)
    strange = x.copy()
    strange[:, 0] = 99
    expected = model.predict_joint_log_proba(x) - model.feature_log_prob_[0].T[x[:, 0]]
    np.testing.assert_allclose(model.predict_joint_log_proba(strange), expected, **EXACT)
    with pytest.raises(IndexError):
        theirs.CategoricalNB().fit(x, y).predict(strange)


def test_a_category_too_large_for_memory_is_refused():
    x, y, _ = rows(4)
    model = CategoricalNB().fit(x, y)
    strange = x.copy()
    strange[0, -1] = 2**60
    for learn in (model.partial_fit, CategoricalNB().fit):
        with pytest.raises(DataError, match="no memory for 1152921504606846977 columns"):
            learn(strange, y)
    # What was refused has left no trace.
    twice = CategoricalNB().fit(np.vstack([x, x]), np.hstack([y, y]))
    assert (model.partial_fit(x, y).predict_proba(x) == twice.predict_proba(x)).all()


def test_a_pickle_goes_on_learning():
    x, y, weights = rows(3)
    model = CategoricalNB().fit(x[:40], y[:40], weights[:40])
    copy = pickle.loads(pickle.dumps(model))
    for one in (model, copy):
        one.partial_fit(x[40:], y[40:], sample_weight=weights[40:])
    assert (model.predict_proba(x) == copy.predict_proba(x)).all()


def test_what_makes_no_sense_is_refused():
    with pytest.raises(DataError, match="none of the classes"):
        CategoricalNB().partial_fit([[0]], [5], classes=[0, 1])
    with pytest.raises(ValueError, match="Negative values"):
        CategoricalNB().fit([[0], [-1]], [0, 1])
    for least in (-1, [1, 2], 1.5):
        with pytest.raises(OptionError, match="`min_categories`"):
            CategoricalNB(min_categories=least).fit([[0], [1]], [0, 1])
    with pytest.raises(OptionError, match="one number for all"):
        CategoricalNB(alpha=[1.0]).fit([[0], [1]], [0, 1])
