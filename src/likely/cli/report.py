"""`likely report`."""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from likely import Classifier
from likely.cli.options import (
    check_columns,
    check_output,
    file_options,
    force_option,
    json_option,
    load_model,
    prior_option,
    say,
    target_option,
    threads_option,
    under_prior,
)
from likely.cli.origin import sha256
from likely.cli.paths import Command, Input, Output
from likely.data.files import Source, open_table
from likely.data.table import DecimalMark
from likely.report import Origin, Report
from likely.report import report as report_on
from likely.tally import container


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(allow_dash=True))
@click.option("-o", "--output", type=Output(), help="The HTML file to write.")
@target_option
@prior_option
@threads_option
@file_options
@force_option
@json_option
def report(
    model: str,
    data: str,
    output: str | None,
    target: str | None,
    prior: Any,
    threads: int | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a page about MODEL and DATA: one HTML file that opens anywhere, offline.

    It says how good the model is and against what, where it errs and why, which labels to look at
    again. If DATA are the rows that MODEL learned, each is judged by the model without it;
    otherwise it is a test, and the page says which. With --json the same facts are printed.

    \b
      likely report reviews.likely reviews.csv -o report.html
      likely report reviews.likely test.csv --json
    """
    if output is None and not as_json:
        raise click.UsageError("-o FILE says where the page goes; --json prints the facts instead")
    if output is not None:
        check_output(output, force)
    classifier = under_prior(load_model(model), prior)
    classifier.threads = threads or os.cpu_count() or 1
    source = open_table(data, encoding=encoding, decimal=decimal)
    check_columns(source.name, source.columns, classifier.columns)
    found = report_on(classifier, source, target, origin=origin_of(model, classifier, source))
    if output is not None:
        write(found, output)
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False, allow_nan=False))


def write(found: Report, output: str) -> None:
    """Write the page of a report, and say what it says."""
    page = found.html().encode()
    container.write(output, page)
    say(f"{output}: {len(page):,} bytes. {found.verdict}")


def origin_of(model: str, classifier: Classifier, source: Source) -> Origin:
    """What a report was made of, and how."""
    return Origin(
        model=Path(model).name,
        data=Path(source.name).name,
        command=shlex.join(["likely", *sys.argv[1:]]),
        tally=classifier.digest,
        model_sha256=sha256(model),
        data_sha256=sha256(source.name),
    )


def of_training(
    classifier: Classifier, source: Source, target: str | None, output: str, model: str
) -> None:
    """Write the page about a model that was just trained."""
    left_out = classifier.loo if classifier.has_loo else classifier.leave_one_out(source, target)
    origin = origin_of(model, classifier, source)
    write(report_on(classifier, source, target, loo=left_out, origin=origin), output)
