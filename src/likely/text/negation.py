"""Negation marking: negators, and the scope of a negation."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal

from likely.errors import OptionError
from likely.text.languages import code_of
from likely.text.word_lists import as_read

Words = tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Negation:
    """Words after a negator are marked, `NOT_like`, until the clause ends.

    A clause ends at a stop, comma, colon, bracket or dash, and at one of `ends` ("but"). A negator
    right before one of `unless` does not negate ("not only"). A second negator negates what follows
    it, as double negatives do in Italian. A question that begins with its negator asks for a yes
    ("Isn't it nice?") and is read without. All words are in lower case; `*n't` is any word with
    that ending. `scope="word"` negates the next word only.

    >>> Negation("en", scope="word")
    Negation('en', scope='word')
    >>> Negation(negators=["nicht", "kein", "keine", "nie"], ends=["aber", "sondern"]).ends
    ('aber', 'sondern')
    """

    language: str | None = None
    negators: Words = ()
    ends: Words = ()
    unless: Words = ()
    scope: Literal["clause", "word"] = "clause"

    def __post_init__(self) -> None:
        if self.scope not in ("clause", "word"):
            raise OptionError(f'`scope` is "clause" or "word", not {self.scope!r}')
        for name in _LISTS:
            object.__setattr__(self, name, _words(name, getattr(self, name)))
        if self.language is not None:
            code = code_of(self.language) if isinstance(self.language, str) else ""
            if code not in _BUILT_IN:
                raise OptionError(
                    f"negation is built in for {' and '.join(map(repr, _BUILT_IN))}, not for "
                    f"{self.language!r}; for another language give a `Negation` with its words"
                )
            object.__setattr__(self, "language", code)
            for name, words in _BUILT_IN[code].items():
                given = getattr(self, name)
                object.__setattr__(self, name, (*words, *(w for w in given if w not in words)))
        if not self.negators:
            raise OptionError("a negation needs `negators`")

    @classmethod
    def of(cls, given: Any) -> "Negation | None":
        """A negation, the one of a language, or none."""
        if given is None or isinstance(given, cls):
            return given
        if not isinstance(given, str):
            raise OptionError(f'`negation` is "en", "it" or a `Negation`, not {given!r}')
        return cls(given)

    @property
    def lists(self) -> tuple[list[str], list[str], list[str], bool]:
        """The word lists for the kernel."""
        words = (list(self.negators), list(self.ends), list(self.unless))
        return (*words, self.scope == "word")

    def to_json(self) -> dict[str, Any]:
        """The words themselves: a model means tomorrow what it means today."""
        return {**{name: list(getattr(self, name)) for name in _LISTS}, "scope": self.scope}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Negation":
        scope = stored["scope"]
        for language in _BUILT_IN:
            known = cls(language, scope=scope)
            if known.to_json() == stored:
                return known
        return cls(**stored)

    def __repr__(self) -> str:
        if self.language is not None and self == Negation(self.language, scope=self.scope):
            scope = "" if self.scope == "clause" else f", scope={self.scope!r}"
            return f"Negation({self.language!r}{scope})"
        shown = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self)[1:]]
        return f"Negation({', '.join(shown)})"


def _words(name: str, given: Any) -> Words:
    words = (given,) if isinstance(given, str) else given
    words = tuple(words) if isinstance(words, Iterable) else (None,)
    if not all(isinstance(word, str) and word.strip("* ") for word in words):
        raise OptionError(f"`{name}` is a list of words, not {given!r}")
    words = tuple(dict.fromkeys(word.strip().lower() for word in words))
    for word in words:
        read = as_read(word.removeprefix("*"))
        if len(read) != 1 or "*" in word[1:]:
            read_as = f", which is read as {', '.join(read) or 'no word'}" if len(read) != 1 else ""
            raise OptionError(
                f"`{name}` are single words, or endings such as `*n't`; not {word!r}{read_as}"
            )
    return words


_LISTS = ("negators", "ends", "unless")


def _split(words: str) -> Words:
    return tuple(words.split())


_BUILT_IN: dict[str, dict[str, Words]] = {
    "en": {
        "negators": _split(
            "no nor neither never none nobody nothing nowhere without hardly barely scarcely "
            "not cannot *n't *n’t ain't dont cant wont isnt arent wasnt werent didnt doesnt hasnt "
            "havent hadnt wouldnt couldnt shouldnt aint"
        ),
        "ends": _split(
            "but however although though yet except nevertheless nonetheless whereas while instead"
        ),
        "unless": _split("only just merely simply solely doubt wonder matter"),
    },
    "it": {
        "negators": _split(
            "non no né mai nessuno nessuna nessun niente nulla neanche nemmeno neppure senza mica"
        ),
        "ends": _split("ma però pero tuttavia eppure anzi bensì invece sebbene benché mentre"),
        "unless": _split("solo soltanto solamente"),
    },
}
