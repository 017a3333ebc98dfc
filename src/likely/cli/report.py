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
    print_message,
    prior_option,
    target_option,
    threads_option,
    under_prior,
)
from likely.cli.paths import Command, Input, Output, sha256
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
    """Write a report about MODEL and DATA: one HTML file that opens anywhere, offline.

    \b
      likely report reviews.likely reviews.csv -o report.html
      likely report reviews.likely test.csv --json

    It shows how accurate the model is and against which baseline, where it errs and why, and
    possible label errors. If DATA are the training rows, figures are leave-one-out; otherwise they
    are those of a test set. The report says which.
    """
    if output is None and not as_json:
        raise click.UsageError("give -o FILE for the report, or --json for its facts")
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
    """Write a report, and print its verdict."""
    page = found.html().encode()
    container.write(output, page)
    print_message(f"{output}: {len(page):,} bytes. {found.verdict}")


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
