"""The labels to look at again that `likely train` prints."""

from typing import Any

import numpy as np

from likely import render
from likely.cli.options import terminal_width
from likely.data.files import Source
from likely.evaluation.label_issues import doubts, rows_at
from likely.model.loo_predictions import LeaveOneOutPredictions

# Programs are told of so many.
_MOST = 1000
_CELL = 200
# Where names leave less room than this, what a row says stands below them.
_ROOM = 24


class LabelIssues:
    """The strangest of the rows whose label a model without them holds all but impossible."""

    def __init__(self) -> None:
        self.found = 0
        self._rows = 0
        self._worst: list[tuple[float, int, Any, Any]] = []

    def look(self, part: LeaveOneOutPredictions) -> None:
        """Take note of a batch of rows."""
        doubted, margins = doubts(part)
        predicted = part.predicted
        for place in np.argsort(margins, kind="stable")[:_MOST]:
            row = int(doubted[place])
            label, rather = part.classes[part.truth[row]], part.classes[predicted[row]]
            self._worst.append((float(margins[place]), self._rows + row, label, rather))
        self._worst = sorted(self._worst, key=lambda one: one[:2])[:_MOST]
        self.found += len(doubted)
        self._rows += len(part.truth)

    def shown(self, source: Source, columns: tuple[str, ...]) -> list[dict[str, Any]]:
        """Those rows with what they say, the strangest first."""
        rows = rows_at(source.batches(columns), [row for _, row, _, _ in self._worst])
        shown = []
        for _, row, label, rather in self._worst:
            number, cells = rows[row]
            spelled = "  ".join(str(cell) for cell in cells.values() if cell is not None)
            words = " ".join(spelled[:_CELL].split())
            shown.append({"row": number, "label": label, "rather": rather, "shown": words})
        return shown


def suspicious_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Those rows for people, cut where the terminal ends."""
    named = tuple(
        (f"  row {one['row']:,}", render.name(one["label"]), f"rather {render.name(one['rather'])}")
        for one in rows
    )
    table = render.Table((), named, left=3)
    room = terminal_width() - table.width - 2
    heads = table.text().split("\n")
    if room < _ROOM:
        room = terminal_width() - 4
        pairs = zip(heads, rows, strict=True)
        return [
            line for head, one in pairs for line in (head, f"    {render.cut(one['shown'], room)}")
        ]
    beside = [
        (*cells, render.cut(one["shown"], room)) for cells, one in zip(named, rows, strict=True)
    ]
    return render.Table((), beside, left=4).text().split("\n")
