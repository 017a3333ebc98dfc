"""Stop words: words that are left out."""

from typing import Any

from likely.errors import OptionError
from likely.text.languages import code_of


def stop_words_of(given: Any) -> tuple[str, ...]:
    """A list of words as it is, or the list of a language, sorted and in lower case."""
    if given is None:
        return ()
    if isinstance(given, str):
        return _of_language(given)
    words = list(given)
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong:
        raise OptionError(f"stop words are words, not {wrong[0]!r}")
    several = [word for word in words if len(word.split()) > 1]
    if several:
        raise OptionError(f"stop words are single words, not {several[0]!r}; give each by itself")
    return tuple(sorted({word.strip().lower() for word in words} - {""}))


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
    return tuple(sorted({word.lower() for word in stopwordsiso.stopwords(code)}))
