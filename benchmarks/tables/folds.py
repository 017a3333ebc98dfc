"""Tables as data frames, and which rows are learned and predicted: the same for all systems."""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks.data import Data

_TARGETS = {"adult": "income", "titanic": "survived", "penguins": "species", "iris": "species"}

Places = np.ndarray


@dataclass(frozen=True, eq=False)
class LabeledTable:
    x: pd.DataFrame
    y: np.ndarray
    folds: list[tuple[Places, Places]]
    """Rows to learn, and rows to predict."""


def read(data: Data, name: str) -> LabeledTable:
    """Numeric columns as they are, others as categories.

    The folds are those of the official split if there is one, otherwise five stratified ones.
    Other columns with more distinct values than half of the rows, such as names, are left out.
    """
    folder = data.path(f"tab_{name}")
    is_split = (folder / "test.csv").exists()
    paths = [folder / f"{part}.csv" for part in (("train", "test") if is_split else ("all",))]
    parts = [pd.read_csv(path, na_values="?") for path in paths]
    x = pd.concat(parts, ignore_index=True)
    y = x.pop(_TARGETS.get(name, "class")).astype(str).to_numpy(dtype=object).astype(str)
    others = x.select_dtypes(exclude="number")
    names = [column for column in others if others[column].nunique() > len(x) / 2]
    x = x.astype(dict.fromkeys(others, "category")).drop(columns=names)
    places = np.arange(len(y))
    if is_split:
        return LabeledTable(x, y, [(places[: len(parts[0])], places[len(parts[0]) :])])
    with warnings.catch_warnings():
        # A class may have fewer rows than there are folds.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = StratifiedKFold(5, shuffle=True, random_state=0).split(places, y)
        return LabeledTable(x, y, list(folds))
