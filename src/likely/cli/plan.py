"""`likely plan`."""

from typing import Any

import click

from likely.cli.models import FEATURES
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    print_message,
    print_result,
)
from likely.cli.paths import Command, Input, Output
from likely.cli.preparing import prepare_source, without_target
from likely.cli.train_options import counting_options, data_options
from likely.cli.writing import dumped
from likely.data.files import open_table
from likely.data.labeled import usual_target
from likely.data.table import DecimalMark
from likely.tally import container


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("-o", "--output", type=Output(), help="The plan to write, JSON.")
@data_options
@counting_options
@file_options
@force_option
@json_option
def plan(
    data: str,
    output: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Show the role of each column of DATA, and write the roles as a plan.

    \b
      likely plan reviews.csv
      likely plan reviews.csv -o plan.json
      likely plan birds.csv --target bird --drop-column seen -o birds.json

    Without -o, nothing is written. A plan holds the target, the role and the likelihood of each
    column, the preprocessing of text and how missing cells are written. It is made from a sample of
    DATA. Tallies that are counted with the same plan, on any machine, can be merged.
    """
    if output is not None:
        check_output(output, force)
    if options["rules"] is not None and not options["rules"].startswith(FEATURES):
        raise click.UsageError(
            "--rules FILE overrules the model, so it is not part of a plan\n"
            "hint: `likely tally --rules` and `likely train --rules` take such rules; "
            "`--rules features:FILE` makes them features"
        )
    source = open_table(data, encoding=encoding, decimal=decimal)
    if output is None and options["target"] is None and usual_target(source.columns) is None:
        found = without_target(source, **options)
        print_result(dumped(found.to_json()) if as_json else found.table())
        return
    prepared = prepare_source(source, **options)
    facts, size = prepared.to_json(), 0
    if output is not None:
        content = prepared.plan.to_bytes()
        size = len(content)
        container.write(output, content)
        facts |= {"plan": output, "bytes": size}
    if as_json:
        click.echo(dumped(facts))
        return
    if output is not None:
        print_message(f"{source.name}: {prepared.description}")
    print_result(prepared.table() + (f"\n{output}: {size:,} bytes" if output else ""))
