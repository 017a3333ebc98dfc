"""`likely compare`."""

import json
from pathlib import Path

import click

import likely
from likely.cli.judging import judge, say_learned
from likely.cli.options import encoding_option, json_option, target_option
from likely.evaluation.compare import TESTS
from likely.inputs.files import open_table


@click.command(no_args_is_help=True)
@click.argument("models", type=click.Path(dir_okay=False), nargs=-1, required=True)
@click.argument("data", type=click.Path(allow_dash=True))
@target_option
@click.option("--metric", default="accuracy", show_default=True, help="The figure compared.")
@click.option(
    "--test", "by", type=click.Choice(TESTS), help="The test.  [default: one that suits the metric]"
)
@click.option("--seed", metavar="N", default=0, show_default=True, help="Chance, made repeatable.")
@encoding_option
@json_option
def compare(
    models: tuple[str, ...],
    data: str,
    target: str | None,
    metric: str,
    by: str | None,
    seed: int,
    encoding: str,
    as_json: bool,
) -> None:
    """Is another model better, or had it luck with the rows? Compare MODELS on the labels of DATA.

    Each model is tested against the first, on the same rows: the effect with its interval, how
    often chance alone would make it as large, and the rows that flipped.

    \b
      likely compare old.likely new.likely test.csv
      likely compare a.likely b.likely c.likely test.csv --metric macro_f1
    """
    if len(models) < 2:
        raise click.UsageError("two models or more are compared, and a file: A B DATA")
    source = open_table(data, encoding=encoding)
    judged = [judge(likely.load(model), source, target) for model in models]
    for one in judged:
        say_learned(one, source)
    classes = sorted({label for one in judged for label in one.classes})
    stems = [Path(model).stem for model in models]
    found = likely.compare(
        judged[0].truth,
        *(one.predictions for one in judged),
        names=stems if len(set(stems)) == len(stems) else models,
        metric=metric,
        test=by,
        classes=classes,
        seed=seed,
    )
    click.echo(json.dumps(found.to_json(), ensure_ascii=False) if as_json else str(found))
