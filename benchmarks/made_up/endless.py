"""Real text without end, in which new words never cease.

When the texts are used up, they come again, but every word outside the most common ones is another
word each time: `clerihew` comes back as `clerihewb`, then as `clerihewc`. So the vocabulary goes on
growing, and faster than that of real text, where a new document brings fewer new words each time.
"""

import re
import string
from collections import Counter
from collections.abc import Iterator

from benchmarks.data import Corpus, Pair

_WORD = re.compile(r"[^\W_]+")
_COMMON = 20_000

# Follows every rare word, until an ending takes its place.
_ENDING = "\0"


def endless(corpus: Corpus) -> Iterator[Pair]:
    marked = _mark_rare_words(corpus.texts)
    time = 0
    while True:
        ending = _spell(time)
        for text, label in zip(marked, corpus.labels, strict=True):
            yield text.replace(_ENDING, ending), label
        time += 1


def _mark_rare_words(texts: list[str]) -> list[str]:
    counts = Counter(word for text in texts for word in _WORD.findall(text.lower()))
    common = {word for word, _ in counts.most_common(_COMMON)}

    def mark(found: re.Match[str]) -> str:
        word = found[0]
        return word if word.lower() in common else word + _ENDING

    return [_WORD.sub(mark, text.replace(_ENDING, " ")) for text in texts]


def _spell(time: int) -> str:
    """A number as letters; the first time is no letter at all."""
    letters = ""
    while time:
        time, letter = divmod(time, 26)
        letters = string.ascii_lowercase[letter] + letters
    return letters
