"""The options for preprocessing of text."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from likely.cli.options import given_options, ngram_range, together
from likely.cli.paths import Input
from likely.data.columns import nearest
from likely.data.toml import read_toml
from likely.errors import DataError, OptionError
from likely.text import Lexicon, Negation, Text
from likely.text.languages import code_of
from likely.text.stop_words import stop_words_of

_TASKS = {
    "sentiment": Text.sentiment,
    "topic": Text.topic,
    "language": Text.language_id,
    "authorship": Text.authorship,
    "spam": Text.spam,
}

text_options = together(
    click.option(
        "--task",
        metavar="NAME",
        type=click.Choice(list(_TASKS)),
        help=f"Preset for a task: {', '.join(_TASKS)}. The options below change it.",
    ),
    click.option(
        "--word-ngrams",
        metavar="N[-M]|none",
        callback=ngram_range,
        help="Word n-grams: 1-2 is single words and bigrams.  [default: suits the texts; 1 with "
        "--plain]",
    ),
    click.option(
        "--char-ngrams",
        metavar="N[-M]|none",
        callback=ngram_range,
        help="Character n-grams: 3-5 is three to five characters.",
    ),
    click.option(
        "--negation",
        metavar="LANG[:word]|FILE",
        type=Input(),
        help="Negation marking: en or it, to the end of the clause; en:word, the next word only; "
        "or a TOML file with the lists negators, ends, unless.",
    ),
    click.option(
        "--stop-words",
        metavar="LANG|FILE|top:N",
        type=Input(),
        help="Remove stop words: of a language (en; needs likely[stopwords]), of a file, one per "
        "line, or the N most frequent words (plain Naive Bayes).",
    ),
    click.option("--stem", metavar="LANG", help="Stemming: en, de, it and other languages."),
    click.option(
        "--surface-features",
        is_flag=True,
        help="Features for links, numbers, capitals, emoticons and length.",
    ),
    click.option("--tfidf", is_flag=True, help="TF-IDF weighting (plain Naive Bayes)."),
    click.option(
        "--lexicon",
        metavar="FILE",
        type=Input(),
        help="Lexicon features: lines of word, tab, category or polarity.",
    ),
)


def text_from_options(options: dict[str, Any], default: Text) -> tuple[Text, dict[str, Any]]:
    """The preprocessing, starting from a default or a task's, and how counts are used."""
    given = set(given_options(options))
    text = _TASKS[options["task"]]() if options["task"] else default
    changes: dict[str, Any] = {
        name: options[name]
        for name in ("word_ngrams", "char_ngrams", "stem", "surface_features")
        if f"--{name.replace('_', '-')}" in given
    }
    if changes.get("word_ngrams", True) is None:
        changes["punctuation"] = False
    counts: dict[str, Any] = {"tfidf": True} if options["tfidf"] else {}
    if options["negation"] is not None:
        changes["negation"] = _negation(options["negation"])
    stop_words = options["stop_words"]
    if stop_words is not None:
        kind, colon, number = stop_words.partition(":")
        if kind == "top" and colon:
            if not number.isascii() or not number.isdigit():
                raise click.UsageError(f"--stop-words {stop_words}: top:50 removes 50 words")
            counts["skip_top"] = int(number)
        else:
            changes["stop_words"] = _words(stop_words)
    if options["lexicon"] is not None:
        changes["lexicon"] = Lexicon.read(options["lexicon"])
    return replace(text, **changes), counts


def _negation(given: str) -> Negation:
    """Negation marking for a language, with a scope, or for the words in a file."""
    if given.endswith(".toml"):
        return _listed_negation(given)
    language, colon, scope = given.partition(":")
    try:
        return Negation(language, scope=scope if colon else "clause")  # type: ignore[arg-type]
    except OptionError:
        if Path(given).is_file():
            raise DataError(
                f"{given}: a file that lists words is TOML, and its name ends in .toml"
            ) from None
        raise click.UsageError(
            f"--negation {given}: `en` and `it` are built in, `en:word` is for the next word only\n"
            "hint: a file, words.toml, lists the words of another language: "
            'negators = ["nicht"], ends = ["aber"]'
        ) from None


def _listed_negation(path: str) -> Negation:
    """The arguments of a `Negation`, from a TOML file."""
    _, found = read_toml(path)
    known = [field.name for field in fields(Negation)]
    for name, given in found.items():
        if name not in known:
            raise DataError(f"{path}: `{name}` is not known here; {nearest(name, known)}")
        kind, what = (str, "a text") if name in ("language", "scope") else (list, "a list of words")
        if not isinstance(given, kind):
            raise DataError(f"{path}: `{name}` is {what}, not {given!r}")
    try:
        return Negation(**found)
    except OptionError as error:
        raise DataError(f"{path}: {error}") from None


def _words(given: str) -> list[str] | str:
    """The words of a file, one per line, without comments; or the name of a language."""
    path = Path(given)
    if path.is_dir():
        raise DataError(f"{given}: it is a directory, not a file of words")
    if not path.is_file():
        if path.suffix or len(code_of(given)) > 3:
            raise DataError(f"{given}: there is no such file, nor is it a language")
        return given
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{given}: byte {error.start:,} is not UTF-8") from None
    words = [line for line in lines if line.strip() and not line.startswith("#")]
    if not words:
        raise DataError(f"{given}: there are no words in it, one on a line, to be left out")
    try:
        return list(stop_words_of(words))
    except OptionError as error:
        raise DataError(f"{given}: {error}") from None
