"""`likely cv`."""

import json
import os
from typing import Any

import click

import likely
from likely import render
from likely.cli.options import file_options, json_option, say, show
from likely.cli.paths import Command, Input
from likely.cli.train import looked_at, train
from likely.data.columns import nearest
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.errors import DataError

# What `train` is asked of the model, `cv` is asked too; the rest is about files.
_NOT_OF_THE_MODEL = (
    *(
        "data",
        "output",
        "plan_file",
        "report",
        "encoding",
        "decimal",
        "dry_run",
        "provenance",
        "force",
        "as_json",
    ),
    *("unlabeled", "unlabeled_weight"),
)


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("--folds", metavar="K", default=10, show_default=True, help="How many folds.")
@click.option(
    "--repeats", metavar="N", default=1, show_default=True, help="Deal the folds out so many times."
)
@click.option("--group", metavar="COL", help="Rows of one group stay joint, and it is no evidence.")
@click.option("--time", metavar="COL", help="Predict each period by the ones before it.")
@click.option("--seed", metavar="N", default=0, show_default=True, help="Chance, made repeatable.")
@file_options
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
    **asked: Any,
) -> None:
    """Cross-validate a model of DATA: each row is predicted by a model trained without its fold.

    Nothing is counted K times: each fold is subtracted, and what is tuned is tuned without it.
    Folds are for rows that belong together (--group), for rows in time (--time), for published
    figures, and for tuned models of few rows. For the rest, the leave-one-out that `likely train`
    prints needs none: of plain models it is exact, of tuned ones the weights have seen the rows.

    \b
      likely cv reviews.csv --folds 10
      likely cv posts.csv --target gender --group author
    """
    source = open_table(data, encoding=encoding, decimal=decimal)
    for column in (group, time):
        if column is not None and column not in source.columns:
            known = nearest(column, source.columns)
            raise DataError(f"{source.name} has no column `{column}`; {known}")
    if group is not None:
        asked["drop_column"] = (*asked["drop_column"], group)
    planned = looked_at(source, **asked)
    source = planned.source
    say(f"{source.name}: {planned.said}")
    classifier = planned.classifier
    classifier.threads = threads or os.cpu_count() or 1
    found = likely.cross_validate(
        classifier,
        source,
        planned.rows.target,
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
    show(str(evaluations[0]))
    if repeats > 1:
        rows = []
        for name in ("accuracy", "macro_f1", "log_loss"):
            values = [float(one.figures[name]) for one in evaluations]
            mean = sum(values) / repeats
            rows.append((name, *map(render.number, (mean, min(values), max(values)))))
        table = render.Table((f"over {repeats} repeats", "mean", "lowest", "highest"), tuple(rows))
        click.echo(f"\nAll above is of the first repeat.\n\n{table.text()}")


cv.params[1:1] = [param for param in train.params if param.name not in _NOT_OF_THE_MODEL]
