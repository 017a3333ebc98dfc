"""The command: three tables, or some of them."""

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

from benchmarks.speed.table import Row
from benchmarks.tables import accuracy, large, reading

_PARTS = {"accuracy": accuracy, "reading": reading, "large": large}


def main() -> None:
    arguments = _arguments()
    versions = (f"{name} {version(name)}" for name in ("likely", "numpy", "scikit-learn"))
    report: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}",
        "versions": ", ".join([f"Python {platform.python_version()}", *versions]),
    }
    print("\n".join(f"{name}: {value}" for name, value in report.items()))
    folder = Path(os.environ.get("LIKELY_DATA", "data"))
    for name in arguments.parts or _PARTS:
        part = _PARTS[name]
        print(f"\n{part.LEGEND}\n\n{_heading(part.NAMES, part.BLANK)}", flush=True)
        with threadpool_limits(1):
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
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of: {', '.join(_PARTS)}")
    parser.add_argument("--quick", action="store_true", help="smaller files")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    unknown = [part for part in arguments.parts if part not in _PARTS]
    if unknown:
        parser.error(f"no part is called `{unknown[0]}`; there are {', '.join(_PARTS)}")
    return arguments


if __name__ == "__main__":
    main()
