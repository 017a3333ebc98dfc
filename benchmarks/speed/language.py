"""A made-up language whose words are as unevenly common as those of English.

It means nothing and tells nothing about accuracy. It costs what English costs: words of four to
five letters on average, a few of which make up half of all text, sentences, commas, capitals.
"""

import random
from collections.abc import Iterator

import numpy as np

_ONSETS = "b c d f g h j k l m n p r s t v w z bl br ch cl dr fl gr pl pr sh sl sp st th tr".split()
_VOWELS = "a a a e e e e i i i o o o u u ai ea ee io ou".split()
_ENDS = ["", "", "", "", "n", "r", "s", "t", "l", "d", "m", "ng", "st", "nd"]

_LABELS = ("neg", "pos")
_TEXTS_AT_ONCE = 1000


class Language:
    """Endless texts over a vocabulary of fixed size."""

    def __init__(self, n_words: int):
        words = _words(n_words)
        # Zipf's law with Mandelbrot's correction for the most common words.
        weights = 1 / (np.arange(n_words) + 2.7)
        self._up_to = np.cumsum(weights) / weights.sum()
        # Every word as it stands within a sentence, before a comma, at its end, at its start.
        self._forms = np.array(
            [[word, f"{word},", f"{word}.", word.capitalize()] for word in words], dtype=object
        )

    def pairs(self, seed: int) -> Iterator[tuple[str, str]]:
        """Texts with labels; each seed has its own."""
        draw = np.random.default_rng(seed)
        while True:
            # Lengths as those of film reviews: 230 words on average, some of a thousand.
            lengths = draw.lognormal(5.2, 0.7, _TEXTS_AT_ONCE).astype(int) + 5
            words = self._words(draw, int(lengths.sum()))
            ends = lengths.cumsum().tolist()
            labels = draw.integers(len(_LABELS), size=_TEXTS_AT_ONCE).tolist()
            for start, end, label in zip([0, *ends], ends, labels, strict=False):
                yield " ".join(words[start:end]), _LABELS[label]

    def _words(self, draw: np.random.Generator, n: int) -> list[str]:
        ranks = np.searchsorted(self._up_to, draw.random(n))
        mark = draw.random(n)
        is_last = mark < 1 / 16
        form = np.where(is_last, 2, mark < 1 / 8)
        form[1:][is_last[:-1]] = 3
        return self._forms[ranks, form].tolist()


def _words(n: int) -> list[str]:
    """So many different words, short ones first, as in any language."""
    draw = random.Random(0)
    words: dict[str, None] = {}
    while len(words) < n:
        n_syllables = 1 + (len(words) >= 150) + (len(words) >= 5_000) + (draw.random() < 0.2)
        words[_word(draw, n_syllables)] = None
    return list(words)


def _word(draw: random.Random, n_syllables: int) -> str:
    syllables = (draw.choice(_ONSETS) + draw.choice(_VOWELS) for _ in range(n_syllables))
    return "".join(syllables) + draw.choice(_ENDS)
