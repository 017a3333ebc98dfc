"""`likely tune`."""

import os
from typing import Any

import click

from likely import Classifier, render
from likely.cli.options import progress_bar
from likely.cli.paths import Command
from likely.cli.writing import (
    change_model,
    change_options,
    dumped,
    file_line,
    naming_file,
    naming_unlearned_rows,
    open_parts,
    rows,
)
from likely.data.table import DecimalMark


@click.command(cls=Command, no_args_is_help=True)
@change_options
def tune(
    model: str,
    data: tuple[str, ...],
    output: str | None,
    target: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
) -> None:
    """Fit the weights, biases and thresholds of MODEL again, on its training rows.

    \b
      likely tune merged.likely all.csv -o tuned.likely
      likely tune week.likely monday.csv tuesday.csv -o tuned.likely

    After `update`, `forget` or `merge` the counts are exact, but the model is tuned on other rows.
    DATA holds all rows that the model has now, in one file or in several. The counts stay as they
    are.
    """

    def again(classifier: Classifier) -> dict[str, Any]:
        classifier.threads = os.cpu_count() or 1
        source = open_parts(classifier, data, target, encoding, decimal)
        with (
            naming_file(source),
            naming_unlearned_rows(classifier, source, target, "nothing was tuned"),
            progress_bar("tuning", source.size) as progress,
        ):
            classifier.tune(source, target, progress=progress)
        right = classifier.loo.accuracy if classifier.has_loo else None
        return {
            "tuned_rows": classifier.tuning.rows if classifier.tuning else 0,
            "accuracy": right,
            "optimism": classifier.optimism,
        }

    facts = change_model(model, output, force, again)
    if as_json:
        click.echo(dumped(facts))
        return
    right = facts["accuracy"]
    accuracy = "" if right is None else f"; leave-one-out accuracy {render.tenth(right)}"
    optimism = "" if right is None or facts["optimism"] is None else f"; {facts['optimism']}"
    click.echo(f"tuned on {rows(facts['tuned_rows'])}{accuracy}{optimism}")
    click.echo(file_line(facts))
