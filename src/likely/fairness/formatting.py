"""How gaps and rates are spelled: three decimals, which is more than their intervals carry."""

from collections.abc import Iterable, Mapping
from typing import Any

from likely import render
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
    return render.percent(round(part, 3))


def between(figure: Figure, *, is_signed: bool = True) -> str:
    """The interval of a figure, if it has one."""
    if figure.low is None or figure.high is None or figure != figure:
        return ""
    spelled = signed if is_signed else rate
    return f"{spelled(figure.low)} – {spelled(figure.high)}"


def scale_of(gaps: Iterable[Figure]) -> float:
    """The largest of some gaps and of the ends of their intervals, so that bars have room for all.

    >>> scale_of([Figure(0.1, -0.3, 0.4), Figure(-0.2), Figure(float("nan"))])
    0.4
    """
    ends = (end for gap in gaps for end in (gap, gap.low, gap.high))
    return max((abs(end) for end in ends if end is not None and end == end), default=0.0) or 1.0


def bar(gap: Figure, scale: float) -> render.Bar:
    """A gap as a bar from the middle, with its interval; none where there is no gap to tell."""
    if gap != gap:
        return render.Bar(0.0, both_ways=True)
    low, high = (None if end is None else end / scale for end in (gap.low, gap.high))
    return render.Bar(gap / scale, low, high, both_ways=True)


def plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for JSON, which has no NaN; of each figure also `…_low` and `…_high`."""
    return {name: None if fact != fact else fact for name, fact in flat(facts).items()}
