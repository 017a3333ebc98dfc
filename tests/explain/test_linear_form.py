"""In log space, discrete Naive Bayes and LDA are linear: score = w·x + b."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import likely
from likely import _kernel
from likely.errors import OptionError

TEXTS = ["red fish blue fish", "red car", "blue car blue", "fish", ""]
LABELS = ["animal", "thing", "thing", "animal", "thing"]


@pytest.mark.parametrize("view", [likely.Multinomial, likely.BinaryMultinomial, likely.Bernoulli])
def test_the_text_views_are_linear_in_what_an_independent_counter_counts(view):
    model = likely.Classifier(view(0.7)).fit(TEXTS, LABELS)
    form = model.linear_form()
    counter = CountVectorizer(
        analyzer=lambda text: _kernel.words(text, True), vocabulary=form.features
    )
    new = ["fish fish red", "unknown car", ""]
    counts = counter.transform(new).toarray()
    if view is not likely.Multinomial:
        counts = np.minimum(counts, 1)
    assert (form.matrix(new) == counts).all()
    assert counts @ form.weights.T + form.intercepts == pytest.approx(model.log_joint(new))


def test_complement_is_linear_too():
    model = likely.Classifier(likely.Complement()).fit(TEXTS, LABELS)
    new = ["fish fish red", ""]
    assert model.linear_form().scores(new) == pytest.approx(model.fitted.scores_of(new, 1))


@pytest.mark.parametrize("likelihood", [likely.Categorical(0.5), likely.JointTable()], ids=repr)
def test_categories_are_linear_in_their_indicators(likelihood):
    x = {"sky": ["blue", "grey", "grey", "blue", None], "wind": ["no", "no", "yes", "yes", "yes"]}
    model = likely.Classifier(likelihood).fit(x, ["out", "in", "in", "out", "in"])
    form = model.linear_form()
    new = {"sky": ["blue", "grey", "blue"], "wind": ["yes", "no", "no"]}
    assert set(np.unique(form.matrix(new))) <= {0.0, 1.0}
    assert form.scores(new) == pytest.approx(model.log_joint(new))


def test_lda_is_linear_up_to_what_all_classes_share():
    chance = np.random.default_rng(3)
    x = chance.normal(size=(60, 3)) @ chance.normal(size=(3, 3)) + 5
    y = np.arange(60) % 3
    x[:, 1] += y
    model = likely.Classifier(likely.Gaussian("shared")).fit(x, y)
    form = model.linear_form()
    difference = form.scores(x) - model.log_joint(x)
    assert difference == pytest.approx(np.repeat(difference[:, :1], 3, axis=1))
    assert np.ptp(difference[:, 0]) > 1


def test_a_constant_column_has_no_weight():
    x = [[1.0, 7.0], [2.0, 7.0], [5.0, 7.0], [6.5, 7.0]]
    form = likely.Classifier(likely.Gaussian("shared")).fit(x, [0, 0, 1, 1]).linear_form()
    assert (form.weights[:, 1] == 0).all()


def test_a_mixed_table_is_linear_if_its_parts_are():
    x = {"body": TEXTS, "size": ["s", "m", "m", "s", "s"]}
    given = {"body": likely.BinaryMultinomial(), "size": likely.Categorical()}
    model = likely.Classifier(given).fit(x, LABELS)
    assert model.linear_form().features == ("blue", "car", "fish", "red", "size=m", "size=s")
    assert model.linear_form().scores(x) == pytest.approx(model.log_joint(x))


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
def test_what_is_quadratic_says_so(covariance):
    model = likely.Classifier(likely.Gaussian(covariance)).fit([[1.0], [2], [4], [3]], [0, 0, 1, 1])
    with pytest.raises(OptionError, match="quadratic"):
        model.linear_form()


def test_infinite_weights_are_refused():
    with pytest.raises(OptionError, match="infinite"):
        likely.Classifier(likely.Multinomial(0)).fit(TEXTS, LABELS).linear_form()
