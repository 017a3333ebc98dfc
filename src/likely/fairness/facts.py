"""What every measurement is: facts that are printed, shown in a notebook, and given as JSON."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from likely import render


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
