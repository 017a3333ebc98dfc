"""The file of `--category-prior`: the prior p of the m-estimate, by column and value."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from likely.data.cells import spelled
from likely.data.columns import ColumnRole, nearest
from likely.data.files import Source, open_table
from likely.data.labels import plain_list
from likely.errors import DataError

CategoryPrior = dict[str, dict[str, float]]

_NAMES = ("column", "value", "p")
# Shares that are rounded to a few decimals sum to nearly one, and are scaled to it.
_NEAR = 1e-3


def read_category_prior(path: str) -> CategoryPrior:
    """The prior probability of each value of some columns, from a table `column,value,p`.

    A p may be a fraction, such as 1/3. In each column they sum to 1, within 0.001.
    """
    source = open_table(path)
    missing = [name for name in _NAMES if name not in source.columns]
    if missing:
        raise DataError(
            f"{source.name} has no column `{missing[0]}`; it is a table with `column`, `value` "
            "and `p`"
        )
    found: dict[str, dict[str, Fraction]] = {}
    for number, (column, value, p) in enumerate(_cells(source), 1):
        for name, cell in zip(_NAMES, (column, value, p), strict=True):
            if cell is None or cell == "":
                raise DataError(f"{source.name}, row {number}: `{name}` is empty")
        of_column = found.setdefault(str(column), {})
        if spelled(value) in of_column:
            raise DataError(f"{source.name}, row {number}: `{column}` has `{value}` twice")
        of_column[spelled(value)] = _share(p, f"{source.name}, row {number}")
    if not found:
        raise DataError(f"{source.name} has no rows; each names a column, a value and its p")
    return {column: _scaled(shares, column, source) for column, shares in found.items()}


def _cells(source: Source) -> Iterator[tuple[Any, ...]]:
    for table in source.batches(_NAMES):
        yield from zip(*(plain_list(table.columns[name]) for name in _NAMES), strict=True)


def _share(given: Any, where: str) -> Fraction:
    try:
        share = Fraction(str(given).strip())
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise DataError(f"{where}: p is {given}, and not a number from 0 to 1, nor a fraction")
    return share


def _scaled(shares: Mapping[str, Fraction], column: str, source: Source) -> dict[str, float]:
    total = sum(shares.values(), Fraction(0))
    if abs(total - 1) > _NEAR:
        raise DataError(
            f"{source.name}: the p of `{column}` sum to {float(total):g}, not to 1\n"
            "hint: every value is listed; a p may be 0, or a fraction such as 1/3"
        )
    return {value: float(share / total) for value, share in shares.items()}


def check_category_prior(
    prior: CategoryPrior,
    path: str,
    source: Source,
    column_roles: Mapping[str, ColumnRole],
    joint: Sequence[tuple[str, ...]],
) -> None:
    """Refuse columns that are not there, not categorical, or not taken one by one."""
    for name in prior:
        if name not in source.columns:
            raise DataError(
                f"{path}: {source.name} has no column `{name}`; {nearest(name, source.columns)}"
            )
        if name not in column_roles:
            raise DataError(f"{path}: `{name}` is the target; `--prior` sets the prior of classes")
        role = column_roles[name].role
        if role != "categorical":
            is_now = "not used" if role == "drop" else role
            raise DataError(
                f"{path}: `{name}` is {is_now}, and only values of categorical columns have a "
                f"prior\nhint: `--categorical {name}` makes it categorical"
            )
        group = next((group for group in joint if name in group), None)
        if group is not None:
            raise DataError(
                f"{path}: `{name}` is in --joint {','.join(group)}, and a joint table has no prior "
                "of values"
            )
