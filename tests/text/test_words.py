"""The kernel's words against a slow, obvious twin built on another implementation of UAX #29."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uniseg.wordbreak import words as segments

from likely import _kernel
from likely.text import Text
from likely.text.word_lists import as_read


def twin(text: str) -> list[str]:
    chunks = re.split(r"[ \t\n\v\f\r]", text)
    found = [segment for chunk in chunks if chunk for segment in segments(chunk)]
    words = [segment.lower() for segment in found if any(c.isalnum() for c in segment)]
    return [word for word in words if len(word.encode()) <= 255]


# Scripts whose rules are the same in every recent version of Unicode.
PLAIN = st.text(st.sampled_from("abZ09_'.:,;!? -\n\téßñΩжшא가カ"), max_size=40)


@given(PLAIN)
def test_words_equal_the_twin(text):
    assert _kernel.words(text, True) == twin(text)


@given(st.text(st.characters(max_codepoint=127), max_size=200))
def test_ascii_words_equal_the_twin(text):
    assert _kernel.words(text, True) == twin(text)


@given(st.text())
def test_any_text_gives_words_that_are_read_as_themselves(text):
    for word in _kernel.words(text, False):
        assert word.strip()
        assert word in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I didn't like it, but 3.14% did!", ["i", "didn't", "like", "it", "but", "3.14", "did"]),
        ("L'été à la plage", ["l'été", "à", "la", "plage"]),
        ("Straße STRASSE", ["straße", "strasse"]),
        ("मुझे यह फिल्म पसंद है।", ["मुझे", "यह", "फिल्म", "पसंद", "है"]),
        ("我喜欢这部电影", list("我喜欢这部电影")),
        ("カタカナ と ひらがな", ["カタカナ", "と", *"ひらがな"]),
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("so good 👍👍🏽 👨‍👩‍👧 🇮🇹", ["so", "good", "👍", "👍🏽", "👨‍👩‍👧", "🇮🇹"]),
        ("cafe\u0301 caf\u00e9", ["cafe\u0301", "caf\u00e9"]),
        ("zero\u200bwidth", ["zero", "width"]),
    ],
)
def test_words_of_many_languages(text, words):
    assert _kernel.words(text, True) == words


def test_a_huge_token_is_left_out():
    assert _kernel.words("a " + "x" * 10_000_000 + " b", True) == ["a", "b"]


def test_runs_are_checked():
    from likely.errors import OptionError

    for bad in [(0, 1), (2, 1), (1, 9), (1, 2, 3), "12", 1.5, True, ()]:
        with pytest.raises(OptionError, match="shortest and a longest"):
            Text(word_ngrams=bad)
    with pytest.raises(OptionError, match="no features"):
        Text(word_ngrams=None)
    assert Text(word_ngrams=2).word_ngrams == (2, 2)


@pytest.mark.parametrize(
    "word", ["a", "3d", "X1Y", "0", "don't", "co-op", "naïve", "不是", ".", "x" * 300]
)
def test_entries_of_lists_are_read_as_texts_are(word):
    assert as_read(word) == Text().features(word)
    assert as_read(word, signs=True) == Text(punctuation=True).features(word)
