"""What refuses rows, or is interrupted, has learned nothing of them and goes on as before."""

import pickle
from copy import copy

import numpy as np
import pytest

import likely
import likely.sklearn as ours
from likely.errors import LikelyError, OptionError, SingularError
from likely.sklearn import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    LikelyClassifier,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    QuadraticDiscriminantAnalysis,
    TextVectorizer,
)

CLASSIFIERS = [name for name in ours.__all__ if name != "TextVectorizer"]
every = pytest.mark.parametrize("name", CLASSIFIERS)

X = np.random.default_rng(1).integers(0, 4, size=(12, 3))
Y = np.array(["a", "b"] * 6)
MORE_X = np.random.default_rng(2).integers(0, 5, size=(12, 3))
MORE_Y = np.array(["b", "a"] * 6)

REFUSED = {
    "a label that nobody announced": (MORE_X, ["a", "b", "c"] * 4),
    "rows that are wider": (np.hstack([MORE_X, MORE_X]), MORE_Y),
    "fewer labels than rows": (MORE_X, MORE_Y[:2]),
    "an infinite number": (np.full((12, 3), np.inf), MORE_Y),
}


def state(model):
    """All that an estimator knows, as bytes."""
    return pickle.dumps(model)


def check_it_goes_on(model, fresh):
    """`model`, which refused something, learns more as `fresh` does, which never saw that."""
    model.partial_fit(MORE_X, MORE_Y)
    fresh.partial_fit(X, Y, ["a", "b"]).partial_fit(MORE_X, MORE_Y)
    np.testing.assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))


@every
@pytest.mark.parametrize("why", REFUSED)
def test_a_refused_batch_leaves_everything_as_it_was(name, why):
    make = getattr(ours, name)
    model = make().partial_fit(X, Y, ["a", "b"])
    before = state(model)
    with pytest.raises(ValueError, match=r"."):
        model.partial_fit(*REFUSED[why])
    assert state(model) == before
    check_it_goes_on(model, make())


@every
@pytest.mark.parametrize("why", [why for why in REFUSED if why != "rows that are wider"])
def test_a_refused_first_batch_leaves_nothing_behind(name, why):
    make = getattr(ours, name)
    model = make()
    before = state(model)
    with pytest.raises(ValueError, match=r"."):
        model.partial_fit(*REFUSED[why], ["a", "b"])
    assert state(model) == before
    model.partial_fit(X, Y, ["a", "b"])
    check_it_goes_on(model, make())


@every
def test_a_refused_fit_leaves_everything_as_it_was(name):
    model = getattr(ours, name)().fit(X, Y)
    before = state(model)
    # These are read, and wider, before they are found to have labels of no use.
    with pytest.raises(ValueError, match=r"."):
        model.fit(np.hstack([X, X]), np.linspace(0, 1, 12))
    assert state(model) == before
    assert model.predict(X).shape == (12,)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "LikelyClassifier"])
