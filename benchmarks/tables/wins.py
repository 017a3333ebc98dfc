"""How the default model compares with each other system, over all tables."""

from collections.abc import Iterator

import numpy as np
from scipy.stats import rankdata

from benchmarks.data import MissingError
from benchmarks.run import Run
from benchmarks.table import Cell, Row
from benchmarks.tables.systems import DEFAULT

NOTES = """\
`mean rank` by log-loss among the systems of the table above, 1 is the best. `ahead`: on how many
tables the default model has a lower log-loss than the other; then on how many it is ahead or behind
by more than one paired standard error."""
COLUMNS = ("system", "tables", "mean rank", "ahead", "ahead by 1 SE", "behind by 1 SE")


def rows(run: Run) -> Iterator[Row]:
    if not (measured := run.tables.get("tables.accuracy")) or not measured.rows:
        raise MissingError("it sums up `tables.accuracy`, which was not measured in this run")
    by_table: dict[str, list[Row]] = {}
    for row in measured.rows:
        by_table.setdefault(row["table"], []).append(row)
    by_system: dict[str, list[tuple[float, Row]]] = {}
    for of_table in by_table.values():
        ranks = rankdata([row["log-loss"].value for row in of_table])
        for rank, row in zip(ranks, of_table, strict=True):
            by_system.setdefault(row["system"], []).append((rank, row))
    for system, ranked in by_system.items():
        mean = float(np.mean([rank for rank, _ in ranked]))
        row = {"system": system, "tables": len(ranked), "mean rank": Cell(mean, f"{mean:.2f}")}
        yield row | ({} if system == DEFAULT else _against([row for _, row in ranked]))


def _against(theirs: list[Row]) -> Row:
    margins = [(row["difference"].value, row["SE"].value) for row in theirs]
    return {
        "ahead": sum(difference > 0 for difference, _ in margins),
        "ahead by 1 SE": sum(difference > error for difference, error in margins),
        "behind by 1 SE": sum(difference < -error for difference, error in margins),
    }
