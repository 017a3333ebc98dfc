"""Evaluation of a confusion table: the same as that of its rows."""

import inspect
import pydoc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely.errors import DataError, LikelyError

CLASSES = ["urgent", "normal", "spam"]
TABLE = [[8, 5, 3], [10, 60, 30], [1, 50, 200]]

squares = st.integers(1, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 12), min_size=k, max_size=k), min_size=k, max_size=k)
)


def spread(table, classes):
    """The rows of a table: gold labels and predictions."""
    counts = np.array(table)
    return [
        np.array(classes)[part.ravel().repeat(counts.ravel())] for part in np.indices(counts.shape)
    ]


@given(squares, st.sampled_from([0.5, 1, 2]))
@settings(max_examples=40, deadline=None)
def test_a_table_has_the_figures_and_intervals_of_its_rows(table, beta):
    assume(np.sum(table))
    classes = list("zyxw")[: len(table)]
    expected = likely.evaluate(*spread(table, classes), classes=classes, beta=beta, resamples=50)
    found = likely.evaluate.from_confusion(table, classes, beta=beta, resamples=50)
    assert found.to_json() == expected.to_json()
    assert str(found) == str(expected)


def test_what_needs_probabilities_is_absent():
    found = likely.evaluate.from_confusion(TABLE)
    assert found.log_loss is found.brier is found.ece is found.roc_auc is None
    assert found.classes == (0, 1, 2)
    assert found.reliability == ()


@pytest.mark.parametrize(
    "given",
    [
        np.array(TABLE),
        np.array(TABLE, dtype=float),
        [tuple(row) for row in TABLE],
        [[str(cell) for cell in row] for row in TABLE],
        pd.DataFrame(TABLE, index=CLASSES, columns=CLASSES),
        pd.DataFrame(TABLE, index=CLASSES, columns=CLASSES).loc[["spam", "urgent", "normal"]],
        pl.DataFrame(dict(zip(CLASSES, np.transpose(TABLE), strict=True))),
    ],
    ids=["integers", "floats", "tuples", "texts", "frame", "frame in another order", "polars"],
)
def test_every_form_of_a_table_is_the_same(given):
    named = None if hasattr(given, "columns") else CLASSES
    found = likely.evaluate.from_confusion(given, named)
    assert list(found.classes) == CLASSES
    assert found.confusion.tolist() == TABLE


def test_a_cross_table_of_pandas_is_one():
    gold, said = spread(TABLE, CLASSES)
    found = likely.evaluate.from_confusion(pd.crosstab(gold, said), CLASSES)
    assert list(found.classes) == CLASSES
    assert found.confusion.tolist() == TABLE


def test_counts_of_many_rows_cost_no_more_than_few():
    found = likely.evaluate.from_confusion([[10**14, 0], [10**8, 10**12]])
    assert found.rows == 10**14 + 10**12 + 10**8
    assert found.per_class[1].recall == pytest.approx(1 / (1 + 1e-4))
    assert found.accuracy.low <= found.accuracy <= found.accuracy.high


@pytest.mark.parametrize(
    ("matrix", "classes", "message"),
    [
        ([], None, "the confusion table is empty"),
        ([[]], None, "the confusion table is empty"),
        (7, None, "a confusion table is a matrix"),
        ("ab", None, "a confusion table is a matrix"),
        ([1, 2], None, "row 1 of the confusion table is 1, not a list"),
        (np.zeros((2, 2, 2)), None, "a confusion table is a matrix"),
        ([[1, 2], [3]], None, "row 2 of the confusion table has 1 cell, but row 1 has 2"),
        ([[1, 2, 3], [4, 5, 6]], None, "has 2 rows and 3 columns; it needs one of each for every"),
        ([[1, 2], [3, -4]], None, "row 2, column 2: `-4` is not a whole number from 0 up"),
        ([[1, 2], [3, -4]], "ab", r"row 2 \(`b`\), column `b`: `-4` is not a whole number"),
        (
            [[0.5, 0.5], [0, 1]],
            None,
            "`0.5` is not a whole number from 0 up\nhint: the cells are n",
        ),
        ([[1, None], [3, 4]], None, "row 1, column 2: the cell is empty\nhint: write 0"),
        ([[1, float("nan")], [3, 4]], None, "row 1, column 2: the cell is empty"),
        ([[True, False], [False, True]], None, "row 1, column 1: `true` is not a whole number"),
        ([[1, [2]], [3, 4]], None, "row 1, column 2: the cell is list, not a number"),
        ([[0, 0], [0, 0]], None, "every count is 0"),
        ([[2**53, 1], [0, 0]], None, "more than 2⁵³ rows"),
        (TABLE, ["a", "b"], "`classes` has 2 names, but the confusion table has 3 rows"),
        (TABLE, ["a", "b", "a"], "two classes are called `a`"),
        (TABLE, ["a", "b", 3], "the name of a class: .*"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["a", "c"]), None, "called `b`"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "a"], columns=["a", "b"]), None, "two rows"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["a", "b"]), "ac", "`c`, but no"),
        (
            pd.DataFrame([[1, 2], [3, 4]], columns=["a", "b"]),
            None,
            "called `0`, but no such column",
        ),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(matrix, classes, message):
    with pytest.raises(LikelyError, match=message):
        likely.evaluate.from_confusion(matrix, None if classes is None else list(classes))


