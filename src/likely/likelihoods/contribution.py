"""What one feature of a row adds to the score of each class."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Term:
    """One piece of evidence: a feature, how often it counted, and what it adds for each class."""

    name: str
    kind: str
    count: int
    scores: NDArray[np.float64]


BESIDE_THE_ROW = ("prior", "bias", "absence")
"""Kinds of terms that are there whatever the row holds."""


def bias_term(biases: NDArray[np.float64]) -> Term:
    """What tuning adds to each class beside its prior, and leaves there under another prior."""
    return Term("bias (tuned)", "bias", 1, biases)
