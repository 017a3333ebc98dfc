"""Texts of the world: words, and one form for what looks alike."""

import unicodedata

import pytest
import snowballstemmer

from likely import Text

WORDS = {
    "L'auto è già lì, perché no?": ["l'auto", "è", "già", "lì", "perché", "no"],
    "Die Straße überqueren – Größe 42": ["die", "straße", "überqueren", "größe", "42"],
    "मुझे यह फ़िल्म पसंद नहीं आई।": ["मुझे", "यह", "फ़िल्म", "पसंद", "नहीं", "आई"],
    "لم يعجبني هذا الفيلم، لكن": ["لم", "يعجبني", "هذا", "الفيلم", "لكن"],
    "我不喜欢。": ["我", "不", "喜", "欢"],
    "映画が好きです": ["映", "画", "が", "好", "き", "で", "す"],
    "이 영화 정말 좋아요!": ["이", "영화", "정말", "좋아요"],
    "👩‍🚀 🇮🇹 👍🏽 ❤️": ["👩‍🚀", "🇮🇹", "👍🏽", "❤️"],
    "ΣΊΣΥΦΟΣ": ["σίσυφος"],
}


@pytest.mark.parametrize(("text", "words"), WORDS.items())
def test_words(text, words):
    assert Text().features(text) == words


@pytest.mark.parametrize("text", [*WORDS, "ﬁne Ⅳ ＦＵＬＬ ｶﾞｷﾞ", "zero\u200bwidth", "don’t"])
def test_one_form_for_what_looks_alike(text):
    reading = Text(normalize=True)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert reading.features(unicodedata.normalize(form, text)) == reading.features(text)


def test_without_normalizing_bytes_decide():
    assert Text().features("caf\u00e9") != Text().features("cafe\u0301")
    assert Text(normalize=True).features("Cafe\u0301 ＯＫ so\u00adft") == ["café", "ok", "soft"]


@pytest.mark.parametrize("language", ["english", "italian", "german", "french", "russian"])
def test_stems_equal_snowball(language):
    words = {
        "english": "running runners easily generously skies dying happiness national relational",
        "italian": "correndo bellissime abbandonata abbandonerà propizio pronunciando città",
        "german": "aufeinander häuser kategorischen jährlich läuft mädchen schönheit",
        "french": "continuellement majestueusement chevaux finissons nationalité rapidement",
        "russian": "важнейшими кошками красивая работающий страной",
    }[language].split()
    stemmer = snowballstemmer.stemmer(language)
    assert Text(stem=language).features(" ".join(words)) == stemmer.stemWords(words)


def test_negation_beyond_ascii():
    text = Text(negation="it", normalize=True)
    assert text.features("Non perche\u0301… bello") == ["non", "NOT_perché", "bello"]
