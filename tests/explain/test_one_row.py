"""A single row is explained in whatever form it comes, as on the command line."""

import pandas as pd
import polars as pl
import pytest

import likely
from likely.errors import DataError
from tests.raising import coded

PEOPLE = pd.DataFrame(
    {
        "sex": ["male", "female", "male", "female"] * 20,
        "port": ["a", "b", "c", "a"] * 20,
        "stayed": ["yes", "no", "yes", "yes"] * 20,
    }
)


@pytest.fixture(scope="module")
def model():
    return likely.Classifier().fit(PEOPLE, "stayed")


@pytest.mark.parametrize(
    "row",
    [PEOPLE[1:2], PEOPLE.iloc[1], pl.from_pandas(PEOPLE)[1:2], dict(PEOPLE.iloc[1])],
    ids=["a frame of one row", "a series", "a polars frame", "a dictionary"],
)
def test_a_row_of_a_frame_is_explained_as_it_is_predicted(model, row):
    expected = model.predict_proba(PEOPLE[1:2])[0]
    assert model.explain(row).probabilities == pytest.approx(expected)
    assert model.by_hand(row).probabilities == pytest.approx(expected)


@pytest.mark.parametrize("row", [{"sex": "male"}, pd.Series({"sex": "male"}), PEOPLE[["sex"]][:1]])
def test_columns_that_are_not_given_are_missing(model, row):
    expected = model.explain({"sex": "male", "port": None}).probabilities
    assert (model.explain(row).probabilities == expected).all()


def test_more_rows_than_one_are_refused(model):
    with pytest.raises(DataError, match="one row is explained at a time, and 80 were given"):
        model.explain(PEOPLE)


def test_a_cell_of_no_column_is_refused_if_columns_are_missing(model):
    with pytest.raises(DataError, match=r"the model has no column `Sex`.*\n.*did you mean `sex`"):
        model.explain({"Sex": "male"})
    with pytest.raises(DataError, check=coded("not-a-model-column")):
        model.explain({"sex": "male", "prot": "a"})
