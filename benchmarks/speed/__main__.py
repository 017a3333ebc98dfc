"""The command: which rows, which texts, and the table they make."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.speed import table
from benchmarks.speed.peers import MissingError
from benchmarks.speed.rows import ROWS
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row


def main() -> None:
    arguments = _arguments()
    setting = Setting(arguments.data, arguments.quick)
    print(table.heading(setting), flush=True)
    rows = []
    for row in _measured(setting, arguments.rows or list(ROWS)):
        print(row.line(), flush=True)
        rows.append(row)
    if arguments.json:
        arguments.json.write_text(table.to_json(setting, rows), encoding="utf-8")


def _measured(setting: Setting, names: list[str]) -> Iterator[Row]:
    for name in names:
        try:
            yield from ROWS[name](setting)
        except (MissingError, ModuleNotFoundError) as missing:
            print(f"{name}: left out, {missing}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed",
        description="Speed and memory, ours beside others', in one table.",
    )
    parser.add_argument("rows", nargs="*", metavar="ROWS", help=f"any of: {', '.join(ROWS)}")
    parser.add_argument("--quick", action="store_true", help="little data: does it all run?")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("LIKELY_DATA", "data")),
        metavar="DIR",
        help="where imdb/ and blogs_sample/ are (default: $LIKELY_DATA); "
        "without them, texts are generated",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.rows if name not in ROWS]
    if unknown:
        parser.error(f"no rows are called `{unknown[0]}`; there are {', '.join(ROWS)}")
    return arguments


if __name__ == "__main__":
    main()
