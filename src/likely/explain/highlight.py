"""A text with the contribution of each of its words, to be colored."""

from collections.abc import Iterable

import numpy as np

from likely import _kernel
from likely.likelihoods.contribution import Contribution
from likely.text import WORD_NGRAMS


def spoken(text: str, said: Iterable[tuple[Contribution, float]]) -> list[tuple[str, float]]:
    """A text in pieces: words, each with the contributions of its n-grams, and the rest.

    The pieces put together are the text.

    >>> good, dull = (Contribution(word, "word", 1, np.zeros(2)) for word in ("good", "dull"))
    >>> spoken("Goodness, good? Dull!", [(good, 1.5), (dull, -2.0)])
    [('Goodness, ', 0.0), ('good', 1.5), ('? ', 0.0), ('Dull', -2.0), ('!', 0.0)]
    """
    odds: dict[str, float] = {}
    for contribution, value in said:
        words = [contribution.name] if contribution.kind == "word" else contribution.name.split(" ")
        if np.isfinite(value) and contribution.kind in WORD_NGRAMS:
            for word in words:
                word = word.removeprefix("NOT_")
                odds[word] = odds.get(word, 0.0) + value / len(words)
    lowered, pieces, at, end = text.lower(), [], 0, 0
    for word in _kernel.words(text, True) if len(lowered) == len(text) else ():
        start = lowered.find(word, end)
        if start < 0:
            continue
        end = start + len(word)
        value = odds.get(word, 0.0)
        if value:
            pieces += [(text[at:start], 0.0), (text[start:end], value)]
            at = end
    return [(piece, value) for piece, value in [*pieces, (text[at:], 0.0)] if piece]
