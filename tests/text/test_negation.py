"""Negation, on sentences as people write them."""

import pytest

import likely
from likely import Negation, Text
from likely.errors import OptionError

ENGLISH = {
    "I did not like this movie, but I did": "i did not NOT_like NOT_this NOT_movie but i did",
    "I didn't enjoy it although others did": "i didn't NOT_enjoy NOT_it although others did",
    "You cannot be serious. Really!": "you cannot NOT_be NOT_serious really",
    "It doesn’t work (at all) today": "it doesn’t NOT_work at all today",
    "this does n't add up , sadly": "this does n't NOT_add NOT_up sadly",
    "No, I would go again": "no i would go again",
    "no plot no fun": "no NOT_plot no NOT_fun",
    "Not only cheap, but also good": "not only cheap but also good",
    "There is no doubt it is great": "there is no doubt it is great",
    "I can't not love it": "i can't not NOT_love NOT_it",
    "There is no reason not to go": "there is no NOT_reason not NOT_to NOT_go",
    "It isn't fun and it isn't short": "it isn't NOT_fun NOT_and NOT_it isn't NOT_short",
    "It was neither funny nor sad": "it was neither NOT_funny nor NOT_sad",
    "Never again: avoid": "never NOT_again avoid",
    "Isn't it lovely? Yes.": "isn't it lovely yes",
    "Don't you just love it?": "don't you just love it",
    "Why don't they answer?": "why don't NOT_they NOT_answer",
    "I dont like it": "i dont NOT_like NOT_it",
    "without a well-made plot": "without NOT_a NOT_well NOT_made NOT_plot",
    "It is not – I repeat – good": "it is not i repeat good",
    "Notable, notes, knot": "notable notes knot",
    "not": "not",
}

ITALIAN = {
    "Non mi è piaciuto affatto, però": "non NOT_mi NOT_è NOT_piaciuto NOT_affatto però",
    "Non ho mai visto niente di simile": "non NOT_ho mai NOT_visto niente NOT_di NOT_simile",
    "Non solo è bello ma anche utile": "non solo è bello ma anche utile",
    "No, grazie. Ottimo!": "no grazie ottimo",
    "Senza sale ma buono": "senza NOT_sale ma buono",
    "Non è meraviglioso?": "non è meraviglioso",
    "Nessuno l'ha capito": "nessuno NOT_l'ha NOT_capito",
}


@pytest.mark.parametrize(("sentence", "expected"), ENGLISH.items())
def test_english(sentence, expected):
    assert " ".join(Text(negation="en").features(sentence)) == expected


@pytest.mark.parametrize(("sentence", "expected"), ITALIAN.items())
def test_italian(sentence, expected):
    assert " ".join(Text(negation="it").features(sentence)) == expected


def test_other_languages_by_their_words():
    german = Negation(negators=["nicht", "kein", "keine", "nie"], ends=["aber", "sondern"])
    said = Text(negation=german).features("Das ist nicht gut aber billig")
    assert said == ["das", "ist", "nicht", "NOT_gut", "aber", "billig"]
    more = Negation("en", negators=["nope"])
    assert Text(negation=more).features("nope good, not bad")[::2] == ["nope", "not"]


def test_only_the_next_word():
    text = Text(negation=Negation("en", scope="word"))
    assert text.features("did not like this") == ["did", "not", "NOT_like", "this"]
    assert text.features("Isn't it nice?") == ["isn't", "it", "nice"]


def test_a_blank_line_ends_a_clause():
    text = Text(negation="en")
    assert text.features("not good\n \nvery bad") == ["not", "NOT_good", "very", "bad"]
    assert text.features("not very\ngood")[-1] == "NOT_good"
    assert "NOT_this" in text.features("Don't buy this\n\nWhy? It breaks")
    assert text.features("Bad\n\nIsn't it?") == ["bad", "isn't", "it"]


@pytest.mark.parametrize("asks", ["?", " ？", " ؟"])
def test_questions_end_in_any_question_mark(asks):
    assert Text(negation="en").features(f"isn't it nice{asks}") == ["isn't", "it", "nice"]


def test_lists_are_read_as_texts_are():
    french = Negation(negators=["n’est"])
    assert Text(negation=french, normalize=True).features("n’est bon") == ["n'est", "NOT_bon"]
    text = Text(stop_words=["don’t", "cafe\u0301"], normalize=True)
    assert text.features("Don’t drink caf\u00e9 au lait") == ["drink", "au", "lait"]


@pytest.mark.parametrize("name", ["english", "English", "EN", " en"])
def test_a_language_goes_by_its_name_too(name):
    assert Text(negation=name, stem=name) == Text(negation="en", stem="en")
    assert repr(Negation(name)) == "Negation('en')"


def test_pairs_hold_negated_words():
    assert Text(2, negation="en").features("not so good") == ["not NOT_so", "NOT_so NOT_good"]


def test_what_a_user_types_is_not_what_is_negated():
    text = Text(lowercase=False, negation="en")
    model = likely.Classifier(likely.Multinomial(text=text))
    model.fit(["not good", "NOT_good"], ["negated", "typed"])
    assert list(model.predict(["NOT_good"])) == ["typed"]
    assert model.tally.statistics[0].features() == 3


def test_a_negation_is_shown_as_it_is_typed():
    for negation in (
        Negation("en"),
        Negation("it", scope="word"),
        Negation(negators=["ikke"], ends=["men"]),
    ):
        assert Negation.from_json(negation.to_json()) == negation
        assert Negation.of(eval(repr(negation), {"Negation": Negation})) == negation


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "a negation needs `negators`"),
        ({"language": "en", "scope": "sentence"}, '`scope` is "clause" or "word"'),
        ({"negators": [3]}, "`negators` is a list of words"),
        ({"negators": ["*"]}, "`negators` is a list of words"),
        ({"negators": ["no longer"]}, "not 'no longer', which is read as no, longer"),
        ({"negators": ["non"], "ends": ["si-bien"]}, "not 'si-bien', which is read as si, bien"),
        ({"negators": ["n*t"]}, r"`negators` are single words, or endings such as `\*n't`; not"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        Negation(**options)
