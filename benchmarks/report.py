"""The command behind some of the benchmarks: tables by name, printed as they are measured.

A part is a module with a `LEGEND`, the `WIDTHS` of its columns by name, and `rows(folder, quick)`.
A row is values by the names of their columns; what no column shows is for the JSON alone. Where a
part has a `chart`, it draws all of its rows. A `closing` part has `rows(parts, report)` instead,
and sums up what the others found.
"""

import argparse
import json
import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from threadpoolctl import threadpool_limits

Row = dict[str, Any]


def run(program: str, parts: Mapping[str, ModuleType], closing: ModuleType | None = None) -> None:
    arguments = _arguments(program, parts)
    versions = (f"{name} {version(name)}" for name in ("likely", "numpy", "scikit-learn"))
    report: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}",
        "versions": ", ".join([f"Python {platform.python_version()}", *versions]),
    }
    print("\n".join(f"{name}: {value}" for name, value in report.items()))
    folder = Path(os.environ.get("LIKELY_DATA", "data"))
    for name, part in parts.items():
        if name not in arguments.parts and "all" not in arguments.parts:
            continue
        print(f"\n{part.LEGEND}\n", flush=True)
        with threadpool_limits(1):
            report[name] = _printed(part.WIDTHS, part.rows(folder, arguments.quick))
        if hasattr(part, "chart"):
            print(part.chart(report[name]), flush=True)
    if closing:
        print(f"\n{closing.LEGEND}\n", flush=True)
        name = closing.__name__.rpartition(".")[2]
        report[name] = _printed(closing.WIDTHS, closing.rows(parts, report))
    if arguments.json:
        text = json.dumps(report, indent=2, ensure_ascii=False)
        arguments.json.write_text(text + "\n", encoding="utf-8")


def _printed(widths: dict[str, int], rows: Iterable[Row]) -> list[Row]:
    rule = ("-" * width for width in widths.values())
    print(f"{_line(widths, widths)}\n{_line(widths, rule)}", flush=True)
    found = []
    for row in rows:
        print(_line(widths, (_shown(row.get(name)) for name in widths)), flush=True)
        found.append(row)
    return found


def _line(widths: dict[str, int], cells: Iterable[str]) -> str:
    pairs = zip(cells, widths.values(), strict=True)
    return f"| {' | '.join(cell.ljust(width) for cell, width in pairs)} |"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:#.4g}" if value < 1000 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else str(value)


def _arguments(program: str, parts: Iterable[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    parser.add_argument("parts", nargs="*", choices=[*parts, "all"], default="all")
    parser.add_argument("--quick", action="store_true", help="less data: does it all run?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()
