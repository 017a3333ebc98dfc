"""`likely predict`."""

import codecs
import json
import math
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader, BytesIO
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import likely
from likely import Classifier, _kernel
from likely.cli.options import (
    check_columns,
    file_options,
    load_model,
    number,
    print_message,
    prior_option,
    progress_bar,
    threads_option,
    under_prior,
)
from likely.cli.paths import Command, Input
from likely.cli.rules_as_model import Ruling, is_rules, refuse
from likely.data.columns import TEXT_NAMES, nearest
from likely.data.files import (
    LINE,
    Progress,
    Source,
    Stream,
    first_line,
    open_table,
    recoded,
    separator,
    spooled,
    standard_input,
    too_long,
)
from likely.data.labels import Label, plain_list
from likely.data.table import DecimalMark, Table, named
from likely.errors import DataError
from likely.explain.unseen_values import UnseenValues

Columns = tuple[str, ...]

NAME = "standard input"
_CHUNK = 65_536
# So many impossible rows, and so many columns, are named in a warning.
_ROWS_NAMED = 10
_MARK = {"impossible": True}
# How gzip and Zstandard begin.
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(allow_dash=True), default="-")
@click.option("--text", metavar="COL", help="The text column, if the model reads one column.")
@click.option("--proba", is_flag=True, help="Add a column with the probability of each class.")
@click.option(
    "-k",
    "k",
    metavar="N",
    type=number(int, 1),
    default=1,
    help="Add the N most probable classes.",
)
@click.option(
    "--threshold",
    metavar="LABEL=P",
    multiple=True,
    help="Threshold of a class: spam=0.9.",
)
@click.option(
    "--reject-below",
    metavar="P",
    type=number(float, 0, 1),
    default=0.0,
    help="Reject option: leave less probable predictions empty.",
)
@click.option("--evidence", is_flag=True, help="Add a column with the log-evidence, log P(x).")
@prior_option
@threads_option
@file_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per row.")
def predict(
    model: str,
    data: str,
    text: str | None,
    proba: bool,
    k: int,
    threshold: tuple[str, ...],
    reject_below: float,
    evidence: bool,
    prior: Any,
    threads: int | None,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> None:
    """Predict the labels of DATA with MODEL.

    \b
      likely predict reviews.likely new.csv > labeled.csv
      echo "what a film" | likely predict reviews.likely
      likely predict spam.likely mail.jsonl --json --threshold spam=0.95
      likely predict rules.toml mail.jsonl

    DATA is a table as `likely train` reads it, or standard input: one text per line if the model
    reads one column, otherwise a table. Columns and order of the rows are kept; `prediction` and
    `probability` are added, and `rule` if the model has rules. Multi-label predictions are
    separated by `;`. Rows are predicted as they arrive, so DATA may be larger than memory, and a
    pipe may never end.

    MODEL may also be a file of rules, RULES.toml, which needs no training: `prediction` and `rule`
    are empty where no rule decides.
    """
    threads = threads or os.cpu_count() or 1
    answers: Answers | Ruling
    if is_rules(model):
        refuse("proba", "k", "threshold", "reject_below", "evidence", "prior")
        answers = Ruling(likely.Rules.read(model), threads)
        columns = answers.columns
    else:
        classifier = under_prior(load_model(model, threads=threads), prior)
        if classifier.is_multilabel and (k > 1 or evidence):
            raise click.UsageError(
                "-k and --evidence are for single-label models, and this one is multi-label"
            )
        if evidence and classifier.tuning is not None and not classifier.fitted.product.is_joint:
            raise click.UsageError("--evidence needs a plain model: train with --plain")
        given = _thresholds(classifier, threshold)
        if given and not classifier.is_multilabel:
            classifier = classifier.with_decision(thresholds=given)
        answers = Answers(classifier, proba, k, given, reject_below, evidence, as_json)
        columns = classifier.columns
    if text is not None and len(columns) != 1:
        raise click.UsageError("--text needs a model that reads one column")
    if data == "-":
        _write(_standard_input(columns, text, encoding, decimal, as_json), answers, as_json, NAME)
        return
    source = open_table(data, encoding=encoding, decimal=decimal)
    # On a terminal, the bar would stand among the rows.
    size = None if sys.stdout.isatty() else source.size
    with progress_bar("predicting", size) as progress:
        tables = _tables(source, columns, text, as_json, progress)
        _write(tables, answers, as_json, source.name)


def _thresholds(classifier: Classifier, given: tuple[str, ...]) -> dict[Label, float]:
    """The thresholds that were typed, by class."""
    labels = {str(label): label for label in classifier.classes}
    found: dict[Label, float] = {}
    for one in given:
        label, equals, share = one.rpartition("=")
        if not equals:
            raise click.UsageError(f"--threshold {one}: give LABEL=P, for example spam=0.9")
        if label not in labels:
            raise click.UsageError(
                f"--threshold {one}: no class `{label}`; {nearest(label, labels)}"
            )
        try:
            found[labels[label]] = float(share)
        except ValueError:
            raise click.UsageError(f"--threshold {one} is not like spam=0.9") from None
        if not 0 <= found[labels[label]] <= 1:
            raise click.UsageError(f"--threshold {one}: a probability is from 0 to 1")
    return found


def _tables(
    source: Source,
    columns: Columns,
    text: str | None,
    as_json: bool,
    progress: Progress | None = None,
) -> Iterator[Table]:
    text = _text_column(source, columns, text)
    kept = [*source.columns, LINE] if as_json and source.has_lines else None
    for table in source.batches(kept, progress):
        yield table if text is None else _View(table, columns[0], text)


def _standard_input(
    columns: Columns,
    text: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> Iterator[Table]:
    """Standard input as it comes: lines of text, or a table."""
    stream = Ahead(standard_input(), encoding)
    first = first_line(stream.head.decode("utf-8-sig", "replace")).strip()
    is_json = first.startswith("{")
    if stream.head.startswith(_COMPRESSED) or (is_json and not as_json):
        # What is compressed is told by who reads it; columns of JSON are known when all of it is.
        return _tables(spooled(stream, decimal=decimal), columns, text, as_json)
    if is_json:
        # Each line is kept as it is, so that only what the model reads needs to be known.
        names = _names(first)
        there = set(names)
        if not there.isdisjoint(columns):
            names += [name for name in columns if name not in there]
        return _tables(Stream(stream, NAME, "json", names, decimal), columns, text, as_json)
    if text is None and len(columns) == 1:
        names = [name.strip('" ') for name in re.split(r"[,;|\t]", first)]
        if columns[0] not in names:
            return _lines(stream, columns[0])
        if len(names) == 1:
            print_message(f"{NAME}: its first line, `{first}`, is taken as the column name")
    table = Stream(stream, NAME, separator(first), decimal=decimal)
    if text is None and set(table.columns).isdisjoint(columns):
        listed = named(columns)
        raise DataError(
            f"{NAME}: the first line names no column that the model reads ({listed})\n"
            "hint: a table starts with a line of column names"
        )
    return _tables(table, columns, text, as_json)


def _names(line: str) -> list[str]:
    """The keys of a JSON object; if it is none, whoever reads it will say so."""
    try:
        return list(json.loads(line, parse_int=str))
    except (ValueError, RecursionError):
        return []


def _text_column(source: Source, columns: Columns, given: str | None) -> str | None:
    """The column to read in place of the one that the model was trained on, if it is another."""
    if given is not None:
        if given not in source.columns:
            raise DataError(
                f"{source.name} has no column `{given}`; {nearest(given, source.columns)}"
            )
        return given
    if len(columns) != 1 or columns[0] in source.columns:
        return None
    telling = [name for name in source.columns if name.lower() in TEXT_NAMES]
    if len(source.columns) == 1 or telling:
        found = (telling or source.columns)[0]
        print_message(f"{source.name}: `{found}` is read as `{columns[0]}`")
        return found
    raise DataError(
        f"{source.name} has no column `{columns[0]}`; there are "
        + named(source.columns)
        + "\nhint: `--text COL` names the text column"
    )


def _write(tables: Iterator[Table], answers: "Answers | Ruling", as_json: bool, name: str) -> None:
    rows = 0
    impossible = Impossible()
    for table in tables:
        if isinstance(answers, Answers) and not isinstance(table, _View):
            check_columns(name, table.names, answers.classifier.columns)
        added, places = answers.of(table)
        clash = [name for name in added if name in table.columns]
        if clash:
            raise DataError(f"there is a column `{clash[0]}` already\nhint: rename it first")
        if as_json:
            kept = {name: plain_list(cells) for name, cells in table.as_written.items()}
            lines = kept.get(LINE) or [_object(row) for row in _rows(kept)]
            more = list(_rows(added))
            for place in places:
                more[place] |= _MARK
            found = zip(lines, more, strict=True)
            joined = "".join(f"{_joined(line, row)}\n" for line, row in found)
            sys.stdout.buffer.write(joined.encode())
        else:
            if not rows:
                names = [_kernel.Texts([name]) for name in (*table.columns, *added)]
                sys.stdout.buffer.write(_kernel.csv_rows(names))
            written = [*table.as_written.values(), *added.values()]
            sys.stdout.buffer.write(_kernel.csv_rows([_spelled(cells) for cells in written]))
        # Whoever reads a pipe that is still open gets what there is.
        sys.stdout.buffer.flush()
        impossible.note(places + rows + 1)
        rows += len(table)
    if not rows:
        raise DataError(f"{name}: there are no rows to predict")
    if impossible.count:
        print_message(f"warning: {name}: {impossible}")
    if isinstance(answers, Answers) and answers.unseen.sentence is not None:
        print_message(f"warning: {answers.unseen.sentence}")


class Impossible:
    """How many rows no class can have produced, and the numbers of the first of them."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[int] = []

    def note(self, rows: NDArray[np.intp]) -> None:
        """Take note of rows by their numbers."""
        self.count += len(rows)
        self._first += rows[: _ROWS_NAMED - len(self._first)].tolist()

    def __str__(self) -> str:
        named = ", ".join(f"{row:,}" for row in self._first)
        more = self.count - len(self._first)
        which = f"{named} and {more:,} more" if more else named
        if self.count == 1:
            return f"row {which} has probability 0 under every class; the prior decided"
        return (
            f"{self.count:,} rows have probability 0 under every class; the prior decided: {which}"
        )


def _spelled(cells: Any) -> _kernel.Texts:
    """A column as it is written; what is missing is empty."""
    if isinstance(cells, _kernel.Texts):
        return cells
    return _kernel.Texts(["" if cell is None else str(cell) for cell in plain_list(cells)])


def _rows(columns: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _object(fields: dict[str, Any]) -> str:
    """A row as JSON, which knows no NaN and no infinities."""
    finite = {
        name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
        for name, cell in fields.items()
    }
    return json.dumps(finite, ensure_ascii=False, default=str)


def _joined(line: str, added: dict[str, Any]) -> str:
    """A JSON object to which something is added; what it has is kept as it is."""
    first, more = line.strip()[1:-1].strip(), _object(added)
    for name in added:
        if f'"{name}"' in first and name in json.loads(line, parse_int=str):
            raise DataError(f"there is a column `{name}` already\nhint: rename it first")
    return f"{{{first}, {more[1:]}" if first else more


@dataclass(frozen=True, eq=False)
class Answers:
    """What is added to each row."""

    classifier: Classifier
    proba: bool
    k: int
    thresholds: dict[Label, float]
    """Those that take the place of the thresholds of a multi-label model."""
    reject_below: float
    evidence: bool
    as_lists: bool
    """Whether the labels of a multi-label row are written as a list, rather than as one text."""
    unseen: UnseenValues = field(default_factory=UnseenValues)

    def of(self, table: Table) -> tuple[dict[str, list[Any]], NDArray[np.intp]]:
        """What is added to the rows of a table, and the places of those that are impossible."""
        classifier, classes = self.classifier, self.classifier.classes
        self.unseen.look(classifier, table)
        probabilities, impossible = classifier.proba_and_impossible(table)
        added = (self._multilabel if classifier.is_multilabel else self._best)(probabilities)
        if classifier.rules is not None:
            ruled = classifier.ruled(table)
            added["rule"] = [None if rule is None else rule.name for rule in ruled]
        if self.proba:
            for place, label in enumerate(classes):
                added[f"P({label})"] = probabilities[:, place].round(6).tolist()
        if self.evidence:
            added["log_evidence"] = classifier.log_evidence(table).round(6).tolist()
        return added, np.flatnonzero(impossible)

    def _best(self, probabilities: NDArray[np.float64]) -> dict[str, list[Any]]:
        """The label that is predicted, then the likeliest of the others; unsure ones are empty."""
        classes, rows = self.classifier.classes, np.arange(len(probabilities))
        order = -probabilities
        order[rows, self.classifier.decide(probabilities)] = -2.0
        ranked = np.argsort(order, axis=1, kind="stable")
        added: dict[str, list[Any]] = {}
        for place in range(min(self.k, len(classes))):
            found = probabilities[rows, ranked[:, place]]
            pairs = list(zip(ranked[:, place], found >= self.reject_below, strict=True))
            after = "" if place == 0 else f"_{place + 1}"
            added[f"prediction{after}"] = [classes[c] if s else None for c, s in pairs]
            added[f"probability{after}"] = [
                p if s else None for p, (_, s) in zip(found.round(6).tolist(), pairs, strict=True)
            ]
        return added

    def _multilabel(self, probabilities: NDArray[np.float64]) -> dict[str, list[Any]]:
        """The labels of each row and their probabilities, the likeliest first."""
        limits = np.array(list((self.classifier.thresholds | self.thresholds).values()))
        reached = probabilities >= np.maximum(limits, self.reject_below)
        between = self.classifier.separator or ";"
        classes = [str(label) for label in self.classifier.classes]
        odd = next((name for name in classes if between in name), None)
        if odd is not None and not self.as_lists:
            raise DataError(
                f"the label `{odd}` contains `{between}`, which separates labels\n"
                "hint: with --json, labels are lists"
            )
        labels, shares = [], []
        for row, is_reached in zip(probabilities, reached, strict=True):
            places = np.flatnonzero(is_reached)
            places = places[np.argsort(-row[places], kind="stable")]
            labels.append([self.classifier.classes[place] for place in places])
            shares.append(row[places].round(6).tolist())
        if self.as_lists:
            return {"prediction": labels, "probability": shares}
        return {
            "prediction": [between.join(map(str, row)) for row in labels],
            "probability": [between.join(map(str, row)) for row in shares],
        }


class _View(Table):
    """A table that shows one column under another name, to those who take it."""

    def __init__(self, table: Table, name: str, column: str):
        super().__init__(
            table.columns, table.rows, named=True, offset=table.offset, decimals=table.decimals
        )
        self.respelled = table.respelled
        self._seen = (name, table.columns[column])

    def take(self, names: Any) -> list[Any]:
        name, column = self._seen
        return [column] if tuple(names) == (name,) else super().take(names)


class Ahead:
    """Bytes as they come, as UTF-8, of which the first were looked at already."""

    def __init__(self, stream: BufferedReader, encoding: str):
        self._stream = recoded(stream, encoding, NAME)
        # The first line may come in pieces.
        pieces, size = [b""], 0
        while b"\n" not in pieces[-1] and size < _kernel.LONGEST_ROW:
            more = self._stream.read1(_CHUNK)
            if not more:
                break
            pieces.append(more)
            size += len(more)
        self.head = b"".join(pieces)
        self._kept = BytesIO(self.head.removeprefix(codecs.BOM_UTF8))

    def read1(self, size: int = -1, /) -> bytes:
        return self._kept.read(size) or self._stream.read1(size)


def _lines(stream: Ahead, column: str) -> Iterator[Table]:
    """One text per line, each as soon as its end is there."""
    number, begun, size = 0, [b""], 0

    def table(content: bytes) -> Table:
        found = content.split(b"\n")
        try:
            lines = [line.removesuffix(b"\r").decode() for line in found]
        except UnicodeDecodeError as error:
            line = number + content[: content.index(error.object)].count(b"\n") + 1
            raise DataError(f"{NAME}, line {line}: it is not UTF-8") from None
        return Table({column: lines}, len(lines), named=True, offset=number + 1)

    while more := stream.read1(_CHUNK):
        cut = more.rfind(b"\n")
        size = size + len(more) if cut < 0 else len(more) - cut - 1
        if size > _kernel.LONGEST_ROW:
            raise too_long(NAME)
        if cut < 0:
            begun.append(more)
            continue
        one = table(b"".join([*begun, more[:cut]]))
        begun = [more[cut + 1 :]]
        number += len(one)
        yield one
    if any(begun):
        yield table(b"".join(begun))
