"""Stop words: words that are removed."""

from collections.abc import Iterable
from typing import Any

from likely.errors import OptionError
from likely.text.languages import code_of
from likely.text.word_lists import as_read


def stop_words_of(given: Any) -> tuple[str, ...]:
    """A list of words as it is, or the list of a language, sorted and in lower case."""
    if given is None:
        return ()
    if isinstance(given, str):
        return _of_language(given)
    if not isinstance(given, Iterable):
        raise OptionError(f"stop words are a list of words, or a language, not {given!r}")
    words = list(given)
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong:
        raise OptionError(f"stop words are words, not {wrong[0]!r}")
    known = sorted({word.strip().lower() for word in words} - {""})
    compound = [(word, read) for word in known if len(read := as_read(word, signs=True)) != 1]
    if compound:
        word, read = compound[0]
        parts = ", ".join(read) or "no word"
        them = "it" if len(compound) == 1 else f"the {len(compound):,} such entries"
        raise OptionError(
            f"stop words are single words, but {word!r} is read as {parts} and would never be "
            f"left out; leave {them} out of the list, or give the parts by themselves"
        )
    return tuple(known)


def _of_language(given: str) -> tuple[str, ...]:
    try:
        import stopwordsiso
    except ImportError:
        raise OptionError(
            "the stop words of a language need the package `stopwordsiso` "
            "(pip install 'likely[stopwords]'); a list of words needs nothing"
        ) from None
    code = code_of(given)
    if code not in stopwordsiso.langs():
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise OptionError(f"there are stop words for {known}, not for {given!r}")
    words = {word.lower() for word in stopwordsiso.stopwords(code)}
    # Entries that are several words, such as `celle-ci`, would never match.
    return tuple(sorted(word for word in words if len(as_read(word, signs=True)) == 1))
