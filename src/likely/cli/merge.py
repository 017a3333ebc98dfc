"""`likely merge`."""

import click

from likely.cli.options import check_output, force_option, json_option, load_model
from likely.cli.paths import Command, Input, Output
from likely.cli.writing import dumped, rows, saved, written
from likely.errors import LikelyError


@click.command(cls=Command, no_args_is_help=True)
@click.argument("models", type=Input(dir_okay=False), nargs=-1, required=True)
@click.option("-o", "--output", required=True, type=Output(), help="The model file to write.")
@force_option
@json_option
def merge(models: tuple[str, ...], output: str, force: bool, as_json: bool) -> None:
    """Add MODELS that were trained apart into one that has seen everything.

    They have to count alike: the same columns, read in the same way. The order does not matter.

    \b
      likely merge monday.likely tuesday.likely -o week.likely
    """
    if len(models) < 2:
        raise click.UsageError("two models or more are merged: A B … -o NEW")
    check_output(output, force, replaces=models)
    total = load_model(models[0])
    for model in models[1:]:
        more = load_model(model)
        try:
            total += more
        except LikelyError as error:
            raise type(error)(f"{model}: {error}") from None
    facts = {
        "merged": len(models),
        "rows": total.tally.n_rows,
        "classes": list(total.classes),
        **saved(total, output),
        "is_stale": total.is_stale,
    }
    if as_json:
        click.echo(dumped(facts))
        return
    click.echo(f"{len(models)} models, {rows(total.tally.n_rows)} in {len(total.classes)} classes")
    click.echo(written(facts))
