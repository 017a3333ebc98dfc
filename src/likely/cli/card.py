"""`likely card`."""

import hashlib
import json
import os
import shlex
import sys
from pathlib import Path

import click

import likely
from likely.cli.auditing import asking, sentences_of
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    load_model,
    say,
    target_option,
)
from likely.cli.origin import origin, sha256, sidecar
from likely.cli.paths import Command, Input, Output
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
    help="The author's answers, a TOML file; see --blank.",
)
@click.option("--blank", "is_blank", is_flag=True, help="Print the questions, to be answered.")
@asking
@click.option(
    "-o",
    "--output",
    type=Output(),
    help="The file to write: Markdown, or a page if it ends in .html.",
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
    """Write a model card: what MODEL is, what it is for, how it does, what it is not for.

    Figures are measured on DATA; if these are the rows that MODEL learned, each is judged by the
    model without it. What numbers cannot tell is answered in a file (--blank prints the questions);
    what is not answered is shown as not answered.

    \b
      likely card --blank > about.toml
      likely card reviews.likely test.csv --about about.toml -o card.html
    """
    if is_blank:
        click.echo(blank(), nl=False)
        return
    if model is None:
        raise click.UsageError("which model is the card of? `likely card MODEL`")
    if group_columns and data is None:
        raise click.UsageError("--group looks at rows, so DATA is needed")
    if output is not None:
        check_output(output, force, also_read=[sidecar(model)])
    content = Path(model).read_bytes()
    classifier = load_model(model, threads=os.cpu_count() or 1)
    source = None if data is None else open_table(data, encoding=encoding, decimal=decimal)
    noted = origin(model, classifier.digest)
    learned = (
        [f"likely train {shlex.quote(noted['data'])} -o {shlex.quote(model)}"] if noted else []
    )
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
        commands=(*learned, shlex.join(["likely", *sys.argv[1:]])),
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
        say(f"warning: not answered: {', '.join(missing)}{hint}")