@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_an_interrupted_call_leaves_everything_as_it_was(name, call, monkeypatch):
    make = getattr(ours, name)
    model = make().partial_fit(X, Y, ["a", "b"])
    before, estimate = state(model), make._estimate

    def interrupted(self, sums):
        estimate(self, sums)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(make, "_estimate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            getattr(model, call)(MORE_X, MORE_Y)
    assert state(model) == before
    check_it_goes_on(model, make())


@every
def test_a_copy_that_learns_more_leaves_the_other_as_it_was(name):
    model = getattr(ours, name)().partial_fit(X, Y, ["a", "b"])
    before = state(model)
    copy(model).partial_fit(MORE_X, MORE_Y)
    assert state(model) == before


def test_a_batch_without_spread_is_refused_by_gaussians_and_not_counted():
    x, y = np.array([[0.0], [1.0], [4.0], [5.0]]), [0, 0, 1, 1]
    model = GaussianNB(var_smoothing=0).partial_fit(x[:2], y[:2], classes=[0, 1])
    before = state(model)
    with pytest.raises(SingularError):
        model.partial_fit([[7.0], [7.0]], [1, 1])
    assert model.class_count_.tolist() == [2, 0]
    assert state(model) == before
    whole = GaussianNB(var_smoothing=0).fit(x, y)
    np.testing.assert_array_equal(
        model.partial_fit(x[2:], y[2:]).predict_proba(x), whole.predict_proba(x)
    )


def test_a_fit_without_spread_leaves_the_gaussians_there_were():
    model = GaussianNB(var_smoothing=0).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    before = state(model)
    with pytest.raises(SingularError):
        model.fit([[0.0, 0.0], [1.0, 1.0], [7.0, 7.0], [7.0, 7.0]], [0, 0, 1, 1])
    assert state(model) == before


def test_a_fit_with_a_singular_covariance_leaves_the_one_there_was():
    model = LinearDiscriminantAnalysis(solver="eigen").fit(X, Y)
    before = state(model)
    with pytest.raises(SingularError):
        model.fit(X[:, [0, 0, 1]], Y)
    assert state(model) == before
    check_it_goes_on(model, LinearDiscriminantAnalysis(solver="eigen"))


def test_a_warning_that_is_an_error_leaves_everything_as_it_was():
    """Warnings are errors in these tests, as they may be in a user's."""
    model = QuadraticDiscriminantAnalysis().partial_fit(X, Y, ["a", "b"])
    before = state(model)
    with pytest.raises(UserWarning, match="singular"):
        model.partial_fit([[0, 1e9, 1e9], [1, -1e9, -1e9]], ["a", "b"])
    assert state(model) == before
    check_it_goes_on(model, QuadraticDiscriminantAnalysis())


@pytest.mark.parametrize("alpha", [[1.0, 2.0], -1.0, "much"])
def test_a_wrong_alpha_leaves_everything_as_it_was(alpha):
    model = MultinomialNB().partial_fit(X, Y, ["a", "b"])
    model.set_params(alpha=alpha)
    before = state(model)
    with pytest.raises(OptionError, match="`alpha`"):
        model.partial_fit(MORE_X, MORE_Y)
    assert state(model) == before
    check_it_goes_on(model.set_params(alpha=1.0), MultinomialNB())


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "LikelyClassifier"])
def test_a_wrong_prior_leaves_everything_as_it_was(name):
    make = getattr(ours, name)
    option = next(key for key in make().get_params() if key in ("priors", "class_prior"))
    model = make().partial_fit(X, Y, ["a", "b"]).set_params(**{option: [0.2, 0.2]})
    before = state(model)
    with pytest.raises(OptionError, match=f"`{option}` are probabilities that sum to 1"):
        model.partial_fit(MORE_X, MORE_Y)
    assert state(model) == before
    check_it_goes_on(model.set_params(**{option: None}), make())


@pytest.mark.parametrize("name", ["MultinomialNB", "BinaryNB", "ComplementNB", "CategoricalNB"])
def test_negative_counts_leave_everything_as_it_was(name):
    model = getattr(ours, name)().partial_fit(X, Y, ["a", "b"])
    before = state(model)
    with pytest.raises(ValueError, match="Negative values"):
        model.partial_fit(-MORE_X, MORE_Y)
    assert state(model) == before
    check_it_goes_on(model, getattr(ours, name)())


def test_a_category_too_large_for_memory_widens_no_column():
    model = CategoricalNB().partial_fit(X, Y, ["a", "b"])
    before = state(model)
    with pytest.raises((ValueError, MemoryError)):
        model.partial_fit([[9, 9, 2**60]], ["a"])
    assert model.n_categories_.tolist() == [4, 4, 4]
    assert state(model) == before
    check_it_goes_on(model, CategoricalNB())


def test_a_threshold_that_sparse_rows_cannot_have_leaves_everything_as_it_was():
    sp = pytest.importorskip("scipy.sparse")
    model = BernoulliNB().partial_fit(X, Y, ["a", "b"]).set_params(binarize=-1.0)
    before = state(model)
    with pytest.raises(OptionError, match="`binarize`"):
        model.partial_fit(sp.csr_array(MORE_X), MORE_Y)
    assert state(model) == before
    check_it_goes_on(model.set_params(binarize=0.0), BernoulliNB())


def test_any_model_refuses_a_first_batch_and_takes_other_columns():
    model = LikelyClassifier({"n": likely.Gaussian(), "c": likely.Categorical()})
    frames = pytest.importorskip("pandas").DataFrame
    before = state(model)
    with pytest.raises(LikelyError):
        model.partial_fit(frames({"n": ["x", "y"], "c": ["u", "v"]}), ["a", "b"], ["a", "b"])
    assert state(model) == before
    good = frames({"n": [1.0, 2.0, 4.0], "c": ["u", "v", "v"]})
    model.partial_fit(good, ["a", "b", "b"], ["a", "b"])
    before = state(model)
    with pytest.raises(LikelyError):
        model.partial_fit(frames({"n": ["x"], "c": ["u"]}), ["a"])
    assert state(model) == before
    assert model.predict(good).tolist() == ["a", "b", "b"]


def test_a_refused_fit_leaves_the_features_there_were():
    texts = ["free money", "see you at lunch"]
    model = TextVectorizer(use_idf=True).fit(texts)
    before = model.transform(texts).toarray()
    model.set_params(dtype="no kind of number")
    with pytest.raises(TypeError):
        model.fit_transform(["other words"])
    model.set_params(dtype=None)
    np.testing.assert_array_equal(model.transform(texts).toarray(), before)
