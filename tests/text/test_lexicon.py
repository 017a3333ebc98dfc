"""Lexicons: read from files, as features, as a number, alone."""

import numpy as np
import pytest

import likely
from likely import Lexicon, Text
from likely.errors import DataError, OptionError

LEXICON = Lexicon({"good": "positive", "great fun": "positive", "bad": ["negative", "harsh"]})


def test_a_hit_is_a_feature_and_a_negated_one_another():
    text = Text(words=None, lexicon=LEXICON, negation="en")
    assert text.features("Good. Great fun, not bad") == [
        "LEX_positive",
        "LEX_positive",
        "NOT_LEX_negative",
        "NOT_LEX_harsh",
    ]


def test_polarity_is_the_sum_of_the_hits():
    texts = ["good good bad", "not good", "nothing known", ""]
    assert list(LEXICON.polarity(texts, negation="en")) == [1, -1, 0, 0]
    assert list(LEXICON.polarity(texts)) == [1, 1, 0, 0]
    weighted = Lexicon({"good": "positive", ":-)": "positive"}, {"good": 1.5, ":-)": 0.5})
    assert list(weighted.polarity(["good :)"])) == [2.0]


def test_a_lexicon_alone_is_a_classifier():
    said = LEXICON.classify(["good", "bad", "?"], positive=1, negative=0, neither=1)
    assert said == [1, 0, 1]


def test_it_helps_where_labels_are_few():
    texts, labels = ["good film", "bad play"], ["pos", "neg"]
    model = likely.Classifier({"text": [likely.Multinomial(), likely.Polarity(LEXICON)]})
    model.fit({"text": [*texts, "good day", "bad night"], "y": [*labels, *labels]}, "y")
    assert list(model.predict({"text": ["great fun"]})) == ["pos"]
    terms = model.explain({"text": "great fun"}).terms
    assert [term.name for term in terms if term.kind == "polarity"] == ["polarity=1"]


def test_files_of_words_and_categories(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("; a comment\ngood\tpositive\n\nbad\tnegative\nBad\tharsh\n", "utf-8")
    assert Lexicon.read(path) == Lexicon({"good": "positive", "bad": ["negative", "harsh"]})
    path.write_text('text,label\na+,positive\n"well, well",odd\n'.replace('"', ""), "utf-8")
    assert Lexicon.read(path).categories == ("odd", "positive")


def test_vader_s_form(tmp_path):
    path = tmp_path / "vader.txt"
    path.write_text(":)\t2.0\t0.8\t[1, 2]\nawful\t-2.0\t0.5\t[1]\nmeh\t0\t0\t[]\n", "utf-8")
    lexicon = Lexicon.read(path)
    assert lexicon.entries == {":)": ("positive",), "awful": ("negative",)}
    assert list(lexicon.polarity(["awful", "awful :-)"])) == [-2.0, 0.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there is no entry in it"),
        (
            "good\tpositive\nbad\n",
            "line 2: a word, a tab and its category or polarity are expected",
        ),
        ("good\t\n", "line 1: a word, a tab and"),
    ],
)
def test_errors_name_the_line(tmp_path, content, message):
    path = tmp_path / "words.txt"
    path.write_text(content, "utf-8")
    with pytest.raises(DataError, match=message):
        Lexicon.read(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="No such file"):
        Lexicon.read(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\tpositive\n")
    with pytest.raises(DataError, match="byte 3 is not UTF-8"):
        Lexicon.read(tmp_path / "latin.txt")


@pytest.mark.parametrize(
    ("entries", "polarities", "message"),
    [
        (["good"], None, "a lexicon is a dictionary of words"),
        ({"": "positive"}, None, "the entries of a lexicon are words, not ''"),
        ({"good": ()}, None, "`good` needs a category"),
        ({"good": "positive"}, {"bad": 1.0}, "`bad` has a polarity but no category"),
        ({"good": "positive"}, {"good": np.nan}, "the polarity of `good` is a number"),
    ],
)
def test_what_makes_no_sense_is_refused(entries, polarities, message):
    with pytest.raises(OptionError, match=message):
        Lexicon(entries, polarities)


def test_vader_itself(public_data):
    lexicon = Lexicon.read(public_data / "lexicons" / "vader_lexicon.txt")
    assert len(lexicon.entries) > 7_000
    good, bad = lexicon.polarity(
        ["a great film :)", "this is not good, it is awful"], negation="en"
    )
    assert good > 0 > bad
