"""Gaussian NB, LDA and QDA: equal to scikit-learn's, with batches and weights."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import discriminant_analysis as theirs
from sklearn import naive_bayes
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import likely.sklearn as ours
from likely.errors import DataError, OptionError, SingularError

EXACT = {"rtol": 1e-10, "atol": 1e-10}
NAMES = ["GaussianNB", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
DATA = {"iris": load_iris, "wine": load_wine, "two classes": lambda **_: cloud(9, classes=2)}


def cloud(seed, rows=90, columns=4, classes=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(rows) % classes)
    x = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)) + y[:, None]
    return x, y


def divides_by_n():
    """scikit-learn's LDA and QDA divide by n from version 1.9 on."""
    x, y = np.array([[0.0], [2.0], [5.0], [7.0]]), [0, 0, 1, 1]
    return theirs.QuadraticDiscriminantAnalysis().fit(x, y).scalings_[0][0] < 1.5


of_now = pytest.mark.skipif(
    not divides_by_n(), reason="this version of scikit-learn divides by n - 1"
)


# Where the definitions agree


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian_nb_equals_scikit_learn(data, weighted):
    x, y = DATA[data](return_X_y=True)
    weights = np.random.default_rng(0).random(len(y)) if weighted else None
    a = ours.GaussianNB().fit(x, y, weights)
    b = naive_bayes.GaussianNB().fit(x, y, weights)
    for name in ("class_count_", "class_prior_", "theta_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), **EXACT)
    # With weights, `epsilon_` is that of the weighted rows here.
    np.testing.assert_allclose(a.var_ - a.epsilon_, b.var_ - b.epsilon_, **EXACT)
    if not weighted:
        np.testing.assert_allclose(a.epsilon_, b.epsilon_, **EXACT)
        for method in ("predict_proba", "predict_joint_log_proba"):
            np.testing.assert_allclose(getattr(a, method)(x), getattr(b, method)(x), **EXACT)


def test_gaussian_nb_takes_a_prior():
    x, y = load_iris(return_X_y=True)
    options = {"priors": [0.2, 0.3, 0.5], "var_smoothing": 1e-3}
    a, b = ours.GaussianNB(**options).fit(x, y), naive_bayes.GaussianNB(**options).fit(x, y)
    np.testing.assert_allclose(a.predict_log_proba(x), b.predict_log_proba(x), **EXACT)


@of_now
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("options", [{}, {"store_covariance": True}, {"priors": True}])
def test_lda_equals_scikit_learn(data, solver, options):
    x, y = DATA[data](return_X_y=True)
    if "priors" in options:
        options = {"priors": np.linspace(1, 2, len(set(y))) / np.linspace(1, 2, len(set(y))).sum()}
    a = ours.LinearDiscriminantAnalysis(solver=solver, **options).fit(x, y)
    b = theirs.LinearDiscriminantAnalysis(solver=solver, **options).fit(x, y)
    for name in ("means_", "priors_", "coef_", "intercept_", "explained_variance_ratio_"):
        if hasattr(b, name):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-10, atol=1e-10)
    if hasattr(b, "covariance_"):
        np.testing.assert_allclose(a.covariance_, b.covariance_, **EXACT)
    for method in ("decision_function", "predict_proba"):
        np.testing.assert_allclose(
            getattr(a, method)(x), getattr(b, method)(x), rtol=1e-10, atol=1e-10
        )
    if solver != "lsqr":
        expected, found = b.transform(x), a.transform(x)
        signs = np.sign((expected * found).sum(axis=0))
        np.testing.assert_allclose(found * signs, expected, rtol=1e-10, atol=1e-10)
        assert a.get_feature_names_out().tolist() == b.get_feature_names_out().tolist()


@of_now
@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_shrunk_lda_equals_scikit_learn(solver):
    x, y = load_wine(return_X_y=True)
    options = {"solver": solver, "shrinkage": 0.3}
    a = ours.LinearDiscriminantAnalysis(**options).fit(x, y)
    b = theirs.LinearDiscriminantAnalysis(**options).fit(x, y)
    np.testing.assert_allclose(a.predict_proba(x), b.predict_proba(x), rtol=1e-10, atol=1e-12)


