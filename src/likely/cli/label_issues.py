"""The possible label errors that `likely train` prints."""

from typing import Any

import numpy as np

from likely import render
from likely.cli.options import terminal_width
from likely.data.files import Source
from likely.evaluation.label_issues import doubts, rows_at
from likely.model.loo_predictions import LeaveOneOutPredictions

# JSON lists so many.
_MOST = 1000
_CELL = 200
# Where names leave less room than this, the content of a row is printed below them.
_ROOM = 24


class LabelIssues:
    """The rows whose label is least probable under the model without the row."""

    def __init__(self) -> None:
        self.found = 0
        self._rows = 0
        self._worst: list[tuple[float, int, Any, Any]] = []

    def add(self, part: LeaveOneOutPredictions) -> None:
        """Add a batch of leave-one-out predictions."""
        doubted, margins = doubts(part)
        likelier = part.most_probable
        for place in np.argsort(margins, kind="stable")[:_MOST]:
            row = int(doubted[place])
            label, other = part.classes[part.truth[row]], part.classes[likelier[row]]
            self._worst.append((float(margins[place]), self._rows + row, label, other))
        self._worst = sorted(self._worst, key=lambda one: one[:2])[:_MOST]
        self.found += len(doubted)
        self._rows += len(part.truth)

    def listed(self, source: Source, columns: tuple[str, ...]) -> list[dict[str, Any]]:
        """The rows and their content, the least probable labels first."""
        rows = rows_at(source.batches(columns), [row for _, row, _, _ in self._worst])
        found = []
        for _, row, label, predicted in self._worst:
            number, cells = rows[row]
            spelled = "  ".join(str(cell) for cell in cells.values() if cell is not None)
            words = " ".join(spelled[:_CELL].split())
            content = {"row": number, "label": label, "predicted": predicted, "shown": words}
            found.append(content)
        return found


def label_issue_lines(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each row, cut to the width of the terminal."""
    named = tuple(
        (
            f"  row {one['row']:,}",
            f"label {render.name(one['label'])}",
            f"predicted {render.name(one['predicted'])}",
        )
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
