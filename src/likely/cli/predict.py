"""`likely predict`."""

import csv
import json
import re
import sys
from collections.abc import Iterator
from io import BufferedReader
from typing import Any, cast

import click

import likely
from likely import Classifier, _kernel
from likely.cli.options import prior_option, progress_bar
from likely.errors import DataError
from likely.inputs import Table
from likely.inputs.columns import TEXT_NAMES, nearest
from likely.inputs.files import LINE, Source, open_table
from likely.labels import plain_list

_LINES = 65_536


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("data", type=click.Path(allow_dash=True), default="-")
@click.option("--text", metavar="COL", help="The column with the texts, if the model reads one.")
@click.option("--proba", is_flag=True, help="A column with the probability of every class.")
@click.option("--evidence", is_flag=True, help="A column with log P(row), whatever the class.")
@prior_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object per row.")
def predict(
    model: str,
    data: str,
    text: str | None,
    proba: bool,
    evidence: bool,
    prior: Any,
    as_json: bool,
) -> None:
    """Label DATA with MODEL.

    DATA is a table as `likely train` reads it, or standard input: one text per line if the model
    reads one column, else a table. All columns are kept; `prediction` and `probability` are added,
    and `rule`, the one that decided, if the model has rules.
    Rows are labelled as they come, so DATA may be larger than memory.

    \b
      likely predict reviews.likely new.csv > labelled.csv
      echo "what a film" | likely predict reviews.likely
    """
    classifier = likely.load(model)
    if prior is not None:
        classifier = classifier.with_prior(prior)
    if text is not None and len(classifier.columns) != 1:
        raise click.UsageError("--text is for a model that reads one column")
    if data == "-" and text is None and len(classifier.columns) == 1 and not _is_table(classifier):
        _write(_lines(classifier.columns[0]), classifier, proba, evidence, as_json)
        return
    source = open_table(data)
    text = _text_column(source, classifier, text)
    columns = [*source.columns, LINE] if as_json and source.has_lines else None
    # On a terminal, the bar would stand among the rows.
    size = None if sys.stdout.isatty() else source.size
    with progress_bar("labelling", size) as progress:
        tables = source.batches(columns, progress)
        if text is not None:
            tables = (_View(table, classifier.columns[0], text) for table in tables)
        _write(tables, classifier, proba, evidence, as_json)


def _is_table(classifier: Classifier) -> bool:
    """Whether standard input begins like a table with the model's column, or like JSON."""
    head: bytes = cast(BufferedReader, sys.stdin.buffer).peek(65_536)
    first = head.decode("utf-8-sig", "replace").partition("\n")[0].strip()
    names = [name.strip('" ') for name in re.split(r"[,;|\t]", first)]
    return first.startswith("{") or (len(names) > 1 and classifier.columns[0] in names)


def _text_column(source: Source, classifier: Classifier, given: str | None) -> str | None:
    """The column to read in place of the one that the model was trained on, if it is another."""
    if given is not None:
        if given not in source.columns:
            raise DataError(
                f"{source.name} has no column `{given}`; {nearest(given, source.columns)}"
            )
        return given
    if len(classifier.columns) != 1 or classifier.columns[0] in source.columns:
        return None
    telling = [name for name in source.columns if name.lower() in TEXT_NAMES]
    if len(source.columns) == 1 or telling:
        found = (telling or source.columns)[0]
        click.echo(f"{source.name}: `{found}` is read as `{classifier.columns[0]}`", err=True)
        return found
    raise DataError(
        f"{source.name} has no column `{classifier.columns[0]}`\nhint: `--text COL` names the one"
    )


def _write(
    tables: Iterator[Table], classifier: Classifier, proba: bool, evidence: bool, as_json: bool
) -> None:
    rows = 0
    for table in tables:
        added = _added(classifier, table, proba, evidence)
        clash = [name for name in added if name in table.columns]
        if clash:
            raise DataError(
                f"there is a column `{clash[0]}` already\nhint: give it another name first"
            )
        if as_json:
            columns = {n: plain_list(cells) for n, cells in table.columns.items()} | added
            for row in zip(*columns.values(), strict=True):
                click.echo(_object(dict(zip(columns, row, strict=True)), added))
        else:
            if not rows:
                csv.writer(sys.stdout, lineterminator="\n").writerow([*table.columns, *added])
                sys.stdout.flush()
            written = [*table.columns.values(), *added.values()]
            sys.stdout.buffer.write(_kernel.csv_rows([_spelled(cells) for cells in written]))
        rows += len(table)
    if not rows:
        raise DataError("there are no rows to label")


def _spelled(cells: Any) -> _kernel.Texts:
    """A column as it is written; what is missing is empty."""
    if isinstance(cells, _kernel.Texts):
        return cells
    return _kernel.Texts(["" if cell is None else str(cell) for cell in plain_list(cells)])


def _object(fields: dict[str, Any], added: dict[str, list[Any]]) -> str:
    """A row as JSON; one that came as JSON keeps its line, to which the rest is added."""
    if LINE in fields:
        fields = {**json.loads(fields[LINE]), **{name: fields[name] for name in added}}
    # JSON knows no NaN.
    fields = {name: None if cell != cell else cell for name, cell in fields.items()}
    return json.dumps(fields, ensure_ascii=False, default=str)


def _added(
    classifier: Classifier, table: Table, proba: bool, evidence: bool
) -> dict[str, list[Any]]:
    probabilities = classifier.predict_proba(table)
    best = probabilities.argmax(axis=1)
    added: dict[str, list[Any]] = {
        "prediction": [classifier.classes[place] for place in best],
        "probability": probabilities.max(axis=1).round(6).tolist(),
    }
    if classifier.rules is not None:
        ruled = classifier.ruled(table)
        added["rule"] = [None if rule is None else rule.name for rule in ruled]
    if proba:
        for place, label in enumerate(classifier.classes):
            added[f"P({label})"] = probabilities[:, place].round(6).tolist()
    if evidence:
        added["log_evidence"] = classifier.log_evidence(table).round(6).tolist()
    return added


class _View(Table):
    """A table that shows one column under another name, to those who take it."""

    def __init__(self, table: Table, name: str, column: str):
        super().__init__(table.columns, table.rows, named=True, offset=table.offset)
        self._seen = (name, table.columns[column])

    def take(self, names: Any) -> list[Any]:
        name, column = self._seen
        return [column] if tuple(names) == (name,) else super().take(names)


def _lines(column: str) -> Iterator[Table]:
    """Standard input, one text per line."""
    lines: list[str] = []
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            lines.append(line.decode().rstrip("\r\n"))
        except UnicodeDecodeError:
            raise DataError(f"standard input, line {number}: it is not UTF-8") from None
        if len(lines) >= _LINES:
            yield Table({column: lines}, len(lines), named=True)
            lines = []
    if lines:
        yield Table({column: lines}, len(lines), named=True)
