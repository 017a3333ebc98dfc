"""`likely train`."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import click

from likely import Bernoulli, Binary, Classifier, Complement, Multinomial, Text
from likely.cli.tables import find_target, find_text, read_table
from likely.errors import DataError

_MODELS = {
    "multinomial": Multinomial,
    "binary": Binary,
    "bernoulli": Bernoulli,
    "complement": Complement,
}


def _run(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """A shortest and a longest run, given as `1-2` or as one number."""
    if value is None:
        return None
    low, _, high = value.partition("-")
    if not low.isdigit() or not (high or low).isdigit():
        raise click.BadParameter(f"{value!r} is not a run like 1-2")
    return int(low), int(high or low)


@click.command(no_args_is_help=True)
@click.argument("data", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("-o", "--output", required=True, type=click.Path(), help="The model file to write.")
@click.option("--target", metavar="COL", help="The column with the labels.")
@click.option("--text", metavar="COL", help="The column with the texts.")
@click.option("--model", type=click.Choice(list(_MODELS)), default="multinomial", show_default=True)
@click.option("--alpha", type=float, default=1.0, show_default=True, help="Added to every count.")
@click.option(
    "--words", metavar="N[-M]", callback=_run, default="1", show_default=True, help="Runs of words."
)
@click.option("--chars", metavar="N[-M]", callback=_run, help="Runs of characters within words.")
@click.option("--threads", type=int, help="How many threads; all cores if not given.")
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
    if Path(output).exists() and not force:
        raise click.UsageError(f"{output} is there already; --force replaces it")
    columns = read_table(data)
    target = find_target(data, columns, target)
    labels = columns.pop(target)
    for row, label in enumerate(labels):
        if not label:
            raise DataError(f"{data}, row {row + 1}: the label in `{target}` is empty")
    text = find_text(data, columns, text)
    ignored = [name for name in columns if name != text]
    click.echo(f"{data}: labels in `{target}`, texts in `{text}`{_ignoring(ignored)}", err=True)

    likelihood = _MODELS[model](alpha, text=Text(words=words, chars=chars))
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
        "top": {label: dict(words) for label, words in classifier.top(8).items()},
        "model": output,
        "bytes": Path(output).stat().st_size,
        "digest": classifier.digest,
    }
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else _summary(result))


def _ignoring(columns: list[str]) -> str:
    return f"; {', '.join(f'`{name}`' for name in columns)} not used" if columns else ""


def _shown(feature: str) -> str:
    """A feature as people can read it: spaces at its ends would be lost between others."""
    return feature if feature == feature.strip() else repr(feature)


def _summary(result: dict[str, Any]) -> str:
    accuracy = click.style(f"{result['accuracy']:.1%}", bold=True)
    width = max(len(str(label)) for label in result["top"])
    words = [
        f"  {click.style(str(label).ljust(width), bold=True)}  {'  '.join(map(_shown, words))}"
        for label, words in result["top"].items()
    ]
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
