"""Texts that stand more than once."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from likely.copies import Copies

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=12)


@given(rows, st.data())
def test_a_row_knows_how_often_its_text_stands_in_each_class(rows, data):
    hashes = np.array([text for text, _ in rows], dtype=np.uint64)
    truth = np.array([label for _, label in rows], dtype=np.uint32)
    copies = Copies.of(hashes, truth)
    counted = Counter(rows)
    picked = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True))
    for found, places in ((copies, range(len(rows))), (copies.take(np.array(picked, int)), picked)):
        assert len(found) == len(places)
        for place, row in enumerate(places):
            text, _ = rows[row]
            here = slice(found.starts[place], found.starts[place + 1])
            listed = dict(
                zip(found.classes[here].tolist(), found.counts[here].tolist(), strict=True)
            )
            expected = {c: n for (other, c), n in counted.items() if other == text}
            alone = sum(expected.values()) == 1
            assert listed == ({} if alone else expected)
            assert bool(found.are_there[place]) is not alone
    leaving = copies.of_class(truth)
    assert leaving.tolist() == [counted[row] for row in rows]


def test_rows_of_the_smallest_hashes_are_taken():
    from likely.weighing import Known

    hashes = np.arange(1000, dtype=np.uint64)[::-1].copy()
    known = Known(np.zeros(1000, np.uint32), hashes, {}, {}, np.ones(1000, bool))
    assert np.flatnonzero(known.smallest(3)).tolist() == [997, 998, 999]
    assert known.smallest(1000).all()
