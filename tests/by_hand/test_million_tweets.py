"""A million tweets, a hundred of them about the thing: a classifier that never says so."""

import numpy as np
import pytest

import likely


@pytest.fixture(scope="module")
def found():
    about = np.repeat(["other", "pie"], [999_900, 100])
    return likely.evaluate(about, np.repeat("other", 1_000_000))


def test_accuracy_is_splendid_and_recall_is_zero(found):
    assert found.accuracy == pytest.approx(0.9999, rel=1e-12)
    assert found.confusion.tolist() == [[999_900, 0], [100, 0]]
    pie = found.per_class[1]
    assert (pie.label, pie.rows, pie.precision, pie.recall, pie.f1) == ("pie", 100, 0, 0, 0)


def test_what_is_not_fooled(found):
    assert found.majority_baseline == found.accuracy
    assert found.balanced_accuracy == 0.5
    assert found.mcc == 0.0
    assert found.macro_recall == 0.5


def test_the_page_warns(found):
    first = found.warnings[0]
    assert first.startswith("accuracy misleads here: 99.99 % of the rows are `other`")
    assert "of the rows of `pie`, 0 % are found" in first
    assert "accuracy misleads" in str(found)
