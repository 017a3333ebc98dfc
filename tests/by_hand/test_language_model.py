"""Two languages, one sentence: "I love this fun film"."""

import math

import pytest

from likely import Classifier, Multinomial, open_table
from likely.examples import path

POSITIVE = {"I": 0.1, "love": 0.1, "this": 0.01, "fun": 0.05, "film": 0.1}
NEGATIVE = {"I": 0.2, "love": 0.001, "this": 0.01, "fun": 0.005, "film": 0.1}
SENTENCE = "I love this fun film"


@pytest.fixture(scope="module")
def model():
    return Classifier(Multinomial(0)).fit(open_table(path("film-sentence.csv")), "label")


def test_the_sentence_has_these_probabilities(model):
    assert math.exp(model.language_model("pos").log_prob(SENTENCE)) == pytest.approx(
        5e-7, rel=1e-12
    )
    assert math.exp(model.language_model("neg").log_prob(SENTENCE)) == pytest.approx(
        1e-9, rel=1e-12
    )


def test_each_word_has_its_share(model):
    for label, shares in (("pos", POSITIVE), ("neg", NEGATIVE)):
        found = {
            each.word: math.exp(each.log_prob)
            for each in model.language_model(label).words(SENTENCE)
        }
        assert found == pytest.approx({word.lower(): share for word, share in shares.items()})


def test_the_sentence_is_positive(model):
    assert model.predict([SENTENCE]).item() == "pos"
    assert model.language_model("pos").perplexity(SENTENCE) == pytest.approx(5e-7 ** (-1 / 5))
