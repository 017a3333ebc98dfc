"""A row of the table, its target, and how it is printed."""

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from benchmarks.speed.setting import Setting

_COLUMNS = (("what", 44), ("ours", 11), ("peer", 11), ("the peer is", 28), ("ratio", 7))
_LAST_COLUMNS = (("target", 19), ("met", 3))


@dataclass(frozen=True)
class Target:
    """What ours over the peer's should be: at least, or at most, so much."""

    bound: float
    at_most: bool = False
    aim: float | None = None

    def met(self, ratio: float) -> bool:
        return ratio <= self.bound if self.at_most else ratio >= self.bound

    def __str__(self) -> str:
        aim = "" if self.aim is None else f", aim {self.aim:g}"
        return f"{'≤' if self.at_most else '≥'} {self.bound:g}{aim}"


@dataclass(frozen=True)
class Row:
    """One comparison. Without a peer, the target is for our figure itself."""

    what: str
    ours: float
    unit: str
    peer: float | None = None
    peer_name: str = ""
    target: Target | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.peer is None else self.ours / self.peer

    @property
    def met(self) -> bool | None:
        """None if there is no target: the row is there to be known."""
        if self.target is None:
            return None
        return self.target.met(self.ours if self.ratio is None else self.ratio)

    def line(self) -> str:
        return _line(
            self.what,
            _figure(self.ours, self.unit),
            "" if self.peer is None else _figure(self.peer, self.unit),
            self.peer_name,
            "" if self.ratio is None else f"{_digits(self.ratio)}×",
            "" if self.target is None else str(self.target),
            {None: "", True: "yes", False: "no"}[self.met],
        )


def heading(setting: Setting) -> str:
    about = "\n".join(f"{name}: {value}" for name, value in _circumstances(setting).items())
    columns = (*_COLUMNS, *_LAST_COLUMNS)
    rule = _line(*("-" * width for _, width in columns))
    return f"{about}\n\n{_line(*(name for name, _ in columns))}\n{rule}"


def to_json(setting: Setting, rows: Iterable[Row]) -> str:
    shown = [
        {
            "what": row.what,
            "unit": row.unit,
            "ours": row.ours,
            "peer": row.peer,
            "peer_name": row.peer_name,
            "ratio": row.ratio,
            "target": None if row.target is None else str(row.target),
            "met": row.met,
        }
        for row in rows
    ]
    report = {**_circumstances(setting), "rows": shown}
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def _circumstances(setting: Setting) -> dict[str, Any]:
    train, test = setting.train, setting.test
    return {
        "texts": f"{train.name}, train {train.megabytes:.1f} MB, test {test.megabytes:.1f} MB",
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}",
        "versions": ", ".join(
            [f"Python {platform.python_version()}"]
            + [f"{name} {_version(name)}" for name in ("likely", "scikit-learn", "vowpalwabbit")]
        ),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _line(*cells: str) -> str:
    widths = (width for _, width in (*_COLUMNS, *_LAST_COLUMNS))
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def _figure(value: float, unit: str) -> str:
    return f"{_digits(value)} {unit}"


def _digits(value: float) -> str:
    """Three digits, or all of those before the point."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.001 else f"{value:.1g}"
