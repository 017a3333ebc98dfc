"""Lexicons: read from files, as features, as a number, alone."""

import numpy as np
import pytest

import likely
from likely import Lexicon, Polarity, Text
from likely.errors import DataError, DataTypeError, OptionError
from tests.raising import coded

LEXICON = Lexicon({"good": "positive", "great fun": "positive", "bad": ["negative", "harsh"]})


def test_a_hit_is_a_feature_and_a_negated_one_another():
    text = Text(word_ngrams=None, lexicon=LEXICON, negation="en")
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
    terms = model.explain({"text": "great fun"}).contributions
    assert [term.name for term in terms if term.kind == "polarity"] == ["polarity=1"]


def test_files_of_words_and_categories(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("; a comment\ngood\tpositive\n\nbad\tnegative\nBad\tharsh\n", "utf-8")
    assert Lexicon.read(path) == Lexicon({"good": "positive", "bad": ["negative", "harsh"]})
    path.write_text('text,label\na+,positive\n"well, well", odd\n', "utf-8")
    assert Lexicon.read(path).entries == {"a+": ("positive",), "well, well": ("odd",)}


def test_vader_s_form(tmp_path):
    path = tmp_path / "vader.txt"
    path.write_text(":)\t2.0\t0.8\t[1, 2]\nawful\t-2.0\t0.5\t[1]\nmeh\t0\t0\t[]\n", "utf-8")
    lexicon = Lexicon.read(path)
    assert lexicon.entries == {":)": ("positive",), "awful": ("negative",)}
    assert list(lexicon.polarity(["awful", "awful :-)"])) == [-2.0, 0.0]


def test_lists_of_emotions_say_what_a_word_is_not(tmp_path):
    path = tmp_path / "emotions.txt"
    path.write_text("good\tjoy\t1\ngood\tfear\t0\ngun\tfear\t1\n", "utf-8")
    assert Lexicon.read(path).entries == {"good": ("joy",), "gun": ("fear",)}


def test_a_csv_needs_no_header(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("good,positive\nfine,positive\nbad,negative\n", "utf-8")
    assert len(Lexicon.read(path).entries) == 3
    path.write_text("# mine\nword,label\ngood,positive\nfine,positive\n", "utf-8")
    assert list(Lexicon.read(path).entries) == ["good", "fine"]
    path.write_text("good,1.5\n", "utf-8")
    assert Lexicon.read(path).polarities == {"good": 1.5}
    path.write_text("happy,joy\nsad,sadness\nword,language\n", "utf-8")
    assert list(Lexicon.read(path).entries) == ["happy", "sad", "word"]


def test_a_csv_is_read_as_such_files_are(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text('"good","1.5"\n"nice, really","-2"\n', "utf-8")
    assert Lexicon.read(path).polarities == {"good": 1.5, "nice, really": -2.0}
    for header in ("word,emotion,there\n", ""):
        path.write_text(f"{header}happy,joy,1\nhappy,fear,0\n", "utf-8")
        assert Lexicon.read(path).entries == {"happy": ("joy",)}


def test_a_header_is_one_in_any_file(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("word\tpolarity\ngood\t1\nbad\t-1\n", "utf-8")
    assert Lexicon.read(path).polarities == {"good": 1.0, "bad": -1.0}


def test_of_several_polarities_the_last_counts(tmp_path):
    path = tmp_path / "vader.txt"
    path.write_text("D:\t-2.9\nd:\t1.2\n", "utf-8")
    assert Lexicon.read(path) == Lexicon({"d:": 1.2})


def test_texts_are_a_list():
    with pytest.raises(DataTypeError, check=coded("one-string")):
        LEXICON.polarity("good")
    with pytest.raises(DataTypeError, check=coded("one-string")):
        LEXICON.classify("good day")
    assert list(LEXICON.polarity({"text": ["good", "bad"]})) == [1, -1]


def test_a_list_of_emotions_is_not_polar():
    emotions = Lexicon({"good": "joy", "gun": "fear"})
    for asked in (lambda: emotions.classify(["good"]), lambda: Polarity(emotions)):
        with pytest.raises(OptionError, match="no entry of the lexicon is positive or negative"):
            asked()


def test_a_wink_is_no_comment(tmp_path):
    path = tmp_path / "vader.txt"
    path.write_text(";; smileys\n; of mine\n;)\t0.9\t0.8\n#1\t2\t0\n", "utf-8")
    assert Lexicon.read(path).polarities == {";)": 0.9, "#1": 2.0}


def test_a_number_is_a_polarity():
    lexicon = Lexicon({"good": 1.5, "bad": -2})
    assert lexicon == Lexicon({"good": "positive", "bad": "negative"}, {"good": 1.5, "bad": -2})


@pytest.mark.parametrize(
    ("entry", "hits", "misses"),
    [
        ("a+", ["an A+ film", "a+"], ["a table", "a + b"]),
        (".net", ["the .NET way"], ["the net", "a . net"]),
        ("co-op", ["my co-op", "Co-Op"], ["co op", "co - op"]),
        ("24/7", ["open 24/7"], ["24", "24 7"]),
        ("great fun", ["Great  fun!", "great\nfun"], ["great, fun", "great"]),
        ("<3", ["I <3 it"], ["3 stars"]),
        ("d:", ["no d:"], [":d", "d"]),
    ],
)
def test_an_entry_is_found_as_it_is_written(entry, hits, misses):
    text = Text(word_ngrams=None, lexicon=Lexicon({entry: "odd"}))
    assert [text.features(hit) for hit in hits] == [["LEX_odd"]] * len(hits)
    assert [text.features(miss) for miss in misses] == [[]] * len(misses)


def test_each_smiley_has_its_own_value():
    values = {":)": 2.0, ":-)": 1.3, ":o": -0.4, ":o)": 2.1, ">:(": -2.7, ":(": -1.9, "d": 5.0}
    lexicon = Lexicon(values)
    for smiley, value in values.items():
        assert lexicon.polarity([smiley, f"so {smiley} so"]) == pytest.approx([value, value])
    assert list(lexicon.polarity([":^)", ":) :("])) == pytest.approx([2.0, 0.1])
    assert str(lexicon.polarity(["nothing"])[0]) == "0.0"


def test_case_that_is_kept_hides_no_entry():
    text = Text(word_ngrams=None, lowercase=False, lexicon=Lexicon({"great fun": "odd"}))
    assert text.features("GREAT Fun") == ["LEX_odd"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there is no entry in it"),
        (
            "good\tpositive\nbad\n",
            "line 2: a word, a tab and its category or polarity are expected",
        ),
        ("good\t\n", "line 1: a word, a tab and"),
        ("good positive\nbad negative\n", r"line 1: a word, a tab \(or a comma\) and its"),
        ("# of mine\ngood\tnan\n", "line 2: a polarity is a number such as 1.5, not 'nan'"),
        ("good\t1,5\n", "line 1: a polarity is a number such as 1.5, not '1,5'"),
        ("meh\t0\n", "no word in it has a category or a polarity"),
        ("a\t1\n" * 30 + "good\t19O\n", "line 31: a polarity is a number such as 1.5, not '19O'"),
        ("good" * 40_000 + "\tpositive\n", "line 1: a word .* are expected, not 160,009"),
        ("good" * 40_000 + ",positive\n", "line 1: a word .* are expected, not 160,009"),
        ("good,very,positive\n", "line 1: .* put a phrase that has a comma into quotation marks"),
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
    with pytest.raises(DataError, match="line 1: byte 3 of the file is not UTF-8; save"):
        Lexicon.read(tmp_path / "latin.txt")


@pytest.mark.parametrize(
    ("entries", "polarities", "message"),
    [
        (["good"], None, "a lexicon is a dictionary of words"),
        ({"": "positive"}, None, "the entries of a lexicon are words, not ''"),
        ({}, None, "a lexicon is a dictionary of words"),
        ({"good": ()}, None, "`good` needs a category"),
        ({"good": None}, None, "`good` needs a category, or a polarity above or below 0, not None"),
        ({"good": 0}, None, "`good` needs a category, or a polarity above or below 0, not 0"),
        ({"good": "positive"}, {"good": "1"}, "the polarity of `good` is a number, not '1'"),
        ({"good": "positive"}, {"bad": 1.0}, "`bad` has a polarity but no category"),
        ({"good": "positive"}, {"good": np.nan}, "the polarity of `good` is a number"),
        ({"good": "positive"}, [1], r"polarities are a dictionary of numbers, not \[1\]"),
        ({"good": "positive"}, {1: 1}, "the entries of a lexicon are words, not 1"),
        ({"\ud800": "positive"}, None, "is no word: it is not valid Unicode"),
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
    entries = list(lexicon.entries)
    said = zip(entries, lexicon.polarity(entries), strict=True)
    assert [entry for entry, value in said if value != lexicon.polarity_of(entry)] == []
