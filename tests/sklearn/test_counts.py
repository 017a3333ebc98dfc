"""Naive Bayes over matrices of counts: equal to scikit-learn's, and better where that fails."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import naive_bayes as theirs
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

import likely.sklearn as ours
from likely.errors import DataError, OptionError

NAMES = ["MultinomialNB", "BernoulliNB", "ComplementNB"]
EVERY = [*NAMES, "BinaryNB"]
EXACT = {"rtol": 1e-10, "atol": 1e-12}


def pair(name, **options):
    return getattr(ours, name)(**options), getattr(theirs, name)(**options)


def counts(seed, rows=60, columns=25, classes=3, real=False):
    rng = np.random.default_rng(seed)
    x = rng.poisson(0.7, (rows, columns)) * (rng.random((rows, columns)) < 0.5)
    y = rng.permutation(np.arange(rows) % classes)
    return (x * rng.random(x.shape) if real else x), y


def assert_equal(a, b, x):
    for attribute in ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"):
        np.testing.assert_allclose(getattr(a, attribute), getattr(b, attribute), **EXACT)
    np.testing.assert_array_equal(a.classes_, b.classes_)
    np.testing.assert_array_equal(a.predict(x), b.predict(x))
    for method in ("predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        np.testing.assert_allclose(getattr(a, method)(x), getattr(b, method)(x), **EXACT)


# Where the definitions agree


@pytest.mark.parametrize("sparse", [np.asarray, sp.csr_matrix, sp.csr_array, sp.coo_array])
@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_equal_on_random_data(name, real, sparse):
    x, y = counts(1, real=real)
    a, b = pair(name)
    assert_equal(a.fit(sparse(x), y), b.fit(sparse(x), y), sparse(x))


@pytest.mark.parametrize("name", NAMES)
def test_equal_on_handwritten_digits(name):
    x, y = load_digits(return_X_y=True)
    a, b = pair(name)
    assert_equal(a.fit(x, y), b.fit(x, y), x)


@pytest.mark.parametrize("name", NAMES)
def test_equal_on_the_data_of_its_own_tests(name):
    x = np.random.RandomState(0).randint(5, size=(6, 100))
    y = np.array([1, 1, 2, 2, 3, 3])
    a, b = pair(name)
    assert_equal(a.fit(x, y), b.fit(x, y), x)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("MultinomialNB", {"alpha": 0.01}),
        ("MultinomialNB", {"alpha": np.linspace(0.1, 2.0, 25)}),
        ("MultinomialNB", {"fit_prior": False}),
        ("MultinomialNB", {"class_prior": [0.2, 0.3, 0.5]}),
        ("BernoulliNB", {"alpha": 0.3, "binarize": 1.0}),
        ("ComplementNB", {"norm": True}),
        ("ComplementNB", {"alpha": 0.5}),
        ("MultinomialNB", {"alpha": 1e-14, "force_alpha": False}),
    ],
)
@pytest.mark.filterwarnings("ignore:alpha too small")
def test_equal_with_options(name, options):
    x, y = counts(2)
    a, b = pair(name, **options)
    assert_equal(a.fit(x, y), b.fit(x, y), x)


@pytest.mark.parametrize("name", NAMES)
def test_equal_with_weights_and_in_batches(name):
    x, y = counts(3)
    weights = np.random.default_rng(3).integers(1, 5, len(y)) / 4
    a, b = pair(name)
    for part in (slice(0, 20), slice(20, 60)):
        a.partial_fit(x[part], y[part], classes=[0, 1, 2], sample_weight=weights[part])
        b.partial_fit(x[part], y[part], classes=[0, 1, 2], sample_weight=weights[part])
    assert_equal(a, b, x)


def test_binary_is_the_multinomial_of_what_is_there():
    x, y = counts(4, real=True)
    expected = theirs.MultinomialNB().fit(x > 0, y)
    for matrix in (x, sp.csr_matrix(x)):
        found = ours.BinaryNB().fit(matrix, y)
        np.testing.assert_allclose(found.feature_log_prob_, expected.feature_log_prob_, **EXACT)
        np.testing.assert_allclose(
            found.predict_proba(matrix), expected.predict_proba(x > 0), **EXACT
        )


# Exact


@pytest.mark.parametrize("name", EVERY)
@given(cuts=st.lists(st.integers(0, 60), max_size=3), seed=st.integers(0, 5))
def test_batches_and_order_do_not_show(name, cuts, seed):
    x, y = counts(seed, real=True)
    weights = np.random.default_rng(seed).random(len(y))
    whole = getattr(ours, name)().fit(x, y, weights)
    order = np.random.default_rng(seed + 1).permutation(len(y))
    parts = getattr(ours, name)()
    for rows in np.split(order, sorted(cuts)):
        if len(rows):
            parts.partial_fit(x[rows], y[rows], [0, 1, 2], weights[rows])
    assert (whole.feature_count_ == parts.feature_count_).all()
    assert (whole.feature_log_prob_ == parts.feature_log_prob_).all()
    assert (whole.class_log_prior_ == parts.class_log_prior_).all()


def test_counts_beyond_two_to_the_53_are_exact():
    large = 2**53
    model = ours.MultinomialNB().partial_fit([[large]], [0], classes=[0, 1])
    for _ in range(3):
        model.partial_fit(np.array([[1]]), [0])
    model.partial_fit([[1]], [1])
    assert int(model.feature_count_[0, 0]) == large + 4  # 2^53 + 3, to the nearest float
    complement = ours.ComplementNB()
    complement.partial_fit(np.array([[large], [3]]), [0, 1], classes=[0, 1])
    complement.partial_fit(np.array([[1], [1]]), [0, 0])
    assert complement._sums.complements[1, 0] == large + 2


def test_scikit_learn_rounds_where_we_do_not():
    rows = np.array([[2.0**53], [1.0], [1.0]])
    batches = [rows[:1], rows[1:2], rows[2:]]
    a, b = pair("MultinomialNB")
    for batch in batches:
        a.partial_fit(batch, [0], classes=[0])
        b.partial_fit(batch, [0], classes=[0])
    assert a.feature_count_[0, 0] == 2**53 + 2
    assert b.feature_count_[0, 0] == 2**53


@pytest.mark.parametrize("name", EVERY)
def test_a_weight_is_a_number_of_rows_and_zero_is_none(name):
    x, y = counts(5)
    weights = np.random.default_rng(5).integers(0, 3, len(y))
    a = getattr(ours, name)().fit(x, y, weights)
    b = getattr(ours, name)().fit(np.repeat(x, weights, axis=0), np.repeat(y, weights))
    assert (a.feature_log_prob_ == b.feature_log_prob_).all()


def test_a_class_whose_rows_weigh_nothing_is_not_there():
    model = ours.MultinomialNB().fit([[1, 0], [0, 1], [1, 1]], [0, 1, 2], [1, 1, 0])
    assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("name", EVERY)
def test_a_pickle_goes_on_learning(name):
    x, y = counts(6, real=True)
    model = getattr(ours, name)().fit(x[:30], y[:30])
    copy = pickle.loads(pickle.dumps(model))
    model.partial_fit(x[30:], y[30:])
    copy.partial_fit(x[30:], y[30:])
    assert (model.predict_proba(x) == copy.predict_proba(x)).all()


# Better


@pytest.mark.parametrize("name", EVERY)
def test_labels_that_nobody_announced_are_refused(name):
    model = getattr(ours, name)().partial_fit([[1, 0]], ["a"], classes=["a", "b"])
    before = model.feature_count_.copy()
    with pytest.raises(DataError, match="label `c` is none of the classes `a`, `b`"):
        model.partial_fit([[0, 1]], ["c"])
    assert (model.feature_count_ == before).all()


def test_scikit_learn_takes_unknown_labels_for_known_ones():
    model = theirs.MultinomialNB().partial_fit([[1, 0]], ["a"], classes=["a", "b"])
    model.partial_fit([[0, 5]], ["c"])
    assert model.feature_count_.tolist() == [[1, 5], [0, 0]]


def test_without_smoothing_a_zero_is_a_zero():
    model = ours.MultinomialNB(alpha=0).fit([[1, 0, 1], [0, 1, 1]], ["a", "b"])
    proba = model.predict_proba([[1, 0, 0], [0, 0, 1], [1, 1, 0]])
    np.testing.assert_allclose(proba, [[1, 0], [0.5, 0.5], [0.5, 0.5]])
    assert np.isneginf(model.predict_joint_log_proba([[1, 1, 0]])).all()


def test_bernoulli_without_smoothing():
    model = ours.BernoulliNB(alpha=0).fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"])
    assert model.predict([[1, 0], [0, 1]]).tolist() == ["a", "b"]
    assert np.isneginf(model.predict_joint_log_proba([[0, 1]])[0, 0])


def test_bernoulli_takes_an_alpha_per_feature():
    x, y = counts(7)
    alpha = np.linspace(0.1, 2.0, 25)
    model = ours.BernoulliNB(alpha=alpha).fit(x, y)
    for column in (0, 24):
        alone = theirs.BernoulliNB(alpha=alpha[column]).fit(x[:, [column]], y)
        np.testing.assert_allclose(
            model.feature_log_prob_[:, [column]], alone.feature_log_prob_, **EXACT
        )
    with pytest.raises(ValueError, match="broadcast"):
        theirs.BernoulliNB(alpha=alpha).fit(x, y)


@pytest.mark.parametrize("name", EVERY)
def test_a_class_that_has_no_rows_yet_is_impossible(name):
    model = getattr(ours, name)().partial_fit([[1, 0], [0, 1]], [0, 1], classes=[0, 1, 2])
    if name != "ComplementNB":
        assert model.predict_proba([[1, 1]])[0, 2] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "`alpha` is a number from 0 up"),
        ({"alpha": "much"}, "`alpha` is a number from 0 up"),
        ({"alpha": [1.0, 2.0, 3.0]}, "`alpha` has 3 numbers for 2 features"),
        ({"class_prior": [1.0]}, "`class_prior` has 1 numbers for 2 classes"),
        ({"class_prior": [0.9, 0.9]}, "sum to 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        ours.MultinomialNB(**options).fit([[1, 0], [0, 1]], [0, 1])


def test_what_cannot_be_estimated_was_not_learned():
    model = ours.MultinomialNB(class_prior=[1.0])
    with pytest.raises(OptionError, match="for 2 classes"):
        model.fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(NotFittedError):
        model.predict([[1, 0]])


@pytest.mark.parametrize("name", [*EVERY, "CategoricalNB", "GaussianNB"])
def test_a_batch_that_is_refused_for_its_prior_leaves_no_trace(name):
    option = "priors" if name == "GaussianNB" else "class_prior"
    model = getattr(ours, name)().fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(OptionError, match="for 2 classes"):
        model.set_params(**{option: [1.0]}).partial_fit([[1, 0]], [0])
    model.set_params(**{option: None}).partial_fit([[1, 0]], [0])
    assert model.class_count_.tolist() == [2, 1]


@pytest.mark.parametrize(
    "kind", [bool, np.uint8, np.int16, np.uint64, np.float16, np.float32, np.longdouble]
)
@pytest.mark.parametrize("name", EVERY)
def test_numbers_of_any_kind_are_counts(name, kind):
    x, y = counts(8)
    x = (x > 0).astype(kind)
    expected = getattr(ours, name)().fit(x.astype(np.float64), y)
    found = getattr(ours, name)().fit(x, y)
    assert (found.feature_count_ == expected.feature_count_).all()
    np.testing.assert_allclose(found.predict_proba(x), expected.predict_proba(x), rtol=1e-12)


def test_complement_needs_smoothing():
    with pytest.raises(OptionError, match="above 0"):
        ours.ComplementNB(alpha=0).fit([[1, 0], [0, 1]], [0, 1])


def test_a_threshold_is_a_number():
    with pytest.raises(OptionError, match="`binarize` is a number or None"):
        ours.BernoulliNB(binarize="half").fit([[1, 0], [0, 1]], [0, 1])


def test_a_sparse_matrix_has_no_threshold_below_zero():
    with pytest.raises(OptionError, match="`binarize` has to be from 0 up"):
        ours.BernoulliNB(binarize=-1.0).fit(sp.csr_array([[1, 0], [0, 1]]), [0, 1])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "inconsistent numbers of samples"),
        ([-1, 1], "the weight of row 1 is negative"),
        ([0, 0], "the weight of every row is zero"),
        ([[1], [1]], "one number per row"),
        ([np.nan, 1], "NaN"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        ours.MultinomialNB().fit([[1, 0], [0, 1]], [0, 1], sample_weight=weights)


def test_the_first_partial_fit_names_the_classes():
    with pytest.raises(OptionError, match="needs `classes`"):
        ours.MultinomialNB().partial_fit([[1]], [0])
    model = ours.MultinomialNB().partial_fit([[1]], [0], classes=[0, 1])
    with pytest.raises(OptionError, match="`classes` were"):
        model.partial_fit([[1]], [0], classes=[0, 2])


def test_entries_given_twice_add_up_before_they_are_compared():
    twice = sp.csr_array((np.array([1, -1, 1]), np.array([0, 0, 1]), np.array([0, 2, 3])), (2, 2))
    model = ours.BernoulliNB().fit(twice, [0, 1])
    assert model.feature_count_.tolist() == [[0, 0], [0, 1]]
