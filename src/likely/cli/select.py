"""`likely select`."""

import json
import os
import re
import sys
from typing import Any

import click
import numpy as np

from likely import _kernel
from likely.cli.options import file_options, number, progress_bar, say, threads_option
from likely.cli.paths import Command, Input
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
    help="Rows as they should be.",
)
@click.option(
    "--from",
    "pool",
    required=True,
    metavar="DATA",
    type=Input(allow_dash=True),
    help="The pool to keep rows of.",
)
@click.option(
    "--keep", required=True, metavar="N|P%", callback=_keep, help="How many rows to keep."
)
@click.option("--text", metavar="COL", help="The column of texts.")
@click.option(
    "--features",
    type=click.Choice(["hashed", "exact"]),
    default="hashed",
    show_default=True,
    help="Words in a fixed number of buckets, or every word by itself, which takes memory.",
)
@click.option(
    "--words",
    metavar="N",
    type=number(int, 1, 8),
    default=2,
    show_default=True,
    help="Runs of so many words at the most, up to 8.",
)
@click.option(
    "--top", is_flag=True, help="Keep the best rows, instead of drawing by how good they are."
)
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="Chance, made repeatable."
)
@threads_option
@file_options
@click.option("--json", "as_json", is_flag=True, help="Write rows as JSON lines.")
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
    """Write the rows of a pool that look like a target, with the log-ratio of each.

    How much likelier a row is in the language of the target than in that of the pool decides; rows
    are drawn accordingly, without putting back. The pool is read three times as a stream, so it may
    be larger than memory.

    \b
      likely select --target reviews.csv --from crawl.csv.gz --keep 10% > kept.csv
    """
    source = open_table(pool, encoding=encoding, decimal=decimal)
    size = None if sys.stdout.isatty() else source.size
    written = 0
    with progress_bar("selecting", size) as progress:
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
    say(f"{source.name}: {written:,} rows kept")


def _write(kept: Kept, as_json: bool, is_first: bool) -> None:
    columns = {
        name: cells.take(kept.rows)
        if isinstance(cells, _kernel.Texts)
        else [plain_list(cells)[row] for row in kept.rows]
        for name, cells in kept.table.as_written.items()
    }
    added = "log_ratio" if "log_ratio" not in columns else "likely_log_ratio"
    columns[added] = np.round(kept.log_ratios, 4).tolist()
    if as_json:
        for row in zip(*columns.values(), strict=True):
            click.echo(
                json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False, default=str)
            )
        return
    if is_first:
        sys.stdout.buffer.write(_kernel.csv_rows([_kernel.Texts([name]) for name in columns]))
    spelled = [["" if cell is None else str(cell) for cell in cells] for cells in columns.values()]
    sys.stdout.buffer.write(_kernel.csv_rows([_kernel.Texts(cells) for cells in spelled]))
    sys.stdout.flush()
