"""From numbers to a verdict, by one rule for all claims."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from likely.evaluation.intervals import Figure

LEGEND = """\
A comparison speaks for a claim where its whole 95 % interval is on the side that the claim says,
against it where the whole interval is on the other side, and is open otherwise. A claim holds if
more than half of its comparisons speak for it and none against. It does not hold here if none
speaks for it, or more against than for. In between, it holds in part."""
WIDTHS = {"claim": 10, "for": 3, "open": 4, "against": 7, "verdict": 18, "in words": 75}

# A loss of less than one point in a hundred is not worth a quarrel.
POINT = 0.01

FOR, OPEN, AGAINST = "for", "open", "against"


def speaks(figure: Figure, above: float = 0.0) -> str:
    """What an interval says of the claim that the figure is above some value."""
    if figure.low > above:
        return FOR
    return AGAINST if figure.high < above else OPEN


def verdict(voices: Iterable[str]) -> str:
    heard = Counter(voices)
    if not heard[FOR] or heard[AGAINST] > heard[FOR]:
        return "does not hold here"
    holds = not heard[AGAINST] and heard[FOR] > heard[OPEN]
    return "holds" if holds else "holds in part"


def rows(parts: Mapping[str, ModuleType], report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, part in parts.items():
        voices = [voice for row in report.get(name, ()) for voice in row.get("speaks", "").split()]
        if voices:
            heard = {voice: voices.count(voice) for voice in (FOR, OPEN, AGAINST)}
            yield {"claim": name, **heard, "verdict": verdict(voices), "in words": part.CLAIM}
