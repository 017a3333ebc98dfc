"""How texts are read, as the command line says it."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from likely.cli.options import asked, run_of
from likely.cli.paths import Input
from likely.data.columns import nearest
from likely.data.toml import read_toml
from likely.errors import DataError, OptionError
from likely.text import Lexicon, Negation, Text
from likely.text.languages import code_of
from likely.text.stop_words import stop_words_of

_TASKS = ("sentiment", "topic", "language", "authorship", "spam")

_OPTIONS = (
    click.option(
        "--task",
        metavar="NAME",
        type=click.Choice(_TASKS),
        help=f"Read texts as suits a task ({', '.join(_TASKS)}); options below change it.",
    ),
    click.option(
        "--word-ngrams",
        metavar="N[-M]",
        callback=run_of,
        help="Runs of so many words, or none.  [default: what suits the texts; 1 in a plain model]",
    ),
    click.option(
        "--char-ngrams", metavar="N[-M]", callback=run_of, help="Runs of so many characters too."
    ),
    click.option(
        "--negation",
        metavar="LANG[:word]|FILE",
        type=Input(),
        help="Mark words that are negated: en or it; en:word for the next word only; or a file, "
        "WORDS.toml, with lists: negators, ends, unless.",
    ),
    click.option(
        "--stop-words",
        metavar="LANG|FILE|top:N",
        type=Input(),
        help="Leave out the stop words of a language (en; needs likely[stopwords]), those of a "
        "file, one on a line, or the N most frequent, in plain Naive Bayes.",
    ),
    click.option("--stem", metavar="LANG", help="Cut words to their stems: en, de, it and others."),
    click.option("--punctuation", is_flag=True, help="Take every sign as a word."),
    click.option(
        "--surface-features", is_flag=True, help="Note links, numbers, capitals, smileys, length."
    ),
    click.option("--normalize", is_flag=True, help="Make one of letters that look alike (NFKC)."),
    click.option("--tfidf", is_flag=True, help="Let rare words count more, in plain Naive Bayes."),
    click.option(
        "--lexicon",
        metavar="FILE",
        type=Input(),
        help="Words with a category or a polarity, a tab between.",
    ),
)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of this file to a command; it gets them by name."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def reading_of(options: dict[str, Any], plain: Text) -> tuple[Text, dict[str, Any]]:
    """How texts are read, from the plain way or a task's on, and how counts are looked at."""
    given = set(asked(options))
    text = getattr(Text, options["task"])() if options["task"] else plain
    changes: dict[str, Any] = {
        name: options[name]
        for name in (
            "word_ngrams",
            "char_ngrams",
            "stem",
            "punctuation",
            "surface_features",
            "normalize",
        )
        if f"--{name.replace('_', '-')}" in given
    }
    if changes.get("word_ngrams", True) is None:
        changes = {"punctuation": False, **changes}
    views: dict[str, Any] = {"tfidf": True} if options["tfidf"] else {}
    if options["negation"] is not None:
        changes["negation"] = _negation(options["negation"])
    stop_words = options["stop_words"]
    if stop_words is not None:
        kind, colon, number = stop_words.partition(":")
        if kind == "top" and colon:
            if not number.isascii() or not number.isdigit():
                raise click.UsageError(f"--stop-words {stop_words}: top:50 leaves out 50 words")
            views["skip_top"] = int(number)
        else:
            changes["stop_words"] = _words(stop_words)
    if options["lexicon"] is not None:
        changes["lexicon"] = Lexicon.read(options["lexicon"])
    return replace(text, **changes), views


def _negation(given: str) -> Negation:
    """The negation of a language, of which a scope may be said; or of the words in a file."""
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
    """What a TOML file says of the arguments of a `Negation`."""
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
    """The words of a file, one on a line, without comments; or the name of a language."""
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
