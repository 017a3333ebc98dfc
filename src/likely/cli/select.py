"""`likely select`."""

import os
import re
import sys
from typing import Any

import click
import numpy as np

from likely import _kernel, render
from likely.cli.options import file_options, number, print_message, progress_bar, threads_option
from likely.cli.paths import Command, Input
from likely.cli.writing import print_rows
from likely.data.files import open_table
from likely.data.labels import plain_list
from likely.data.table import DecimalMark
from likely.selection import Kept
from likely.selection import select_rows as selected


def _keep(ctx: click.Context, param: click.Parameter, value: str) -> float | int:
    """`10%`, or a number of rows."""
    share = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)%", value)
    if share:
        return float(share[1]) / 100
    if re.fullmatch("[0-9]+", value):
        return int(value)
    raise click.BadParameter(f"{value!r} is neither a share like 10% nor a number of rows")


@click.command(cls=Command, no_args_is_help=True)
@click.option(
    "--target",
    required=True,
    metavar="DATA",
    type=Input(allow_dash=True),
    help="Rows to resemble.",
)
@click.option(
    "--from",
    "pool",
    required=True,
    metavar="DATA",
    type=Input(allow_dash=True),
    help="The pool to select from.",
)
@click.option(
    "--keep",
    required=True,
    metavar="N|P%",
    callback=_keep,
    help="Number or share of rows to select.",
)
@click.option("--text", metavar="COL", help="The text column.")
@click.option(
    "--features",
    type=click.Choice(["hashed", "exact"]),
    default="hashed",
    show_default=True,
    help="Hashed words in a fixed number of buckets, or every word, which takes memory.",
)
@click.option(
    "--word-ngrams",
    "words",
    metavar="N",
    type=number(int, 1, 8),
    default=2,
    show_default=True,
    help="The longest word n-grams, up to 8.",
)
@click.option("--top", is_flag=True, help="Select the best rows instead of drawing.")
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Random seed.")
@threads_option
@file_options
@click.option("--json", "as_json", is_flag=True, help="Print rows as JSON lines.")
def select(
    target: str,
    pool: str,
    keep: float | int,
    text: str | None,
    features: Any,
    words: int,
    top: bool,
    seed: int,
    threads: int | None,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> None:
    """Select the rows of a pool that resemble a target, and print them with their log-ratio.

    \b
      likely select --target reviews.csv --from crawl.csv.gz --keep 10% > kept.csv

    Rows are drawn, without replacement, by the ratio of their likelihood under a language model of
    the target to that under one of the pool. The pool is read three times as a stream, so it may be
    larger than memory.
    """
    source = open_table(pool, encoding=encoding, decimal=decimal)
    size = None if sys.stdout.isatty() else source.size
    written = 0
    with progress_bar("selecting", size, passes=3) as progress:
        for kept in selected(
            open_table(target, encoding=encoding, decimal=decimal),
            source,
            keep,
            text=text,
            features=features,
            words=words,
            draw="top" if top else "sample",
            seed=seed,
            threads=threads or os.cpu_count() or 1,
            progress=progress,
        ):
            _write(kept, as_json, is_first=not written)
            written += len(kept.rows)
    print_message(f"{source.name}: {render.counted(written, 'row', 'rows')} selected")


def _write(kept: Kept, as_json: bool, is_first: bool) -> None:
    columns = {
        name: cells.take(kept.rows)
        if isinstance(cells, _kernel.Texts)
        else [plain_list(cells)[row] for row in kept.rows]
        for name, cells in kept.table.as_written.items()
    }
    added = "log_ratio" if "log_ratio" not in columns else "likely_log_ratio"
    columns[added] = np.round(kept.log_ratios, 4).tolist()
    print_rows(columns, as_json, is_first=is_first)
