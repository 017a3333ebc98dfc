"""`likely card`."""

import hashlib
import json
import os
import shlex
import sys
from pathlib import Path

import click

import likely
from likely.cli.auditing import audit_options, sentences_of
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    load_model,
    print_message,
    target_option,
)
from likely.cli.paths import Command, Input, Output, sha256
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.fairness.card import blank, read_answers
from likely.fairness.card import card as card_of
from likely.tally import container


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False), required=False)
@click.argument("data", type=Input(), required=False)
@click.option(
    "--about",
    metavar="FILE",
    type=Input(),
    help="The author's answers, a TOML file (see --blank).",
)
@click.option("--blank", "is_blank", is_flag=True, help="Print the questions to answer.")
@audit_options
@click.option(
    "-o",
    "--output",
    type=Output(),
    help="The file to write: Markdown, or HTML if it ends in .html.",
)
@target_option
@force_option
@file_options
@json_option
def card(
    model: str | None,
    data: str | None,
    about: str | None,
    is_blank: bool,
    templates: tuple[str, ...],
    hostile: str | None,
    term_list: str | None,
    group_columns: tuple[str, ...],
    score: str | None,
    output: str | None,
    target: str | None,
    force: bool,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> None:
    """Write a model card: what MODEL is, what it is for, how well it does, what it is not for.

    \b
      likely card --blank > about.toml
      likely card reviews.likely test.csv --about about.toml -o card.html

    Figures are measured on DATA, by leave-one-out if these are the training rows. Questions that
    numbers cannot answer are answered in a file (--blank prints them); the card shows which are
    unanswered.
    """
    if is_blank:
        click.echo(blank(), nl=False)
        return
    if model is None:
        raise click.UsageError("MODEL is missing: `likely card MODEL`")
    if group_columns and data is None:
        raise click.UsageError("--group needs DATA")
    if output is not None:
        check_output(output, force)
    content = Path(model).read_bytes()
    classifier = load_model(model, threads=os.cpu_count() or 1)
    source = None if data is None else open_table(data, encoding=encoding, decimal=decimal)
    found = card_of(
        classifier,
        name=Path(model).name,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        version=likely.__version__,
        answers=None if about is None else read_answers(about),
        x=source,
        y=target,
        data=None if data is None else {"name": Path(data).name, "sha256": sha256(data)},
        sentences=sentences_of(templates, hostile, term_list),
        group_columns=group_columns,
        score=score,
        commands=(shlex.join(["likely", *sys.argv[1:]]),),
    )
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
    is_page = output is not None and output.endswith((".html", ".htm"))
    text = found.html() if is_page else found.markdown()
    if output is None and not as_json:
        click.echo(text, nl=False)
    elif output is not None:
        container.write(output, text.encode())
    missing = found.unanswered
    if missing:
        hint = "" if about else "\nhint: `likely card --blank > about.toml` prints the questions"
        print_message(f"warning: not answered: {', '.join(missing)}{hint}")
