"""What every measurement is: facts that are printed, shown in a notebook, and given as JSON."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from likely import render
from likely.evaluation.intervals import Figure, flat


class Facts(ABC):
    """What was found, as blocks of a page and as plain values."""

    kind: ClassVar[str]

    @abstractmethod
    def blocks(self) -> list[render.Block]:
        """The facts in sentences and tables."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The facts as plain values; of each figure also `…_low` and `…_high`."""

    def __str__(self) -> str:
        return render.text(self.blocks())

    def _repr_html_(self) -> str:
        return render.html(self.blocks())


class Gaps(Facts):
    """Facts about gaps, for which there may be a gate."""

    @property
    @abstractmethod
    def largest_gap(self) -> tuple[float, str]:
        """The largest gap, whichever its sign, and what it is between."""


def scale_of(gaps: Iterable[Figure]) -> float:
    """The largest of some gaps and of the ends of their intervals, so that bars have room for all.

    >>> scale_of([Figure(0.1, -0.3, 0.4), Figure(-0.2), Figure(float("nan"))])
    0.4
    """
    ends = (end for gap in gaps for end in (gap, gap.low, gap.high))
    return max((abs(end) for end in ends if end is not None and end == end), default=0.0) or 1.0


def gap_bar(gap: Figure, scale: float) -> render.Bar:
    """A gap as a bar from the middle, with its interval; none where there is no gap to tell."""
    if gap != gap:
        return render.Bar(0.0, both_ways=True)
    low, high = (None if end is None else end / scale for end in (gap.low, gap.high))
    return render.Bar(gap / scale, low, high, both_ways=True)


def plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for JSON, which has no NaN; of each figure also `…_low` and `…_high`."""
    return {name: None if fact != fact else fact for name, fact in flat(facts).items()}
