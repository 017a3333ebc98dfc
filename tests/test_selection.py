"""Selecting rows that look like a target: the best, or drawn by how good, in constant memory."""

import csv
import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likely
from likely.selection import _least_kept, _sortable, select_rows

SPORT = ["the striker scored a late goal", "a goal in the last minute of the match"]
LAW = ["the minister signed the new law", "parliament voted on the budget"]
POOL = [*LAW, "the match ended with a goal", "a law on the budget", "the striker left the match"]


def kept(*args, **options):
    return [row for batch in select_rows(*args, **options) for row in batch.rows.tolist()]


@pytest.mark.parametrize("features", ["hashed", "exact"])
def test_what_looks_like_the_target_is_kept(features):
    assert kept(SPORT * 3, POOL, 2, features=features, draw="top") == [2, 4]
    assert kept(LAW * 3, POOL, 0.6, features=features, draw="top") == [0, 1, 3]


def test_hashed_and_exact_features_agree_where_no_bucket_is_shared():
    found = [
        np.concatenate([b.log_ratios for b in select_rows(SPORT, POOL, 1.0, features=f)])
        for f in ("hashed", "exact")
    ]
    np.testing.assert_allclose(*found, rtol=1e-9)


@given(
    st.lists(st.floats(-9, 9), min_size=1, max_size=60).flatmap(
        lambda keys: st.tuples(st.just(keys), st.integers(1, len(keys)))
    )
)
def test_the_least_key_kept_is_the_nth_largest(given):
    keys, n = given
    spool = io.BytesIO(np.stack([keys, np.zeros(len(keys))], axis=1).tobytes())
    least, ties = _least_kept(spool, n)
    expected = sorted(keys, reverse=True)[n - 1]
    assert least == _sortable(np.array([expected]))[0]
    assert ties == n - sum(key > expected for key in keys)


def test_a_seed_draws_the_same_rows_and_better_rows_more_often():
    pool = POOL * 20
    assert kept(SPORT, pool, 30, seed=5) == kept(SPORT, pool, 30, seed=5)
    assert kept(SPORT, pool, 30, seed=5) != kept(SPORT, pool, 30, seed=6)
    drawn = np.bincount(np.array(kept(SPORT, pool, 30, seed=5)) % 5, minlength=5)
    assert drawn[2] + drawn[4] > drawn[0] + drawn[1] + drawn[3]


def test_memory_does_not_grow_with_the_pool(tmp_path):
    def peak(rows):
        path = tmp_path / f"{rows}.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["text"])
            writer.writerows([f"{POOL[i % 5]} number {i} of all"] for i in range(rows))
        tracemalloc.start()
        total = sum(len(b.rows) for b in select_rows(SPORT, path, 100))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert total == 100
        return most

    peak(1000)
    assert peak(400_000) < peak(200_000) * 1.3


@pytest.mark.parametrize(
    ("target", "pool", "keep", "options", "message"),
    [
        ([], POOL, 2, {}, "the target has no rows"),
        (SPORT, [], 2, {}, "the pool has no rows"),
        ([""], POOL, 2, {}, "the target has no words"),
        (SPORT, POOL, 9, {}, "9 rows are to be kept, but the pool has 5"),
        (SPORT, POOL, 0, {}, "`keep` is a share from 0 to 1, or a number of rows, not 0"),
        (SPORT, POOL, 1, {"features": "bag"}, '`features` are "hashed" or "exact"'),
        (SPORT, POOL, 1, {"draw": "best"}, '`draw` is "sample" or "top"'),
        (SPORT, POOL, 1, {"words": 0}, "`words` is an n-gram length from 1 to 8"),
        (
            SPORT,
            {"a": POOL, "b": POOL},
            1,
            {},
            "the pool has no column with the usual name",
        ),
        (SPORT, {"a": POOL}, 1, {"text": "b"}, "no column `b`"),
    ],
)
def test_what_makes_no_sense_is_refused(target, pool, keep, options, message):
    with pytest.raises(likely.errors.LikelyError, match=message):
        list(select_rows(target, pool, keep, **options))
