"""A class as a language model: probabilities that sum to one, texts that begin and end."""

import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely import Classifier, Multinomial, Text
from likely.explain.language_model import END, START
from tests.raising import coded

TEXTS = ["the cat sat", "the cat ran", "a dog ran", "the dog", "ran"]
LABELS = ["cat", "cat", "dog", "dog", "cat"]


def learned(words, texts=TEXTS, labels=LABELS, alpha=1.0):
    return Classifier(Multinomial(alpha, text=Text(word_ngrams=words))).fit(texts, labels)


def test_single_words_are_the_likelihood_of_the_classifier():
    model = learned(1)
    text = "the dog ran and ran"
    joint = dict(zip(model.classes, model.log_joint([text])[0], strict=True))
    prior = {"cat": 3 / 5, "dog": 2 / 5}
    for label in model.classes:
        expected = joint[label] - math.log(prior[label])
        assert model.language_model(label).log_prob(text) == pytest.approx(expected, rel=1e-12)
    assert model.language_model("cat").unknown(text) == ["and"]


WORDS = st.lists(st.sampled_from("abc"), max_size=5).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(WORDS, min_size=2, max_size=6), n=st.integers(1, 4), alpha=st.floats(0.01, 3))
def test_after_any_words_the_next_has_probability_one(texts, n, alpha):
    model = learned((1, n), [*texts, "a b c"], [i % 2 for i in range(len(texts) + 1)], alpha)
    language = model.language_model(0)
    histories = [(), ("a",), ("a", "b"), (START,) * (n - 1), (START, "c"), ("b", "c", "a")]
    for history in histories if n > 1 else [()]:
        kept = history[-(n - 1) :] if n > 1 else ()
        total = sum(math.exp(language._log_prob(word, kept)) for word in language._all)
        assert total == pytest.approx(1, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(WORDS.filter(bool), min_size=2, max_size=6), n=st.integers(2, 4))
def test_beginnings_and_ends_are_those_that_were_seen(texts, n):
    """An independent count of padded texts finds the same continuations."""
    language = learned((1, n), texts, [0, *[1] * (len(texts) - 1)]).language_model(1)
    expected = {}
    for text in texts[1:]:
        words = [START] * (n - 1) + text.split() + [END]
        for place in range(n - 1, len(words)):
            follows = expected.setdefault(tuple(words[place - n + 1 : place]), {})
            follows[words[place]] = follows.get(words[place], 0) + 1
    for history, follows in expected.items():
        assert language._follows[history] == follows


def test_pairs_are_interpolated_with_single_words():
    language = learned((1, 2)).language_model("cat")
    # Three texts of `cat` begin: the, the, ran. 7 words and 3 ends; 6 words and the end in all.
    base = {"the": (2 + 1) / (7 + 3 + 7), END: (3 + 1) / (7 + 3 + 7)}
    the = (2 + 2 * base["the"]) / (3 + 2)
    end = (2 + 1 * base[END]) / (2 + 1)
    assert language.words("the")[0].log_prob == pytest.approx(math.log(the))
    assert language.words("ran")[-1].log_prob == pytest.approx(math.log(end))
    assert language.words("ran")[-1].word == END


def test_perplexity_of_equally_likely_words_is_their_number():
    model = learned(1, ["a b c d", "a"], ["x", "y"], alpha=0)
    assert model.language_model("x").perplexity("a b", "c d") == pytest.approx(4)
    assert model.language_model("y").perplexity("b") == math.inf


def test_samples_are_what_the_class_would_say():
    language = learned((1, 3), TEXTS * 5, LABELS * 5, alpha=0).language_model("cat")
    said = [language.sample(seed) for seed in range(40)]
    assert said == [language.sample(seed) for seed in range(40)]
    assert {"the cat sat", "the cat ran"} <= set(said)
    assert all(math.isfinite(language.log_prob(text)) for text in said)
    assert len(learned(1).language_model("cat").sample(1, words=7).split()) == 7
    with pytest.raises(likely.errors.OptionError, match="say how many"):
        learned(1).language_model("cat").sample(1)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (likely.Complement(), "Complement gives a sequence of words no probability"),
        (likely.Bernoulli(), "Bernoulli gives a sequence"),
        (Multinomial(text=Text(word_ngrams=None, char_ngrams=3)), "needs single words"),
        (Multinomial(text=Text(word_ngrams=2)), "needs single words"),
    ],
)
def test_what_gives_texts_no_probability_is_refused(model, message):
    with pytest.raises(likely.errors.OptionError, match=message):
        Classifier(model).fit(TEXTS, LABELS).language_model("cat")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (likely.BinaryMultinomial(), "repeated words count once"),
        (Multinomial(text=Text(stop_words=["the"])), "stop words are left out"),
        (Multinomial(text=Text(char_ngrams=3)), "features other than words"),
        (Multinomial(tfidf=True), "words do not count"),
    ],
)
def test_what_is_no_whole_text_warns(model, message):
    with pytest.warns(UserWarning, match=message):
        Classifier(model).fit(TEXTS, LABELS).language_model("cat")


def test_odd_questions_have_an_answer():
    model = learned(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        language = model.language_model("cat")
    assert language.log_prob("") == 0
    with pytest.raises(likely.errors.DataError, match="no known word"):
        language.perplexity("zebra")
    with pytest.raises(likely.errors.OptionError, check=coded("unknown-class")):
        model.language_model("cow")
    numbers = Classifier(likely.Gaussian()).fit([[1.0], [2.0], [5.0]], [0, 0, 1])
    with pytest.raises(likely.errors.OptionError, match="has no text column"):
        numbers.language_model(0)
    two = Classifier({"a": Multinomial(), "b": Multinomial(2)}).fit(
        {"a": ["x", "y"], "b": ["u", "v"]}, [0, 1]
    )
    with pytest.raises(likely.errors.OptionError, match="several text columns: `a`, `b`"):
        two.language_model(0)
    assert two.language_model(0, "b").unknown("u w") == ["w"]
