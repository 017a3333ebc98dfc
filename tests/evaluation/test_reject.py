"""The right to say "unsure"."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likely.errors import DataError, OptionError
from likely.evaluation import coverage

Y = ["a", "b", "a", "b"]
SAID = ["a", "b", "b", "b"]
PROBA = [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.4, 0.6]]


def test_the_curve_by_hand():
    curve = coverage(Y, SAID, PROBA)
    assert curve.confidence.tolist() == [0.9, 0.8, 0.6]
    assert curve.coverage.tolist() == [0.25, 0.5, 1.0]
    assert curve.accuracy.tolist() == [1.0, 1.0, 0.75]
    assert curve.at(0.0) == curve.at(0.6) == (1.0, 0.75)
    assert curve.at(0.7) == (0.5, 1.0)
    assert curve.at(0.95) == (0.0, 1.0)
    assert curve.confidence_for(accuracy=1.0) == 0.8
    assert curve.confidence_for(accuracy=0.7) == 0.6
    assert curve.to_json()["coverage"] == [0.25, 0.5, 1.0]


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20)), min_size=1, max_size=40))
def test_each_point_is_what_its_confidence_gives(rows):
    y, tenths = map(np.array, zip(*rows, strict=True))
    proba = np.column_stack([1 - tenths / 20, tenths / 20])
    said = proba.argmax(axis=1)
    curve = coverage(y, said, proba, classes=[0, 1])
    confidence = proba.max(axis=1)
    assert (np.diff(curve.coverage) > 0).all()
    assert curve.coverage[-1] == 1.0
    for threshold, share, right in zip(
        curve.confidence, curve.coverage, curve.accuracy, strict=True
    ):
        answered = confidence >= threshold
        assert share == pytest.approx(answered.mean())
        assert right == pytest.approx((y == said)[answered].mean())


def test_what_is_asked_must_make_sense():
    curve = coverage(["a", "b"], ["b", "a"], [[0.1, 0.9], [0.8, 0.2]])
    with pytest.raises(DataError, match=r"no confidence reaches an accuracy of 0\.5"):
        curve.confidence_for(0.5)
    with pytest.raises(OptionError, match="between 0 and 1"):
        curve.confidence_for(95)
    with pytest.raises(DataError, match="one label each"):
        coverage([["a"]], [["a"]], [[1.0]])


def test_the_page():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.5, 1, 1000)
    y = (rng.random(1000) > confidence).astype(int)
    curve = coverage(y, np.zeros(1000, int), np.column_stack([confidence, 1 - confidence]))
    shown = str(curve).splitlines()
    assert shown[0].split() == ["unsure", "below", "answered", "right", "of", "these"]
    assert shown[1].split()[1] == "1.0000"
    assert len(shown) == 10
    assert "<table>" in curve._repr_html_()
