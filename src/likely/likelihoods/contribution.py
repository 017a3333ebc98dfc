"""Contributions: what one feature of a row adds to the score of each class."""

from dataclasses import dataclass, replace

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


def merged(ours: list[Contribution], more: list[Contribution]) -> list[Contribution]:
    """All contributions, those of the same columns, or of the same feature of a text, added up."""
    found = list(ours)
    places: dict[tuple[str, ...], int] = {}
    for place, contribution in enumerate(ours):
        places.setdefault(_of_what(contribution), place)
    for contribution in more:
        place = places.setdefault(_of_what(contribution), len(found))
        if place == len(found):
            found.append(contribution)
        else:
            scores = found[place].scores + contribution.scores
            found[place] = replace(found[place], scores=scores)
    return found


def _of_what(contribution: Contribution) -> tuple[str, ...]:
    return contribution.columns or ("", contribution.kind, contribution.name)


BESIDE_THE_ROW = ("prior", "bias", "absence")
"""Kinds of contributions that do not depend on the row."""


def bias_contribution(biases: NDArray[np.float64]) -> Contribution:
    """The bias of each class from tuning, which stays under another prior."""
    return Contribution("bias (tuned)", "bias", 1, biases)
