"""`likely update`."""

import os
from typing import Any

import click

from likely import Classifier
from likely.cli.options import progress_bar
from likely.cli.paths import Command
from likely.cli.writing import changed, changing, dumped, rows, written
from likely.inputs import DecimalMark
from likely.inputs.files import open_table


@click.command(cls=Command, no_args_is_help=True)
@changing
def update(
    model: str,
    data: str,
    output: str | None,
    target: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
) -> None:
    """Learn the rows of DATA too, as if they had been there from the start.

    New words and new classes are welcome. The counts become, to the last bit, those of a model
    trained on all rows at once.

    \b
      likely update reviews.likely more.csv -o newer.likely
      likely update reviews.likely more.csv --force
    """

    def learn(classifier: Classifier) -> dict[str, Any]:
        classifier.threads = os.cpu_count() or 1
        before, classes = classifier.tally.n_rows, classifier.classes
        source = open_table(data, encoding=encoding, decimal=decimal)
        with progress_bar("counting", source.size) as progress:
            classifier.update(source, target, progress=progress)
        new = [label for label in classifier.classes if label not in classes]
        return {"learned": classifier.tally.n_rows - before, "classes_new": new}

    facts = changed(model, output, force, learn)
    if as_json:
        click.echo(dumped(facts))
        return
    new = "".join(f"; `{label}` is new" for label in facts["classes_new"])
    click.echo(f"{rows(facts['learned'])} learned, {facts['rows']:,} in all{new}")
    click.echo(written(facts))
