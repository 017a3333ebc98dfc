"""Lexicons: what words are known to say before any text is counted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.errors import DataError, OptionError
from likely.text.negation import Negation

POSITIVE, NEGATIVE = "positive", "negative"


@dataclass(frozen=True, repr=False)
class Lexicon:
    """Words, phrases and emoticons with their categories, and how positive each is.

    >>> lexicon = Lexicon({"good": "positive", "bad": "negative", "wtf": ["negative", "slang"]})
    >>> lexicon
    Lexicon(3 entries: negative 2, positive 1, slang 1)
    >>> lexicon.polarity(["a good plan", "not good, bad"], negation="en")
    array([ 1., -2.])

    In a `Text`, each hit is a feature, `LEX_positive`; a negated one is `NOT_LEX_positive`. In a
    `Polarity`, the net polarity of a text is a number. `polarities` need not be given: one word of
    the category `positive` counts 1, one of `negative` −1, all others 0.
    """

    entries: Mapping[str, tuple[str, ...]]
    polarities: Mapping[str, float] = field(default_factory=dict)

    def __init__(
        self,
        entries: Mapping[str, str | Iterable[str]],
        polarities: Mapping[str, float] | None = None,
    ):
        if not isinstance(entries, Mapping):
            raise OptionError(f"a lexicon is a dictionary of words, not {entries!r}")
        known: dict[str, tuple[str, ...]] = {}
        for phrase, given in entries.items():
            categories = (given,) if isinstance(given, str) else tuple(given)
            if not isinstance(phrase, str) or not phrase.strip():
                raise OptionError(f"the entries of a lexicon are words, not {phrase!r}")
            if not categories or not all(isinstance(c, str) and c.strip() for c in categories):
                raise OptionError(f"`{phrase}` needs a category, not {given!r}")
            key = _spelled(phrase)
            known[key] = tuple(dict.fromkeys((*known.get(key, ()), *categories)))
        values = {}
        for phrase, value in (polarities or {}).items():
            if not np.isfinite(value):
                raise OptionError(f"the polarity of `{phrase}` is a number, not {value!r}")
            values[_spelled(phrase)] = float(value)
        strangers = [phrase for phrase in values if phrase not in known]
        if strangers:
            raise OptionError(f"`{strangers[0]}` has a polarity but no category")
        object.__setattr__(self, "entries", known)
        object.__setattr__(self, "polarities", values)

    @classmethod
    def read(cls, path: str | Path) -> "Lexicon":
        """Read a lexicon: a word and its category (or a number) on each line, a tab between.

        A number is a polarity, and its sign the category; further columns, as VADER has them, are
        passed over. A word may have several lines, one for each category. A CSV with a header of
        two columns is read as well. Empty lines and lines that begin with `;` are no entries.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise DataError(f"{path}: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: byte {error.start:,} is not UTF-8") from None
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        rows = [(n, line) for n, line in lines if not line.startswith(";")]
        if not rows:
            raise DataError(f"{path}: there is no entry in it")
        separator = "\t" if "\t" in rows[0][1] else ","
        if separator == ",":
            rows = rows[1:]
        entries: dict[str, list[str]] = {}
        polarities: dict[str, float] = {}
        for n, line in rows:
            phrase, _, rest = line.partition(separator) if separator == "\t" else _halves(line)
            value = rest.split("\t")[0].strip()
            if not phrase.strip() or not value:
                raise DataError(
                    f"{path}, line {n}: a word, a {_NAMES[separator]} and its category or polarity "
                    f"are expected, not {line.strip()[:60]!r}"
                )
            number = _number(value)
            if number is None:
                entries.setdefault(phrase.strip(), []).append(value)
            elif number:
                sign = POSITIVE if number > 0 else NEGATIVE
                entries.setdefault(phrase.strip(), []).append(sign)
                polarities[phrase.strip()] = number
        return cls(entries, polarities)

    @property
    def categories(self) -> tuple[str, ...]:
        return tuple(sorted({c for given in self.entries.values() for c in given}))

    def polarity_of(self, phrase: str) -> float:
        """How positive an entry is."""
        if phrase in self.polarities:
            return self.polarities[phrase]
        categories = self.entries[phrase]
        return float((POSITIVE in categories) - (NEGATIVE in categories))

    def polarity(
        self,
        texts: Iterable[str],
        *,
        negation: Negation | str | None = None,
        threads: int = 1,
    ) -> NDArray[np.float64]:
        """The net polarity of each text: the sum over its hits, negated ones turned round."""
        return self.reading(negation).polarity(_kernel.Texts(list(texts)), threads)

    def classify(
        self,
        texts: Iterable[str],
        *,
        positive: Any = POSITIVE,
        negative: Any = NEGATIVE,
        neither: Any = None,
        negation: Negation | str | None = None,
    ) -> list[Any]:
        """A classifier without training: which polar words weigh more.

        >>> Lexicon({"good": "positive", "bad": "negative"}).classify(["so good", "hm"])
        ['positive', None]
        """
        net = self.polarity(texts, negation=negation)
        return [positive if value > 0 else negative if value < 0 else neither for value in net]

    def reading(self, negation: Negation | str | None) -> _kernel.Reading:
        """How the kernel reads texts for this lexicon alone."""
        known = Negation.of(negation)
        lists = None if known is None else known.lists
        return _kernel.Reading(lowercase=True, negation=lists, lexicon=self.indexed)

    @cached_property
    def indexed(self) -> tuple[list[str], list[tuple[str, list[int], float]]]:
        """What the kernel needs to know."""
        place = {category: i for i, category in enumerate(self.categories)}
        entries = [
            (phrase, [place[c] for c in self.entries[phrase]], self.polarity_of(phrase))
            for phrase in sorted(self.entries)
        ]
        return list(self.categories), entries

    def to_json(self) -> list[list[Any]]:
        """The entries as they are stored: phrase, categories, polarity."""
        categories, entries = self.indexed
        return [[p, [categories[i] for i in places], value] for p, places, value in entries]

    @classmethod
    def from_json(cls, stored: list[list[Any]]) -> "Lexicon":
        return cls({e[0]: e[1] for e in stored}, {e[0]: e[2] for e in stored})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lexicon) and self.indexed == other.indexed

    def __hash__(self) -> int:
        return hash(repr(self.indexed))

    def __repr__(self) -> str:
        counts = [(c, sum(c in e for e in self.entries.values())) for c in self.categories]
        shown = ", ".join(f"{category} {count:,}" for category, count in counts[:6])
        more = f", and {len(counts) - 6} more" if len(counts) > 6 else ""
        return f"Lexicon({len(self.entries):,} entries: {shown}{more})"


_NAMES = {"\t": "tab", ",": "comma"}


def _spelled(phrase: str) -> str:
    """In lower case, unless it is an emoticon."""
    return (
        phrase.strip().lower() if any(c.isalpha() for c in phrase.strip()[:-1]) else phrase.strip()
    )


def _halves(line: str) -> tuple[str, str, str]:
    return line.rpartition(",")


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
