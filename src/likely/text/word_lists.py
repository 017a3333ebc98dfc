"""How the entries of word lists are read."""

from likely import _kernel
from likely.errors import OptionError

_WORDS = _kernel.Reading((1, 1), None, True)
_WORDS_AND_SIGNS = _kernel.Reading((1, 1), None, True, punctuation=True)


def as_read(word: str, *, signs: bool = False) -> list[str]:
    """The words, and perhaps signs, that a text of nothing but this one is read as."""
    if word.isascii() and word.isalnum() and len(word) < 255:
        return [word.lower()]
    check_unicode(word)
    reading = _WORDS_AND_SIGNS if signs else _WORDS
    return reading.features(_kernel.Texts([word]))[0]


def check_unicode(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError:
        raise OptionError(f"{word!r} is no word: it is not valid Unicode") from None
