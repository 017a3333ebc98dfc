"""`likely predict`."""

import csv
import json
import sys

import click

import likely
from likely.cli.tables import Columns, find_text, read_table
from likely.errors import DataError


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("data", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@click.option("--text", metavar="COL", help="The column with the texts.")
@click.option("--proba", is_flag=True, help="A column with the probability of every class.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object per row.")
def predict(model: str, data: str, text: str | None, proba: bool, as_json: bool) -> None:
    """Label DATA with MODEL.

    DATA is a CSV, TSV or JSONL file, or standard input with one text per line (with --text, a
    CSV table or JSON lines). All columns are kept; `prediction` and `probability` are added.

    \b
      likely predict reviews.likely new.csv > labelled.csv
      echo "what a film" | likely predict reviews.likely
    """
    classifier = likely.load(model)
    columns = _lines() if data == "-" and text is None else read_table(data)
    column = find_text(data, columns, text)
    if data != "-":
        click.echo(f"{data}: texts in `{column}`", err=True)
    if not columns[column]:
        raise DataError(f"{data} has no rows")
    probabilities = classifier.predict_proba(columns[column])
    best = probabilities.argmax(axis=1)
    added: dict[str, list[object]] = {
        "prediction": [classifier.classes[place] for place in best],
        "probability": [round(float(p), 6) for p in probabilities.max(axis=1)],
    }
    if proba:
        for place, label in enumerate(classifier.classes):
            added[f"P({label})"] = [round(float(p), 6) for p in probabilities[:, place]]
    clash = [name for name in added if name in columns]
    if clash:
        raise DataError(
            f"{data} has a column `{clash[0]}` already\nhint: give that column another name first"
        )
    table = {**columns, **added}
    rows = zip(*table.values(), strict=True)
    if as_json:
        for row in rows:
            click.echo(json.dumps(dict(zip(table, row, strict=True)), ensure_ascii=False))
    else:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(list(table))
        writer.writerows(rows)


def _lines() -> Columns:
    """Standard input, one text per line."""
    lines = []
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            lines.append(line.decode().rstrip("\r\n"))
        except UnicodeDecodeError:
            raise DataError(f"standard input, line {number}: it is not UTF-8") from None
    return {"text": lines}
