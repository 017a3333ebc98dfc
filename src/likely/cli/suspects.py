"""Labels that the other rows contradict."""

from typing import Any

import numpy as np

from likely.inputs.files import Source
from likely.labels import plain_list
from likely.leave_one_out import LeaveOneOut

# A label is suspicious if the other rows give it less than this.
_DOUBTFUL = 0.01
_SHOWN = 5
_CELL = 200


class Suspects:
    """The strangest of the rows whose label a model without them holds all but impossible."""

    def __init__(self) -> None:
        self.found = 0
        self._rows = 0
        self._worst: list[tuple[float, int, Any, Any]] = []

    def look(self, part: LeaveOneOut) -> None:
        """Take note of a batch of rows."""
        places = np.arange(len(part.truth))
        own = part.scores[places, part.truth]
        # A class that is gone with its only row is not doubted.
        doubtful = part.probabilities[places, part.truth] < _DOUBTFUL
        doubted = np.flatnonzero(doubtful & ~np.isneginf(own))
        margins = own[doubted] - part.scores[doubted].max(axis=1)
        predicted = part.predicted
        for place in np.argsort(margins, kind="stable")[:_SHOWN]:
            row = int(doubted[place])
            label, rather = part.classes[part.truth[row]], part.classes[predicted[row]]
            self._worst.append((float(margins[place]), self._rows + row + 1, label, rather))
        self._worst = sorted(self._worst, key=lambda one: one[:2])[:_SHOWN]
        self.found += len(doubted)
        self._rows += len(part.truth)

    def shown(self, source: Source, columns: tuple[str, ...]) -> list[dict[str, Any]]:
        """Those rows with what they say, the strangest first."""
        wanted = {row: (row, "") for _, row, _, _ in self._worst}
        before = 0
        for table in source.batches(columns) if wanted else ():
            for row in wanted:
                if before < row <= before + len(table):
                    picked = table.at(np.array([row - before - 1]))
                    cells = [plain_list(column)[0] for column in picked.columns.values()]
                    spelled = "  ".join(str(cell) for cell in cells if cell is not None)
                    wanted[row] = picked.number(0), " ".join(spelled[:_CELL].split())
            before += len(table)
        return [
            {"row": wanted[row][0], "label": label, "rather": rather, "shown": wanted[row][1]}
            for _, row, label, rather in self._worst
        ]
