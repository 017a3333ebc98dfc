"""`likely mitigate`."""

import json
import os
from pathlib import Path
from typing import Any

import click

from likely import render
from likely.cli.auditing import audit_options, html_option, page_of, sentences_of
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    load_model,
    print_message,
    target_option,
)
from likely.cli.paths import Command, Input
from likely.cli.writing import file_line, output_option, place_for
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.fairness.mitigation import Shifted, balanced, measured, with_reweighing
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
    help="Terms to ignore, one per line; `terms` is built in.",
)
@click.option(
    "--balance", metavar="COL", help="Forget rows until labels are distributed alike in all groups."
)
@click.option(
    "--reweigh",
    metavar="COL",
    help="Group weights (reweighing): rare pairs of group and label count more.",
)
@click.option(
    "--group-thresholds",
    metavar="COL",
    help="Equal selection rates (demographic parity), by a threshold for each group.",
)
@audit_options
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
    """Reduce a gap of MODEL between groups, and show gap and accuracy before and after.

    \b
      likely mitigate tweets.likely all.csv --neutralize names.txt -o fair.likely
      likely mitigate loans.likely all.csv --group-thresholds gender -o f.likely

    --neutralize, --group-thresholds and --reweigh leave the tally as it is; --balance forgets rows
    of DATA, which must be training rows. Group thresholds shift the probabilities, which are then
    no longer calibrated; the shift is shown by group. Accuracy is leave-one-out on training rows.
    Gaps are measured with sentences (--templates) or by --group.
    """
    ways = {
        "--neutralize": neutralize,
        "--balance": balance,
        "--reweigh": reweigh,
        "--group-thresholds": group_thresholds,
    }
    chosen = [name for name, given in ways.items() if given is not None]
    if len(chosen) != 1:
        raise click.UsageError(f"give exactly one of {', '.join(ways)}")
    if data is None and neutralize is None:
        raise click.UsageError(f"{chosen[0]} needs DATA, the training rows")
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
        way = with_reweighing if balance is None else balanced
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
    click.echo(
        json.dumps(facts, ensure_ascii=False) if as_json else f"{found}\n\n{file_line(facts)}"
    )
    if html_file is not None:
        print_message(f"wrote {html_file}")