def test_options_are_checked_as_those_of_evaluate_are():
    for option in ({"beta": -1}, {"level": 2}, {"resamples": 0}, {"seed": -1}):
        with pytest.raises(LikelyError, match=f"`{next(iter(option))}`"):
            likely.evaluate.from_confusion(TABLE, **option)


def test_evaluate_is_a_function_still():
    assert inspect.isfunction(likely.evaluate)
    assert list(inspect.signature(likely.evaluate).parameters)[:3] == ["y_true", "y_pred", "proba"]
    assert "Measure predictions against the truth" in pydoc.render_doc(likely.evaluate)
    assert "known only as a confusion table" in pydoc.render_doc(likely.evaluate.from_confusion)


# Files


def read(tmp_path, text, name="table.csv"):
    from likely.evaluation.confusion import ConfusionTable

    (tmp_path / name).write_text(text, encoding="utf-8")
    return ConfusionTable.read(likely.open_table(tmp_path / name))


def test_the_first_cell_says_what_the_rows_are(tmp_path):
    gold = read(tmp_path, "gold,a,b\na,1,2\nb,3,4\n")
    predicted = read(tmp_path, "Predicted,a,b\na,1,3\nb,2,4\n")
    assert gold.classes == predicted.classes == ("a", "b")
    assert gold.counts.tolist() == predicted.counts.tolist() == [[1, 2], [3, 4]]


def test_rows_may_come_in_another_order_and_labels_may_hold_anything(tmp_path):
    text = 'gold,"a, ""b""",é 日,na\nna,7,8,9\n"a, ""b""",1,2,3\né 日,4,5,6\n'
    found = read(tmp_path, text)
    assert found.classes == ('a, "b"', "é 日", "na")
    assert found.counts.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.tsv", "gold\ta\tb\na\t1\t2\nb\t3\t4\n"),
        ("t.csv", "gold; a; b\n a; 1; 2\nb;3;4.0\n"),
        ("t.csv", "\ufeffgold,a,b\r\na,1,2\r\nb,3,4\r\n"),
        ("t.jsonl", '{"gold": "a", "a": 1, "b": 2}\n{"gold": "b", "a": 3, "b": 4}\n'),
    ],
)
def test_tables_of_other_formats(tmp_path, name, text):
    assert read(tmp_path, text, name).counts.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class,a,b\na,1,2\nb,3,4\n", "`gold` or `predicted`, and this one is `class`\nhint: with"),
        (",a,b\na,1,2\nb,3,4\n", "`gold` or `predicted`, and this one is empty"),
        ("gold,a,b\n", "no rows"),
        ("gold,a,b\na,1,2\n", "there is a column called `b`, but no such row\nhint: rows and"),
        ("gold,a,b\na,1,2\nb,3,4\nc,5,6\n", "there is a row called `c`, but no such column"),
        ("gold,a,b\na,1,2\na,3,4\n", "two rows are called `a`"),
        ("gold,a,a\na,1,2\na,3,4\n", "two columns are called `a`"),
        ("gold,a,b\na,1,2\n,3,4\n", "row 2 has no name"),
        ("gold,a,b\na,1,\nb,3,4\n", r"row 1 \(`a`\), column `b`: the cell is empty"),
        ("gold,a,b\na,1,2\nb,NA,4\n", r"row 2 \(`b`\), column `a`: the cell is empty"),
        ("gold,a,b\na,1,two\nb,3,4\n", r"row 1 \(`a`\), column `b`: `two` is not a whole number"),
        ("gold,a,b\na,1,0.25\nb,3,4\n", "`0.25` is not a whole number from 0 up\nhint: the cells"),
        ("gold,a,b\na,1,2,3\nb,3,4\n", "line 2: the row has 4 cells, the header 3"),
        ("gold,a,b\na,0,0\nb,0,0\n", "every count is 0"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_its_name_and_place(tmp_path, text, message):
    with pytest.raises(DataError, match=message) as refused:
        read(tmp_path, text)
    assert "table.csv" in str(refused.value)
