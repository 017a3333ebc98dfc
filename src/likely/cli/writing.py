"""Commands that change a model: where the result is written, and what is printed."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from likely import Classifier, _kernel, render
from likely.cli.options import (
    check_columns,
    check_output,
    file_options,
    force_option,
    json_option,
    load_model,
    target_option,
    together,
)
from likely.cli.paths import Input, Output
from likely.data.files import NoRows, Source, has_no_lines, open_table
from likely.data.labeled import find_target
from likely.data.parts import Parts
from likely.data.table import DecimalMark
from likely.errors import LikelyError, NotLearnedError
from likely.tally import container

output_option = click.option(
    "-o",
    "--output",
    type=Output(),
    help="The model file to write.  [default: MODEL itself, with --force]",
)


change_options = together(
    click.argument("model", type=Input(dir_okay=False)),
    click.argument("data", type=Input(allow_dash=True), nargs=-1, required=True),
    output_option,
    target_option,
    file_options,
    force_option,
    json_option,
)
"""The arguments and options of a command that changes a model by the rows of files."""


def place_for(model: str, output: str | None, force: bool) -> str:
    """Where the new model goes: to a new file, or with --force in place of the old one."""
    if output is None and not force:
        raise click.UsageError(
            f"give -o NEW, the model file to write\nhint: `--force` overwrites {model}"
        )
    place = model if output is None else output
    check_output(place, force, replaces=[model])
    return place


def change_model(
    model: str, output: str | None, force: bool, change: Callable[[Classifier], dict[str, Any]]
) -> dict[str, Any]:
    """Load a model, change it, save it; the facts about that."""
    place = place_for(model, output, force)
    classifier = load_model(model)
    before = classifier.digest
    facts = change(classifier)
    return {
        **facts,
        "rows_left" if "forgotten" in facts else "rows": classifier.tally.n_rows,
        "classes": list(classifier.classes),
        "digest_before": before,
        **saved(classifier, place),
        "is_stale": classifier.is_stale,
    }


def open_parts(
    classifier: Classifier,
    data: Sequence[str],
    target: str | None,
    encoding: str,
    decimal: DecimalMark | None,
) -> Parts:
    """The rows of files, each of which has the columns that a model reads."""
    target = target or classifier.target
    labels = (target or "label").split(",")
    files: list[Source] = [
        NoRows(file, (*classifier.columns, *labels))
        if has_no_lines(file)
        else open_table(file, encoding=encoding, decimal=decimal)
        for file in data
    ]
    for file in files:
        check_columns(file.name, file.columns, classifier.columns)
        find_target(file.columns, target, f"{file.name} has")
    return Parts(files)


@contextlib.contextmanager
def naming_file(source: Source) -> Iterator[None]:
    """Where a row is wrong, say of which file."""
    try:
        yield
    except LikelyError as error:
        raise (
            error.within(f"{source.name}: ") if str(error).startswith("row ") else error
        ) from None


@contextlib.contextmanager
def naming_unlearned_rows(
    classifier: Classifier, parts: Parts, target: str | None, so: str
) -> Iterator[None]:
    """Where rows were never learned, say which, of which file, and how many."""
    try:
        yield
    except NotLearnedError:
        for source in parts.files:
            known = classifier.was_learned(source, target)
            if known.all():
                continue
            first, unlearned = int(known.argmin()) + 1, int((~known).sum())
            are, which = ("is", "") if unlearned == 1 else ("are", "the first is ")
            raise NotLearnedError(
                f"{source.name}: {unlearned:,} of {rows(len(known))} {are} not among the training "
                f"rows ({which}row {first}); {so}"
            ) from None
        raise


def saved(classifier: Classifier, place: str) -> dict[str, Any]:
    """Write a model; where it is, how large, and the digest of its tally, which the file knows."""
    content = classifier.to_bytes()
    container.write(place, content)
    metadata, _ = container.unpack(content)
    return {"model": place, "bytes": len(content), "digest": metadata["tally"]}


def print_rows(
    columns: Mapping[str, Sequence[Any]], as_json: bool, *, is_first: bool = True
) -> None:
    """Print rows, given as columns, as CSV or as JSON lines; a header comes before the first."""
    if as_json:
        for row in zip(*columns.values(), strict=True):
            named = dict(zip(columns, row, strict=True))
            click.echo(json.dumps(named, ensure_ascii=False, default=str))
        return
    if is_first:
        sys.stdout.buffer.write(_kernel.csv_rows([_kernel.Texts([name]) for name in columns]))
    spelled = [["" if cell is None else str(cell) for cell in cells] for cells in columns.values()]
    sys.stdout.buffer.write(_kernel.csv_rows([_kernel.Texts(cells) for cells in spelled]))
    sys.stdout.flush()


def rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def dumped(facts: dict[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False)


def closing_lines(result: dict[str, Any]) -> list[str]:
    """The last lines of `likely train`: warnings, notes, and the model file."""
    messages = [("warning", warning) for warning in result["warnings"]]
    messages += [("note", note) for note in result["notes"]]
    lines = []
    for kind, sentence in messages:
        shown = render.text([f"{kind}: {sentence}"])
        lines += [click.style(f"{kind}:", bold=True) + shown.removeprefix(f"{kind}:"), ""]
    return [*lines, file_line(result)]


def file_line(facts: dict[str, Any]) -> str:
    """The last line: the model file, its size and its tally."""
    line = f"{facts['model']}: {facts['bytes']:,} bytes, tally {facts['digest'][:16]}…"
    if facts.get("is_to_be_tuned"):
        line += f"\nnote: the model is not tuned; `likely tune {facts['model']} DATA` tunes it"
    if facts.get("is_stale"):
        line += "\nnote: the model was tuned on other rows; `likely tune` fits its weights again"
    return line
