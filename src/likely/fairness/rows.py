"""Labeled rows by group: with predictions, or as training rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.data.columns import nearest
from likely.data.labeled import Labeled, whole
from likely.data.labels import Label, label_array
from likely.data.table import Table
from likely.errors import DataError
from likely.evaluation.model_predictions import left_out
from likely.fairness.scores import Array, check_one_label
from likely.model.adjust.group_thresholds import group_names


@dataclass(frozen=True, eq=False)
class GroupedPredictions:
    """Rows with their groups, labels, probabilities and predictions."""

    groups: list[str]
    truth: list[Label]
    probabilities: Array
    predicted: NDArray[np.intp]
    """The position of the predicted class of each row."""
    left_out: bool
    warnings: tuple[str, ...]


def grouped_predictions(model: Classifier, x: Any, y: Any, group: str) -> GroupedPredictions:
    """Predict labeled rows by group; leave-one-out if all were learned."""
    check_one_label(model)
    rows = model.labeled(x, y)
    names: list[str] = []
    truth: list[Label] = []
    found, learned = [], 0
    check_column(rows, group)
    columns = list(dict.fromkeys([*model.columns, group]))
    for table, labels in rows.batches(columns):
        truth.extend(labels.lists)
        names.extend(group_names(table.columns[group]))
        found.append(model.predict_proba(table))
        learned += int(model.was_learned(table, labels.lists).sum())
    if not truth:
        raise DataError("there are no rows to compare groups by")
    left = left_out(model, rows)
    if left is not None:
        return GroupedPredictions(names, truth, left.probabilities, left.predicted, True, ())
    warnings: tuple[str, ...] = ()
    if learned:
        warnings = (
            f"{learned:,} of the {len(truth):,} rows were learned by the model; their figures "
            "are too optimistic",
        )
    own = np.concatenate(found)
    return GroupedPredictions(names, truth, own, model.decide(own), False, warnings)


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Training rows by group and label."""

    table: Table
    labels: NDArray[Any]
    cell: NDArray[np.intp]
    """Of each row: the place of its group times the number of labels, plus that of its label."""
    counts: NDArray[np.int64]
    """How many rows each group has of each label."""
    groups: list[str]
    names: list[str]
    """The names of groups and labels, in the order of the counts."""


def grouped_rows(model: Classifier, x: Any, y: Any, group: str) -> GroupedRows:
    """The rows a model has learned, by group and label."""
    check_one_label(model)
    rows = model.labeled(x, y)
    check_column(rows, group)
    table, found = whole(rows)
    names = group_names(table.columns[group])
    own = label_array(found.lists)
    if not model.was_learned(table, own).all():
        raise DataError(
            "some of these rows were not learned by the model; the training rows are needed"
        )
    groups, of_group = np.unique(names, return_inverse=True)
    labels, of_label = np.unique(own, return_inverse=True)
    cell = of_group * len(labels) + of_label
    counts = np.bincount(cell, minlength=len(groups) * len(labels))
    return GroupedRows(
        table,
        own,
        cell,
        counts.reshape(len(groups), len(labels)),
        groups.tolist(),
        list(map(str, labels.tolist())),
    )


def groups_of_rows(model: Classifier, x: Any, y: Any, group: str) -> list[str]:
    """The group of each row."""
    check_one_label(model)
    rows = model.labeled(x, y)
    check_column(rows, group)
    return [
        name for table, _ in rows.batches([group]) for name in group_names(table.columns[group])
    ]


def check_column(rows: Labeled, group: str) -> None:
    if group not in rows.columns:
        raise DataError(
            f"there is no column `{group}` to group rows by; {nearest(group, rows.columns)}"
        )
