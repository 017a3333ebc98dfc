"""Texts made to be slow or to break what reads them."""

import itertools
import string
from collections.abc import Iterator

import numpy as np

_PRIME, _BASIS = np.uint32(16777619), np.uint32(2166136261)


def texts(megabytes: float) -> Iterator[tuple[str, bytes]]:
    """By name, each about so large."""
    size = int(megabytes * 1e6)
    for name, part in _REPEATED.items():
        piece = part if isinstance(part, bytes) else part.encode()
        yield name, piece * (size // len(piece))
    yield "one address", b"http://example.org/" + b"a/b?c=d&" * (size // 8)
    yield "one host", b"http://" + b"example." * (size // 8)
    yield "one letter, accents without end", b"e" + "\u0301".encode() * (size // 2)
    yield "new words only", _new_words(size)
    words = " ".join(colliding_words(14)).encode() + b" "
    yield "words that collide (FNV-1a)", words * max(1, size // len(words))


_REPEATED: dict[str, str | bytes] = {
    "one word": "a",
    "newlines": "\n",
    "NUL": "\0",
    "lone surrogates": b"\xed\xa0\x80",
    "bytes that are never UTF-8": b"\xff",
    "emoji": "😀",
    "emoji joined": "👩\u200d",
    "flags": "🇫",
    "combining marks": "\u0301\u0323",
    "zero-width joiners": "\u200d",
    "zero-width spaces": "\u200b",
    "!": "!",
    "not": "not ",
    "questions that negate": "isn't it? ",
    "a@a@a@": "a@",
    "a@a.b@a.b@": "a.b@",
    "://": "://",
    "a://a://": "a://",
    "www.www.": "www.",
    '"': '"',
    "“": "“",
    ":-:-:-": ":-",
    "a.a.a.": "a.",
    "one Han character": "字",
    "ligatures of 18 letters": "ﷺ",
}


def _new_words(size: int) -> bytes:
    """Words of seven letters, no two alike."""
    letters = itertools.product(string.ascii_lowercase, repeat=7)
    return "".join(f"{''.join(word)} " for word in itertools.islice(letters, size // 8)).encode()


def colliding_words(doublings: int) -> list[str]:
    """Two to the power of `doublings` words, all different, with one hash under 32-bit FNV-1a.

    Two syllables that lead from one state of the hash to the same next state can stand for each
    other in every word, so each such pair doubles the words (Joux 2004).
    """
    words, state = [""], _BASIS
    for _ in range(doublings):
        syllables, state = _pair(state)
        words = [word + syllable for word in words for syllable in syllables]
    return words


def fnv1a(word: str) -> int:
    state = int(_BASIS)
    for byte in word.encode():
        state = (state ^ byte) * int(_PRIME) & 0xFFFFFFFF
    return state


def _pair(state: np.uint32) -> tuple[list[str], np.uint32]:
    """Two syllables that lead to the same next state, and that state.

    Shorter than seven letters, there are hardly any: the hash changes with a letter as a sum does.
    """
    draw = np.random.default_rng(int(state))
    while True:
        letters = np.unique(draw.integers(97, 123, (200_000, 7), dtype=np.uint8), axis=0)
        states = np.full(len(letters), state)
        for place in range(7):
            states = (states ^ letters[:, place]) * _PRIME
        order = np.argsort(states, kind="stable")
        same = np.flatnonzero(states[order][1:] == states[order][:-1])
        if len(same):
            pair = order[same[0]], order[same[0] + 1]
            return [letters[row].tobytes().decode() for row in pair], states[pair[0]]
