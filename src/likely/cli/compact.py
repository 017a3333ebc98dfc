"""`likely compact`."""

from pathlib import Path

import click

from likely.cli.options import check_output, force_option, json_option, load_model
from likely.cli.paths import Command, Input, Output
from likely.cli.writing import dumped


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.option("-o", "--output", required=True, type=Output(), help="The copy to write.")
@force_option
@json_option
def compact(model: str, output: str, force: bool, as_json: bool) -> None:
    """Write a smaller copy of MODEL that predicts and explains the same, but cannot learn.

    \b
      likely compact reviews.likely -o published.likely

    The copy has no hashes of the training rows, with which anyone could test whether a row was
    learned, and no counts that predictions do not need.
    """
    check_output(output, force)
    whole = load_model(model)
    whole.compact().save(output)
    size, before = Path(output).stat().st_size, Path(model).stat().st_size
    if as_json:
        facts = {"model": output, "bytes": size, "bytes_before": before, "copy_of": whole.digest}
        click.echo(dumped(facts))
        return
    click.echo(f"{output}: {size:,} bytes, {size / before:.0%} of {model}")
