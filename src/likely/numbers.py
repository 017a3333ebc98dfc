"""What counts as a number in an option, and how JSON has it."""

import math
from typing import Any

import numpy as np


def is_number(given: Any) -> bool:
    """Whether an option is a number, of Python or NumPy; truth values are none."""
    return isinstance(given, (int, float, np.number)) and not isinstance(given, bool)


def json_number(value: float) -> float | str:
    """The number for JSON, which has no infinities; they are written as text.

    >>> json_number(0.5), json_number(-math.inf)
    (0.5, '-inf')
    """
    return float(value) if math.isfinite(value) else str(float(value))
