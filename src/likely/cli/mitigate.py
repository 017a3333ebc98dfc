"""`likely mitigate`."""

import json
import os
from pathlib import Path
from typing import Any

import click

from likely import render
from likely.cli.auditing import asking, html_option, page_of, sentences_of
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    load_model,
    say,
    target_option,
)
from likely.cli.paths import Command, Input
from likely.cli.writing import output_option, place_for, written
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.fairness.mitigation import Shifted, balanced, measured, reweighed
from likely.fairness.sentences import read_terms
from likely.fairness.thresholding import with_equal_rates
from likely.tally import container

_LEAD = (
    "What was done to the model, and the same measurements before and after. Gaps that were not "
    "measured may be as they were, or larger."
)

# So many terms are named.
_LISTED = 6


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(), required=False)
@click.option(
    "--neutralize",
    metavar="FILE",
    type=Input(),
    help="Terms that shall say nothing, one on a line; `terms` are ours.",
)
@click.option(
    "--balance", metavar="COL", help="Take rows back until groups have their labels alike."
)
@click.option(
    "--reweigh", metavar="COL", help="Let rows of rare groups and labels count more often."
)
@click.option(
    "--group-thresholds",
    metavar="COL",
    help="Say the class as often in each group, by thresholds, which shift its probabilities.",
)
@asking
@html_option
@output_option
@target_option
@force_option
@file_options
@json_option
def mitigate(
    model: str,
    data: str | None,
    neutralize: str | None,
    balance: str | None,
    reweigh: str | None,
    group_thresholds: str | None,
    templates: tuple[str, ...],
    hostile: str | None,
    term_list: str | None,
    group_columns: tuple[str, ...],
    score: str | None,
    html_file: str | None,
    output: str | None,
    target: str | None,
    force: bool,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> None:
    """Make of MODEL one whose gap is smaller, and show the gap and the accuracy before and after.

    Neutral terms, thresholds and re-weighing are views: the tally stays as it is. To balance, rows
    of DATA, which the model has learned, are forgotten. Under thresholds the probabilities that the
    model gives are shifted, and no longer calibrated; by how much is shown by group. Accuracy is
    that of rows judged without themselves, if they were learned. Gaps are measured by sentences
    (--templates) or by --group.

    \b
      likely mitigate tweets.likely all.csv --neutralize names.txt -o fair.likely
      likely mitigate loans.likely all.csv --group-thresholds gender -o f.likely
    """
    ways = {
        "--neutralize": neutralize,
        "--balance": balance,
        "--reweigh": reweigh,
        "--group-thresholds": group_thresholds,
    }
    asked = [name for name, given in ways.items() if given is not None]
    if len(asked) != 1:
        raise click.UsageError(f"one way at a time: {', '.join(ways)}")
    if data is None and neutralize is None:
        raise click.UsageError(f"{asked[0]} looks at the training rows, so DATA is needed")
    place = place_for(model, output, force)
    if html_file is not None:
        check_output(html_file, force)
    before = load_model(model, threads=os.cpu_count() or 1)
    source = None if data is None else open_table(data, encoding=encoding, decimal=decimal)
    judged: Any = None
    shifted: tuple[Shifted, ...] = ()
    if neutralize is not None:
        terms = read_terms(neutralize)
        after = before.with_neutral(terms)
        listed = ", ".join(f"`{term}`" for term in terms[:_LISTED])
        more = f" and {len(terms) - _LISTED:,} more" if len(terms) > _LISTED else ""
        how = f"Neutral about {render.counted(len(terms), 'term', 'terms')}: {listed}{more}"
    elif group_thresholds is not None:
        after, how, judged, shifted = with_equal_rates(
            before, source, target, group_thresholds, score
        )
    else:
        way = reweighed if balance is None else balanced
        after, how, judged = way(before, source, target, balance or reweigh or "")
    wanted = templates or (("persons",) if neutralize is not None else ())
    found = measured(
        before,
        after,
        how,
        sentences=sentences_of(wanted, hostile, term_list),
        x=source,
        y=target,
        group_columns=group_columns or tuple(filter(None, (balance, reweigh, group_thresholds))),
        score=score,
        judged=judged,
        shifted=shifted,
    )
    after.save(place)
    if html_file is not None:
        made = page_of("Mitigation", model, after, _LEAD, found.sections())
        container.write(html_file, made)
    facts = {
        **found.to_json(),
        "model": place,
        "bytes": Path(place).stat().st_size,
        "digest_before": before.digest,
        "digest": after.digest,
        "is_stale": after.is_stale,
    }
    click.echo(json.dumps(facts, ensure_ascii=False) if as_json else f"{found}\n\n{written(facts)}")
    if html_file is not None:
        say(f"{html_file} has the page")
