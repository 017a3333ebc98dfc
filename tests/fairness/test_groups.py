import json

import numpy as np
import pytest
from fairlearn.metrics import (
    MetricFrame,
    false_positive_rate,
    selection_rate,
    true_positive_rate,
)
from sklearn.metrics import accuracy_score, precision_score

import likely
from likely.errors import DataError, OptionError
from likely.fairness import groups

METRICS = {
    "selection_rate": selection_rate,
    "true_positive_rate": true_positive_rate,
    "false_positive_rate": false_positive_rate,
    "precision": precision_score,
    "accuracy": accuracy_score,
}


def rows(n=300, seed=0):
    chance = np.random.default_rng(seed)
    region = chance.choice(["north", "south", "east"], n, p=[0.5, 0.3, 0.2])
    height = chance.normal(0, 1, n) + (region == "south")
    label = np.where(height + chance.normal(0, 1, n) > 0.3, "yes", "no")
    return {"height": height.tolist(), "region": region.tolist(), "label": label.tolist()}


@pytest.fixture(scope="module")
def model():
    return likely.Classifier({"height": likely.Gaussian()}).fit(rows(), "label")


def test_rates_equal_fairlearns(model):
    test = rows(400, seed=1)
    found = groups(model, test, "label", group="region", score="yes")
    said = model.predict({"height": test["height"]}) == "yes"
    frame = MetricFrame(
        metrics=METRICS,
        y_true=np.array(test["label"]) == "yes",
        y_pred=said,
        sensitive_features=test["region"],
    )
    assert not found.left_out
    for one in found.groups:
        for name in METRICS:
            assert one.rates[name] == pytest.approx(frame.by_group.loc[one.group, name]), name
            assert one.rates[name].low <= one.rates[name] <= one.rates[name].high
    for gap in found.gaps:
        if gap.rate in METRICS:
            assert gap.difference == pytest.approx(frame.difference()[gap.rate])
            assert gap.ratio == pytest.approx(frame.ratio()[gap.rate])


def test_training_rows_are_judged_without_themselves(model):
    train = rows()
    found = groups(model, train, "label", group="region", score="yes")
    left = model.leave_one_out(train, "label")
    south = np.array(train["region"]) == "south"
    assert found.left_out
    (one,) = [one for one in found.groups if one.group == "south"]
    assert one.rates["selection_rate"] == pytest.approx((left.predictions[south] == "yes").mean())
    p = left.probabilities[south, left.classes.index("yes")]
    assert one.rates["calibration"] == pytest.approx((p - (left.labels[south] == "yes")).mean())
    rest = (left.predictions[~south] == "yes").mean()
    difference = one.rates["selection_rate"] - rest
    assert one.against_rest["selection_rate"] == pytest.approx(difference)


def test_rows_there_more_often_than_learned_are_a_test(model):
    train = {name: cells * 2 for name, cells in rows().items()}
    found = groups(model, train, "label", group="region", score="yes")
    assert not found.left_out
    assert "600 of the 600 rows were learned" in found.warnings[0]


def test_amplification_is_the_gap_in_calls_less_that_in_labels(model):
    found = groups(model, rows(400, seed=1), "label", group="region", score="yes")
    by_name = {one.group: one.rates for one in found.groups}
    most, fewest = (by_name[name] for name in found.amplified)
    assert most["base_rate"] == max(rates["base_rate"] for rates in by_name.values())
    called = most["selection_rate"] - fewest["selection_rate"]
    assert found.amplification == pytest.approx(called - (most["base_rate"] - fewest["base_rate"]))


def test_a_group_of_one_row_is_left_out_and_small_ones_are_named(model):
    test = rows(100, seed=2)
    test["region"][0], test["region"][1:6] = "west", [""] * 5
    found = groups(model, test, "label", group="region", score="yes")
    assert "west" not in {one.group for one in found.groups}
    assert "one row is no group: `west` is left out" in found.warnings
    assert "`(none)` (5)" in found.warnings[-1]
    json.dumps(found.to_json(), allow_nan=False)


def test_a_rate_of_nothing_is_no_number(model):
    test = rows(60, seed=3)
    test["label"] = [
        "no" if r == "north" else y for r, y in zip(test["region"], test["label"], strict=True)
    ]
    found = groups(model, test, "label", group="region", score="yes")
    (north,) = [one for one in found.groups if one.group == "north"]
    assert np.isnan(north.rates["true_positive_rate"])
    assert north.to_json()["true_positive_rate"] is None
    assert "–" in str(found)


def test_equal_rates_are_those_of_two_groups(model):
    test = rows(60, seed=4) | {"label": ["no"] * 60}
    found = groups(model, test, "label", group="region", score="yes")
    (gap,) = [gap for gap in found.gaps if gap.rate == "base_rate"]
    assert gap.difference == 0
    assert gap.highest != gap.lowest


def test_columns_that_are_no_groups_are_refused(model):
    test = rows(100, seed=2)
    with pytest.raises(DataError, match="no column `regoin` to group rows by"):
        groups(model, test, "label", group="regoin", score="yes")
    many = test | {"region": [str(row % 51) for row in range(100)]}
    with pytest.raises(DataError, match="at most 50 are groups"):
        groups(model, many, "label", group="region", score="yes")
    with pytest.raises(DataError, match="no two groups of more than one row"):
        groups(model, test | {"region": ["all"] * 100}, "label", group="region", score="yes")


def test_one_class_is_asked_about():
    x = {"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "g": list("ababab"), "label": list("xxyyzz")}
    model = likely.Classifier({"a": likely.Gaussian()}).fit(x, "label")
    with pytest.raises(OptionError, match="rates by group are about one class"):
        groups(model, x, group="g")
