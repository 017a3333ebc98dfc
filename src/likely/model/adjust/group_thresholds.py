"""Thresholds by group: how probable a label has to be in rows of a group.

A threshold t in place of one half is a bias in log-odds, b = −log(t / (1 − t)), added to the score
of the label. So decisions, probabilities and explanations all keep to it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.cells import spelled
from likely.data.labels import Label, plain_label, plain_list
from likely.data.table import Table, is_missing
from likely.errors import DataError, ModelError, OptionError

# A cell that is empty is a group too.
NONE = "(none)"


@dataclass(frozen=True)
class GroupThresholds:
    """For each group of `column`, the threshold of `label`.

    Rows of other groups have a threshold of one half. With more than two classes, the threshold is
    that of the label against the next most probable one.

    >>> thresholds = GroupThresholds("region", "spam", {"north": 0.8})
    >>> thresholds.biases(["north", "south"]).round(3).tolist()
    [-1.386, 0.0]
    """

    column: str
    label: Label
    of_group: Mapping[str, float]

    def __post_init__(self) -> None:
        for group, threshold in self.of_group.items():
            if not isinstance(threshold, (int, float)) or not 0 < threshold < 1:
                raise OptionError(
                    f"the threshold of `{group}` lies between 0 and 1, not {threshold!r}"
                )
        if not self.of_group or not isinstance(self.column, str):
            raise OptionError("thresholds have a column, and a probability for each of its groups")

    def biases(self, groups: Sequence[str]) -> NDArray[np.float64]:
        """What is added to the score of the label, row by row."""
        odds = {group: -math.log(t / (1 - t)) + 0.0 for group, t in self.of_group.items()}
        known = {group_name(group): bias for group, bias in odds.items()}
        return np.array([known.get(group, 0.0) for group in groups], dtype=np.float64)

    def shifts(self, table: Table, classes: tuple[Label, ...]) -> NDArray[np.float64]:
        """What is added to the scores of rows."""
        if self.column not in table.columns:
            raise DataError(f"column `{self.column}` is missing; thresholds go by its groups")
        shifts = np.zeros((len(table), len(classes)))
        if self.label in classes:
            groups = group_names(table.columns[self.column])
            shifts[:, classes.index(self.label)] = self.biases(groups)
        return shifts

    def to_json(self) -> dict[str, Any]:
        of_group = dict(sorted(self.of_group.items()))
        return {"column": self.column, "label": self.label, "of_group": of_group}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "GroupThresholds":
        try:
            return cls(stored["column"], plain_label(stored["label"]), dict(stored["of_group"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"its thresholds make no sense: {error}") from error


def group_names(column: Any) -> list[str]:
    """The group of each row; a cell that is empty is one too."""
    cells = plain_list(column)
    there = ["" if is_missing(cell, frozenset()) else group_name(cell) for cell in cells]
    return [name or NONE for name in there]


def group_name(cell: Any) -> str:
    """How a group is called, whatever its cell came from."""
    return spelled(cell).strip()
