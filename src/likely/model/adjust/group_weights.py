"""Group weights (reweighing): rows that count more than once, by group and label.

    estimates = estimate(tally + more)

The tally counts every row once. A second tally, `more`, counts what rows weigh beyond that. Only
estimates use their sum, so the digest stays, and rows are learned and forgotten exactly in both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.cells import spelled
from likely.data.labels import Label, Labels
from likely.data.table import Table
from likely.errors import DataError, ModelError, NotLearnedError, OptionError
from likely.model.adjust.group_thresholds import group_name, group_names
from likely.tally import Tally

# The largest weight of a row.
MOST_WEIGHT = 1000


@dataclass(frozen=True)
class GroupWeights:
    """How often rows of each group of `column` and each label count; other rows count once.

    >>> weights = GroupWeights("region", {"north": {"spam": 3}})
    >>> weights.of(["north", "south"], ["spam", "spam"]).tolist()
    [3, 1]
    """

    column: str
    of_group: Mapping[str, Mapping[str, int]]

    def __post_init__(self) -> None:
        for group, label, times in self._each():
            if type(times) is not int or not 1 <= times <= MOST_WEIGHT:
                raise OptionError(
                    f"rows of `{group}` and `{label}` count a whole number of times, from 1 to "
                    f"{MOST_WEIGHT:,}, not {times!r}"
                )
        if not isinstance(self.column, str):
            raise OptionError(f"rows count by the groups of a column, not of {self.column!r}")

    def _each(self) -> list[tuple[str, str, int]]:
        return [(g, label, n) for g, each in self.of_group.items() for label, n in each.items()]

    @property
    def most(self) -> int:
        """The largest weight of any row."""
        return max((times for *_, times in self._each()), default=1)

    def of(self, groups: Sequence[str], labels: Sequence[Label]) -> NDArray[np.intp]:
        """How often each row counts."""
        known = {(group_name(g), spelled(label)): times for g, label, times in self._each()}
        of_label = {label: spelled(label) for label in dict.fromkeys(labels)}
        pairs = zip(groups, (of_label[label] for label in labels), strict=True)
        return np.array([known.get(pair, 1) for pair in pairs], dtype=np.intp)

    def of_rows(self, table: Table, labels: Labels) -> NDArray[np.intp]:
        if self.column not in table.columns:
            raise DataError(f"column `{self.column}` is missing; how often rows count goes by it")
        groups = group_names(table.columns[self.column])
        return self.of(groups, labels.lists)

    def __str__(self) -> str:
        more = [f"`{g}`, `{label}` {n}" for g, label, n in sorted(self._each()) if n > 1]
        return "; ".join(more[:12]) + (f"; and {len(more) - 12} more" if len(more) > 12 else "")

    def to_json(self) -> dict[str, Any]:
        of_group = {g: dict(sorted(each.items())) for g, each in sorted(self.of_group.items())}
        return {"column": self.column, "of_group": of_group}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "GroupWeights":
        try:
            return cls(stored["column"], {g: dict(each) for g, each in stored["of_group"].items()})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"how often its rows count makes no sense: {error}") from error


@dataclass(frozen=True, eq=False)
class Reweighing:
    """Group weights, and the tally of what rows count beyond once."""

    group_weights: GroupWeights
    chosen: str
    """The fingerprint of the rows that the weights were chosen for."""
    more: Tally | None
    """None in a compact copy, whose counts are the sum."""

    def __add__(self, more: Tally) -> "Reweighing":
        """With rows that were learned."""
        return replace(self, more=self._more + more)

    @property
    def _more(self) -> Tally:
        assert self.more is not None, "a compact copy learns no more"
        return self.more

    def without(self, fewer: Tally, left: Tally) -> "Reweighing":
        """Without rows that were forgotten; `left` is the tally without them.

        A row that is forgotten as one of another group would leave something behind, and is
        refused as far as the hashes of rows tell.
        """
        try:
            more = self._more - fewer
        except NotLearnedError:
            more = None
        if more is None or not self._could_be(more, left):
            raise NotLearnedError(
                "some of these rows were learned with another value of "
                f"`{self.group_weights.column}`, so their group weight differs"
            )
        return replace(self, more=more)

    def _could_be(self, more: Tally, tally: Tally) -> bool:
        """Whether no row counts more often than the weights allow."""
        if more.learned is None or tally.learned is None:
            return True
        hashes, times = np.unique(more.learned, return_counts=True)
        ends = (np.searchsorted(tally.learned, hashes, side) for side in ("right", "left"))
        return bool((times <= (self.group_weights.most - 1) * np.subtract(*ends)).all())
