"""What counts as a number in an option."""

from typing import Any

import numpy as np


def is_number(given: Any) -> bool:
    """Whether an option is a number, of Python or NumPy; truth values are none."""
    return isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
