"""Which scores are probabilities of rows."""

import pytest

import likely
from likely.errors import OptionError
from tests.raising import coded

TEXTS, LABELS = ["good fun", "so good", "dull", "so dull"], ["pos", "pos", "neg", "neg"]


@pytest.mark.parametrize("what", ["log_joint", "log_evidence"])
def test_weighted_counts_have_no_probability_and_say_why(what):
    model = likely.Classifier(likely.Multinomial(tfidf=True)).fit(TEXTS, LABELS)
    with pytest.raises(OptionError, match="Multinomial scores with `tfidf` are no joint prob"):
        getattr(model, what)(["good"])
    assert model.predict(["good"]).tolist() == ["pos"]


@pytest.mark.parametrize(
    "likelihood",
    [None, likely.Complement(), likely.Complement(tfidf=True)],
)
def test_neither_have_complements_nor_weighed_views(likelihood):
    model = likely.Classifier(likelihood).fit(TEXTS, LABELS)
    with pytest.raises(OptionError, check=coded("not-joint")):
        model.log_evidence(["good"])


@pytest.mark.parametrize(
    "likelihood", [likely.Multinomial(), likely.BinaryMultinomial(), likely.Bernoulli()]
)
def test_those_of_counts_have(likelihood):
    model = likely.Classifier(likelihood).fit(TEXTS, LABELS)
    assert (model.log_evidence(["good"]) < 0).all()
