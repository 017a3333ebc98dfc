"""Possible label errors, and the rows that have them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.labels import plain_list
from likely.data.table import Table
from likely.model.loo_predictions import LeaveOneOutPredictions

# A label is a possible error if the other rows give it a lower probability than this.
DOUBTFUL = 0.01


def doubts(part: LeaveOneOutPredictions) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The rows with possible label errors, and the log-probability of their labels."""
    places = np.arange(len(part.truth))
    own = part.scores[places, part.truth]
    # A class without any other row is not doubted.
    doubtful = part.probabilities[places, part.truth] < DOUBTFUL
    doubted = np.flatnonzero(doubtful & ~np.isneginf(own))
    return doubted, own[doubted] - part.scores[doubted].max(axis=1)


def rows_at(
    tables: Iterable[Table], wanted: Iterable[int]
) -> dict[int, tuple[int, dict[str, Any]]]:
    """Some rows, by position: the number that messages use, and the cells."""
    places = np.array(sorted(set(wanted)), dtype=np.int64)
    found: dict[int, tuple[int, dict[str, Any]]] = {}
    before = 0
    for table in tables if len(places) else ():
        here = places[(places >= before) & (places < before + len(table))]
        picked = table.at(here - before)
        columns = {name: plain_list(column) for name, column in picked.columns.items()}
        for at, place in enumerate(here.tolist()):
            cells = {name: column[at] for name, column in columns.items()}
            found[place] = picked.number(at), cells
        before += len(table)
    return found
