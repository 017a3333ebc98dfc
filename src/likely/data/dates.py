"""Dates: cells in the usual spellings get the one that `cells` has, and are read into parts.

| a cell | is read as |
|---|---|
| `2024-03-05`, `2024/3/5`, `20240305` | year, month, day |
| `05.03.2024`, `5.3.2024`, `05.03.24` | day, month, year |
| `03/05/2024`, `3/5/24`, `03-05-2024` | month, day, year; day, month, year if the day comes first |
| … `09:30`, `T09:30:15.5`, `9:30 PM`, `09:30+02:00` | with a time; in UTC if there is a zone |

Of a year in two digits, 69 is 1969 and 68 is 2068. Midnight counts as no time: it is spelled as a
date, which is what many readers make of one.
"""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from likely import _kernel
from likely.data.table import DateParts, Table
from likely.errors import DataError

PARTS = ("year", "month", "weekday", "hour")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HOURS = tuple(f"{hour:02d}" for hour in range(24))

Parts = tuple[str, str, str, str]
_MISSING: Parts = ("", "", "", "")

_SPELLED = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?Z?)?", re.A
)
_WRITTEN = re.compile(
    r"(?:(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)"
    r"|(?P<digits>(?:19|20)\d{6})"
    r"|(?P<first>\d\d?)(?P<between>[-/.])(?P<second>\d\d?)(?P=between)(?P<last>\d{4}|\d\d))"
    r"(?:[T ](?P<hour>\d\d?):(?P<minute>\d\d(?::\d\d(?:\.\d+)?)?)"
    r"(?: ?(?P<half>[AaPp])[Mm])?(?: ?(?P<zone>Z|[+-]\d\d(?::?\d\d)?))?)?",
    re.A,
)


@dataclass(frozen=True)
class DateOrder:
    """Whether the day or the month comes first in some cells, by which order reads more of them."""

    day_first: bool
    is_clear: bool
    """Whether the other order would read the cells differently, and reads them less well."""
    odd: frozenset[str]
    """The cells that are no dates."""

    @classmethod
    def of(cls, cells: Sequence[str]) -> "DateOrder":
        by_month, by_day = (_dates(cells, day_first) for day_first in (False, True))
        wrong, wrong_by_day = by_month.count(None), by_day.count(None)
        day_first = wrong_by_day < wrong
        found = zip(cells, by_day if day_first else by_month, strict=True)
        odd = frozenset(cell for cell, date in found if date is None)
        return cls(day_first, wrong != wrong_by_day or by_month == by_day, odd)


def date_parts(table: Table, names: Sequence[str], day_first: bool) -> DateParts:
    """Columns of dates, each read into its year, month, weekday and hour."""
    dates: list[_kernel.Texts] = []
    parts: list[_kernel.Texts] = []
    for name, texts in zip(names, table.categories(names, "a date").columns, strict=True):
        cells = texts.tolist()
        spelled = _spelled(cells, day_first)
        read = [_parts(cell) if cell else _MISSING for cell in spelled]
        if None in read:
            row = read.index(None)
            raise DataError(no_date(cells[row], table.number(row), name, day_first))
        dates.append(_kernel.Texts(spelled))
        parts += [_kernel.Texts([one[at] for one in read if one]) for at in range(len(PARTS))]
    return DateParts(tuple(parts), tuple(dates))


def no_date(cell: str, row: int, name: str, day_first: bool) -> str:
    """What is wrong with a cell of a date column, and what to do."""
    found = f"row {row} of `{name}` is {cell[:40]!r}, which is no date"
    (other,) = _dates([cell], not day_first)
    if other is None:
        return f"{found}\nhint: dates are written as 2024-03-05, with a time as 2024-03-05T09:30"
    if day_first:
        return f"{found} if the day comes first\nhint: `Dates()` takes the month first"
    return (
        f"{found} if the month comes first\nhint: a model trained with `--date day-first:{name}` "
        f'(`columns={{"{name}": "day-first date"}}`, `Dates(day_first=True)`) takes the day first'
    )


def _dates(cells: Sequence[str], day_first: bool) -> list[str | None]:
    """The spelling of each date; None if a cell is none."""
    return [cell if _parts(cell) else None for cell in _spelled(cells, day_first)]


def _spelled(cells: Sequence[str], day_first: bool) -> list[str]:
    """Dates in the one spelling, and other cells as they are."""
    iso = [cell if _SPELLED.fullmatch(cell) else _iso(cell, day_first) for cell in cells]
    return _kernel.Texts(iso).spelled().tolist()


def _iso(cell: str, day_first: bool) -> str:
    found = _WRITTEN.fullmatch(cell)
    if found is None:
        return cell
    if found["year"]:
        year, month, day = found["year"], found["month"], found["day"]
    elif found["digits"]:
        year, month, day = cell[:4], cell[4:6], cell[6:8]
    else:
        first, mark, second, year = found.group("first", "between", "second", "last")
        if len(year) == 2:
            # Versions are written in a similar way: 1.2.10.
            if mark == "-" or (mark == "." and len(first + second) < 4):
                return cell
            year = f"{'19' if year >= '69' else '20'}{year}"
        day, month = (first, second) if day_first or mark == "." else (second, first)
    date = f"{year}-{int(month):02d}-{int(day):02d}"
    if not found["hour"]:
        return date
    hour = int(found["hour"])
    if found["half"]:
        # There is no 0 and no 13 o'clock with AM and PM.
        hour = hour % 12 + 12 * (found["half"] in "pP") if 1 <= hour <= 12 else 24
    return f"{date}T{hour:02d}:{found['minute']}{found['zone'] or ''}"


def _parts(spelled: str) -> Parts | None:
    """The parts of a date in its one spelling; an empty one where it has no time."""
    found = _SPELLED.fullmatch(spelled)
    day = None if found is None else _day(found[1])
    return None if found is None or day is None else (*day, found[2] or "")


@lru_cache(maxsize=65_536)
def _day(date: str) -> tuple[str, str, str] | None:
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        return None
    return date[:4], MONTHS[day.month - 1], WEEKDAYS[day.weekday()]
