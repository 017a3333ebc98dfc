"""`likely update`."""

import os
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from likely import Classifier, render
from likely.cli.options import print_message, progress_bar
from likely.cli.paths import Command
from likely.cli.writing import (
    change_model,
    change_options,
    dumped,
    file_line,
    naming_file,
    open_parts,
    rows,
)
from likely.data.table import DecimalMark


@click.command(cls=Command, no_args_is_help=True)
@change_options
def update(
    model: str,
    data: tuple[str, ...],
    output: str | None,
    target: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
) -> None:
    """Add the rows of DATA to MODEL, as if they had been there from the start.

    \b
      likely update reviews.likely more.csv -o newer.likely
      likely update reviews.likely more.csv --force

    New words and new classes are allowed. The counts become those of a model trained on all rows at
    once, to the last bit. Rows that were learned already count once more, and a warning says so.
    """

    def learn(classifier: Classifier) -> dict[str, Any]:
        classifier.threads = os.cpu_count() or 1
        before, classes = classifier.tally.n_rows, classifier.classes
        known = classifier.tally.learned
        source = open_parts(classifier, data, target, encoding, decimal)
        with naming_file(source), progress_bar("counting", source.size) as progress:
            classifier.update(source, target, progress=progress)
        new = [label for label in classifier.classes if label not in classes]
        again = 0 if known is None else _learned_again(known, classifier.tally.learned)
        return {
            "learned": classifier.tally.n_rows - before,
            "learned_again": again,
            "classes_new": new,
        }

    facts = change_model(model, output, force, learn)
    if n := facts["learned_again"]:
        were = render.counted(n, "row was", "rows were")
        print_message(
            f"warning: {were} learned already, and {'counts' if n == 1 else 'count'} once more now"
        )
    if as_json:
        click.echo(dumped(facts))
        return
    new = "".join(f"; `{label}` is new" for label in facts["classes_new"])
    click.echo(f"{rows(facts['learned'])} learned, {facts['rows']:,} in all{new}")
    click.echo(file_line(facts))


def _learned_again(before: NDArray[np.uint64], after: NDArray[np.uint64] | None) -> int:
    """How many rows that came are equal to one that was there, by the hashes in the ledger."""
    assert after is not None
    known, times = np.unique(before, return_counts=True)
    found, times_now = np.unique(after, return_counts=True)
    return int((times_now[np.searchsorted(found, known)] - times).sum())
