"""The role of a column: text, numeric, categorical, a date, a vector, or dropped.

It is chosen by a sample of the rows that does not depend on their order, with a reason.
"""

import datetime
import decimal
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.cells import written
from likely.data.dates import DateOrder
from likely.data.labels import plain_list
from likely.data.table import Table, is_missing, is_nearly_a_number, not_a_number, row_hashes
from likely.errors import OptionError

# In a date, the month comes first where the cell leaves it open, as in 03/05/2024.
Role = Literal[
    "text", "short text", "numeric", "categorical", "date", "day-first date", "vector", "drop"
]
ROLES: tuple[Role, ...] = get_args(Role)

# The sample: all rows, up to this many; then those with the smallest hashes.
SAMPLE = 20_000

TEXT_NAMES = ("text", "texts", "message", "body", "review", "content", "comment", "sentence")
_ID_NAMES = re.compile(r"(^|_|\b)(id|ids|uuid|guid|index|key|row|no|nr|number|unnamed: 0)$", re.I)
# Whole numbers under such a name are names of things, not amounts: postal_code, status.
_CODE_NAMES = re.compile(r"codes?$|(^|_|\b)(zip|plz|dept|department|status)$", re.I)
_PART = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.A)

_CELLS = (str, int, float, np.generic, decimal.Decimal, datetime.date, datetime.time)

# Integers with so few values are categories: a class of cabins, a number of stars.
_FEW_NUMBERS = 10
_MONTHS = {str(month) for month in range(1, 13)}
_FEW_WORDS = 3
# A float has at most so many digits of its own.
_DIGITS = 17

_DATES = "dates"
_MONTH_TAKEN = "dates, taken to have the month first"

# Cells of another kind than so many others are exceptions.
_NEARLY_ALL = 0.95

# Short values that are mostly different are read by their parts if so many rows have a value, or a
# part of one, that others have too: a part of so many rows. Identifiers share parts only by chance.
_SHARING = 0.1
_SHARED = 0.01
# Each such column has a weight to tune, so of very many none is used.
_MOST_SHORT_TEXTS = 1000

# How many columns a message names.
_NAMED = 8


_REASONS = {"all rows have ": "all values alike", " different values in ": "all values different"}


@dataclass(frozen=True)
class ColumnRole:
    """The role of a column, and why it has it."""

    role: Role
    why: str
    odd: str | None = None
    """The first cell that keeps a column from being numeric, if few do."""
    commas: Literal["decimal", "unclear"] | None = None
    """Whether commas in its numbers are decimal, or may be, so that the user has to say."""

    @classmethod
    def checked(cls, kind: Any, why: Any, odd: Any, commas: Any) -> "ColumnRole":
        """The role from its stored form; anything else is refused."""
        said = isinstance(why, str) and isinstance(odd, str | None)
        if kind not in ROLES or not said or commas not in ("decimal", "unclear", None):
            raise OptionError.of("wrong-role", role=kind)
        return cls(kind, why, odd, commas)

    @property
    def is_unclear_date(self) -> bool:
        """Whether nothing says if the day or the month comes first."""
        return _MONTH_TAKEN in self.why

    @property
    def reason(self) -> str:
        """Why a column is dropped, in words that similar columns share."""
        if self.role != "drop":
            return "of another kind"
        return next((said for begin, said in _REASONS.items() if begin in self.why), self.why)


