"""How numbers and names are written: the one place for it."""

import unicodedata
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from likely.data.labels import Label

if TYPE_CHECKING:
    from likely.evaluation.intervals import Figure

WIDTH = 80
_LABEL = 24
# On a page there is more room for a name than on a terminal.
_ON_PAGE = 80


def number(value: float, digits: int = 4) -> str:
    """A figure with four decimals, which are never all lost to rounding; NaN is a dash.

    >>> number(0.99999), number(1.0), number(0.00001), number(0.25), number(0.1234, 3)
    ('>0.9999', '1.0000', '<0.0001', '0.2500', '0.123')
    """
    if value != value:
        return "–"
    shown, least = f"{value:.{digits}f}", 10.0**-digits
    if float(shown) == 1 and value < 1:
        return f">{1 - least:.{digits}f}"
    if float(shown) == 0 and value:
        return f"<{least:.{digits}f}" if value > 0 else f">-{least:.{digits}f}"
    return shown


def rate(value: float) -> str:
    """A rate with three decimals, which is more than its interval carries."""
    return number(value, 3)


def signed(value: float, digits: int = 4) -> str:
    """A difference with its sign; NaN is a dash.

    >>> signed(-0.1234, 3), signed(-0.0001, 3), signed(float("nan"))
    ('−0.123', '+0.000', '–')
    """
    if value != value:
        return "–"
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")


def gap(value: float) -> str:
    """A difference of rates, with three decimals."""
    return signed(value, 3)


def interval(figure: "Figure", spelled: Callable[[float], str] = number) -> str:
    """The interval of a figure, if it has one."""
    if figure.low is None or figure.high is None or figure != figure:
        return ""
    return f"{spelled(figure.low)} – {spelled(figure.high)}"


def percent(share: float) -> str:
    """A share in per cent, never rounded up to all nor down to nothing.

    >>> percent(0.9999), percent(0.5), percent(0.999999), percent(1e-9)
    ('99.99 %', '50 %', 'over 99.99 %', 'under 0.01 %')
    """
    if 0 < share < 0.0001:
        return "under 0.01 %"
    shown = f"{share * 100:.4g} %"
    return "over 99.99 %" if shown == "100 %" and share < 1 else shown


def tenth(share: float) -> str:
    """A share to a tenth of a per cent, never rounded up to all nor down to nothing; NaN is a dash.

    >>> tenth(0.97251), tenth(0.99999), tenth(1), tenth(0.00001), tenth(0)
    ('97.3 %', '>99.9 %', '100 %', '<0.1 %', '0 %')
    """
    if share != share:
        return "–"
    if share in (0, 1):
        return f"{share * 100:.0f} %"
    if not 0.001 <= share <= 0.999:
        return "<0.1 %" if share < 0.5 else ">99.9 %"
    return f"{share * 100:.1f} %"


def count(rows: float) -> str:
    """A number of rows, which need not be whole where rows have weights."""
    return f"{rows:,.0f}" if rows == int(rows) else f"{rows:,.2f}"


def counted(n: int, one: str, more: str) -> str:
    """A number and what it counts.

    >>> counted(1, "class", "classes"), counted(1200, "class", "classes")
    ('1 class', '1,200 classes')
    """
    return f"{n:,} {one if n == 1 else more}"


def name(label: Label, most: int = _LABEL) -> str:
    """A label on one line, and not too long for it.

    Sentences have names in backticks, so those within a name become another sign that looks alike.
    """
    shown = "".join(c if c.isprintable() else "·" for c in str(label)).replace("`", "ˋ")
    return cut(shown, most)


def full_name(label: Label) -> str:
    """A label as a page has room for it."""
    return name(label, _ON_PAGE)


def in_order(labels: Iterable[Label]) -> list[int]:
    """The places of labels as people count: by value if all spell numbers, otherwise as they are.

    >>> in_order(["1", "10", "2"]), in_order(["1", "10", "b"])
    ([0, 2, 1], [0, 1, 2])
    """
    spelled = list(map(str, labels))
    places = range(len(spelled))
    try:
        return sorted(places, key=[float(one) for one in spelled].__getitem__)
    except ValueError:
        return list(places)


def cut(shown: str, most: int) -> str:
    """As much of a line as so many columns of a terminal have room for.

    >>> cut("a quay", 6), cut("a long quay", 6), cut("a quay by the sea", 3), cut("日本語", 5)
    ('a quay', 'a lon…', 'a…', '日本…')
    """
    if columns(shown) <= most:
        return shown
    end = next(end for end in range(len(shown)) if columns(shown[: end + 1]) >= most)
    return f"{shown[:end].rstrip()}…"


def columns(shown: str) -> int:
    """How many columns of a terminal it takes.

    >>> columns("quay"), columns("日本語")
    (4, 6)
    """
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in shown)
    return len(shown) + wide - sum(unicodedata.combining(c) > 0 for c in shown)
