"""The command: two tables, or one of them."""

import argparse
import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.family import accuracy, speed
from benchmarks.speed.table import Row


def main() -> None:
    arguments = _arguments()
    versions = (f"{name} {version(name)}" for name in ("likely", "numpy", "scikit-learn"))
    report: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, one thread used",
        "versions": ", ".join([f"Python {platform.python_version()}", *versions]),
    }
    print("\n".join(f"{name}: {value}" for name, value in report.items()))
    folder = Path(os.environ.get("LIKELY_DATA", "data"))
    with threadpool_limits(1):
        for part in (accuracy, speed):
            name = part.__name__.rpartition(".")[2]
            if name in arguments.parts or "both" in arguments.parts:
                print(f"\n{part.LEGEND}\n\n{_heading(part.NAMES, part.BLANK)}", flush=True)
                report[name] = _printed(part.rows(folder, arguments.quick))
    if arguments.json:
        text = json.dumps(report, indent=2, ensure_ascii=False)
        arguments.json.write_text(text + "\n", encoding="utf-8")


def _printed(rows: Iterable[Any]) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        print(row.line(), flush=True)
        found.append(asdict(row))
        if isinstance(row, Row):
            target = None if row.target is None else str(row.target)
            found[-1] |= {"ratio": row.ratio, "target": target, "met": row.met}
    return found


def _heading(names: tuple[str, ...], blank: str) -> str:
    """The names over rows that are as wide as a blank one."""
    widths = [len(cell) - 2 for cell in blank.split("|")[1:-1]]
    named = (name.ljust(width) for name, width in zip(names, widths, strict=True))
    return f"| {' | '.join(named)} |\n| {' | '.join('-' * width for width in widths)} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.family")
    parts = ("accuracy", "speed", "both")
    parser.add_argument("parts", nargs="*", choices=parts, default="both")
    parser.add_argument("--quick", action="store_true", help="fewer rows and fewer refits")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
