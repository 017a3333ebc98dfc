"""Accuracy, what is unseen, and agreement, by hand and against other sources."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likely import Classifier
from likely.data.files import open_table
from likely.server.journal import Request
from likely.server.labeling import progress
from likely.server.labeling.checking import Check
from likely.server.labeling.left_out import left_out
from likely.server.labeling.progress import kappa
from likely.server.labeling.session import start

labels = st.sampled_from(["spam", "ham", "other"])

N_ROWS = 240


def label_of(item):
    return "spam" if item % 4 == 0 else "ham"


def written(path, texts):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in texts)])
    return open_table(path)


@pytest.fixture
def session(tmp_path):
    """240 rows, of which every fourth is spam; a few of many words lean to one side."""
    draw = np.random.default_rng(0)
    both = [f"word{n}" for n in range(30)]
    words = {"spam": ["prize", "win", "now", *both], "ham": ["lunch", "call", *both]}
    texts = [" ".join(draw.choice(words[label_of(item)], 8)) for item in range(N_ROWS)]
    table = written(tmp_path / "data.csv", texts)
    session = start(tmp_path / "m.likely", table, Classifier(), False, [], seed=1)
    yield session
    session.close()


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


def test_rows_that_were_found_are_not_still_unseen(session):
    spam = [item for item in range(len(session.pool)) if label_of(item) == "spam"]
    session.answer(spam[:30], ["spam"], "Ann", "search", Request())
    for item in session.check_rows[:20].tolist():
        session.answer([item], [label_of(item)], "Ann", "random", Request())
    sample = session.check_rows[:20].tolist()
    share = sum(label_of(item) == "spam" for item in sample) / len(sample)
    n_found = len({*spam[:30], *(item for item in sample if label_of(item) == "spam")})
    found = progress.unseen(Check(session))["spam"]
    assert found["found"] == n_found
    assert found["left"] == pytest.approx(share * len(session.pool) - n_found)
    assert 0 <= found["low"] < found["left"] < found["high"]
    session.answer(spam, ["spam"], "Ann", "search", Request())
    unanswered = len(session.pool) - len(session.seen.answers)
    found = progress.unseen(Check(session))["spam"]
    assert 0 <= found["low"] <= found["left"] < found["high"] <= unanswered
    assert found["left"] == pytest.approx(max(share * len(session.pool) - len(spam), 0))


def test_nothing_is_said_of_unseen_rows_before_ten_random_ones_are_answered(session):
    check_rows = session.check_rows.tolist()
    for item in check_rows[:9]:
        session.answer([item], [label_of(item)], "Ann", "random", Request())
    assert progress.unseen(Check(session)) == {}
    session.answer([check_rows[9]], [label_of(check_rows[9])], "Ann", "random", Request())
    assert set(progress.unseen(Check(session))) == {"spam", "ham"}


def test_skipped_rows_are_neither_found_nor_unseen(session):
    order = session.order.tolist()
    for item in order[:12]:
        session.answer([item], [label_of(item)], "Ann", "random", Request())
    session.answer(order[12:132], None, "Ann", "search", Request())
    n_spam = sum(label_of(item) == "spam" for item in order[:12])
    found = progress.unseen(Check(session))["spam"]
    assert found["left"] == pytest.approx((N_ROWS - 120) * n_spam / 12 - n_spam)


def test_curve_and_forecast_go_on_from_the_accuracy_of_now(session):
    for item in session.order[:50].tolist():
        session.answer([item], [label_of(item)], "Ann", "random", Request())
    session.model.tune().result()
    check = Check(session)
    now, ahead = progress.accuracy(check), progress.forecast(check)
    assert now.rows == 50
    assert ahead["answers"] == 100
    assert ahead["curve"][-1] == {"answers": 50, "accuracy": float(now.share)}
    assert ahead["accuracy"] >= now.share
    last = progress.curve(check)[-1]
    assert (last["answers"], last["value"]) == (50, float(now.share))


def test_tuning_does_not_flatter_the_accuracy(tmp_path):
    """Labels by lot: nothing can be right more than half of the time, but weights try to."""
    right, flattered = [], []
    for seed in range(8):
        draw = np.random.default_rng(seed)
        words = np.array([f"word{n}" for n in range(40)])
        table = written(
            tmp_path / f"{seed}.csv", [" ".join(draw.choice(words, 8)) for _ in range(160)]
        )
        session = start(tmp_path / f"{seed}.likely", table, Classifier(), False, [], seed)
        for item in session.order[:40].tolist():
            label = draw.choice(["heads", "tails"])
            session.answer([item], [label], "Ann", "random", Request())
        session.model.tune().result()
        right.append(progress.accuracy(Check(session)).share)
        flattered.append(left_out(session)[0].accuracy)
        session.close()
    assert np.mean(right) < 0.53 < np.mean(flattered)
