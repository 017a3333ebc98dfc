"""`likely mitigate`."""

import json
import os
from pathlib import Path
from typing import Any

import click

import likely
from likely.audit.mitigation import balanced, measured, reweighed
from likely.audit.sentences import read_sentences, read_terms
from likely.audit.thresholding import with_equal_rates
from likely.cli.options import (
    encoding_option,
    force_option,
    json_option,
    target_option,
)
from likely.cli.writing import output_option, place_for, written
from likely.inputs.files import open_table


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("data", type=click.Path(), required=False)
@click.option(
    "--neutralise",
    metavar="FILE",
    type=click.Path(),
    help="Terms that shall say nothing, one on a line.",
)
@click.option(
    "--balance", metavar="COL", help="Take rows back until groups have their labels alike."
)
@click.option("--reweigh", metavar="COL", help="Count rows of rare groups and labels more often.")
@click.option(
    "--thresholds", metavar="COL", help="Call each group so equally often, by thresholds."
)
@click.option(
    "--templates",
    metavar="FILE",
    multiple=True,
    help="Sentences that measure the gap; `persons` and `terms` are ours.",
)
@click.option("--group", metavar="COL", help="Also measure the gaps between groups of DATA.")
@click.option("--score", metavar="CLASS", help="Whose probability is looked at.")
@output_option
@target_option
@force_option
@encoding_option
@json_option
def mitigate(
    model: str,
    data: str | None,
    neutralise: str | None,
    balance: str | None,
    reweigh: str | None,
    thresholds: str | None,
    templates: tuple[str, ...],
    group: str | None,
    score: str | None,
    output: str | None,
    target: str | None,
    force: bool,
    encoding: str,
    as_json: bool,
) -> None:
    """Make of MODEL one whose gap is smaller, and show the gap and the accuracy before and after.

    Neutral terms and thresholds are views: the counts stay as they are. To balance or re-weigh,
    rows of DATA, which the model has learned, are forgotten or counted again. Accuracy is that of
    rows judged without themselves, if they were learned.

    \b
      likely mitigate tweets.likely all.csv --neutralise names.txt -o fair.likely
      likely mitigate loans.likely all.csv --thresholds gender -o fair.likely
    """
    ways = {
        "--neutralise": neutralise,
        "--balance": balance,
        "--reweigh": reweigh,
        "--thresholds": thresholds,
    }
    asked = [name for name, given in ways.items() if given is not None]
    if len(asked) != 1:
        raise click.UsageError(f"one way at a time: {', '.join(ways)}")
    if data is None and neutralise is None:
        raise click.UsageError(f"{asked[0]} looks at the training rows, so DATA is needed")
    place = place_for(model, output, force)
    before = likely.load(model, threads=os.cpu_count() or 1)
    source = None if data is None else open_table(data, encoding=encoding)
    judged: Any = None
    if neutralise is not None:
        terms = read_terms(neutralise)
        after = before.with_neutral(terms)
        how = f"Neutral about {len(terms):,} term{'s'[: len(terms) != 1]}"
    elif thresholds is not None:
        after, how, judged = with_equal_rates(before, source, target, thresholds, score)
    else:
        way = reweighed if balance is None else balanced
        after, how, judged = way(before, source, target, balance or reweigh or "")
    wanted = templates or (("persons",) if neutralise is not None else ())
    found = measured(
        before,
        after,
        how,
        sentences=[read_sentences(each) for each in wanted],
        x=source,
        y=target,
        group=group or balance or reweigh or thresholds,
        score=score,
        judged=judged,
    )
    after.save(place)
    facts = {
        **found.to_json(),
        "model": place,
        "bytes": Path(place).stat().st_size,
        "digest_before": before.digest,
        "digest": after.digest,
        "is_stale": after.is_stale,
    }
    click.echo(json.dumps(facts, ensure_ascii=False) if as_json else f"{found}\n\n{written(facts)}")
