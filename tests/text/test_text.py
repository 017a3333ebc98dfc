"""How a text is read: options, presets, what is stored."""

import copy
import pickle

import pytest

import likely
from likely import Lexicon, Negation, Text
from likely.errors import OptionError
from tests.raising import coded

LEXICON = Lexicon({"good": "positive", "bad": "negative", "so what": "slang"})
MANY_OPTIONS = Text(
    (1, 3),
    (2, 4),
    normalize=True,
    punctuation=True,
    surface_features=["url", "run"],
    negation=Negation("en", scope="word"),
    stop_words=["the", "A"],
    stem="it",
    lexicon=LEXICON,
    invalid="replace",
)


def test_the_default_is_words_alone():
    assert Text().features("Don't panic, it's 3.14!") == ["don't", "panic", "it's", "3.14"]
    assert repr(Text()) == "Text(word_ngrams=(1, 1))"


def test_kinds_come_one_after_another():
    text = Text((1, 2), 3, punctuation=True, lexicon=LEXICON)
    words, pairs = ["so", "what", "!"], ["so what", "what !"]
    runs = [" so", "so ", " wh", "wha", "hat", "at!", "t! "]
    assert text.features("So what!") == [*words, *pairs, *runs, "LEX_slang"]


def test_a_reading_comes_back_from_what_is_stored():
    for text in (
        Text(),
        MANY_OPTIONS,
        Text(negation="it"),
        Text(stop_words="de", surface_features=True),
    ):
        assert Text.from_json(text.to_json()) == text
        assert pickle.loads(pickle.dumps(text)) == text
        assert copy.deepcopy(text) == text
        assert hash(Text.from_json(text.to_json())) == hash(text)


@pytest.mark.parametrize("text", [MANY_OPTIONS, Text(lowercase=False, invalid="replace")], ids=repr)
def test_a_model_remembers_how_it_reads(tmp_path, text):
    rows = ["Good GOOD cats", "not good at all", "so what?", "bad http://a.com"], list("abba")
    model = likely.Classifier(likely.Multinomial(text=text)).fit(*rows)
    model.save(tmp_path / "m.likely")
    again = likely.load(tmp_path / "m.likely")
    assert again.likelihood == model.likelihood
    assert repr(again) == repr(model)
    assert (again.predict_proba(rows[0]) == model.predict_proba(rows[0])).all()
    assert pickle.loads(pickle.dumps(model)).digest == model.digest
    again.update(["good"], ["a"]).forget(["good"], ["a"])
    assert again.digest == model.digest


def test_what_is_read_otherwise_cannot_be_merged():
    plain = likely.Classifier(likely.Multinomial()).fit(["a", "b"], [0, 1])
    negated = likely.Classifier(likely.Multinomial(text=Text(negation="en"))).fit(
        ["a", "b"], [0, 1]
    )
    with pytest.raises(likely.errors.ModelError, check=coded("schemas-differ")):
        plain + negated


def test_a_view_can_change_after_counting():
    texts, labels = ["the cat sat", "the dog sat", "the dog ran"], [0, 1, 1]
    plain = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    skipping = likely.Classifier(likely.Multinomial(skip_top=1)).fit(texts, labels)
    tuned = likely.Classifier(likely.Multinomial(tfidf=True)).fit(texts, labels)
    assert plain.tally == skipping.tally == tuned.tally
    assert "the" not in [term.name for term in skipping.explain("the cat").contributions]


def test_presets_say_what_they_hold():
    for preset in (
        Text.sentiment(),
        Text.topic(),
        Text.language_id(),
        Text.authorship(),
        Text.spam(),
    ):
        assert eval(repr(preset), {"Text": Text}) == preset
        assert likely.Classifier(likely.BinaryMultinomial(text=preset)).fit(["a b", "c!"], [0, 1])
    assert Text.sentiment("it").negation == Negation("it")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"word_ngrams": 0}, "`word_ngrams` is a shortest and a longest n-gram from 1 to 8, not 0"),
        ({"word_ngrams": None}, "without words and without characters has no features"),
        ({"surface_features": ["uri"]}, "`surface_features` are url, domain, email"),
        ({"negation": "fr"}, "built in for 'en' and 'it', not for 'fr'"),
        ({"negation": 3}, '`negation` is "en", "it" or a `Negation`, not 3'),
        ({"stop_words": "xx"}, "there are stop words for af, ar,"),
        ({"stop_words": [3]}, "stop words are words, not 3"),
        ({"stop_words": ["of course"]}, "but 'of course' is read as of, course and would never"),
        ({"stop_words": ["co-op", "no-one"]}, "leave the 2 such entries out of the list"),
        ({"stop_words": 5}, "stop words are a list of words, or a language, not 5"),
        ({"stem": "de", "lowercase": False}, "stems are of words in lower case"),
        ({"surface_features": 1}, "`surface_features` is True, False or a list of names, not 1"),
        ({"stem": "klingon"}, "there are stems for arabic, armenian"),
        ({"lexicon": {"good": "positive"}}, "`lexicon` is a `Lexicon`"),
        ({"normalize": "NFKC"}, "`normalize` is True or False, not 'NFKC'"),
        ({"word_ngrams": None, "char_ngrams": 3, "stem": "en"}, "stems and punctuation need words"),
        (
            {"word_ngrams": None, "char_ngrams": 3, "negation": "en"},
            "negation needs words or a lexicon",
        ),
        ({"invalid": "skip"}, '`invalid` is "refuse" or "replace", not \'skip\''),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(OptionError, match=message.replace("(", "\\(")):
        Text(**options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: likely.BinaryMultinomial(tfidf=True),
            "BinaryMultinomial counts presence, so `tfidf` has no counts",
        ),
        (lambda: likely.Multinomial(tfidf=1), "`tfidf` is True or False, not 1"),
        (lambda: likely.Multinomial(skip_top=-1), "`skip_top` is a number of words, not -1"),
        (lambda: likely.Polarity("vader.txt"), "`lexicon` is a `Lexicon`, not 'vader.txt'"),
    ],
)
def test_views_that_make_no_sense_are_refused(make, message):
    with pytest.raises(OptionError, match=message):
        make()


def test_stop_words_of_a_language_need_no_case():
    assert Text(stop_words="en").features("The cat and THE dog") == ["cat", "dog"]
    assert Text((1, 2), stop_words=["of"]).features("Bank of Rome") == [
        "bank",
        "rome",
        "bank rome",
    ]
