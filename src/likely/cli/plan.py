"""`likely plan`."""

from typing import Any

import click

from likely.cli.options import check_output, file_options, force_option, json_option, say
from likely.cli.paths import Command, Input, Output
from likely.cli.train import looked_at, train
from likely.cli.writing import dumped
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.tally import container

# What `train` is asked beyond what is counted: how a model of the counts predicts, and files.
_NOT_COUNTED: dict[str, Any] = {"criterion": None, "second_opinion": False, "prior": None}
_NOT_OF_THE_PLAN = (
    *("data", "output", "report", "encoding", "decimal", "dry_run", "provenance", "force"),
    *("as_json", "threads", "unlabeled", "unlabeled_weight", "plan_file"),
    *_NOT_COUNTED,
)


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("-o", "--output", required=True, type=Output(), help="The plan to write, JSON.")
@file_options
@force_option
@json_option
def plan(
    data: str,
    output: str,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Settle what is counted in rows like those of DATA, and how, for other files and machines.

    A plan has the columns and what they are taken for, the likelihood of each, how texts are read,
    how missing cells are spelled, and where the labels are. It rests on a sample of DATA, and holds
    no row of it but the cells that its table shows. Files that are counted by one plan add up.

    \b
      likely plan reviews.csv -o plan.json
      likely plan birds.csv --target bird --drop-column seen -o birds.json
    """
    check_output(output, force)
    if options["rules"] is not None and options["rules_as"] != "evidence":
        raise click.UsageError(
            "--rules that overrule what is counted are no part of a plan\n"
            "hint: `likely tally --rules` and `likely train --rules` take them; "
            "`--rules-as evidence` counts them"
        )
    source = open_table(data, encoding=encoding, decimal=decimal)
    planned = looked_at(source, **options, **_NOT_COUNTED)
    content = planned.plan.to_bytes()
    container.write(output, content)
    if as_json:
        click.echo(dumped({**planned.to_json(), "plan": output, "bytes": len(content)}))
        return
    say(f"{source.name}: {planned.said}")
    click.echo(planned.table())
    click.echo(f"{output}: {len(content):,} bytes")


plan.params[2:2] = [param for param in train.params if param.name not in _NOT_OF_THE_PLAN]
