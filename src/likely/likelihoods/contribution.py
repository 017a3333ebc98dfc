"""What one feature of a row adds to the score of each class."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Contribution:
    """One piece of evidence: a feature, how often it counted, and what it adds for each class."""

    name: str
    kind: str
    count: int
    scores: NDArray[np.float64]


BESIDE_THE_ROW = ("prior", "bias", "absence")
"""Kinds of contributions that are there whatever the row holds."""


def bias_contribution(biases: NDArray[np.float64]) -> Contribution:
    """What tuning adds to each class beside its prior, and leaves there under another prior."""
    return Contribution("bias (tuned)", "bias", 1, biases)
