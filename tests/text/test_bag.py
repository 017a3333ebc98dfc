"""The bag of a text: its features counted, and what preprocessing did to its words."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likely import Lexicon, Text

READINGS = [
    Text(),
    Text((1, 3), (2, 4), punctuation=True, surface_features=True),
    Text(negation="en", stop_words=["the", "it"], stem="en"),
    Text((2, 2), negation="en", stop_words=["a"], lowercase=False),
    Text(None, (1, 2)),
    Text(None, lexicon=Lexicon({"good": "positive"}), negation="en"),
]
texts = st.lists(
    st.sampled_from(
        ["Good", "not", "the", "it", "isn't", "a", "films", ",", "but", "!!", "é", ":)"]
    )
).map(" ".join)


@pytest.mark.parametrize("reading", READINGS, ids=repr)
@given(text=texts)
def test_a_bag_counts_the_features(reading, text):
    bag = reading.bag(text)
    assert bag.counts == Counter(reading.features(text))
    assert {feature.kind for feature in bag.features} <= set(reading.blocks)
    assert all(feature.state is None for feature in bag.features)


def test_kinds_are_apart_and_the_most_frequent_come_first():
    bag = Text((1, 2), (3, 3)).bag("too too the")
    assert [(f.name, f.kind, f.count) for f in bag.features] == [
        ("too", "word", 2),
        ("the", "word", 1),
        ("too too", "bigram", 1),
        ("too the", "bigram", 1),
        (" to", "char n-gram", 2),
        ("too", "char n-gram", 2),
        ("oo ", "char n-gram", 2),
        (" th", "char n-gram", 1),
        ("the", "char n-gram", 1),
        ("he ", "char n-gram", 1),
    ]


def test_what_preprocessing_did_is_told_step_by_step():
    reading = Text((1, 2), negation="en", stop_words=["i", "film"], stem="en")
    bag = reading.bag("I didn't like films, but I liked the film. Never film this film")
    assert bag.negated == (
        ("like", "NOT_like"),
        ("films", "NOT_films"),
        ("film", "NOT_film"),
        ("this", "NOT_this"),
    )
    assert bag.stop_words == ("i", "film", "NOT_film")
    assert bag.stems == (("NOT_films", "NOT_film"), ("liked", "like"))


def test_without_preprocessing_nothing_was_done():
    bag = Text(None, (2, 3), surface_features=True).bag("I did NOT like it")
    assert bag.negated == bag.stop_words == bag.stems == ()
    assert Text().bag("I did NOT like it").negated == ()


@pytest.mark.parametrize("text", ["", "  ", "!!!", "\n"])
def test_nothing_has_no_features(text):
    assert Text().bag(text).features == ()
    assert Text().bag(text).to_json()["features"] == []


def test_a_bag_has_plain_values():
    found = Text(negation="en", stop_words=["so"], stem="en").bag("so not liked").to_json()
    assert found == {
        "features": [
            {"name": "not", "kind": "word", "count": 1},
            {"name": "NOT_like", "kind": "word", "count": 1},
        ],
        "negated": [["liked", "NOT_liked"]],
        "stop_words": ["so"],
        "stems": [["NOT_liked", "NOT_like"]],
    }
