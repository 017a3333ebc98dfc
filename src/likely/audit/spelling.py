"""How gaps and rates are spelled: three decimals, which is more than their intervals carry."""

from collections.abc import Mapping
from typing import Any

from likely import page
from likely.evaluation.intervals import Figure, flat


def signed(value: float) -> str:
    """A difference, with its sign; a dash where there is none.

    >>> signed(-0.1234), signed(-0.0001), signed(float("nan"))
    ('−0.123', '+0.000', '–')
    """
    return "–" if value != value else f"{round(value, 3) + 0.0:+.3f}".replace("-", "−")


def rate(value: float) -> str:
    return "–" if value != value else f"{value:.3f}".replace("-", "−")


def share(part: float) -> str:
    return page.percent(round(part, 3))


def between(figure: Figure, *, is_signed: bool = True) -> str:
    """The interval of a figure, if it has one."""
    if figure.low is None or figure.high is None or figure != figure:
        return ""
    spelled = signed if is_signed else rate
    return f"{spelled(figure.low)} – {spelled(figure.high)}"


def bar(gap: Figure, scale: float) -> page.Bar:
    """A gap as a bar from the middle, with its interval."""

    def place(value: float) -> float:
        return max(-1.0, min(value / scale, 1.0))

    if gap.low is None or gap.high is None:
        return page.Bar(place(gap), both_ways=True)
    return page.Bar(place(gap), place(gap.low), place(gap.high), both_ways=True)


def plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for JSON, which has no NaN; of each figure also `…_low` and `…_high`."""
    return {name: None if fact != fact else fact for name, fact in flat(facts).items()}
