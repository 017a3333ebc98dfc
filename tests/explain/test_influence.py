"""Which learned rows a prediction rests on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely.errors import DataError, LikelyError, OptionError
from likely.likelihoods import TextViews
from likely.likelihoods.text_views import View
from tests.raising import coded
from tests.tuned import with_weights

VIEWS = (
    View("word", "multinomial", 0.5, whole=0.7),
    View("bigram", "binary-multinomial", 0.2, min_documents=2, whole=0.3, rooted=0.5),
    View("char n-gram", "binary complement", 0.2, rooted=0.4),
)
MODELS = [
    (likely.Multinomial(), None),
    (likely.Bernoulli(), None),
    (likely.Complement(), None),
    (likely.BinaryMultinomial(alpha=0.3), 0.5),
    (TextViews(), VIEWS),
]
texts = st.lists(st.sampled_from("abcd"), min_size=1, max_size=5).map(" ".join)


@pytest.mark.parametrize(("likelihood", "weights"), MODELS, ids=repr)
@settings(max_examples=10, deadline=None)
@given(st.lists(texts, min_size=6, max_size=8), st.integers(2, 3), texts)
def test_it_is_what_forgetting_the_row_would_change(likelihood, weights, learned, classes, asked):
    labels = [f"c{row % classes}" for row in range(len(learned))]

    def probability(rows, of=None):
        model = likely.Classifier({"text": likelihood}, classes=("c0", "c1", "c2"))
        model.fit({"text": [learned[row] for row in rows]}, [labels[row] for row in rows])
        model = model if weights is None else with_weights(model, weights)
        found = model.predict_proba({"text": [asked]})[0]
        return model, found[found.argmax() if of is None else of], found.argmax()

    everything = range(len(learned))
    model, before, winner = probability(everything)
    found = model.influence({"text": asked}, {"text": learned}, labels, n=99)
    assert sorted(one.row for one in found) == list(everything)
    assert [abs(one.change) for one in found] == sorted(
        (abs(o.change) for o in found), reverse=True
    )
    for row, label, change in found:
        assert label == labels[row]
        _, after, _ = probability([other for other in everything if other != row], winner)
        assert change == pytest.approx(np.log(before) - np.log(after), abs=1e-8)


def test_rows_with_its_words_speak_for_it_or_against_it():
    texts = ["a fine film", "dull and slow", "fine acting", "slow but fine", "very dull"] * 4
    labels = ["good", "bad", "good", "bad", "bad"] * 4
    for options in ({}, {"stack_linear": True}):
        model = likely.Classifier(**options).fit(texts, labels)
        found = model.influence("fine", texts, labels, n=20)
        change = {texts[row]: change for row, _, change in found}
        assert change["fine acting"] > 0 > change["slow but fine"]


def test_what_was_not_learned_or_is_no_text_has_no_influence():
    model = likely.Classifier().fit(["good", "so good", "bad"], ["x", "x", "y"])
    with pytest.raises(DataError):
        model.influence("good", ["never seen"], ["x"])
    with pytest.raises(LikelyError, check=coded("compact-copy")):
        model.compact().influence("good", ["good"], ["x"])
    table = likely.Classifier({"n": likely.Gaussian()}).fit(
        {"n": [1.0, 2.0, 4.0, 5.0]}, list("aabb")
    )
    with pytest.raises(OptionError, match="influence is that of texts"):
        table.influence({"n": 1.0}, {"n": [1.0]}, ["a"])
