"""Children's heights and vocabularies depend on each other, until one knows their age."""

import numpy as np
import pytest

import likely
from tests import bundled


@pytest.fixture(scope="module")
def children():
    """Heights in cm and known words, both growing with age and with nothing else."""
    age, height, vocabulary = np.array(bundled.rows("children.csv"), dtype=float).T
    return {"height": height, "vocabulary": vocabulary}, age


def test_dependent_but_independent_given_age(children):
    x, age = children
    (found,) = likely.Classifier(likely.Gaussian()).fit(x, age).dependences(x, age)
    assert {found.first, found.second} == {"height", "vocabulary"}
    assert found.overall > 0.85
    assert found.within < 0.1


def test_the_same_with_sizes_in_words(children):
    x, age = children
    words = {
        name: np.where(column < np.median(column), "small", "large") for name, column in x.items()
    }
    (found,) = likely.Classifier(likely.Categorical()).fit(words, age).dependences(words, age)
    assert found.overall > 0.5
    assert found.within < 0.2


def test_one_in_words_and_one_in_numbers(children):
    x, age = children
    mixed = {**x, "height": np.where(x["height"] < 125, "small", "large")}
    given = {"height": likely.Categorical(), "vocabulary": likely.Gaussian()}
    (found,) = likely.Classifier(given).fit(mixed, age).dependences(mixed, age)
    assert found.overall > 0.6
    assert found.within < 0.2


def test_what_does_go_together_within_an_age_is_found(children):
    x, age = children
    arms = x["height"] * 0.4 + np.random.default_rng(1).normal(0, 0.5, len(age))
    arms[::7] = np.nan
    model = likely.Classifier(likely.Gaussian("shared")).fit({**x, "arms": arms}, age)
    strongest, *others = model.dependences({**x, "arms": arms}, age)
    assert {strongest.first, strongest.second} == {"height", "arms"}
    assert strongest.within > 0.9
    assert all(other.within < 0.15 for other in others)
    assert "`height` and `arms` go together within the classes" in str(model.info)


def test_words_that_come_in_pairs_are_found():
    texts = ["hong kong tea", "hong kong", "tea time", "tea", "time"] * 8
    model = likely.Classifier(likely.Multinomial()).fit(texts, ["a", "b", "a", "b", "a"] * 8)
    strongest = model.dependences(texts, ["a", "b", "a", "b", "a"] * 8, n=1)[0]
    assert {strongest.first, strongest.second} == {"hong", "kong"}
    assert strongest.within == pytest.approx(1.0)


def test_words_of_a_few_rows_are_no_pair():
    texts = ["tea", "tea time", "time", "tea at sea", ""] * 2 + ["once more"] * 4
    labels = ["a", "b"] * 7
    model = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    assert model.dependences(texts, labels) == []
    more = [*texts, "once more"], [*labels, "a"]
    found = model.dependences(*more)[0]
    assert {found.first, found.second} == {"once", "more"}
    assert found.within == pytest.approx(1.0)