@of_now
def test_lda_leaves_out_directions_without_spread_as_scikit_learn_does():
    x, y = cloud(3)
    x = np.hstack([x, x[:, :1], np.ones((len(x), 1))])
    a = ours.LinearDiscriminantAnalysis().fit(x, y)
    b = theirs.LinearDiscriminantAnalysis().fit(x, y)
    np.testing.assert_allclose(a.predict_proba(x), b.predict_proba(x), rtol=1e-10, atol=1e-10)


@of_now
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("options", [{}, {"reg_param": 0.1}, {"priors": True}])
def test_qda_equals_scikit_learn(data, options):
    x, y = DATA[data](return_X_y=True)
    if "priors" in options:
        options = {"priors": np.full(len(set(y)), 1 / len(set(y)))}
    a = ours.QuadraticDiscriminantAnalysis(store_covariance=True, **options).fit(x, y)
    b = theirs.QuadraticDiscriminantAnalysis(store_covariance=True, **options).fit(x, y)
    np.testing.assert_allclose(a.means_, b.means_, **EXACT)
    np.testing.assert_allclose(a.priors_, b.priors_, **EXACT)
    for mine, expected in zip(a.scalings_, b.scalings_, strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-10)
    for mine, expected in zip(a.covariance_, b.covariance_, strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-10, atol=1e-10)
    for method in ("decision_function", "predict_proba"):
        np.testing.assert_allclose(
            getattr(a, method)(x), getattr(b, method)(x), rtol=1e-10, atol=1e-10
        )


# Exact


@pytest.mark.parametrize("name", NAMES)
@given(cuts=st.lists(st.integers(0, 90), max_size=3), seed=st.integers(0, 5))
def test_batches_and_order_do_not_show(name, cuts, seed):
    x, y = cloud(seed)
    whole = getattr(ours, name)().fit(x, y)
    order = np.random.default_rng(seed).permutation(len(y))
    parts = [rows for rows in np.split(order, sorted(cuts)) if len(rows)]
    model = getattr(ours, name)()
    for rows in parts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the first few rows have no covariance
            model.partial_fit(x[rows], y[rows], classes=[0, 1, 2])
    assert (model.predict_proba(x) == whole.predict_proba(x)).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_weight_is_a_number_of_rows(name):
    x, y = cloud(1)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    a = getattr(ours, name)().fit(x, y, weights)
    b = getattr(ours, name)().fit(np.repeat(x, weights, axis=0), np.repeat(y, weights))
    assert (a.predict_proba(x) == b.predict_proba(x)).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_spread_survives_a_mean_that_dwarfs_it(name):
    x, y = cloud(2)
    far = np.round(x * 2**10) / 2**10 + 2.0**30
    near = far - 2.0**30
    options = {} if name == "GaussianNB" else {"store_covariance": True}
    spread = "var_" if name == "GaussianNB" else "covariance_"
    a, b = (getattr(ours, name)(**options).fit(rows, y) for rows in (far, near))
    np.testing.assert_allclose(getattr(a, spread), getattr(b, spread), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_pickle_goes_on_learning(name):
    x, y = cloud(4)
    weights = np.random.default_rng(4).random(len(y))
    model = getattr(ours, name)().fit(x[:40], y[:40], weights[:40])
    copy = pickle.loads(pickle.dumps(model))
    for one in (model, copy):
        one.partial_fit(x[40:], y[40:], sample_weight=weights[40:])
    assert (model.predict_proba(x) == copy.predict_proba(x)).all()


# Better


@pytest.mark.parametrize("name", NAMES)
def test_labels_that_nobody_announced_are_refused(name):
    x, y = cloud(5)
    model = getattr(ours, name)().fit(x, y)
    before = model.predict_proba(x)
    with pytest.raises(DataError, match="label `3` is none of the classes"):
        model.partial_fit(x[:3], [3, 3, 3])
    assert (model.predict_proba(x) == before).all()


def test_epsilon_is_that_of_all_rows():
    x, y = cloud(6)
    whole, parts = ours.GaussianNB().fit(x, y), ours.GaussianNB()
    for rows in np.array_split(np.arange(len(y)), 5):
        parts.partial_fit(x[rows], y[rows], classes=[0, 1, 2])
    assert parts.epsilon_ == whole.epsilon_


def test_qda_shrinks_what_is_singular_and_says_so():
    x, y = cloud(7, rows=60, columns=3)
    x = np.hstack([x, x[:, :1] + x[:, 1:2]])
    with pytest.raises(np.linalg.LinAlgError):
        theirs.QuadraticDiscriminantAnalysis().fit(x, y)
    with pytest.warns(
        UserWarning, match="the covariance of `.` is singular; it was shrunk by"
    ) as said:
        model = ours.QuadraticDiscriminantAnalysis().fit(x, y)
    assert model.score(x, y) > 0.6
    assert {warning.filename for warning in said} == {__file__}


def test_qda_lends_a_class_of_equal_rows_what_all_share():
    x, y = cloud(8, classes=2)
    x[y == 1] = x[y == 1][0]
    with pytest.warns(UserWarning, match="the rows of `1` are all alike"):
        model = ours.QuadraticDiscriminantAnalysis().fit(x, y)
    assert np.isfinite(model.predict_proba(x)).all()


def test_qda_keeps_the_digits_of_columns_of_very_different_size():
    x, y = cloud(10)
    sizes = np.array([1e9, 1e-9, 1.0, 1e4])
    a = ours.QuadraticDiscriminantAnalysis().fit(x, y)
    b = ours.QuadraticDiscriminantAnalysis().fit(x * sizes, y)
    np.testing.assert_allclose(
        a.predict_proba(x), b.predict_proba(x * sizes), rtol=1e-7, atol=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_where_nothing_varies_nothing_is_said(name):
    model = getattr(ours, name)().fit(np.ones((6, 2)), [0, 1, 1, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0]]), [[1 / 3, 2 / 3]])


