"""`likely tune`."""

import os
from typing import Any

import click

from likely import Classifier, render
from likely.cli.options import check_columns, progress_bar
from likely.cli.paths import Command
from likely.cli.writing import changed, changing, dumped, naming_strangers, rows, written
from likely.data.files import open_table
from likely.data.table import DecimalMark


@click.command(cls=Command, no_args_is_help=True)
@changing
def tune(
    model: str,
    data: str,
    output: str | None,
    target: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find out anew how far to trust each kind of evidence, from the rows that were learned.

    After `update`, `forget` or `merge` the counts are exact, but the weights are those of other
    rows. DATA holds the rows the model has now; the counts stay as they are.

    \b
      likely tune merged.likely all.csv -o tuned.likely
    """

    def again(classifier: Classifier) -> dict[str, Any]:
        classifier.threads = os.cpu_count() or 1
        source = open_table(data, encoding=encoding, decimal=decimal)
        check_columns(source.name, source.columns, classifier.columns)
        with (
            naming_strangers(classifier, source, target, "nothing was tuned"),
            progress_bar("tuning", source.size) as progress,
        ):
            classifier.tune(source, target, progress=progress)
        right = classifier.loo.accuracy if classifier.has_loo else None
        return {
            "tuned_rows": classifier.tuning.rows if classifier.tuning else 0,
            "accuracy": right,
            "optimism": classifier.optimism,
        }

    facts = changed(model, output, force, again)
    if as_json:
        click.echo(dumped(facts))
        return
    right = facts["accuracy"]
    said = "" if right is None else f"; leave-one-out accuracy {render.tenth(right)}"
    optimism = "" if right is None or facts["optimism"] is None else f"; {facts['optimism']}"
    click.echo(f"tuned on {rows(facts['tuned_rows'])}{said}{optimism}")
    click.echo(written(facts))
