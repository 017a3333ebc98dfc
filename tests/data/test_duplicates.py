"""Texts that stand more than once."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likely
from likely.data.duplicates import ExactDuplicates, near_duplicates
from likely.errors import DataError, OptionError

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=12)


@given(rows, st.data())
def test_a_row_knows_how_often_its_text_stands_in_each_class(rows, data):
    hashes = np.array([text for text, _ in rows], dtype=np.uint64)
    truth = np.array([label for _, label in rows], dtype=np.uint32)
    copies = ExactDuplicates.of(hashes, truth)
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
    from likely.model.tuning import TrainingRows

    hashes = np.arange(1000, dtype=np.uint64)[::-1].copy()
    known = TrainingRows(np.zeros(1000, np.uint32), hashes, {}, {}, np.ones(1000, bool))
    assert np.flatnonzero(known.smallest(3)).tolist() == [997, 998, 999]
    assert known.smallest(1000).all()


def runs(text):
    words = text.split()
    return {tuple(words[start : start + 3]) for start in range(max(len(words) - 2, 1))}


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=3, max_size=9).map(" ".join), max_size=15))
def test_near_copies_are_joined_by_chains_of_texts_alike(texts):
    found = near_duplicates(texts, 0.6).tolist()
    alike = {
        (a, b)
        for a, one in enumerate(texts)
        for b, other in enumerate(texts)
        if len(runs(one) & runs(other)) >= 0.6 * len(runs(one) | runs(other))
    }
    groups = list(range(len(texts)))
    for _ in texts:
        groups = [
            min(groups[b] for b in range(len(texts)) if (a, b) in alike) for a in range(len(texts))
        ]
    # None is made up; a pair that is just alike enough may be overlooked.
    assert all(groups[row] == groups[first] for row, first in enumerate(found))
    same = [texts.index(text) for text in texts]
    assert all(found[row] == found[first] for row, first in enumerate(same))


def test_near_copies_of_a_corpus_are_found():
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in random.integers(0, 500, 40)) for _ in range(200)]
    twins = [f"Oh! {text}" for text in texts[:50]]
    found = near_duplicates(texts + twins, threads=2)
    assert found[:200].tolist() == list(range(200))
    assert found[200:].tolist() == list(range(50))


def test_what_is_no_text_or_no_likeness_is_refused():
    with pytest.raises(DataError, match="text 2 is no text but None"):
        near_duplicates(["a", None])
    with pytest.raises(OptionError, match="above 0 and up to 1, not 0"):
        near_duplicates(["a"], 0)
    assert near_duplicates([]).tolist() == []


def test_twins_inflate_what_leave_one_out_says():
    random = np.random.default_rng(1)
    texts = [" ".join(f"w{word}" for word in random.integers(0, 300, 30)) for _ in range(150)]
    labels = random.choice(["x", "y"], 150).tolist()
    texts, labels = texts + [f"{text} indeed" for text in texts[:50]], labels + labels[:50]
    model = likely.Classifier(likely.Multinomial()).fit(texts, labels, loo=True)
    groups = near_duplicates(texts)
    _, of_row, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    alone = sizes[of_row] == 1
    assert alone.sum() == 100
    assert model.loo.take(~alone).accuracy > 0.8
    assert model.loo.take(alone).accuracy < 0.65
