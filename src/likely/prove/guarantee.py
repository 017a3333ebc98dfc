"""What a guarantee is, and what checking it finds."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """What a check has measured, and whether that is what is guaranteed."""

    holds: bool | None
    """None if it could not be checked here."""
    measured: str
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def is_broken(self) -> bool:
        return self.holds is not None and not self.holds


@dataclass(frozen=True)
class Guarantee:
    """A sentence, a check of it, and how to check it without that."""

    name: str
    sentence: str
    check: Callable[[], Finding]
    shell: str
    """Lines for a shell in an empty folder; the last command fails if the guarantee is broken."""


@dataclass(frozen=True)
class Checked:
    """A guarantee that was checked just now."""

    guarantee: Guarantee
    finding: Finding
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.guarantee.name,
            "guarantee": self.guarantee.sentence,
            "holds": self.finding.holds,
            "measured": self.finding.measured,
            "figures": self.finding.figures,
            "seconds": round(self.seconds, 3),
            "shell": self.guarantee.shell,
        }


def checked(guarantee: Guarantee) -> Checked:
    """Check a guarantee; one whose check fails to run is broken."""
    began = time.perf_counter()
    try:
        finding = guarantee.check()
    except Exception as error:
        finding = Finding(False, f"the check failed: {type(error).__name__}: {error}")
    return Checked(guarantee, finding, time.perf_counter() - began)


# |a − b| is at most twice the larger of |a| and |b|.
_FARTHEST = 2.0


def farthest(found: Sequence[float], expected: Sequence[float]) -> float:
    """The largest relative difference between numbers; no number, or infinity, is the farthest."""
    return max(
        0.0 if a == b else abs(a - b) / max(abs(a), abs(b)) if math.isfinite(a - b) else _FARTHEST
        for a, b in zip(map(float, found), map(float, expected), strict=True)
    )


def spelled(difference: float) -> str:
    """A difference in one digit, as `4e-16`."""
    return f"{difference:.0e}" if difference else "0"
