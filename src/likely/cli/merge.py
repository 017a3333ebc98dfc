"""`likely merge`."""

import click

from likely import render
from likely.cli.options import check_output, force_option, json_option, load_model, print_message
from likely.cli.paths import Command, Input, Output
from likely.cli.writing import dumped, file_line, rows, saved
from likely.errors import LikelyError


@click.command(cls=Command, no_args_is_help=True)
@click.argument("models", type=Input(dir_okay=False), nargs=-1, required=True)
@click.option("-o", "--output", required=True, type=Output(), help="The model file to write.")
@force_option
@json_option
def merge(models: tuple[str, ...], output: str, force: bool, as_json: bool) -> None:
    """Merge MODELS, or parts that `likely tally` counted, into one model of all rows.

    \b
      likely merge monday.likely tuesday.likely -o week.likely

    They have to count alike: the same columns and the same preprocessing, as with one plan. The
    result is the same file in any order. `likely tune` then tunes it, on the rows of all.
    """
    check_output(output, force, replaces=models)
    total = load_model(models[0])
    known = {total.digest: models[0]}
    for model in models[1:]:
        more = load_model(model)
        if more.tally.n_rows and (same := known.setdefault(more.digest, model)) != model:
            print_message(
                f"warning: {model} has learned the same rows as {same}, which count once more now"
            )
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
        "is_to_be_tuned": total.is_to_be_tuned,
    }
    if as_json:
        click.echo(dumped(facts))
        return
    merged = render.counted(len(models), "model", "models")
    click.echo(f"{merged}, {rows(total.tally.n_rows)} in {len(total.classes)} classes")
    click.echo(file_line(facts))
