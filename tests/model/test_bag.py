"""The probability of a bag of words has the multinomial coefficient, and the same posterior."""

import math
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely import Classifier, Text, textbook
from likely.errors import OptionError
from likely.model import bag

DOCUMENTS = st.lists(st.sampled_from(["a", "b", "c", "d", "zzz"]), max_size=7).map(" ".join)
DATA = [("a a b", "+"), ("b c", "-"), ("c d a", "-"), ("d", "+")]


@pytest.fixture
def model():
    texts, labels = zip(*DATA, strict=True)
    return Classifier(likely.Multinomial()).fit(list(texts), list(labels))


@given(counts=st.lists(st.integers(0, 5), max_size=4))
def test_the_coefficient_counts_sentences(counts):
    assume(sum(counts) <= 7)
    words = [place for place, n in enumerate(counts) for _ in range(n)]
    assert bag.coefficient(counts) == len(set(permutations(words)))
    assert bag.coefficient(counts) == textbook.multinomial_coefficient(list(map(str, words)))


@settings(max_examples=50)
@given(new=st.lists(DOCUMENTS, min_size=1, max_size=4))
def test_bags_are_those_of_the_textbook(new):
    texts, labels = zip(*DATA, strict=True)
    model = Classifier(likely.Multinomial(0.5)).fit(list(texts), list(labels))
    expected = [textbook.joint(d, DATA, textbook.bag_of_words, alpha=0.5) for d in new]
    found = model.log_joint(new, bag=True)
    assert np.exp(found) == pytest.approx(
        np.array([[float(of[c]) for c in model.classes] for of in expected]), rel=1e-12
    )
    evidence = [float(sum(of.values())) for of in expected]
    assert np.exp(model.log_evidence(new, bag=True)) == pytest.approx(evidence, rel=1e-12)


def test_the_bags_of_one_length_have_all_probability_together(model):
    """As they should: there are (n + V − 1 choose n) of them."""
    bags = list(combinations_with_replacement("abcd", 3))
    assert len(bags) == math.comb(3 + 4 - 1, 3)
    each = np.exp(model.log_joint([" ".join(one) for one in bags], bag=True))
    assert each.sum(axis=0) == pytest.approx([0.5, 0.5], rel=1e-12)


def test_unknown_and_neutral_words_are_left_out_of_the_coefficient(model):
    for text in ("a a b", "a zzz a b zzz"):
        apart = model.log_joint([text], bag=True) - model.log_joint([text])
        assert np.exp(apart) == pytest.approx(np.full((1, 2), 3.0))
    neutral = model.with_neutral(["a"])
    apart = neutral.log_joint(["a a b"], bag=True) - neutral.log_joint(["a a b"])
    assert apart == pytest.approx(np.zeros((1, 2)))
    assert neutral.by_hand("a a b", bag=True).steps[1].name == "1!"


def test_the_posterior_stays(model):
    found, sequence = model.by_hand("a a b c", bag=True), model.by_hand("a a b c")
    assert found.probabilities == pytest.approx(sequence.probabilities, rel=1e-12)
    assert [found.product(k) / sequence.product(k) for k in (0, 1)] == [12, 12]
    assert found.totals == pytest.approx(model.log_joint(["a a b c"], bag=True)[0])


def test_the_coefficient_is_a_factor_by_hand(model):
    shown = str(model.by_hand("a a b", bag=True))
    assert "Sentences with this bag of words, all equally probable: 3!/2! = 3\n" in shown
    assert "P(+) · 3!/2! · P(a | +)² · P(b | +)\n  = 2/4 · 3 · (3/8)² · 2/8\n" in shown
    assert "Sentences" not in str(model.by_hand("zzz", bag=True))


def test_two_texts_are_two_bags():
    rows = {"title": ["a b", "c"], "body": ["a", "b b"], "size": ["s", "m"]}
    given = {
        "title": likely.Multinomial(),
        "body": likely.Multinomial(2),
        "size": likely.Categorical(),
    }
    model = Classifier(given).fit(rows, ["x", "y"])
    row = {"title": "a c c", "body": "a a b b", "size": "s"}
    as_table = {name: [cell] for name, cell in row.items()}
    apart = model.log_joint(as_table, bag=True) - model.log_joint(as_table)
    assert np.exp(apart) == pytest.approx(np.full((1, 2), 3.0 * 6.0))
    names = [step.name for step in model.by_hand(row, bag=True).steps]
    assert ("3!/2!" in names, "4!/(2!·2!)" in names) == (True, True)


@pytest.mark.parametrize(
    "likelihood",
    [
        likely.Bernoulli(),
        likely.BinaryMultinomial(),
        likely.Complement(),
        likely.Multinomial(text=Text((1, 2))),
        likely.Multinomial(text=Text(1, (2, 3))),
        likely.Multinomial(tfidf=True),
        likely.Multinomial(skip_top=1),
        likely.Categorical(),
        None,
    ],
    ids=str,
)
def test_what_is_no_multinomial_of_words_has_no_bag(likelihood):
    model = Classifier(likelihood).fit(["a b", "c", "b", "c c"], ["x", "y", "x", "y"])
    for ask in (
        lambda: model.by_hand("a", bag=True),
        lambda: model.log_joint(["a"], bag=True),
    ):
        with pytest.raises(OptionError, match="is that of a multinomial of single words"):
            ask()


def test_a_tuned_multinomial_has_no_bag():
    texts = ["a b", "c", "b", "c c"] * 5
    model = Classifier({"t": likely.Multinomial()}).fit({"t": texts}, ["x", "y", "x", "y"] * 5)
    model.tune({"t": texts}, ["x", "y", "x", "y"] * 5)
    with pytest.raises(OptionError, match="no joint probability, so there is no `bag`"):
        model.log_joint({"t": ["a"]}, bag=True)


def test_no_rows_and_empty_texts_have_bags(model):
    assert model.log_joint([], bag=True).shape == (0, 2)
    assert (model.log_joint([""], bag=True) == model.log_joint([""])).all()
    assert model.by_hand("", bag=True).to_json() == model.by_hand("").to_json()
