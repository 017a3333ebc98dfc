"""On how many sets the default model is ahead of each other system."""

from collections.abc import Iterator

from benchmarks.accuracy.systems import CLASSIC, DEFAULT, PEERS, STACKED, SVM
from benchmarks.data import MissingError
from benchmarks.run import Run
from benchmarks.table import Cell, Row

NOTES = """\
On how many sets the default model has a higher, the same, a lower accuracy than the other; on how
many of them the difference is significant (p < .05); how many times faster it trains, at least. In
the last two lines, the model with a stacked linear model."""
COLUMNS = ("system", "ahead", "level", "behind", "significantly ahead", "significantly behind")
COLUMNS += ("times faster",)

_BEST = "the best peer"


def rows(run: Run) -> Iterator[Row]:
    if "accuracy.texts" not in run.tables:
        raise MissingError("it sums up `accuracy.texts`, which is not part of this run")
    by_system: dict[str, dict[str, Row]] = {}
    for row in run.tables["accuracy.texts"].rows:
        by_system.setdefault(row["system"], {})[row["set"]] = row
    (ours,), (stacked,) = ([by_system.get(s, {}) for s in which] for which in (DEFAULT, STACKED))
    by_system[_BEST] = {
        name: max((by_system[s][name] for s in PEERS if name in by_system[s]), key=_accuracy)
        for name in ours
    }
    for system in [*CLASSIC, *PEERS, _BEST]:
        row, margins = _against(system, ours, by_system[system])
        sure = [by for by, other in margins if other["p"].value < 0.05]
        row["significantly ahead"] = sum(by > 0 for by in sure)
        yield row | {"significantly behind": sum(by < 0 for by in sure)}
    # The p-values are those of the default model.
    for system in (SVM, _BEST):
        yield _against(system, stacked, by_system[system])[0]


def _against(
    system: str, ours: dict[str, Row], theirs: dict[str, Row]
) -> tuple[Row, list[tuple[float, Row]]]:
    """The row, and by how much ours is ahead on each set, with the other's row there."""
    margins = [(_accuracy(ours[name]) - _accuracy(row), row) for name, row in theirs.items()]
    row: Row = {"system": system, "ahead": sum(by > 0 for by, _ in margins)}
    row |= {"level": sum(by == 0 for by, _ in margins), "behind": sum(by < 0 for by, _ in margins)}
    faster = [row["seconds"].value / ours[n]["seconds"].value for n, row in theirs.items()]
    if faster:
        row["times faster"] = Cell(min(faster), f"{min(faster):.1f}")
    return row, margins


def _accuracy(row: Row) -> float:
    return row["accuracy"].value
