"""The one spelling of a cell, whatever it came from.

The same file gives `TRUE` as a text to one reader and as a truth value to another, and 1 as 1.0
wherever a cell of the column is missing. So that a row is the same row for all of them, each cell
has one spelling. It is what categories and texts are counted, compared and hashed by, and what
tells which label of a model is meant by one of another kind. A cell is spelled by itself, without a
look at the others of its column:

| a cell | is spelled | so these are one |
|---|---|---|
| a truth value | `true`, `false` | True, `TRUE`, `True`, `true` |
| a whole number | its digits, no `+`, no `-0` | 1, 1.0, `1`, `1.0`, `+1`, `1e0`, Decimal("1.00") |
| another number | the fewest digits that tell a float apart, no exponent | 0.5, `.5`, `0.50` |
| a date | `2026-01-31` | a date, a timestamp at midnight, `2026-01-31 00:00:00` |
| a moment | `2026-01-31T09:30:15.5`, seconds only if there are any | `2026-01-31 09:30:15.500` |
| a moment in a zone | the same in UTC, and `Z` | `2026-01-31T11:30+02:00`, `2026-01-31T09:30Z` |
| a time of day | `09:30:15.5`, seconds only if there are any | `09:30:00`, `09:30` |
| any other text | as it is, spaces and case included | |

Spaces around numbers, truth values and moments go. What pandas leaves alone is left alone: `T`,
`yes` and `on` are texts. So are numbers that begin with zeros, like `007`, which are codes; a
reader that makes 7 of them has lost what they were, and has to be told to read texts. Scalars of
NumPy are the numbers they hold, and cells of a pandas categorical or an Arrow dictionary are the
values that they stand for. A missing cell has no spelling; which texts say that a cell is missing
is an option of the model.
"""

import datetime
import decimal
from typing import Any

import numpy as np

from likely import _kernel
from likely.errors import DataTypeError

_PLAIN = (bool, int, float, decimal.Decimal)


def spelled(cell: Any) -> str:
    """The one spelling of a cell that is not missing.

    >>> [spelled(cell) for cell in (True, "TRUE", 1.0, "1", np.int8(1), "007", "1.50", "yes")]
    ['true', 'true', '1', '1', '1', '007', '1.5', 'yes']
    """
    return _kernel.spelled(written(cell, "the cell"))


def written(cell: Any, what: str, needed: str = "a category") -> str:
    """A cell as a text, to be spelled with the rest of its column.

    `what` begins the error message for anything else, `needed` ends it.
    """
    if isinstance(cell, str):
        return str.__str__(cell)
    if isinstance(cell, np.datetime64):
        return str(cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, _PLAIN):
        return str(cell)
    if isinstance(cell, (datetime.date, datetime.time)):
        return cell.isoformat()
    raise DataTypeError(f"{what} is {type(cell).__name__}, not {needed}")
