"""`likely tally`."""

import os
from dataclasses import replace
from typing import Any

import click

from likely import Classifier, render
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    print_message,
    progress_bar,
    threads_option,
)
from likely.cli.paths import Command, Input, Output
from likely.cli.preparing import prepare, warn_of_unmatched_labels
from likely.cli.train_options import data_options, model_options, plan_option
from likely.cli.writing import dumped, file_line, naming_file, rows, saved
from likely.data.table import DecimalMark


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("-o", "--output", required=True, type=Output(), help="The model file to write.")
@data_options
@plan_option
@model_options
@threads_option
@file_options
@force_option
@json_option
def tally(
    data: str,
    output: str,
    threads: int | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Count the rows of DATA, which may be a part of all rows, without tuning.

    \b
      likely tally monday.csv --plan plan.json -o monday.likely
      likely tally tuesday.csv --plan plan.json -o tuesday.likely

    A tally holds the sufficient statistics of the rows, exact and additive. A part may have rows of
    one class only, or no rows. `likely merge` adds parts that share a plan, in any order; `likely
    tune` then tunes the sum, and the result is the file that `likely train` writes with that plan.
    Without --plan, the columns of DATA decide what is counted.
    """
    check_output(output, force)
    prepared = prepare(data, encoding, decimal, **options)
    spec, source = prepared.classifier.spec, prepared.source
    if prepared.classifier.criterion is not None and not spec.tunes:
        raise click.UsageError(
            "--thresholds are chosen when a model is tuned, and a plain tally is not tuned\n"
            "hint: `likely train --thresholds` chooses those of a plain model"
        )
    print_message(f"{source.name}: {prepared.description}")
    # A part is of a plan, whoever made it: so is the model of all parts.
    spec = replace(spec, likelihood=None, plan=spec.plan or prepared.plan)
    classifier = Classifier.of(spec, None, threads or os.cpu_count() or 1)
    with naming_file(source), progress_bar("counting", source.size) as progress:
        classifier.update(source, prepared.rows.target, progress=progress)
    warn_of_unmatched_labels(source)
    facts = {
        "rows": classifier.tally.n_rows,
        "classes": list(classifier.classes),
        **saved(classifier, output),
    }
    if as_json:
        click.echo(dumped(facts))
        return
    what = ("label", "labels") if classifier.is_multilabel else ("class", "classes")
    seen = render.counted(len(classifier.classes), *what)
    click.echo(f"{rows(facts['rows'])} in {seen}, counted only")
    click.echo(file_line(facts))
