"""The learning curves of `labeling.curves` as a picture, drawn from its JSON.

python -m benchmarks labeling.curves --json |
    python -m benchmarks.labeling.picture > docs/pictures/labeling-curves.svg
"""

import json
import sys
from typing import Any

import numpy as np

from benchmarks.labeling.curves import QUEUES
from benchmarks.learning_curves import HEIGHT, STYLE, panel, rows_axis
from likely.render import Series
from likely.render.charts import sample
from likely.render.plot.figure import picture
from likely.render.svg import Axis

_TABLE = "labeling.curves"
_TITLE = "What answers teach a model, by the queue that asks"
_CAPTION = (
    "Percent right on other texts by the number of answers: means of 5 sessions and their 95 % "
    "intervals. Each set has a scale of its own."
)
# Ticks for those marks that have room for one.
_TICKS = (10, 20, 50, 100, 200, 500)
_ACROSS = 2


def drawing(rows: list[dict[str, Any]]) -> str:
    """The picture of a table's rows, with a panel for each set."""
    marks = {row["answers"] for row in rows}
    across = rows_axis([tick for tick in _TICKS if tick in marks])
    panels = []
    for place, name in enumerate(dict.fromkeys(row["set"] for row in rows)):
        own = [row for row in rows if row["set"] == name]
        # A figure and the ends of its interval.
        figures = {queue: 100 * np.array([row[queue] for row in own]).T for queue in QUEUES}
        # Beside each other, so that no interval hides another.
        series = [
            Series(queue, [row["answers"] * 1.04**shift for row in own], *found)
            for shift, (queue, found) in enumerate(figures.items(), -1)
        ]
        upward = Axis.over(np.array([*figures.values()]), HEIGHT, -HEIGHT)
        names, is_right = ("answers", "percent right"), place % _ACROSS > 0
        panels.append(panel(name, series, across, upward, names, has_own_axis=is_right))
    return picture(
        _TITLE, _CAPTION, QUEUES, panels, STYLE, n_across=_ACROSS, sample=sample, sample_width=34
    )


def main() -> None:
    tables = {table["name"]: table for table in json.load(sys.stdin)["tables"]}
    if not tables.get(_TABLE, {}).get("rows"):
        sys.exit(f"the report has no rows of `{_TABLE}`")
    sys.stdout.write(drawing(tables[_TABLE]["rows"]))


if __name__ == "__main__":
    main()
