"""`likely forget`."""

from typing import Any

import click

from likely import Classifier, render
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    target_option,
)
from likely.cli.paths import Command, Input, Output
from likely.cli.writing import (
    change_model,
    dumped,
    file_line,
    naming_file,
    naming_unlearned_rows,
    open_parts,
    output_option,
    rows,
)
from likely.data.table import DecimalMark
from likely.tally import container


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(allow_dash=True), nargs=-1, required=True)
@output_option
@click.option(
    "--receipt",
    metavar="FILE",
    type=Output(allow_dash=True),
    help="Write the receipt, JSON: what was forgotten and what may remain; - prints it.",
)
@target_option
@file_options
@force_option
@json_option
def forget(
    model: str,
    data: tuple[str, ...],
    output: str | None,
    receipt: str | None,
    target: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
) -> None:
    """Remove the rows of DATA from MODEL, as if they had never been there.

    \b
      likely forget reviews.likely erased.csv -o new.likely --receipt r.json
      likely forget reviews.likely erased.csv --force

    Rows that were never learned are refused, and then nothing changes. The receipt lists what the
    removed rows may have left behind, for example in weights that were fit on them.
    """
    if receipt not in (None, "-"):
        check_output(receipt, force)

    def erase(classifier: Classifier) -> dict[str, Any]:
        source = open_parts(classifier, data, target, encoding, decimal)
        with (
            naming_file(source),
            naming_unlearned_rows(classifier, source, target, "nothing was forgotten"),
        ):
            found = classifier.forget(source, target)
        return {
            "forgotten": found.rows,
            "classes_gone": list(found.classes_gone),
            "inexact": list(found.inexact),
        }

    facts = change_model(model, output, force, erase)
    if receipt not in (None, "-"):
        try:
            container.write(receipt, (dumped(facts) + "\n").encode())
        except OSError:
            # The rows are gone by now; what was forgotten is not to be lost with its file.
            click.echo(dumped(facts))
            raise
    if as_json or receipt == "-":
        click.echo(dumped(facts))
        return
    gone = "".join(f"; no row of `{label}` is left" for label in facts["classes_gone"])
    click.echo(f"{rows(facts['forgotten'])} forgotten, {facts['rows_left']:,} left{gone}")
    for sentence in facts["inexact"]:
        click.echo(render.text([f"note: {sentence}"]))
    # Stale weights are among what is inexact, which is printed above.
    click.echo(file_line({**facts, "is_stale": facts["is_stale"] and not facts["inexact"]}))
