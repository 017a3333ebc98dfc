"""`likely cv`."""

import json
import os
from typing import Any

import click

import likely
from likely import render
from likely.cli.options import (
    file_options,
    json_option,
    print_message,
    print_result,
    threads_option,
)
from likely.cli.paths import Command, Input
from likely.cli.preparing import prepare_source
from likely.cli.train_options import data_options, model_options
from likely.data.columns import nearest
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.errors import DataError


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("--folds", metavar="K", default=10, show_default=True, help="Number of folds.")
@click.option(
    "--repeats",
    metavar="N",
    default=1,
    show_default=True,
    help="How often to repeat it, with other folds.",
)
@click.option(
    "--group", metavar="COL", help="Rows of one group stay in one fold; the column is not used."
)
@click.option("--time", metavar="COL", help="Predict each period from the periods before it.")
@click.option("--seed", metavar="N", default=0, show_default=True, help="Random seed.")
@data_options
@model_options
@file_options
@threads_option
@json_option
def cv(
    data: str,
    folds: int,
    repeats: int,
    group: str | None,
    time: str | None,
    seed: int,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Cross-validate a model on DATA: each row is predicted by a model trained without its fold.

    \b
      likely cv reviews.csv --folds 10
      likely cv posts.csv --target gender --group author

    Rows are counted once; each fold is subtracted, and the model is tuned without it. Use it for
    rows that belong together (--group), for rows in time (--time), to compare with published
    figures, and for tuned models of few rows. Otherwise the leave-one-out figures of `likely train`
    suffice: they are exact for plain models, while the weights of tuned models have seen the rows.
    """
    source = open_table(data, encoding=encoding, decimal=decimal)
    for column in (group, time):
        if column is not None and column not in source.columns:
            known = nearest(column, source.columns)
            raise DataError(f"{source.name} has no column `{column}`; {known}")
    if group is not None:
        options["drop_column"] = (*options["drop_column"], group)
    prepared = prepare_source(source, **options)
    source = prepared.source
    print_message(f"{source.name}: {prepared.description}")
    classifier = prepared.classifier
    classifier.threads = threads or os.cpu_count() or 1
    found = likely.cross_validate(
        classifier,
        source,
        prepared.rows.target,
        folds=folds,
        repeats=repeats,
        groups=group,
        time=time,
        seed=seed,
    )
    evaluations = [found.evaluate(repeat) for repeat in range(repeats)]
    facts = evaluations[0].to_json() | {"folds": int(found.folds.max()) + 1, "seed": seed}
    if repeats > 1:
        facts["repeats"] = [dict(one.figures) for one in evaluations]
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    print_result(str(evaluations[0]))
    if repeats > 1:
        rows = []
        for name in ("accuracy", "macro_f1", "log_loss"):
            values = [float(one.figures[name]) for one in evaluations]
            mean = sum(values) / repeats
            rows.append((name, *map(render.number, (mean, min(values), max(values)))))
        table = render.Table((f"over {repeats} repeats", "mean", "lowest", "highest"), tuple(rows))
        click.echo(f"\nThe figures above are those of the first repeat.\n\n{table.text()}")
