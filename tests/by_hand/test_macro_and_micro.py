"""Urgent, normal and spam: the same confusions averaged over classes and over rows."""

from fractions import Fraction

import numpy as np
import pytest

import likely
from tests import bundled

CLASSES = ["urgent", "normal", "spam"]
# Output in rows, gold in columns, as the table is written on the blackboard.
TABLE = np.array([list(map(int, row[1:])) for row in bundled.rows("urgent.csv")])


@pytest.fixture(scope="module")
def found():
    said, gold = (np.repeat(part.ravel(), TABLE.ravel()) for part in np.indices(TABLE.shape))
    named = np.array(CLASSES)
    return likely.evaluate(named[gold], named[said], classes=CLASSES)


def test_our_matrix_has_gold_in_rows(found):
    assert found.confusion.tolist() == TABLE.T.tolist()


def test_the_precisions(found):
    precisions = [Fraction(8, 19), Fraction(60, 115), Fraction(200, 233)]
    assert [one.precision for one in found.per_class] == pytest.approx(list(map(float, precisions)))
    assert found.macro_precision == pytest.approx(float(sum(precisions) / 3))
    assert round(found.macro_precision, 2) == 0.60


def test_the_pooled_precision(found):
    assert found.micro_precision == pytest.approx(float(Fraction(268, 367)))
    assert round(found.micro_precision, 2) == 0.73
    assert found.micro_precision == found.micro_f1 == found.accuracy


def test_the_recalls(found):
    recalls = [Fraction(8, 16), Fraction(60, 100), Fraction(200, 251)]
    assert [one.recall for one in found.per_class] == pytest.approx(list(map(float, recalls)))