def checked_roles(given: Any) -> tuple[tuple[str, str], ...]:
    """The roles that the user gave, by column name."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise OptionError(f"`columns` is a dictionary of what columns are, by name, not {given!r}")
    wrong = [kind for kind in given.values() if not (isinstance(kind, str) and kind in ROLES)]
    if wrong:
        raise OptionError.of("wrong-role", role=wrong[0])
    return tuple(given.items())


def find_roles(table: Table, given: Mapping[str, str]) -> dict[str, ColumnRole]:
    """The role of each column of a sample; given roles are taken as they are.

    Only whether the day or the month comes first in a date is left to the sample.
    """
    unknown = [name for name in given if name not in table.columns]
    if unknown:
        raise OptionError.of(
            "unknown-column", column=unknown[0], known=nearest(unknown[0], table.names)
        )
    column_roles: dict[str, ColumnRole] = {}
    for name, column in table.columns.items():
        if name not in given:
            column_roles[name] = _role_of(name, column, table)
        elif given[name] == "date":
            column_roles[name] = _given_date(name, column, table)
        else:
            column_roles[name] = ColumnRole(given[name], "as given")  # type: ignore[arg-type]
        if name in table.decimals.commas and column_roles[name].role == "numeric":
            why = f"{column_roles[name].why} (decimal commas)"
            column_roles[name] = replace(column_roles[name], why=why, commas="decimal")
    found = [n for n, one in column_roles.items() if one.role == "short text" and n not in given]
    if len(found) > _MOST_SHORT_TEXTS:
        why = f"one of {len(found):,} columns of many different values"
        column_roles |= dict.fromkeys(found, ColumnRole("drop", why))
    return column_roles


def reasons(column_roles: Mapping[str, ColumnRole]) -> str:
    """Why columns are dropped: the first few, and how many more there are."""
    said = [f"`{name}`: {role.why}" for name, role in column_roles.items()]
    return "; ".join(said[:_NAMED]) + (
        f"; and {len(said) - _NAMED:,} more" if said[_NAMED:] else ""
    )


@dataclass(frozen=True)
class _Cells:
    """The cells of a column that are not missing, and their one spelling."""

    rows: list[int]
    there: list[Any]

    @classmethod
    def of(cls, column: Any, table: Table) -> "_Cells":
        cells = column if isinstance(column, (list, tuple)) else plain_list(column)
        rows = [row for row, cell in enumerate(cells) if not _is_gone(cell, table.missing)]
        return cls(rows, [cells[row] for row in rows])

    @property
    def unknown_types(self) -> set[str]:
        return {type(cell).__name__ for cell in self.there if not isinstance(cell, _CELLS)}

    @cached_property
    def spelled(self) -> list[str]:
        """The role must not depend on which reader the column came through."""
        return [cell.strip() for cell in _spelled(self.there).tolist()]


def _role_of(name: str, column: Any, table: Table) -> ColumnRole:
    cells = _Cells.of(column, table)
    if not cells.there:
        return ColumnRole("drop", "it is empty")
    vectors = table.found_vectors(name)
    if vectors is not None:
        return ColumnRole("vector", f"vectors of {vectors.length:,} numbers")
    if cells.unknown_types:
        return ColumnRole("drop", f"its cells are {min(cells.unknown_types)}")
    spelled = cells.spelled
    distinct = len(set(spelled))
    if distinct == 1:
        return ColumnRole("drop", f"all rows have {_shown(cells.there[0])}")
    if all(cell in ("true", "false") for cell in spelled):
        return ColumnRole("categorical", "yes or no")
    odd = [cell for cell in spelled if not _NUMBER.fullmatch(cell)]
    pointed = table.decimals.points.get(name)
    if not odd and pointed is None:
        return _number(name, spelled, distinct, max(table.total, len(table)))
    order = None
    if _are_nearly_all(lambda cell: cell[:1].isdigit(), spelled):
        order = DateOrder.of(spelled)
        if not order.odd:
            return _date(name, order)
    is_nearly_numeric = _are_nearly_all(_is_nearly, spelled)
    role = _words(name, spelled, distinct, is_nearly_numeric)
    if order is not None and _are_nearly_all(lambda cell: cell not in order.odd, spelled):
        return replace(role, why=f"{role.why}, all dates but some like {_shown(min(order.odd))}")
    if role.role != "text" and all(map(_is_with_comma, spelled)):
        why = f"{role.why}, numbers if their commas are decimal (`--decimal ,`)"
        role = replace(role, why=why, commas="unclear")
    if role.role != "text" and is_nearly_numeric:
        pairs, known = zip(cells.rows, spelled, strict=True), set(odd)
        found = ((table.number(row), cell) for row, cell in pairs if cell in known)
        row, cell = pointed or min(found)
        role = replace(role, odd=not_a_number(cell, row, name, table.decimals))
    if role.role != "text" and _are_nearly_all(is_number, spelled):
        why = f"{role.why}, all numbers but some like {_shown(pointed[1] if pointed else min(odd))}"
        return replace(role, why=why)
    return role


def _given_date(name: str, column: Any, table: Table) -> ColumnRole:
    cells = _Cells.of(column, table)
    found = _date(name, DateOrder.of([] if cells.unknown_types else cells.spelled))
    return replace(found, why="as given" if found.why == _DATES else f"as given; {found.why}")


def _date(name: str, order: DateOrder) -> ColumnRole:
    if not order.is_clear:
        return ColumnRole("date", f"{_MONTH_TAKEN} (`--date day-first:{name}` says otherwise)")
    if order.day_first:
        return ColumnRole("day-first date", f"{_DATES}, the day first")
    return ColumnRole("date", _DATES)


def _are_nearly_all(test: Callable[[str], bool], cells: list[str]) -> bool:
    """Whether a test holds for nearly all cells, or nearly all different ones."""
    values = set(cells)
    return any(sum(map(test, some)) >= _NEARLY_ALL * len(some) for some in (cells, values))


def _spelled(cells: Iterable[Any]) -> _kernel.Texts:
    texts = [cell if type(cell) is str else written(cell, "a cell") for cell in cells]
    return _kernel.Texts(texts, True).spelled()


def is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell))


def _is_nearly(cell: str) -> bool:
    return is_number(cell) or is_nearly_a_number(cell)


def _is_with_comma(cell: str) -> bool:
    """Whether a cell is a number, its comma taken as a point."""
    return "." not in cell and bool(_NUMBER.fullmatch(cell.replace(",", ".", 1)))


def _is_gone(cell: Any, missing: frozenset[str]) -> bool:
    return is_missing(cell.strip() if isinstance(cell, str) else cell, missing)


def _number(name: str, cells: list[str], distinct: int, rows: int) -> ColumnRole:
    if all(len(cell) == 8 for cell in cells) and not DateOrder.of(cells).odd:
        return ColumnRole("date", f"{_DATES} in eight digits")
    whole = all(_whole(cell) for cell in cells)
    coded = any(len(cell) > 1 and cell[0] == "0" and cell[1].isdigit() for cell in cells)
    named = whole and bool(_CODE_NAMES.search(name))
    if whole and distinct == len(cells):
        values = sorted(map(float, cells))
        # In a sample the values have gaps, but the largest is still about the number of rows.
        counts = 0.9 * rows <= values[-1] - values[0] + 1 <= rows and rows > _FEW_NUMBERS
        if counts or _ID_NAMES.search(name) or (coded and not named and rows > _FEW_NUMBERS):
            return ColumnRole("drop", "it numbers the rows")
    if whole and any(map(_is_rounded, cells)):
        role: Role = "drop" if distinct > 0.5 * len(cells) else "categorical"
        return ColumnRole(role, "its numbers have more digits than a number holds")
    if coded or named:
        why = "its numbers begin with zeros" if coded else "its name is that of a code"
        if _are_many(distinct, len(cells)):
            return ColumnRole("short text", f"{why}, {distinct:,} different")
        return ColumnRole("categorical", f"{why}, {distinct:,} different")
    if whole and distinct * 3 <= len(cells):
        if distinct <= _FEW_NUMBERS:
            return ColumnRole("categorical", f"only {distinct} different whole numbers")
        if _MONTHS.issuperset(cells):
            return ColumnRole("categorical", "whole numbers from 1 to 12, as of months")
    return ColumnRole("numeric", "whole numbers" if whole else "numbers")


def _is_rounded(cell: str) -> bool:
    """Whether an integer has more digits than a float holds; Python limits how many it parses."""
    digits = cell.lstrip("+-")
    if len(cell) <= 15 or not digits.isdigit():
        return False
    # The digits that tell a float from all others, and zeros: it was a large float.
    if len(digits) > _DIGITS >= len(digits.rstrip("0")):
        return False
    return len(cell) > 400 or float(cell) != int(cell)


def _whole(cell: str) -> bool:
    return not any(mark in cell for mark in ".eE") or float(cell).is_integer()


def _words(name: str, cells: list[str], distinct: int, is_nearly_numeric: bool) -> ColumnRole:
    words = sum(len(cell.split()) for cell in cells) / len(cells)
    named = name.lower() in TEXT_NAMES
    many = _are_many(distinct, len(cells))
    if named or (words >= _FEW_WORDS and (many or distinct > 1000)):
        return ColumnRole("text", f"about {words:.0f} words a row")
    if many and not is_nearly_numeric and _share_parts(cells):
        return ColumnRole("short text", f"{distinct:,} different values that share parts")
    if many:
        like = "" if is_nearly_numeric else ", like identifiers"
        return ColumnRole("drop", f"{distinct:,} different values in {len(cells):,} rows{like}")
    return ColumnRole("categorical", f"{distinct:,} different values")


def _are_many(distinct: int, rows: int) -> bool:
    return distinct > max(20, 0.5 * rows)


def _share_parts(cells: list[str]) -> bool:
    """Whether many rows have a value that others have, or a part that some have and some not."""
    times = Counter(cells)
    parts = [set(_PART.findall(cell.lower())) for cell in cells]
    rows = Counter(part for each in parts for part in each)
    least, most = max(2, _SHARED * len(cells)), _NEARLY_ALL * len(cells)
    shared = {part for part, n in rows.items() if least <= n <= most}
    both = zip(cells, parts, strict=True)
    sharing = sum(times[cell] > 1 or not shared.isdisjoint(each) for cell, each in both)
    return sharing >= _SHARING * len(cells)


def is_list_of_texts(table: Table) -> bool:
    """Whether this is a plain list of texts rather than a table."""
    if table.named or len(table.columns) != 1:
        return False
    (column,) = table.columns.values()
    kind = str(getattr(column, "dtype", getattr(column, "type", "object")))
    return not kind.startswith(("int", "uint", "float", "double", "bool")) and not all(
        isinstance(cell, (int, float)) for cell in column
    )


def sampled(tables: Iterable[Table]) -> Table:
    """A sample of the rows: the same for any order and any batches."""
    kept: Table | None = None
    hashes = np.zeros(0, dtype=np.uint64)
    total = 0
    for table in tables:
        total += len(table)
        links = cell_hashes(table)
        # Once there are enough rows, only rows with smaller hashes are added.
        full = len(hashes) == SAMPLE
        best = np.flatnonzero(links <= hashes[-1]) if full else np.arange(len(links))
        best = best[np.argsort(links[best], kind="stable")[:SAMPLE]]
        if full and not len(best):
            continue
        picked = table.at(best)
        rows = {name: plain_list(cells) for name, cells in picked.columns.items()}
        if kept is None:
            kept, hashes = Table(rows, len(best), named=table.named), links[best]
            kept.missing, kept.row_numbers = table.missing, picked.row_numbers
            kept.decimals = table.decimals
            continue
        hashes = np.concatenate([hashes, links[best]])
        order = np.argsort(hashes, kind="stable")[:SAMPLE]
        merged = {name: [*kept.columns[name], *rows[name]] for name in rows}
        kept.columns = {name: [cells[row] for row in order] for name, cells in merged.items()}
        kept.rows, hashes = len(order), hashes[order]
        numbers = [one.row_numbers for one in (kept, picked) if one.row_numbers is not None]
        kept.row_numbers = np.concatenate(numbers)[order]
    kept = kept if kept is not None else Table({}, 0, named=True)
    kept.total = total
    return kept


def cell_hashes(table: Table) -> NDArray[np.uint64]:
    """A hash of each row, of its cells in their one spelling, whatever the order of the columns."""
    none = np.zeros(len(table), dtype=np.uint64)
    return row_hashes((_hashable(name, table) for name in sorted(table.names)), none)


def _hashable(name: str, table: Table) -> _kernel.Texts:
    """Cells as texts, the same from any source; vectors by a hash, other types by their repr."""
    column, vectors = table.columns[name], table.found_vectors(name)
    if vectors is not None:
        there = ~np.isnan(vectors.values[:, 0])
        links = row_hashes([vectors]).tolist()
        cells = (str(link) if is_there else "" for link, is_there in zip(links, there, strict=True))
        return _kernel.Texts(list(cells))
    if isinstance(column, _kernel.Texts):
        return column.spelled()
    cells = ("" if is_missing(cell, frozenset()) else cell for cell in plain_list(column))
    return _spelled(cell if isinstance(cell, _CELLS) else str(cell) for cell in cells)


def nearest(name: str, names: Iterable[str]) -> str:
    """The known names, with a hint at the one that was probably meant."""
    import difflib

    names = list(names)
    close = difflib.get_close_matches(name, names, n=1)
    listed = ", ".join(f"`{known}`" for known in names[:12])
    hint = f"\nhint: did you mean `{close[0]}`?" if close else ""
    return f"there are {listed}{' and others' if len(names) > 12 else ''}{hint}"


def _shown(cell: Any) -> str:
    spelled = str(cell)
    return f"`{spelled}`" if len(spelled) <= 30 else f"`{spelled[:29]}…`"