def test_lda_tells_points_apart():
    model = ours.LinearDiscriminantAnalysis().fit([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
    assert model.predict([[0.1], [0.9]]).tolist() == [0, 1]


def test_unseen_classes_are_as_all_rows_are():
    x, y = cloud(11)
    for name in NAMES:
        model = getattr(ours, name)(priors=[0.2, 0.2, 0.2, 0.4])
        model.partial_fit(x, y, classes=[0, 1, 2, 3])
        assert np.isfinite(model.predict_log_proba(x)).all()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ours.GaussianNB(var_smoothing=-1), "`var_smoothing` is a number from 0 up"),
        (ours.GaussianNB(priors=[0.5]), "`priors` has 1 numbers for 3 classes"),
        (ours.LinearDiscriminantAnalysis(solver="sgd"), "`solver` is one of"),
        (ours.LinearDiscriminantAnalysis(shrinkage=0.5), "`shrinkage` is for the solvers"),
        (ours.LinearDiscriminantAnalysis("lsqr", "auto"), "only sums are kept"),
        (ours.LinearDiscriminantAnalysis(n_components=9), "there are 2 components at most, not 9"),
        (ours.LinearDiscriminantAnalysis(n_components=0), "`n_components` is a number from 1 up"),
        (ours.QuadraticDiscriminantAnalysis(reg_param=2), "`reg_param` is a number from 0 to 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(model, message):
    with pytest.raises(OptionError, match=message):
        model.fit(*cloud(0))


def test_without_smoothing_a_constant_column_is_refused():
    x = [[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [2.0, 2.0]]
    with pytest.raises(SingularError, match="the rows of `0` have no spread"):
        ours.GaussianNB(var_smoothing=0).fit(x, [0, 0, 1, 1])


def test_lsqr_has_no_transform():
    x, y = cloud(0)
    with pytest.raises(OptionError, match="has no `transform`"):
        ours.LinearDiscriminantAnalysis(solver="lsqr").fit(x, y).transform(x)


def test_a_real_table_of_thirty_columns():
    x, y = load_breast_cancer(return_X_y=True)
    for name in NAMES:
        assert getattr(ours, name)().fit(x, y).score(x, y) > 0.93
