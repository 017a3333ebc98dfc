"""`likely features`."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import click

from likely import Text, render
from likely.cli.options import given_options, json_option, load_model
from likely.cli.paths import Command, Input
from likely.cli.text_options import text_from_options, text_options
from likely.data.files import standard_input
from likely.errors import DataError
from likely.text import Bag

_STANDARD = ("-",)
# Longer features, such as links, are cut.
_LONGEST = 40
_SPACE = "␣"


@click.command(cls=Command)
@click.argument("text", nargs=-1)
@click.option(
    "--model",
    metavar="FILE",
    type=Input(dir_okay=False),
    help="Read the text as this model does, and say which features it knows.",
)
@text_options
@json_option
def features(
    text: tuple[str, ...],
    model: str | None,
    as_json: bool,
    **preprocessing: Any,
) -> None:
    """Show the features of TEXT, as they are counted.

    \b
      likely features "I did not like this movie, but I laughed" --negation en
      likely features "the plot of the film" --word-ngrams 1-2
      likely features --model reviews.likely "a plot as thin as paper"
      echo "good, good fun" | likely features

    By default a text is read as single words. Without TEXT, or with -, standard input is read, one
    text per line; with --json each text is a line too. With --model, a feature is used, left out
    (seen in training, but ignored by the model), or unknown: never seen in training, and ignored.
    """
    if not text and sys.stdin is not None and sys.stdin.isatty():
        raise click.exceptions.NoArgsIsHelpError(click.get_current_context())
    read = _reader(model, preprocessing)
    is_one = text not in ((), _STANDARD)
    for number, one in enumerate([_argument(text)] if is_one else _lines(), 1):
        bags = read(one)
        if as_json:
            columns = {column: bag.to_json() for column, bag in bags.items()}
            facts = {"columns": columns} if model is not None else columns[""]
            click.echo(json.dumps({"text": one, **facts}, ensure_ascii=False))
            continue
        blocks: list[render.Block] = []
        if not is_one:
            blocks.append(f"{number}  {render.cut(one, render.WIDTH - 6) or '(an empty line)'}")
        for column, bag in bags.items():
            blocks += [f"`{column}`:"] if len(bags) > 1 else []
            blocks += _shown(bag)
        click.echo(("\n" if number > 1 else "") + render.text(blocks))


def _reader(model: str | None, preprocessing: dict[str, Any]) -> Callable[[str], dict[str, Bag]]:
    """What finds the bags of a text by column; without a model, of one column without a name."""
    given = given_options(preprocessing)
    if model is not None:
        if given:
            raise click.UsageError(
                f"{given[0]} is settled by --model, which reads texts its own way"
            )
        return load_model(model).features
    text, counts = text_from_options(preprocessing, Text())
    if counts:
        option = "--tfidf" if "tfidf" in counts else f"--stop-words {preprocessing['stop_words']}"
        raise click.UsageError(
            f"{option} needs the counts of many texts, and here is one at a time"
        )
    return lambda one: {"": text.bag(one)}


def _argument(words: tuple[str, ...]) -> str:
    text = " ".join(words)
    if text != text.encode("utf-8", "replace").decode():
        raise click.UsageError(
            f"the text is not UTF-8: {text!r}\nhint: `iconv -f latin1 -t utf-8` makes it so"
        )
    return text


def _lines() -> Iterator[str]:
    """The lines of standard input."""
    number = 0
    for number, line in enumerate(standard_input(), 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise DataError(
                f"standard input, line {number} is not UTF-8\n"
                "hint: `iconv -f latin1 -t utf-8` makes it so"
            ) from None
    if not number:
        raise DataError("standard input is empty; it has a text on each line")


def _shown(bag: Bag) -> list[render.Block]:
    """The features, what preprocessing did, and how many there are."""
    told = any(one.state is not None for one in bag.features)
    header = ("feature", "kind", *(("model",) if told else ()), "count")
    rows = [
        (
            render.cut(one.name.replace(" ", _SPACE) if "char" in one.kind else one.name, _LONGEST),
            one.kind,
            *((one.state or "",) if told else ()),
            render.count(one.count),
        )
        for one in bag.features
    ]
    table = [render.Table(header, rows, left=len(header) - 1)] if rows else []
    return [*table, *_preprocessed(bag), _summary(bag)]


def _preprocessed(bag: Bag) -> list[str]:
    """A line for each step of preprocessing that changed something."""
    changed = {
        "marked as negated": [after for _, after in bag.negated],
        "stop words left out": list(bag.stop_words),
        "stems": [f"{before} → {after}" for before, after in bag.stems],
    }
    return [
        f"{what}: {', '.join(dict.fromkeys(words))}" for what, words in changed.items() if words
    ]


def _summary(bag: Bag) -> str:
    """How many features there are, and of which kinds."""
    if not bag.features:
        return "the text has no features"
    kinds = Counter(one.kind for one in bag.features)
    occurrences = sum(one.count for one in bag.features)
    distinct = render.counted(len(bag.features), "feature", "features")
    listed = ", ".join(f"{kind} {render.count(n)}" for kind, n in kinds.items())
    found = f"{distinct}, {render.counted(occurrences, 'occurrence', 'occurrences')}"
    found += f" ({listed})" if len(kinds) > 1 else ""
    states = Counter(one.state for one in bag.features if one.state is not None)
    return found + "".join(f"; {states[s]} {s}" for s in ("left out", "unknown") if states[s])
