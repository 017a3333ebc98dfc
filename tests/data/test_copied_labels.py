"""A column that holds the labels, beside the labels, is no evidence."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from likely import Categorical, Classifier, cross_validate
from likely.errors import DataError, LikelyWarning

ROWS = {"size": [1.5, 2.5, 9.5, 8.5] * 5, "colour": ["red", "blue", "red", "blue"] * 5}
LABELS = ["low", "low", "high", "high"] * 5
NUMBERS = [0, 0, 1, 1] * 5


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("column", "labels"),
    [
        (LABELS, LABELS),
        (NUMBERS, NUMBERS),
        ([float(n) for n in NUMBERS], np.array(NUMBERS)),
        ([bool(n) for n in NUMBERS], ["TRUE" if n else "FALSE" for n in NUMBERS]),
    ],
)
def test_a_column_identical_to_the_labels_is_left_out_and_that_is_said(frame, column, labels):
    rows = frame({**ROWS, "label": column})
    with pytest.warns(LikelyWarning, match="column `label` is identical to the labels") as told:
        model = Classifier().fit(rows, labels)
    assert told[0].filename == __file__
    assert model.columns == ("size", "colour")
    assert model.column_roles["label"].why == "identical to the labels"
    with_name = Classifier().fit(frame({**ROWS, "label": labels}), "label")
    assert with_name.digest == model.digest
    assert len(model.predict(rows)) == 20
    assert model.was_learned(rows, labels).all()


def test_one_likelihood_for_all_columns_leaves_it_out_too():
    with pytest.warns(LikelyWarning, match="identical"):
        model = Classifier(Categorical()).fit({**ROWS, "label": LABELS}, LABELS)
    assert model.columns == ("size", "colour")
    with pytest.warns(LikelyWarning), pytest.raises(DataError, match="no column to learn from"):
        Classifier(Categorical()).fit({"label": LABELS}, LABELS)
    with pytest.warns(LikelyWarning), pytest.raises(DataError, match="`label`: identical"):
        Classifier().fit({"label": LABELS}, LABELS)


def test_a_column_that_was_asked_for_stays():
    rows = {**ROWS, "label": LABELS}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "label" in Classifier(columns={"label": "categorical"}).fit(rows, LABELS).columns
        assert Classifier({"label": Categorical()}).fit(rows, LABELS).columns == ("label",)
        different = ["high", *LABELS[1:]]
        assert "label" in Classifier().fit({**ROWS, "label": different}, LABELS).columns


def test_cross_validation_leaves_it_out_too():
    with pytest.warns(LikelyWarning):
        found = cross_validate(Classifier(), {"noise": list("abab") * 5, "label": LABELS}, LABELS)
    assert float(found.evaluate().accuracy) < 1
