"""Agreement and accuracy, against other sources."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likely import Classifier
from likely.data.files import open_table
from likely.server.journal import Request
from likely.server.labeling.progress import kappa, unseen
from likely.server.labeling.session import start

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


def test_what_was_found_is_no_longer_unseen(tmp_path):
    path = tmp_path / "data.csv"
    texts = [f"{('prize', 'lunch')[n % 2]} {n}" for n in range(200)]
    path.write_text("\n".join(["text", *texts]))
    session = start(tmp_path / "m.likely", open_table(path), Classifier(), False, ("spam", "ham"))
    try:
        # As if these had been drawn: half of them are of each kind.
        session.check_rows = np.arange(40)
        for label, first in (("spam", 0), ("ham", 1)):
            session.answer([*range(first, 40, 2)], [label], "me", "random", Request())
        assert [round(one["left"]) for one in unseen(session).values()] == [80, 80]
        session.answer([*range(40, 200, 2)], ["spam"], "me", "word", Request())
        spam, ham = unseen(session)["spam"], unseen(session)["ham"]
        assert (spam["found"], spam["left"], spam["low"]) == (100, 0, 0)
        assert (ham["found"], ham["left"], ham["high"]) == (20, 80, 80)
    finally:
        session.close()
