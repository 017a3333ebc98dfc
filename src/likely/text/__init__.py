"""Preprocessing: how a text becomes features."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

from likely import _kernel
from likely.errors import OptionError
from likely.text.bag import Bag as Bag
from likely.text.bag import bag
from likely.text.languages import NAMES, code_of
from likely.text.lexicon import Lexicon as Lexicon
from likely.text.negation import Negation as Negation
from likely.text.stop_words import stop_words_of

Range = tuple[int, int]

_LONGEST_CHARS = 16

# The versions that a stored `Text` depends on; a model may have been made under others.
_RESTS_ON = {
    "unicode": _kernel.UNICODE_VERSION,
    "normalize": _kernel.NORMAL_VERSION,
    "stem": _kernel.STEMMER_VERSION.rpartition(" ")[2],
}
_VERSION = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4}){1,2}")


# The kinds of word n-grams, by their length, as the kernel names them.
WORD_NGRAMS = (
    "word",
    "bigram",
    "trigram",
    *(f"{n}-gram" for n in range(4, _kernel.LONGEST_NGRAM + 1)),
)


@dataclass(frozen=True, repr=False)
class Text:
    """How a text becomes features.

    >>> Text(word_ngrams=(1, 2), char_ngrams=(3, 5), negation="en")
    Text(word_ngrams=(1, 2), char_ngrams=(3, 5), negation='en')

    `word_ngrams` and `char_ngrams` are the shortest and longest n-gram, a single number for one
    length, or None. Words follow Unicode's word boundaries; character n-grams stay within a word
    and the space around it. The other options are off by default:

    `normalize`         NFKC, invisible characters dropped, `’` read as `'`
    `punctuation`       every punctuation mark is a token too
    `surface_features`  True, or names from `Text.SURFACE_FEATURES`: emoji, links, shouting, …
    `negation`          "en", "it" or a `Negation`: words after a negator are marked, `NOT_like`
    `stop_words`        a list, or a language ("en", "de", …): words removed, after negation
    `stem`              a language ("en", "italian", …): words are stemmed, which is slower
    `lexicon`           a `Lexicon`: each hit is a feature, `LEX_positive`

    `invalid` says what happens to text that is not valid Unicode: it is refused, naming the row, or
    read with U+FFFD in place of invalid bytes ("replace").
    """

    word_ngrams: Range | int | None = (1, 1)
    char_ngrams: Range | int | None = None
    lowercase: bool = True
    normalize: bool = False
    punctuation: bool = False
    surface_features: bool | Iterable[str] = ()
    negation: Negation | str | None = None
    stop_words: Iterable[str] | str = ()
    stem: str | None = None
    lexicon: Lexicon | None = None
    invalid: Literal["refuse", "replace"] = "refuse"

    SURFACE_FEATURES = tuple(_kernel.SURFACE_FEATURES)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "word_ngrams", _range("word_ngrams", self.word_ngrams, _kernel.LONGEST_NGRAM))
        put(self, "char_ngrams", _range("char_ngrams", self.char_ngrams, _LONGEST_CHARS))
        for name in ("lowercase", "normalize", "punctuation"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(f"`{name}` is True or False, not {getattr(self, name)!r}")
        put(self, "surface_features", _surface_features(self.surface_features))
        put(self, "negation", Negation.of(self.negation))
        put(self, "stop_words", stop_words_of(self.stop_words))
        put(self, "stem", _language(self.stem))
        if not isinstance(self.lexicon, (Lexicon, type(None))):
            raise OptionError(f"`lexicon` is a `Lexicon`, not {self.lexicon!r}")
        if self.word_ngrams is None and (self.stop_words or self.stem or self.punctuation):
            raise OptionError("stop words, stems and punctuation need words to be read")
        if self.stem and not self.lowercase:
            raise OptionError("stems are of words in lower case; leave `lowercase` as it is")
        if self.word_ngrams is None and self.lexicon is None and self.negation is not None:
            raise OptionError("negation needs words or a lexicon to be read")
        if (
            self.word_ngrams is None
            and self.char_ngrams is None
            and not self.surface_features
            and self.lexicon is None
        ):
            raise OptionError("a text read without words and without characters has no features")
        if self.invalid not in ("refuse", "replace"):
            raise OptionError(f'`invalid` is "refuse" or "replace", not {self.invalid!r}')

    # By task

    @classmethod
    def sentiment(cls, language: str = "en") -> "Text":
        """For opinions: words and bigrams, negation, punctuation and surface features."""
        marks = ("capitals", "elongated", "emoticon", "emoji", "run")
        return cls(
            (1, 2), normalize=True, punctuation=True, surface_features=marks, negation=language
        )

    @classmethod
    def topic(cls) -> "Text":
        """For topics: words and bigrams."""
        return cls((1, 2), normalize=True)

    @classmethod
    def language_id(cls) -> "Text":
        """For language identification: words and character n-grams of one to five."""
        return cls(1, (1, 5), normalize=True)

    @classmethod
    def authorship(cls) -> "Text":
        """For authorship: case and punctuation kept, words, bigrams and character n-grams."""
        return cls((1, 2), (2, 5), lowercase=False, punctuation=True, surface_features=("length",))

    @classmethod
    def spam(cls) -> "Text":
        """For spam: words, bigrams, character n-grams and all surface features."""
        return cls((1, 2), (3, 5), normalize=True, surface_features=True)

    # For the kernel and the file

    @property
    def blocks(self) -> dict[str, int]:
        """Where each kind of feature is counted."""
        shortest, longest = self.word_ngrams if isinstance(self.word_ngrams, tuple) else (1, 0)
        blocks = {WORD_NGRAMS[n - 1]: n - 1 for n in range(shortest, longest + 1)}
        more = {
            "char n-gram": self.char_ngrams is not None,
            "surface feature": bool(self.surface_features),
            "lexicon": self.lexicon is not None,
        }
        there = [name for name, is_there in more.items() if is_there]
        return {**blocks, **{name: longest + place for place, name in enumerate(there)}}

    @cached_property
    def reading(self) -> _kernel.Reading:
        """The options for the kernel."""
        return _kernel.Reading(
            self.word_ngrams,
            self.char_ngrams,
            self.lowercase,
            normalize=self.normalize,
            punctuation=self.punctuation,
            surface_features=list(self.surface_features),  # type: ignore[arg-type]
            negation=None if self.negation is None else self.negation.lists,  # type: ignore[union-attr]
            stop_words=list(self.stop_words),
            stem=self.stem,
            lexicon=None if self.lexicon is None else self.lexicon.indexed,
        )

    def features(self, text: str) -> list[str]:
        """The features of a text, in order, kind by kind.

        >>> Text(negation="en").features("I did not like it, sorry.")
        ['i', 'did', 'not', 'NOT_like', 'NOT_it', 'sorry']
        """
        texts = _kernel.Texts([text], self.invalid == "replace")
        return [name for kind in self.reading.features(texts) for name in kind]

    def bag(self, text: str) -> Bag:
        """The features of a text as they are counted, and what preprocessing did to its words.

        >>> found = Text(negation="en", stop_words=["it"]).bag("I do not like it, so I do not")
        >>> found.counts
        {'i': 2, 'do': 2, 'not': 2, 'NOT_like': 1, 'so': 1}
        >>> found.negated, found.stop_words
        ((('like', 'NOT_like'), ('it', 'NOT_it')), ('NOT_it',))
        """
        return bag(self, text)

    def to_json(self) -> dict[str, Any]:
        """The stored form, with the versions that it depends on."""
        stored: dict[str, Any] = {
            "word_ngrams": _listed(self.word_ngrams),
            "char_ngrams": _listed(self.char_ngrams),
            "lowercase": self.lowercase,
            "invalid": self.invalid,
            "unicode": _kernel.UNICODE_VERSION,
        }
        if self.normalize:
            stored["normalize"] = f"NFKC {_kernel.NORMAL_VERSION}"
        if self.stem:
            stored["stem"] = f"{self.stem} {_kernel.STEMMER_VERSION}"
        if self.punctuation:
            stored["punctuation"] = True
        if self.surface_features:
            stored["surface_features"] = _listed(self.surface_features)
        if isinstance(self.negation, Negation):
            stored["negation"] = self.negation.to_json()
        if self.stop_words:
            stored["stop_words"] = _listed(self.stop_words)
        if self.lexicon is not None:
            stored["lexicon"] = self.lexicon.to_json()
        return stored

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Text":
        options = {name: value for name, value in stored.items() if name != "unicode"}
        if "normalize" in options:
            options["normalize"] = True
        if "stem" in options:
            options["stem"] = options["stem"].split()[0]
        if "negation" in options:
            options["negation"] = Negation.from_json(options["negation"])
        if "lexicon" in options:
            options["lexicon"] = Lexicon.from_json(options["lexicon"])
        return cls(**options)

    def __repr__(self) -> str:
        shown = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value == field.default and field.name != "word_ngrams":
                continue
            if field.name == "surface_features" and value == self.SURFACE_FEATURES:
                value = True
            if field.name == "negation" and value == Negation.of(value.language):
                value = value.language
            if field.name == "stop_words" and len(value) > 8:
                shown.append(f"stop_words=[{len(value):,} words]")
                continue
            shown.append(f"{field.name}={value!r}")
        return f"Text({', '.join(shown)})"


def of_today(stored: dict[str, Any]) -> dict[str, Any]:
    """A stored form with the current versions."""
    changed = {}
    for name in stored.keys() & _RESTS_ON.keys():
        before, space, version = stored[name].rpartition(" ")
        if _VERSION.fullmatch(version):
            changed[name] = f"{before}{space}{_RESTS_ON[name]}"
    return {**stored, **changed}


def of_any_day(stored: dict[str, Any]) -> dict[str, Any]:
    """A stored form without versions."""
    spelled = {name: str(stored[name]).rpartition(" ")[0] for name in stored.keys() & _RESTS_ON}
    others = {name: value for name, value in stored.items() if name not in spelled}
    return {**others, **{name: value for name, value in spelled.items() if value}}


def _range(name: str, given: Any, longest: int) -> Range | None:
    """The lengths of n-grams as (shortest, longest), or None."""
    if given is None:
        return None
    pair = (given, given) if isinstance(given, int) else given
    whole = isinstance(pair, (tuple, list)) and all(type(n) is int for n in pair)
    if not whole or len(pair) != 2 or not 1 <= pair[0] <= pair[1] <= longest:
        raise OptionError(
            f"`{name}` is a shortest and a longest n-gram from 1 to {longest}, not {given!r}"
        )
    return (pair[0], pair[1])


def _surface_features(given: Any) -> tuple[str, ...]:
    """The names of surface features, in their order."""
    if isinstance(given, bool):
        return Text.SURFACE_FEATURES if given else ()
    if given is not None and not isinstance(given, Iterable):
        raise OptionError(f"`surface_features` is True, False or a list of names, not {given!r}")
    names = [given] if isinstance(given, str) else list(given or ())
    wrong = [name for name in names if name not in Text.SURFACE_FEATURES]
    if wrong:
        raise OptionError(
            f"`surface_features` are {', '.join(Text.SURFACE_FEATURES)}, not {wrong[0]!r}"
        )
    return tuple(name for name in Text.SURFACE_FEATURES if name in names)


def _language(given: Any) -> str | None:
    """The language of a stemmer, by its name or its code."""
    if given is None:
        return None
    name = NAMES.get(code_of(given), given) if isinstance(given, str) else given
    if name not in _kernel.STEMS:
        raise OptionError(f"there are stems for {', '.join(_kernel.STEMS)}, not for {given!r}")
    return str(name)


def _listed(given: Any) -> Any:
    return list(given) if isinstance(given, tuple) else given
