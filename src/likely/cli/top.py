"""`likely top`."""

import json
from typing import Any

import click

from likely import render
from likely.cli.options import json_option, load_model, number
from likely.cli.paths import Command, Input
from likely.data.columns import nearest

# A line has room for the name of a column and the value in it.
_NAME = 60


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.option(
    "-n",
    "n",
    metavar="N",
    type=number(int, 1),
    default=10,
    show_default=True,
    help="Number of features per class.",
)
@click.option("--class", "only", metavar="LABEL", multiple=True, help="Only this class.")
@json_option
def top(model: str, n: int, only: tuple[str, ...], as_json: bool) -> None:
    """Show the most informative features of each class of MODEL.

    \b
      likely top reviews.likely -n 20
      likely top reviews.likely --class positive --json

    The numbers are log-odds of a class against all others, from the counts. Features are ranked by
    certainty: the log-odds over their standard error.
    """
    classifier = load_model(model)
    found = classifier.top_features(n)
    labels = {str(label): label for label in found}
    unknown = [name for name in only if name not in labels]
    if unknown:
        raise click.UsageError(f"there is no class `{unknown[0]}`; {nearest(unknown[0], labels)}")
    chosen = {label: found[label] for name, label in labels.items() if not only or name in only}
    if as_json:
        facts: dict[str, Any] = {
            str(label): [{"name": name, "log_odds": odds} for name, odds in best]
            for label, best in chosen.items()
        }
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    blocks: list[render.Block] = ["ranked by certainty (log-odds over standard error)"]
    for place in render.in_order(chosen):
        label, best = list(chosen.items())[place]
        lines = tuple((f"  {render.name(name, _NAME)}", f"{odds:+.2f}") for name, odds in best)
        blocks.append(click.style(render.name(label), bold=True))
        blocks.append(render.Table(("  feature", "log-odds"), lines) if lines else "  none")
    click.echo(render.text(blocks).replace("\n\n  ", "\n  "))
