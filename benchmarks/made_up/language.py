"""A made-up language whose words are as unevenly common as those of English.

It means nothing and tells nothing about accuracy. It costs about what English costs: words of four
to five letters on average, a hundred of which make up half of all text; sentences and capitals.
"""

import random
from collections.abc import Iterator

import numpy as np

_ONSETS = [*"bdfghjklmnprstvwz", "br", "ch", "dr", "gr", "pl", "pr", "sl", "st", "th", "tr"]
_VOWELS = [*"aaaeeeeiiiooouu", "ai", "ea", "ou"]
_ENDS = ["", "", "", *"nrstlm"]

_LABELS = ("neg", "pos")
_TEXTS_AT_ONCE = 1000


class Language:
    """Endless texts over a vocabulary of fixed size."""

    def __init__(self, n_words: int):
        words = spelled(n_words)
        # Zipf's law with Mandelbrot's correction for the most common words.
        weights = (np.arange(n_words) + 2.7) ** -1.1
        self._up_to = np.cumsum(weights) / weights.sum()
        # Every word as it stands within a sentence, before a comma, at its end, at its start.
        self._forms = np.array(
            [[word, f"{word},", f"{word}.", word.capitalize()] for word in words], dtype=object
        )

    def pairs(self, seed: int) -> Iterator[tuple[str, str]]:
        """Texts with labels; each seed has its own."""
        draw = np.random.default_rng(seed)
        while True:
            # Lengths like those of film reviews: 230 words on average, a few of a thousand.
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


def spelled(n: int) -> list[str]:
    """So many different words, short ones first, as in any language."""
    draw = random.Random(0)
    words: dict[str, None] = {}
    while len(words) < n:
        rank = len(words)
        n_syllables = 1 + (rank >= 300) + (rank >= 5_000) + (draw.random() < rank / n)
        words[_word(draw, n_syllables)] = None
    return list(words)


def _word(draw: random.Random, n_syllables: int) -> str:
    syllables = (draw.choice(_ONSETS) + draw.choice(_VOWELS) for _ in range(n_syllables))
    return "".join(syllables) + draw.choice(_ENDS)
