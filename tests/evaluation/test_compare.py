"""Comparisons: effects, flips, and how they are shown."""

import json

import numpy as np
import pytest

import likely
from likely.errors import DataError

Y = ["a", "b", "c"] * 40
FIRST = ["a", "b", "b"] * 40
SECOND = ["a", "a", "c"] * 20 + ["a", "b", "c"] * 20


def test_the_effect_is_the_difference_of_the_figures():
    for metric in ("accuracy", "macro_f1", "mcc", "balanced_accuracy", "weighted_precision"):
        found = likely.compare(Y, FIRST, SECOND, metric=metric, resamples=200)
        alone = [likely.evaluate(Y, said).figures[metric] for said in (FIRST, SECOND)]
        assert list(found.systems.values()) == pytest.approx(alone)
        assert found.effect == pytest.approx(alone[1] - alone[0])
        assert found.effect.low <= found.effect <= found.effect.high


def test_a_class_that_only_the_other_says_is_not_held_against_one():
    found = likely.compare(["a", "b"], ["a", "b"], ["a", "z"], metric="macro_f1", resamples=50)
    assert found.systems["A"] == 1.0
    assert found.systems["B"] == likely.evaluate(["a", "b"], ["a", "z"]).macro_f1


def test_the_rows_that_flipped_are_named():
    found = likely.compare(["x", "y", "x", "y"], ["x", "x", "x", "x"], ["y", "y", "x", "y"])
    (difference,) = found.differences
    assert difference.gained.tolist() == [1, 3]
    assert difference.lost.tolist() == [0]
    assert "Only B is right in rows 1, 3 (counted from 0)." in str(found)
    assert "Only A is right in row 0 (counted from 0)." in str(found)
    in_a_file = found.counted_from(1)
    assert "Only B is right in rows 2, 4.\n\nOnly A is right in row 1." in str(in_a_file)
    assert in_a_file.differences[0].gained.tolist() == [2, 4]
    assert str(in_a_file.counted_from(0)) == str(found)


def test_turning_the_two_around_turns_the_effect_around():
    there = likely.compare(Y, FIRST, SECOND, metric="macro_f1", resamples=2000)
    back = likely.compare(Y, SECOND, FIRST, metric="macro_f1", resamples=2000)
    assert back.effect == pytest.approx(-there.effect)
    assert back.p_value == pytest.approx(there.p_value, abs=0.05)


def test_neither_order_nor_repetition_matters():
    other = np.random.default_rng(0).permutation(len(Y))
    shuffled = [[column[row] for row in other] for column in (Y, FIRST, SECOND)]
    for test in ("randomisation", "bootstrap"):
        one, two, three = (
            likely.compare(*columns, metric="macro_f1", test=test, resamples=500)
            for columns in ((Y, FIRST, SECOND), (Y, FIRST, SECOND), shuffled)
        )
        facts = [(each.p_value, repr(each.effect)) for each in (one, two, three)]
        assert facts[0] == facts[1] == facts[2]


def test_rows_with_several_labels():
    y = [{"a"}, {"a", "b"}, {"c"}, set()] * 10
    worse = [{"a"}, {"a"}, {"c"}, {"b"}] * 10
    found = likely.compare(y, worse, y, resamples=300)
    assert found.effect == 0.5
    assert found.p_value < 1e-5
    found = likely.compare(y, worse, y, metric="hamming_loss", resamples=300)
    assert found.effect == pytest.approx(-20 / (40 * 3))


def test_json_has_all_of_it():
    found = likely.compare(Y, FIRST, SECOND, names=["old", "new"], resamples=100)
    facts = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert facts["metric"] == "accuracy"
    assert [one["system"] for one in facts["systems"]] == ["old", "new"]
    (difference,) = facts["differences"]
    assert difference["p_value"] == found.p_value
    assert difference["effect_low"] <= difference["effect"] <= difference["effect_high"]
    assert len(difference["gained"]) == 40


def test_the_page_of_two():
    shown = str(likely.compare(Y, FIRST, SECOND, names=["old", "new"]))
    assert shown.startswith("120 rows, McNemar's test, exact")
    assert "Null hypothesis: where only one of the two is right" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_page_of_several():
    found = likely.compare(Y, FIRST, SECOND, Y, resamples=100)
    shown = str(found)
    assert "by Holm" in shown
    assert max(map(len, shown.splitlines())) <= 80
    with pytest.raises(DataError, match="there are 2 differences"):
        _ = found.p_value


def test_names_stay_text_in_html():
    found = likely.compare(Y, FIRST, SECOND, names=["<b>", "&"], resamples=50)
    page = found._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
