"""Dates: how often each year, month, weekday and hour was seen in each class."""

import calendar
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely.data.dates import HOURS, MONTHS, PARTS, WEEKDAYS, date_parts
from likely.data.table import Categories, DateParts, Table
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import Columns, Draw, Unseen, arguments
from likely.likelihoods.categorical import (
    Categorical,
    CategoricalWeights,
    CategoryCounts,
    counts_of,
)
from likely.likelihoods.contribution import Contribution
from likely.tally import Arrays, Classes

_M = 8.0
_YEAR = re.compile(r"\d{4}", re.A)
# A time is drawn to the hour, which is all that is counted; at midnight, there would be no time.
_MINUTE = "30"
_KNOWN: Mapping[str, tuple[str, ...]] = {"month": MONTHS, "weekday": WEEKDAYS, "hour": HOURS}


class Dates(Categorical):
    """Each class has a wheel for the years, the months, the weekdays and the hours of a date.

        log P(x | c) = Σ_j log P(x_j | c)        P(v | c) = (n_cv + m·p_v) / (n_c + m)

    j runs over the parts of the date, the hour only where there is a time. The m-estimate is drawn
    to `p_v`, the share of the value in all classes, since few rows have the same month, and fewer
    the same hour. A part that was never seen in training, such as a new year, is ignored.

    Dates are ISO dates and times, `2024/03/05`, `05.03.2024`, and `03/05/2024`, which is the 5th of
    March, or with `day_first` the 3rd of May. A time with a zone is read in UTC.
    """

    name = "dates"

    def __init__(self, m: float = _M, *, day_first: bool = False):
        super().__init__(m, p="pooled", missing="skip")
        if not isinstance(day_first, bool):
            raise OptionError(f"`day_first` is True or False, not {day_first!r}")
        self.day_first = day_first

    @property
    def schema(self) -> dict[str, Any]:
        return {"kind": "dates", "day_first": self.day_first}

    def counted(self, columns: Columns) -> Columns:
        return tuple(f"{column} {part}" for column in columns for part in PARTS)

    def read(self, table: Table, columns: Columns) -> DateParts:
        return date_parts(table, columns, self.day_first)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> CategoryCounts:
        found = super().from_arrays(arrays, rows, is_multilabel, columns)
        for place, column in enumerate(found.columns):
            known = _KNOWN.get(PARTS[place % len(PARTS)])
            for value in column.codes().names:
                if not (_YEAR.fullmatch(value) if known is None else value in known):
                    raise ModelError(f"a date of the model has the part {value!r}")
        return found

    def contributions(self, weights: CategoricalWeights, part: Categories) -> list[Contribution]:
        return [
            replace(
                one, kind="date", columns=tuple(name.rpartition(" ")[0] for name in one.columns)
            )
            for one in super().contributions(weights, part)
        ]

    def unseen(
        self, weights: CategoricalWeights, part: Categories, threads: int
    ) -> dict[str, Unseen]:
        return {}

    def sample(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        """Years, months, weekdays and hours drawn by themselves, on any day that has them.

        As many dates have a time as have one among the rows of the class.
        """
        drawn, found = super().sample(statistic, classes, columns, asked), {}
        for place, name in enumerate(columns):
            days, *_, hours = statistic.columns[place * len(PARTS) : (place + 1) * len(PARTS)]
            with_time, dated = (
                counts_of(part, classes).sum(axis=0)[asked.place] for part in (hours, days)
            )
            has_time = asked.random.random(asked.rows) * dated < with_time
            weeks = asked.random.random(asked.rows)
            parts = zip(*(drawn[f"{name} {part}"] for part in PARTS), strict=True)
            found[name] = [
                None if parts[0] is None else _date(*parts, week=week, has_time=timed)
                for parts, week, timed in zip(parts, weeks, has_time, strict=True)
            ]
        return found

    def value_scores(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, column: str
    ) -> None:
        """A date has no single curve, but four parts."""
        return None

    @property
    def settings(self) -> dict[str, Any]:
        return {"likelihood": self.name, "m": self.m}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            return cls(settings["m"], day_first=schema["day_first"])
        except (KeyError, TypeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        return f"Dates({arguments(('m', self.m, _M), ('day_first', self.day_first, False))})"


def _date(
    year: str, month: str, weekday: str, hour: str | None, *, week: float, has_time: bool
) -> str:
    """A date of that year and month on that weekday, by a share of the weeks that have one."""
    number = MONTHS.index(month) + 1
    first, last = calendar.monthrange(int(year), number)
    days = range(1 + (WEEKDAYS.index(weekday) - first) % 7, last + 1, 7)
    date = f"{year}-{number:02d}-{days[int(week * len(days))]:02d}"
    return f"{date}T{hour}:{_MINUTE}" if has_time else date
