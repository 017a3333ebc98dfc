"""The page of an evaluation: what it says, how wide it is, and what it warns of."""

import json

import numpy as np
import pytest

import likely
from likely.evaluation.evaluate import figure_names


def rows(n_classes, n_rows=400, name="class {}".format):
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_rows)
    said = np.where(rng.random(n_rows) < 0.6, y, rng.integers(0, n_classes, n_rows))
    return [name(k) for k in y], [name(k) for k in said]


@pytest.mark.parametrize("n_classes", [2, 5, 12, 40, 120])
@pytest.mark.parametrize(
    "name", ["{}".format, "a rather long name, number {}".format], ids=["short", "long"]
)
def test_eighty_columns_are_enough(n_classes, name):
    shown = str(likely.evaluate(*rows(n_classes, name=name), resamples=20))
    assert max(map(len, shown.splitlines())) <= 80


def test_accuracy_never_stands_without_its_baseline():
    y, said = ["ham", "ham", "spam"], ["ham", "spam", "spam"]
    first, second = str(likely.evaluate(y, said)).splitlines()[3:5]
    assert first.split()[:2] == ["accuracy", "0.6667"]
    assert second.split()[:4] == ["majority", "baseline", "`ham`", "0.6667"]


def test_of_two_classes_the_page_says_whose_average_precision_it_is():
    found = likely.evaluate(["ham", "spam"], ["ham", "spam"], [[0.9, 0.1], [0.2, 0.8]])
    shown = " ".join(str(found).split())
    assert "average precision, `spam` 1.0000" in shown
    assert "Brier score, one of two classes 0.0250" in shown
    assert found.to_json()["brier_of"] == "one of two classes"
    three = likely.evaluate([0, 1, 2], [0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]])
    assert three.brier == pytest.approx(0.5 / 3)
    assert "Brier score, sum over classes 0.1667" in " ".join(str(three).split())


def test_the_page_says_which_way_the_confusion_matrix_lies():
    shown = str(likely.evaluate(["x", "x", "y"], ["x", "y", "y"]))
    assert "rows are the truth, columns the predictions" in shown
    head = shown[shown.index("Confusion matrix") :].splitlines()[2:5]
    assert [line.split() for line in head] == [["x", "y"], ["x", "1", "1"], ["y", "0", "1"]]


def test_long_names_are_numbered_and_many_classes_listed_by_what_is_confused():
    assert "2  class" in str(likely.evaluate(*rows(10), resamples=20))
    many = str(likely.evaluate(*rows(60), resamples=20))
    assert "What is confused most:" in many
    assert "and 30 classes with as many rows or fewer" in many


def test_json_is_flat_and_whole():
    proba = [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]]
    found = likely.evaluate(["a", "b", "b"], ["a", "b", "a"], proba)
    facts = json.loads(json.dumps(found.to_json(), allow_nan=False))
    names = (
        "accuracy majority_baseline balanced_accuracy mcc macro_precision macro_recall macro_f1 "
        "micro_f1 weighted_f1 log_loss brier ece roc_auc average_precision"
    )
    for name in names.split():
        assert facts[f"{name}_low"] <= facts[f"{name}_high"]
        assert facts[name] == getattr(found, name)
    assert facts["rows"] == 3
    assert facts["confusion"] == [[1, 0], [1, 1]]
    assert [one["label"] for one in facts["per_class"]] == ["a", "b"]
    assert facts["per_class"][0]["f1_low"] <= facts["per_class"][0]["f1"]
    assert facts["reliability"][0]["rows"] == 1
    assert "warnings" in facts


def test_labels_stay_text_in_html_and_on_their_line():
    nasty = "<script>alert(1)</script>\n\x1b[31m"
    found = likely.evaluate([nasty, "b"], [nasty, nasty])
    assert "<script>" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()
    assert "\x1b" not in str(found)


def test_wide_letters_are_aligned():
    shown = str(likely.evaluate(["日本", "한국"], ["日本", "日本"])).splitlines()
    table = [line for line in shown if line.startswith(("日本", "한국")) and "." in line]
    assert len({line.index(".") for line in table}) == 1


def warnings(*arguments, **options):
    return " | ".join(likely.evaluate(*arguments, intervals=False, **options).warnings)


def test_classes_that_are_never_said_or_never_true_are_named():
    y, said = ["a", "b"] * 60, ["a", "c"] * 60
    assert "never predicted: `b`; a precision of 0/0 is taken as 0" in warnings(y, said)
    assert "predicted but never true: `c`; a recall of 0/0 is taken as 0" in warnings(y, said)
    assert "neither true nor predicted: `d`" in warnings(y, said, classes=list("abcd"))


def test_few_rows_are_said_to_be_few():
    assert "3 rows are few" in warnings(["a", "b", "a"], ["a", "b", "b"])
    assert "1 row is few" in warnings(["a"], ["b"])
    y = ["a"] * 100 + ["b"] * 60 + ["c"] * 3
    assert "fewer than 10 rows of `c`" in warnings(y, y)


def test_worse_than_saying_one_thing_always_is_said():
    y = ["a"] * 80 + ["b"] * 40
    said = ["b"] * 80 + ["b"] * 40
    assert "always saying `a` would be right more often" in warnings(y, said)


def test_accuracy_misleads_only_where_it_hides_something():
    y = ["ham"] * 900 + ["spam"] * 100
    assert "accuracy misleads" not in warnings(y, y)
    assert "of the rows of `spam`, 50 % are found" in warnings(y, y[:950] + ["ham"] * 50)


def test_good_predictions_of_many_rows_raise_no_warning():
    y = ["a", "b"] * 100
    assert warnings(y, ["a", "b"] * 90 + ["b", "a"] * 10) == ""


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_figures_are_known_by_name_before_they_are_made(beta):
    one = likely.evaluate(["a", "b"], ["a", "a"], [[0.9, 0.1], [0.6, 0.4]], beta=beta)
    assert set(figure_names(False, beta)) == set(one.figures)
    is_multilabel = likely.evaluate(
        [["a"], []], [["a"], ["b"]], [[1, 0], [0, 1]], classes=["a", "b"], beta=beta
    )
    assert set(figure_names(True, beta)) == set(is_multilabel.figures)
