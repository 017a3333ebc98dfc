"""The command: list the tables, or measure some and print them as text or as JSON."""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.catalogue import CATALOGUE, find, near
from benchmarks.table import Cell, Table

_PACKAGES = ("likely", "numpy", "scipy", "scikit-learn", "vowpalwabbit", "lightgbm")
_PACKAGES += ("interpret-core", "khiops", "fastapi", "uvicorn", "uvloop", "pyspark")
_NEEDS = """\
`python -m benchmarks all` measures everything, `python -m benchmarks speed text.ablation` a group
and a table. All need `pip install '.[bench]'`. Datasets are in the folder that LIKELY_DATA names;
what is missing is skipped. `--quick` takes seconds on made-up data, `--json` prints JSON."""


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    unknown = [name for name in options.tables if not find(name)]
    if unknown:
        print(_unknown(unknown[0]), file=sys.stderr)
        return 2
    names = [name for name in CATALOGUE if any(name in find(asked) for asked in options.tables)]
    report: dict[str, Any] = {}
    tables = iter([_listing()])
    if names:
        report = _circumstances() | {"quick": options.quick}
        tables = _measured(names, options)
    done = _printed_as_json(report, tables) if options.json else _printed(report, tables)
    return int(any(table.status == "failed" for table in done))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Without a table, lists all of them."
    )
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help="a group, a table of it, or `all`"
    )
    parser.add_argument("--quick", action="store_true", help="made-up data: does it all run?")
    parser.add_argument(
        "--systems",
        type=lambda names: names.split(","),
        default=[],
        metavar="NAME,NAME",
        help="compare only these with the default model in `tables.accuracy` (slow ones as well)",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=1,
        metavar="N",
        help="how long `serve.memory` watches a server",
    )
    parser.add_argument(
        "--sizes",
        type=lambda sizes: tuple(map(float, sizes.split(","))),
        default=(),
        metavar="MB,MB",
        help="the megabytes of text in `cluster.growth`",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser.parse_args(arguments)


def _unknown(name: str) -> str:
    meant = " or ".join(f"`{one}`" for one in near(name))
    hint = f"did you mean {meant}?" if meant else "`python -m benchmarks` lists all"
    return f"there is no table `{name}`; {hint}"


def _listing() -> Table:
    rows = [
        {"table": name, "measures": title, "needs": needs, "minutes": Cell(minutes, f"{minutes:g}")}
        for name, (title, needs, minutes) in CATALOGUE.items()
    ]
    columns = ("table", "minutes", "measures", "needs")
    return Table("", "Tables, and rough minutes on two cores", columns, _NEEDS, rows)


def _measured(names: list[str], options: argparse.Namespace) -> Iterator[Table]:
    from benchmarks.data import Data
    from benchmarks.made_up.folder import write_folder
    from benchmarks.run import Run

    with tempfile.TemporaryDirectory(prefix="likely-") as scratch:
        folder = Path(os.environ.get("LIKELY_DATA", "data")).absolute()
        data = Data(write_folder(Path(scratch)) if options.quick else folder)
        run = Run(data, options.quick, tuple(options.systems), options.minutes, options.sizes)
        for place, name in enumerate(names, 1):
            print(f"[{place}/{len(names)}] {name}", file=sys.stderr, flush=True)
            yield run.measure(name)


def _printed(report: dict[str, Any], tables: Iterator[Table]) -> list[Table]:
    for name, value in report.items():
        if isinstance(value, dict):
            value = ", ".join(f"{package} {own}" for package, own in value.items() if own)
        print(f"{name}: {value}")
    if report.get("quick"):
        print("The data is made up: the figures only show that everything runs.")
    done = []
    for table in tables:
        done.append(table)
        if table.rows:
            print(f"\n{table.to_text()}", flush=True)
    print()
    for table in done:
        status = "skipped in part" if table.rows and table.status != "failed" else table.status
        for reason in table.reasons:
            print(f"{status}: {table.name}: {reason}")
    return done


def _printed_as_json(report: dict[str, Any], tables: Iterator[Table]) -> list[Table]:
    done = list(tables)
    report["tables"] = [table.to_json() for table in done]
    print(json.dumps(report, indent=2, ensure_ascii=False, default=lambda value: value.item()))
    return done


def _circumstances() -> dict[str, Any]:
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}",
        "versions": {"Python": platform.python_version()} | {p: _version(p) for p in _PACKAGES},
        "commit": _commit(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    if shutil.which("git") is None:
        return None
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


if __name__ == "__main__":
    sys.exit(main())
