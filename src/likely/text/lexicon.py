"""Lexicons: words with categories and polarities."""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.table import Table
from likely.errors import DataError, DataTypeError, OptionError
from likely.text.negation import Negation
from likely.text.word_lists import check_unicode

# No polarity is larger, so that the sum over a text is always a number.
_MOST = 1_000_000_000

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
        entries: Mapping[str, str | float | Iterable[str]],
        polarities: Mapping[str, float] | None = None,
    ):
        if not isinstance(entries, Mapping) or not entries:
            raise OptionError(f"a lexicon is a dictionary of words, not {entries!r}")
        known: dict[str, tuple[str, ...]] = {}
        values = {}
        for phrase, given in entries.items():
            if not isinstance(phrase, str) or not phrase.strip():
                raise OptionError(f"the entries of a lexicon are words, not {phrase!r}")
            key = _spelled(phrase)
            check_unicode(key)
            if _is_number(given):
                values[key] = float(given)  # type: ignore[arg-type]
            categories = _categories(phrase, given)
            known[key] = tuple(dict.fromkeys((*known.get(key, ()), *categories)))
        if not isinstance(polarities, (Mapping, type(None))):
            raise OptionError(f"polarities are a dictionary of numbers, not {polarities!r}")
        for phrase, value in (polarities or {}).items():
            if not isinstance(phrase, str):
                raise OptionError(f"the entries of a lexicon are words, not {phrase!r}")
            if not _is_number(value):
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

        A number is a polarity, and its sign the category; a word of polarity 0 says nothing and is
        passed over, and of several polarities of a word the last counts. A word may have several
        lines, one for each category; a third column of 0, as lists of emotions have it, says that
        the word is not of it. Other columns, as VADER has them, are passed over. A CSV of the same
        columns is read as well. A first line that begins with `word`, `term`, `phrase` or the like,
        and has a category that no other line has, is a header. Empty lines and comments, which
        begin with `;` or `#`, are no entries.
        """
        try:
            text = Path(path).read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise DataError(f"{path}: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise DataError(
                f"{path}, line {line:,}: byte {error.start:,} of the file is not UTF-8; "
                "save the file as UTF-8"
            ) from None
        entries: dict[str, list[str]] = {}
        polarities: dict[str, float] = {}
        for where, phrase, value, more in _rows(str(path), text):
            number = _number(where, value)
            if number is None and more != "0":
                entries.setdefault(phrase, []).append(value)
            elif number is not None:
                polarities[_spelled(phrase)] = number
        polar = {phrase: number for phrase, number in polarities.items() if number}
        for phrase, number in polar.items():
            entries.setdefault(phrase, []).append(POSITIVE if number > 0 else NEGATIVE)
        if not entries:
            raise DataError(f"{path}: no word in it has a category or a polarity")
        return cls(entries, polar)

    @property
    def categories(self) -> tuple[str, ...]:
        return tuple(sorted({c for given in self.entries.values() for c in given}))

    @property
    def is_polar(self) -> bool:
        """Whether some entry is positive or negative; a list of emotions may have none."""
        return any(map(self.polarity_of, self.entries))

    def check_polar(self) -> None:
        if not self.is_polar:
            raise OptionError(
                f"no entry of the lexicon is {POSITIVE} or {NEGATIVE}; its categories are "
                f"{', '.join(self.categories[:6])}"
            )

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
        normalize: bool = False,
    ) -> NDArray[np.float64]:
        """The net polarity of each text: the sum over its hits, negated ones turned round.

        `normalize` puts texts and entries into a normal form first, as in `Text`.
        """
        table = Table.of(texts)
        if len(table.names) != 1:
            raise DataTypeError(
                f"polarity is of one column of texts, not of {len(table.names)} columns"
            )
        return self.reading(negation, normalize).polarity(table.texts(table.names), 1)

    def classify(
        self,
        texts: Iterable[str],
        *,
        positive: Any = POSITIVE,
        negative: Any = NEGATIVE,
        neither: Any = None,
        negation: Negation | str | None = None,
        normalize: bool = False,
    ) -> list[Any]:
        """A classifier without training: which polar words weigh more.

        >>> Lexicon({"good": "positive", "bad": "negative"}).classify(["so good", "hm"])
        ['positive', None]
        """
        self.check_polar()
        net = self.polarity(texts, negation=negation, normalize=normalize)
        return [positive if value > 0 else negative if value < 0 else neither for value in net]

    def reading(self, negation: Negation | str | None, normalize: bool) -> _kernel.Reading:
        """How the kernel reads texts for this lexicon alone."""
        if not isinstance(normalize, bool):
            raise OptionError(f"`normalize` is True or False, not {normalize!r}")
        known = Negation.of(negation)
        lists = None if known is None else known.lists
        return _kernel.Reading(
            lowercase=True, normalize=normalize, negation=lists, lexicon=self.indexed
        )

    @cached_property
    def indexed(self) -> tuple[list[str], list[tuple[str, list[int], float]]]:
        """The lexicon for the kernel."""
        place = {category: i for i, category in enumerate(self.categories)}
        entries = [
            (phrase, [place[c] for c in self.entries[phrase]], self.polarity_of(phrase))
            for phrase in sorted(self.entries)
        ]
        return list(self.categories), entries

    def to_json(self) -> list[list[Any]]:
        """The entries as they are stored: phrase, categories, polarity."""
        return self._stored

    @cached_property
    def _stored(self) -> list[list[Any]]:
        """Made once: tallies ask for it each time they are compared, and some have many entries."""
        categories, entries = self.indexed
        return [[p, [categories[i] for i in places], value] for p, places, value in entries]

    @classmethod
    def from_json(cls, stored: list[list[Any]]) -> "Lexicon":
        return cls(
            {phrase: categories for phrase, categories, _ in stored},
            {phrase: polarity for phrase, _, polarity in stored},
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lexicon) and self.indexed == other.indexed

    def __hash__(self) -> int:
        return hash(repr(self.indexed))

    def __repr__(self) -> str:
        counts = [(c, sum(c in e for e in self.entries.values())) for c in self.categories]
        shown = ", ".join(f"{category} {count:,}" for category, count in counts[:6])
        more = f", and {len(counts) - 6} more" if len(counts) > 6 else ""
        entries = "1 entry" if len(self.entries) == 1 else f"{len(self.entries):,} entries"
        return f"Lexicon({entries}: {shown}{more})"


def _spelled(phrase: str) -> str:
    """In lower case, unless it is an emoticon."""
    phrase = phrase.strip()
    return phrase.lower() if any(c.isalpha() for c in phrase[:-1]) else phrase


def _is_number(given: Any) -> bool:
    is_real = isinstance(given, (int, float, np.integer, np.floating))
    return is_real and not isinstance(given, bool) and -_MOST <= given <= _MOST


def _categories(phrase: str, given: Any) -> tuple[str, ...]:
    """The categories of an entry; a number's is its sign."""
    if _is_number(given) and given:
        return (POSITIVE if given > 0 else NEGATIVE,)
    categories = (given,) if isinstance(given, str) else given
    listed = tuple(categories) if isinstance(categories, Iterable) else ()
    if not listed or not all(isinstance(c, str) and c.strip() for c in listed):
        raise OptionError(
            f"`{phrase}` needs a category, or a polarity above or below 0, not {given!r}"
        )
    return listed


