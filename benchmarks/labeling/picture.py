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
    "Percent wrong on other texts, by the number of answers: means of 5 sessions and their 95 % "
    "intervals. Both axes are logarithmic."
)
_TICKS = (1, 2, 5, 10, 20, 50)


def drawing(rows: list[dict[str, Any]]) -> str:
    """The picture of a table's rows, with a panel for each set; all panels have the same axes."""
    across = rows_axis(sorted({row["answers"] for row in rows}))
    wrong = [100 - 100 * np.array(row[queue]) for row in rows for queue in QUEUES]
    low, high = np.min(wrong), np.max(wrong)
    upward = Axis(low / 1.1, high * 1.1, HEIGHT, -HEIGHT, True, _TICKS)
    panels = []
    for name in dict.fromkeys(row["set"] for row in rows):
        own = [row for row in rows if row["set"] == name]
        answers = [row["answers"] for row in own]
        series = [
            Series(queue, answers, *(100 - 100 * np.array([row[queue] for row in own]).T))
            for queue in QUEUES
        ]
        panels.append(panel(name, series, across, upward, ("answers", "percent wrong")))
    return picture(
        _TITLE, _CAPTION, QUEUES, panels, STYLE, n_across=2, sample=sample, sample_width=34
    )


def main() -> None:
    tables = {table["name"]: table for table in json.load(sys.stdin)["tables"]}
    if not tables.get(_TABLE, {}).get("rows"):
        sys.exit(f"the report has no rows of `{_TABLE}`")
    sys.stdout.write(drawing(tables[_TABLE]["rows"]))


if __name__ == "__main__":
    main()
