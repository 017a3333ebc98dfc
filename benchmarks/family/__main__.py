"""The command: two tables, or one of them."""

import argparse
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.family import accuracy, speed

_PARTS = ("accuracy", "speed")


def main() -> None:
    arguments = _arguments()
    report: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, one thread used",
        "versions": ", ".join(
            [f"Python {platform.python_version()}"]
            + [f"{name} {version(name)}" for name in ("likely", "numpy", "scikit-learn")]
        ),
    }
    print("\n".join(f"{name}: {value}" for name, value in report.items()))
    with threadpool_limits(1):
        if "accuracy" in arguments.parts:
            report["accuracy"] = _accuracy(arguments.data, arguments.quick)
        if "speed" in arguments.parts:
            report["speed"] = _speed(arguments.quick)
    if arguments.json:
        spelled = json.dumps(report, indent=2, ensure_ascii=False)
        arguments.json.write_text(spelled + "\n", encoding="utf-8")


def _accuracy(folder: Path, quick: bool) -> list[dict[str, Any]]:
    print(f"\n{accuracy.HEADING}", flush=True)
    results, notes = [], list[str]()
    for name in accuracy.TARGETS:
        data = accuracy.read(folder, name)
        if data is None:
            print(f"{name}: left out, there is no `{folder / f'tab_{name}'}`", file=sys.stderr)
            continue
        for result in accuracy.results(data, quick):
            notes += [note for note in result.notes if note not in notes]
            print(result.line(notes), flush=True)
            results.append(result.as_dict())
    print(f"\n{accuracy.LEGEND}")
    print("\n".join(f"[{number}] {note}" for number, note in enumerate(notes, 1)))
    return results


def _speed(quick: bool) -> list[dict[str, Any]]:
    print(f"\n{speed.legend(quick)}\n\n{speed.HEADING}", flush=True)
    rows = []
    for row in speed.rows(quick):
        print(row.line(), flush=True)
        rows.append(speed.as_dict(row))
    return rows


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.family",
        description="The family on numbers and categories, beside scikit-learn.",
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of: {', '.join(_PARTS)}")
    parser.add_argument("--quick", action="store_true", help="fewer rows and fewer refits")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("LIKELY_DATA", "data")),
        metavar="DIR",
        help="where tab_iris/ and the others are (default: $LIKELY_DATA)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.parts if name not in _PARTS]
    if unknown:
        parser.error(f"no part is called `{unknown[0]}`; there are {', '.join(_PARTS)}")
    arguments.parts = arguments.parts or _PARTS
    return arguments


if __name__ == "__main__":
    main()
