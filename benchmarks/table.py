"""A table is a value: title, columns, rows, notes. Here it becomes text or JSON."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Row = dict[str, Any]
"""Values by column; what no column shows is for the JSON alone."""

# The columns of a table whose rows are made by `comparison`.
COMPARISON = ("what", "ours", "peer", "unit", "the peer is", "ratio", "target", "met")


class Cell(NamedTuple):
    """A value, which JSON gets, and how it is printed."""

    value: Any
    text: str


def in_percent(share: float) -> Cell:
    return Cell(float(share), f"{100 * share:.1f}")


@dataclass(frozen=True)
class Target:
    """A bound that a figure should reach, or with `at_most` should not exceed."""

    bound: float
    at_most: bool = False
    aim: float | None = None

    def judge(self, figure: float) -> Row:
        """The cells `target` and `met` of a row."""
        met = figure <= self.bound if self.at_most else figure >= self.bound
        return {"target": str(self), "met": met}

    def __str__(self) -> str:
        aim = "" if self.aim is None else f", aim {self.aim:g}"
        return f"{'≤' if self.at_most else '≥'} {self.bound:g}{aim}"


def comparison(
    what: str,
    ours: float,
    unit: str,
    peer: float | None = None,
    peer_name: str | None = None,
    target: Target | None = None,
) -> Row:
    """One figure beside a peer's. Without a peer, the target is for our figure itself."""
    row: Row = {"what": what, "ours": ours, "unit": unit}
    if peer is not None:
        row |= {"peer": peer, "the peer is": peer_name, "ratio": ours / peer}
    return row | (target.judge(row.get("ratio", ours)) if target else {})


@dataclass
class Table:
    name: str
    title: str
    columns: tuple[str, ...]
    notes: str = ""
    rows: list[Row] = field(default_factory=list)
    status: str = "measured"
    """Or "skipped" or "failed"; `reasons` say why, or which part was skipped."""
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def to_text(self) -> str:
        """Markdown, with columns as wide as their widest cell."""
        cells = [[_text(row.get(column)) for column in self.columns] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(self.columns, *cells, strict=True)]
        lines = [self.columns, ["-" * width for width in widths], *cells]
        heading = f"## {self.name}: {self.title}" if self.name else self.title
        table = "\n".join(_line(line, widths) for line in lines)
        return "\n\n".join(part for part in (heading, self.notes, table) if part)

    def to_json(self) -> dict[str, Any]:
        rows = [{name: _value(value) for name, value in row.items()} for row in self.rows]
        targets = [
            {"row": row[self.columns[0]], "target": row["target"], "met": row["met"]}
            for row in rows
            if "met" in row
        ]
        return {**vars(self), "rows": rows, "targets": targets}


def _line(cells: Iterable[str], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case Cell():
            return value.text
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:#.4g}" if abs(value) < 1000 else f"{value:,.0f}"
        case int():
            return f"{value:,}"
    return str(value)


def _value(value: Any) -> Any:
    return value.value if isinstance(value, Cell) else value
