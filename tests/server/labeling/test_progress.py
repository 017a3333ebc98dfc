"""Agreement and accuracy, against other sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likely.server.labeling.progress import kappa

labels = st.sampled_from(["spam", "ham", "other"])


def test_kappa_by_hand():
    # 20 rows: both yes 8, both no 6, only the first yes 4, only the second yes 2.
    pairs = [("y", "y")] * 8 + [("n", "n")] * 6 + [("y", "n")] * 4 + [("n", "y")] * 2
    by_chance = (12 / 20) * (10 / 20) + (8 / 20) * (10 / 20)
    assert kappa(pairs) == pytest.approx((14 / 20 - by_chance) / (1 - by_chance))
    assert kappa([("a", "b"), ("b", "a")]) == -1


def test_kappa_says_nothing_where_all_say_one_label():
    assert kappa([("a", "a")] * 5) is None


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=40))
def test_kappa_is_that_of_scikit_learn(pairs):
    metrics = pytest.importorskip("sklearn.metrics")
    found = kappa(pairs)
    if found is not None:
        first, second = zip(*pairs, strict=True)
        assert found == pytest.approx(metrics.cohen_kappa_score(first, second))
