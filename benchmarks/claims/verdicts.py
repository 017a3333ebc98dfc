"""From numbers to a verdict, by one rule for all claims."""

from collections import Counter
from collections.abc import Iterable, Iterator

from benchmarks.data import MissingError
from benchmarks.run import Run
from benchmarks.table import Row
from likely.evaluation.intervals import Figure

NOTES = """\
A comparison is for a claim where its whole 95 % interval is on the side that the claim says,
against it where the whole interval is on the other side, and open otherwise. A claim holds if more
than half of its comparisons are for it and none against. It does not hold here if none is for it,
or more against than for. In between, it holds in part."""
COLUMNS = ("claim", "for", "open", "against", "verdict", "in words")

# A loss of less than one point in a hundred counts as none.
POINT = 0.01

FOR, OPEN, AGAINST = "for", "open", "against"


def side(figure: Figure, above: float = 0.0) -> str:
    """On which side an interval is of the claim that the figure is above some value."""
    if figure.low > above:
        return FOR
    return AGAINST if figure.high < above else OPEN


def verdict(sides: Iterable[str]) -> str:
    n = Counter(sides)
    if not n[FOR] or n[AGAINST] > n[FOR]:
        return "does not hold here"
    holds = not n[AGAINST] and n[FOR] > n[OPEN]
    return "holds" if holds else "holds in part"


def rows(run: Run) -> Iterator[Row]:
    claims = [table for name, table in run.tables.items() if name.startswith("claims.")]
    for table in claims:
        sides = [side for row in table.rows for side in row.get("result", "").split()]
        if sides:
            counts = {which: sides.count(which) for which in (FOR, OPEN, AGAINST)}
            name = table.name.removeprefix("claims.")
            yield {"claim": name, **counts, "verdict": verdict(sides), "in words": table.title}
    if not any(table.rows for table in claims):
        raise MissingError("it sums up claims, and none was measured in this run")
