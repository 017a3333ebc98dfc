"""`likely train`."""

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import click

from likely import Classifier, Text
from likely.cli.tables import find_target, find_text, read_table
from likely.errors import DataError
from likely.likelihoods import TEXT_VIEWS

_MOST_CLASSES = 100
_MOST_LINES = 16


def _run(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """A shortest and a longest run, given as `1-2` or as one number; or `none`."""
    if value is None or value == "none":
        return None
    found = re.fullmatch("([0-9]{1,3})(?:-([0-9]{1,3}))?", value)
    if not found:
        raise click.BadParameter(f"{value!r} is not a run like 1-2, nor `none`")
    return int(found[1]), int(found[2] or found[1])


@click.command(no_args_is_help=True)
@click.argument("data", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("-o", "--output", required=True, type=click.Path(), help="The model file to write.")
@click.option("--target", metavar="COL", help="The column with the labels.")
@click.option("--text", metavar="COL", help="The column with the texts.")
@click.option(
    "--model", type=click.Choice(list(TEXT_VIEWS)), default="multinomial", show_default=True
)
@click.option("--alpha", type=float, default=1.0, show_default=True, help="Added to every count.")
@click.option(
    "--words", metavar="N[-M]", callback=_run, default="1", show_default=True, help="Runs of words."
)
@click.option(
    "--chars",
    metavar="N[-M]",
    callback=_run,
    help="Runs of characters within words, beside the words.",
)
@click.option(
    "--threads", type=click.IntRange(1, 1024), help="How many threads; all cores if not given."
)
@click.option("--force", is_flag=True, help="Replace the model file if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def train(
    data: str,
    output: str,
    target: str | None,
    text: str | None,
    model: str,
    alpha: float,
    words: tuple[int, int],
    chars: tuple[int, int] | None,
    threads: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Learn from DATA, a CSV, TSV or JSONL file with a column of texts and one of labels.

    The accuracy printed is exact leave-one-out: each row is judged by a model that has not seen it,
    and no data is held out.

    \b
      likely train reviews.csv -o reviews.likely
      likely train mail.jsonl -o mail.likely --target folder --words 1-2
    """
    _check_output(output, force)
    likelihood = TEXT_VIEWS[model](alpha, text=Text(words=words, chars=chars))
    columns = read_table(data)
    target = find_target(data, columns, target)
    labels = columns.pop(target)
    _check_labels(data, target, labels)
    if text == target:
        raise DataError(f"`{text}` cannot be both the text and the target")
    text = find_text(data, columns, text)
    ignored = [name for name in columns if name != text]
    click.echo(f"{data}: labels in `{target}`, texts in `{text}`{_ignoring(ignored)}", err=True)

    classifier = Classifier(likelihood, threads=threads or os.cpu_count() or 1)
    classifier.fit(columns[text], labels, loo=True)
    classifier.save(output)

    common, rows = Counter(labels).most_common(1)[0]
    result = {
        "rows": len(labels),
        "classes": list(classifier.classes),
        "accuracy": classifier.loo.accuracy,
        "majority_class": common,
        "majority_baseline": rows / len(labels),
        "top": [[label, words] for label, words in classifier.top(8).items()],
        "model": output,
        "bytes": Path(output).stat().st_size,
        "digest": classifier.digest,
    }
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else _summary(result))


def _ignoring(columns: list[str]) -> str:
    return f"; {', '.join(f'`{name}`' for name in columns)} not used" if columns else ""


def _shown(feature: str) -> str:
    """A name as people can read it: spaces at its ends or signs that do not print would be lost."""
    return feature if feature == feature.strip() and feature.isprintable() else repr(feature)


def _check_output(output: str, force: bool) -> None:
    """Find out before the work whether its result can be written."""
    path = Path(output)
    if output == "-" or path.is_dir() or output.endswith(("/", os.sep)):
        raise click.UsageError(f"{output} is no name for a file")
    if not path.parent.is_dir():
        raise click.UsageError(f"the folder of {output} is not there")
    if path.exists() and not force:
        raise click.UsageError(f"{output} is there already; --force replaces it")
    if not os.access(path.parent, os.W_OK):
        raise click.UsageError(f"nothing can be written to the folder of {output}")


def _check_labels(data: str, target: str, labels: list[Any]) -> None:
    for row, label in enumerate(labels):
        if label is None or not str(label).strip():
            raise DataError(f"{data}, row {row + 1}: the label in `{target}` is empty")
    different = len(set(map(str, labels)))
    if different > _MOST_CLASSES and different * 2 > len(labels):
        raise DataError(
            f"{different:,} of the {len(labels):,} labels in `{target}` are different; "
            "is it really the target?"
        )


def _summary(result: dict[str, Any]) -> str:
    accuracy = click.style(f"{result['accuracy']:.1%}", bold=True)
    shown, more = result["top"][:_MOST_LINES], result["top"][_MOST_LINES:]
    names = [_shown(str(label)) for label, _ in shown]
    width = min(max(map(len, names)), 24)
    words = [
        f"  {click.style(name[:width].ljust(width), bold=True)}  {_fitting(top, 76 - width)}"
        for name, (_, top) in zip(names, shown, strict=True)
    ]
    if more:
        words.append(f"  and {len(more)} more classes")
    return "\n".join(
        [
            "",
            f"  {accuracy} right when each of the {result['rows']:,} rows is left out in turn",
            f"  {result['majority_baseline']:.1%} would be right by always saying "
            f"`{result['majority_class']}`",
            "",
            "What speaks for each",
            "",
            *words,
            "",
            f"{result['model']}: {result['bytes']:,} bytes, tally {result['digest'][:16]}…",
        ]
    )


def _fitting(top: list[tuple[str, float]], width: int) -> str:
    """As many features as a line has room for."""
    line = ""
    for name, _ in top:
        longer = f"{line}  {_shown(name)}" if line else _shown(name)
        if len(longer) > width:
            break
        line = longer
    return line
