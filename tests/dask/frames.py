"""The same rows as a pandas frame, and as Dask DataFrames of any partitions."""

from collections.abc import Callable
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd

from tests.model.test_partitions import table

ROWS = pd.DataFrame(table())


def split(rows: pd.DataFrame, n: int) -> list[pd.DataFrame]:
    """Rows in any order, in partitions of any size; one has half of them, some have none."""
    r = np.random.RandomState(n)
    cuts = np.sort((len(rows) / 2 * r.rand(n - 1) ** 3).astype(int))
    return [rows.iloc[places] for places in np.split(r.permutation(len(rows)), cuts)]


def frame_of(parts: list[pd.DataFrame]) -> Any:
    """Partitions as they are; Dask makes no strings of lists."""
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_map(_as_it_is, parts, meta=parts[0][:0])


def partitioned(rows: pd.DataFrame, n: int) -> Any:
    return frame_of(split(rows, n))


def changed(
    change: Callable[[pd.DataFrame], pd.DataFrame], rows: pd.DataFrame = ROWS, place: int = 3
) -> Any:
    """Six partitions, of which one was changed."""
    step = -(-len(rows) // 6)
    parts = [rows[at : at + step].reset_index(drop=True) for at in range(0, len(rows), step)]
    parts[place] = change(parts[place].copy())
    return frame_of(parts)


def with_cell(column: str, row: int, cell: Any) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """A change of one cell, in a column of any objects."""

    def change(part: pd.DataFrame) -> pd.DataFrame:
        cells = part[column].tolist()
        cells[row] = cell
        return part.assign(**{column: pd.Series(cells, dtype=object)})

    return change


def _as_it_is(part: pd.DataFrame) -> pd.DataFrame:
    return part
