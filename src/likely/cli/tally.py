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
    progress_bar,
    say,
    threads_option,
)
from likely.cli.paths import Command, Input, Output
from likely.cli.train import prepared, train, warn_of_labels_not_met
from likely.cli.writing import dumped, rows, saved, written
from likely.data.table import DecimalMark

# What `train` is asked beyond the model: how it is shown, rows without labels, and files.
_NOT_OF_A_PART = (
    *("data", "output", "report", "encoding", "decimal", "dry_run", "provenance", "force"),
    *("as_json", "threads", "unlabeled", "unlabeled_weight"),
)


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("-o", "--output", required=True, type=Output(), help="The model file to write.")
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
    """Count the rows of DATA, which may be a part of all rows, and tune nothing.

    What is written is a model that has only counted. A part may have rows of one class only, or no
    rows. `likely merge` adds parts, in any order, into the model of all rows, if they were counted
    by one plan; `likely tune` then tunes it, and the result is the file that `likely train` writes
    with that plan. Without --plan, DATA settles what is counted.

    \b
      likely tally monday.csv --plan plan.json -o monday.likely
      likely tally tuesday.csv --plan plan.json -o tuesday.likely
    """
    check_output(output, force)
    planned = prepared(data, encoding, decimal, **options)
    spec, source = planned.classifier.spec, planned.source
    if spec.criterion is not None and not spec.tunes:
        raise click.UsageError(
            "--thresholds chooses thresholds when a model is tuned, and a plain one that is counted in "
            "parts is not\nhint: `likely train --thresholds` chooses those of a plain model"
        )
    say(f"{source.name}: {planned.said}")
    # A part is of a plan, whoever made it: so is the model of all parts.
    spec = replace(spec, likelihood=None, plan=spec.plan or planned.plan)
    classifier = Classifier.of(spec, None, threads or os.cpu_count() or 1)
    with progress_bar("counting", source.size) as progress:
        classifier.update(source, planned.rows.target, progress=progress)
    warn_of_labels_not_met(source)
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
    click.echo(written(facts))


tally.params[2:2] = [param for param in train.params if param.name not in _NOT_OF_A_PART]
