"""What a linear model reads of a row, and the features that it has of that."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likely
from likely import _kernel
from likely.data.table import Numbers, Table
from likely.errors import DataError, ModelError
from likely.likelihoods.linear_inputs import Spread

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


def counted(likelihood, table, labels):
    """The inputs of a likelihood of all columns, their features, and the rows as they are read."""
    model = likely.Classifier({tuple(table): likelihood}, tune=False).fit(table, labels)
    fitted = model.fitted
    inputs = fitted.product.factors[0].likelihood.linear_inputs(tuple(table))
    statistic = fitted.tally.statistics[0]
    features = [one.fitted(statistic, fitted.classes) for one in inputs]
    return inputs, features, fitted.product.read(Table.of(table))[0]


def dense(features, cells, scale=1.0):
    """The rows of features as a matrix."""
    rows = features.rows(cells, scale, 1)
    starts, _ = rows.entries()
    found = np.zeros((len(rows), features.width))
    # A linear model whose only weight is one says the values of its column.
    for column in range(features.width):
        cells_of = np.zeros(features.width, dtype=np.uint32)
        cells_of[column] = 1
        arrays = {
            "cells": cells_of,
            "classes": np.array([0], dtype=np.uint32),
            "weights": np.array([256], dtype=np.uint32),
            "intercepts": np.zeros(3, dtype=np.uint32),
        }
        model = _kernel.LinearModel.from_arrays([features.width], 3, arrays)
        found[:, column] = model.score([rows], 1)[:, 0]
    assert (np.diff(starts) == (found != 0).sum(axis=1)).all()
    return found


LABELS = list("aabbab")


def test_categories_are_one_hot_and_may_be_missing():
    table = {"c": ["red", "blue", "red", "blue", None, "once"], "d": list("xxyyzz")}
    inputs, (colors, letters), part = counted(likely.Categorical(), table, LABELS)
    assert [one.columns for one in inputs] == [("c",), ("d",)]
    # A value that one row has says nothing of others.
    blue, red, gone = np.eye(3)
    found = dense(colors, inputs[0].cells(part))
    assert (found == [red, blue, red, blue, gone, np.zeros(3)]).all()
    x, y, z, _ = np.eye(4)
    assert (dense(letters, inputs[1].cells(part), 0.5) == 0.5 * np.array([x, x, y, y, z, z])).all()
    back = inputs[0].restored(colors.arrays(), 6)
    assert (dense(back, inputs[0].cells(part)) == found).all()


def test_numbers_are_standardized_binned_and_may_be_missing():
    values = [3.0, 1.0, 2.0, None, 1.0, 3.0, 2.0, 100.0, 1.0]
    table = {"n": values}
    (one,), (features,), part = counted(likely.Binned(), table, list("aabbaabba"))
    there = np.array([value for value in values if value is not None])
    cells = one.cells(part)
    found = dense(features, cells)
    standard = (cells - there.mean()) / there.std()
    is_missing = np.isnan(cells)
    assert found[~is_missing, 0] == pytest.approx(standard[~is_missing], rel=1e-6)
    assert (found[:, 1] == is_missing).all()
    # Eight numbers are in two bins, and the middle is between 1 and 2, or between 2 and 3.
    assert (found[:, 2:].sum(axis=1) == ~is_missing).all()
    assert features.width == 4
    assert (found[~is_missing, 3] == (there > features.spread.cuts[0])).all()
    assert 3 <= found[:, 3].sum() <= 5
    back = one.restored(features.arrays(), 9)
    assert (dense(back, cells) == found).all()


def test_far_outliers_are_no_farther_than_three_deviations():
    spread = Spread(0.0, 1.0, np.array([0.0]))
    (one,) = likely.Binned().linear_inputs(("n",))
    features = one.restored({"standard": np.array([0.0, 1.0]), "cuts": spread.cuts}, 1)
    found = dense(features, np.array([1e308, -1e308, 2.0]))
    assert found[:, 0].tolist() == [3.0, -3.0, 2.0]


@given(st.lists(st.tuples(finite, st.integers(1, 50)), min_size=1, max_size=60))
def test_the_spread_is_that_of_the_rows_in_any_order(cells):
    counted = {}
    for value, rows in cells:
        counted[value + 0.0] = counted.get(value + 0.0, 0) + rows
    values = np.array(sorted(counted))
    rows = np.array([counted[value] for value in values], dtype=np.float64)
    every = np.repeat(values, rows.astype(int))
    found = Spread.of_cells(values, rows)
    unit = np.abs(values).max() or 1.0
    assert found.mean / unit == pytest.approx((every / unit).mean(), abs=1e-9)
    assert found.deviation / unit == pytest.approx((every / unit).std(), abs=1e-6)
    assert len(found.cuts) < max(round(len(every) ** (1 / 3)), 1)
    assert (np.diff(found.cuts) > 0).all()
    # No bin could be cut in two of which both have as many rows as a bin should have.
    bins = np.searchsorted(found.cuts, values, side="right")
    usual = rows.sum() / round(len(every) ** (1 / 3))
    for place in range(len(found.cuts) + 1):
        own = rows[bins == place]
        assert own.sum() > 0 or len(np.unique(values)) < len(values)
        assert own.sum() <= 2 * usual + own.max()


def test_gaussians_are_standardized_by_their_sums():
    random = np.random.default_rng(0)
    values = random.normal(5, 3, (40, 2)) * [1, 100]
    table = {"a": values[:, 0], "b": values[:, 1]}
    labels = ["x" if value > 5 else "y" for value in values[:, 0]]
    for likelihood in (likely.Gaussian(), likely.Gaussian("full")):
        _, features, _ = counted(likelihood, table, labels)
        for column, own in zip(values.T, features, strict=True):
            assert own.spread.mean == pytest.approx(column.mean())
            assert own.spread.deviation == pytest.approx(column.std(), rel=0.1)
            assert own.width == 3


def test_a_joint_table_is_one_hot_in_all_columns_together():
    table = {"c": list("aabbab"), "d": list("xxyyxy")}
    (one,), (features,), part = counted(likely.JointTable(), table, LABELS)
    found = dense(features, one.cells(part))
    assert (found == np.array([[1, 0, 0], [0, 1, 0]])[[0, 0, 1, 1, 0, 1]]).all()
    row = likely.Classifier({("c", "d"): likely.JointTable()}, tune=False).fit(table, LABELS)
    first = one.cells(row.fitted.product.read(Table.of({"c": ["a"], "d": ["x"]}))[0])
    (said,) = features.contributions(first, np.ones((1, 2)))
    assert said.name == "c=a, d=x"
    assert said.columns == ("c", "d")


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"standard": np.array([0.0, 1.0])},
        {"standard": np.array([0.0, -1.0]), "cuts": np.zeros(0)},
        {"standard": np.array([np.nan, 1.0]), "cuts": np.zeros(0)},
        {"standard": np.array([0.0, 1.0, 2.0]), "cuts": np.zeros(0)},
        {"standard": np.array([0.0, 1.0]), "cuts": np.array([1.0, 1.0])},
        {"standard": np.array([0.0, 1.0]), "cuts": np.array([1.0, np.inf])},
        {"standard": np.array([0, 1]), "cuts": np.zeros(0)},
        {"standard": np.array([0.0, 1.0]), "cuts": np.zeros(0), "more": np.zeros(0)},
    ],
)
def test_bins_that_are_none_are_refused(arrays):
    (one,) = likely.Binned().linear_inputs(("n",))
    with pytest.raises(ModelError, match="linear model"):
        one.restored(arrays, 5)


def test_blocks_that_do_not_fit_are_refused():
    (one,) = likely.Binned().linear_inputs(("n",))
    features = one.restored({"standard": np.array([0.0, 1.0]), "cuts": np.zeros(0)}, 1)
    rows = features.rows(one.cells(Numbers(np.array([[1.0]]))), 1.0, 1)
    learner = _kernel.LinearLearner([2])
    for blocks in ([rows], [rows, rows], []):
        with pytest.raises(DataError, match="do not fit together"):
            learner.read(blocks)
    ones = np.ones(1, dtype=np.float32)
    with pytest.raises(DataError, match="not in order"):
        _kernel.SparseRows(np.array([0, 2]), np.zeros(1, dtype=np.uint32), ones)
    with pytest.raises(DataError, match="not in order"):
        _kernel.SparseRows(np.array([0, -1, 1]), np.zeros(1, dtype=np.uint32), ones)