# A line of a file: where it is, its word, the word's category or polarity, the column after.
_Row = tuple[str, str, str, str]

# What the column of words is called.
_WORDS = ("word", "words", "term", "terms", "token", "phrase", "entry", "lemma", "text")


def _rows(path: str, text: str) -> list[_Row]:
    """The lines of a file but comments and a header."""
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(n, line) for n, line in lines if not _is_comment(line)]
    if not lines:
        raise DataError(f"{path}: there is no entry in it")
    separator = "\t" if any("\t" in line for _, line in lines) else ","
    cells = [_cells(f"{path}, line {n}", line, separator) for n, line in lines]
    (word, category, *_), *others = ([*one, ""] for one in cells)
    if others and word.lower() in _WORDS and all(category != other[1] for other in others):
        lines, cells = lines[1:], cells[1:]
    rows = [
        _row(f"{path}, line {n}", line, one, separator)
        for (n, line), one in zip(lines, cells, strict=True)
    ]
    words = [row for row in rows if not _NUMBER.match(row[2])]
    if 0 < 20 * len(words) < len(rows):
        where, _, value, _ = words[0]
        raise DataError(f"{where}: a polarity is a number such as 1.5, not {value!r}")
    return rows


def _is_comment(line: str) -> bool:
    """Whether a line begins with `;` or `#` and is no entry, as `;)` with its polarity is one."""
    sign, rest = line[:1], line[1:]
    return sign in (";", "#") and ("\t" not in rest or rest[:1] in (sign, " "))


# A longer line is no entry. What cuts CSV into cells has a limit of its own, which is higher.
_LONGEST = 10_000


def _cells(where: str, line: str, separator: str) -> list[str]:
    if len(line) > _LONGEST:
        raise DataError(
            f"{where}: a word and its category or polarity are expected, not {len(line):,} "
            f"characters, {line[:40]!r}"
        )
    if separator == "\t":
        return [cell.strip() for cell in line.split("\t")]
    try:
        return [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True))]
    except csv.Error as error:
        raise DataError(f"{where}: {error}, {line[:40]!r}") from None


def _row(where: str, line: str, cells: list[str], separator: str) -> _Row:
    shown = line.strip()[:60]
    phrase, value, more = [*cells, "", ""][:3]
    if separator == "," and (len(cells) > 3 or more not in ("", "0", "1")):
        raise DataError(
            f"{where}: a word and its category or polarity are expected, not {len(cells)} cells, "
            f"{shown!r}; put a phrase that has a comma into quotation marks"
        )
    if not phrase or not value:
        name = "tab" if separator == "\t" else "tab (or a comma)"
        raise DataError(
            f"{where}: a word, a {name} and its category or polarity are expected, not {shown!r}"
        )
    return where, phrase, value, more


_NUMBER = re.compile(r"[-+]?[.,]?\d[\d.,eE+-]*$")


def _number(where: str, value: str) -> float | None:
    """A polarity, or None where a category is meant."""
    if value.lower().lstrip("+-") not in ("nan", "inf", "infinity") and not _NUMBER.match(value):
        return None
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not _is_number(number):
        raise DataError(f"{where}: a polarity is a number such as 1.5, not {value!r}")
    return number
