"""Contributions: what one feature of a row adds to the score of each class."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Contribution:
    """A feature, how often it counts, and what it adds to the score of each class."""

    name: str
    kind: str
    count: int
    scores: NDArray[np.float64]
    columns: tuple[str, ...] = ()
    """The columns whose cells it is of; of a feature of a text there are none."""


BESIDE_THE_ROW = ("prior", "bias", "absence")
"""Kinds of contributions that do not depend on the row."""


def bias_contribution(biases: NDArray[np.float64]) -> Contribution:
    """The bias of each class from tuning, which stays under another prior."""
    return Contribution("bias (tuned)", "bias", 1, biases)
