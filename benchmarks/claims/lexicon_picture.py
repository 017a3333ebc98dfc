"""The learning curves of `claims.lexicon-few-labels` as a picture, drawn from its JSON.

python -m benchmarks claims.lexicon-few-labels --json |
    python -m benchmarks.claims.lexicon_picture > docs/pictures/lexicon.svg
"""

import json
import sys
from typing import Any

import numpy as np
from markupsafe import Markup

from benchmarks.learning_curves import HEIGHT, STYLE, panel, rows_axis
from likely.render import Series, svg
from likely.render.charts import sample as series_sample
from likely.render.plot.figure import picture
from likely.render.svg import Axis

_TABLE = "claims.lexicon-few-labels"
_TITLE = "What a lexicon is worth while labels are few"
_CAPTION = (
    "Percent right on other texts by the number of labels: means of 20 draws and their 95 % "
    "intervals. Hits count the words of the opinion lexicon also by category; polarity adds a "
    "Gaussian over the net polarity of a text. The lexicon alone needs no labels."
)
_CURVES = ("words", "with hits", "with polarity")


def drawing(rows: list[dict[str, Any]]) -> str:
    """The picture of a table's rows, with a panel for each set; all panels have the same axes."""
    learned = [row for row in rows if row["labels"]]
    across = rows_axis(sorted({row["labels"] for row in learned}))
    shown = np.array([row[name] for row in learned for name in _CURVES])
    upward = Axis.over(100 * shown, HEIGHT, -HEIGHT)
    panels = []
    for row in rows:
        if not row["labels"]:
            curves = [one for one in learned if one["set"] == row["set"]]
            labels = [one["labels"] for one in curves]
            # A figure and the ends of its interval.
            series = [
                Series(name, labels, *(100 * np.array([one[name] for one in curves]).T))
                for name in _CURVES
            ]
            level, names = 100 * row["with polarity"], ("labels", "percent right")
            panels.append(panel(row["set"], series, across, upward, names, level))
    names = (*_CURVES, "lexicon alone")
    return picture(
        _TITLE, _CAPTION, names, panels, STYLE, n_across=2, sample=_sample, sample_width=34
    )


def _sample(code: int) -> Markup:
    if code < len(_CURVES):
        return series_sample(code)
    return svg.stroke("M1,8H33", "ideal", svg.QUIET)


def main() -> None:
    tables = {table["name"]: table for table in json.load(sys.stdin)["tables"]}
    if not tables.get(_TABLE, {}).get("rows"):
        sys.exit(f"the report has no rows of `{_TABLE}`")
    sys.stdout.write(drawing(tables[_TABLE]["rows"]))


if __name__ == "__main__":
    main()
