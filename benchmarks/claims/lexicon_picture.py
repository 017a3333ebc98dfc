"""The learning curves of `claims.lexicon-few-labels` as a picture, drawn from its JSON.

python -m benchmarks claims.lexicon-few-labels --json |
    python -m benchmarks.claims.lexicon_picture > docs/pictures/lexicon.svg
"""

import json
import sys
from typing import Any

import numpy as np
from markupsafe import Markup

from likely.render import Series, svg
from likely.render.charts import drawn
from likely.render.charts import sample as series_sample
from likely.render.markup import joined
from likely.render.plot.figure import Panel, picture
from likely.render.svg import Axis, coordinate

_TABLE = "claims.lexicon-few-labels"
_TITLE = "What a lexicon is worth while labels are few"
_CAPTION = (
    "Percent right on other texts by the number of labels: means of 20 draws and their 95 % "
    "intervals. Hits count the words of the opinion lexicon also by category; polarity adds a "
    "Gaussian over the net polarity of a text. The lexicon alone needs no labels."
)
_CURVES = ("words", "with hits", "with polarity")
_WIDTH, _HEIGHT = 250.0, 170.0
# Attributes are for a light page. On a dark one, the colors are those of dark reports.
_STYLE = Markup(
    "<style>.ideal{stroke-dasharray:5 4}@media (prefers-color-scheme:dark){svg>rect{fill:#12171e}"
    "text{fill:#c9d1db}.axis{stroke:#9aa6b5}.rule{stroke:#333c48}.whisker,.ideal{stroke:#9aa6b5}"
    ".point{stroke:#12171e}.line.s0{stroke:#4da8e0}.point.s0{fill:#4da8e0}"
    ".line.s1{stroke:#f08a3c}.point.s1{fill:#f08a3c}.line.s2{stroke:#3cc49a}"
    ".point.s2{fill:#3cc49a}}</style>"
)


def drawing(rows: list[dict[str, Any]]) -> str:
    """The picture of a table's rows, with a panel for each set; all panels have the same axes."""
    learned = [row for row in rows if row["labels"]]
    labels = sorted({row["labels"] for row in learned})
    shown = np.array([row[name] for row in learned for name in _CURVES])
    across = Axis(labels[0] * 0.8, labels[-1] * 1.25, 0.0, _WIDTH, True, labels)
    upward = Axis.over(100 * shown, _HEIGHT, -_HEIGHT)
    panels = []
    for row in rows:
        if not row["labels"]:
            curves = [one for one in learned if one["set"] == row["set"]]
            body = _body(curves, row["with polarity"], across, upward)
            panels.append(Panel(row["set"], body, across, upward, ("labels", "percent right")))
    names = (*_CURVES, "lexicon alone")
    return picture(
        _TITLE, _CAPTION, names, panels, _STYLE, n_across=2, sample=_sample, sample_width=34
    )


def _body(rows: list[dict[str, Any]], alone: float, across: Axis, upward: Axis) -> Markup:
    """Rules, the level of the lexicon alone, and the curves, the first on top."""

    def level(at: float, name: str, color: str) -> Markup:
        return svg.stroke(f"M0,{coordinate(at)}h{_WIDTH:g}", name, color)

    parts = [level(at, "rule", "#ddd") for at, _ in upward.ticks()]
    parts.append(svg.stroke(f"M0,0V{_HEIGHT:g}H{_WIDTH:g}", "axis", svg.FRAME))
    parts.append(level(float(upward(100 * alone)), "ideal", svg.QUIET))
    for code, name in reversed([*enumerate(_CURVES)]):
        # A figure and the ends of its interval.
        figures = 100 * np.array([row[name] for row in rows]).T
        series = Series(name, [row["labels"] for row in rows], *figures)
        parts.append(drawn(code, series, across, upward))
    return joined(parts)


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
