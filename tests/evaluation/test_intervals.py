"""Intervals: where they lie, how often they hold the truth, and that the seed alone moves them."""

import pickle
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likely
from likely.evaluation.counts import draws
from likely.evaluation.intervals import Figure, difference, quotient, shares


def rows(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet([1, 1, 1], n_rows)
    y = (rng.random((n_rows, 1)) > proba.cumsum(axis=1)).sum(axis=1)
    return y, proba.argmax(axis=1), proba


def test_a_figure_is_a_number_with_an_interval():
    figure = Figure(0.5, 0.25, 0.75)
    assert figure + 1 == 1.5
    assert f"{figure:.1f}" == "0.5"
    again = pickle.loads(pickle.dumps(figure))
    assert (again, again.low, again.high) == (0.5, 0.25, 0.75)
    assert repr(Figure(0.5)) == "Figure(0.5)"


def test_every_headline_figure_has_one():
    found = likely.evaluate(*rows())
    for figure in found.figures.values():
        assert figure.low <= figure <= figure.high
    for one in found.per_class:
        assert one.f1.low < one.f1 < one.f1.high
    without = likely.evaluate(*rows(), intervals=False)
    assert without.accuracy == found.accuracy
    assert without.accuracy.low is None
    assert "interval" not in str(without)


def test_the_seed_decides():
    y, said, proba = rows()
    one = likely.evaluate(y, said, proba, seed=1).to_json()
    assert likely.evaluate(y, said, proba, seed=1).to_json() == one
    assert likely.evaluate(y, said, proba, seed=2).to_json() != one


@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_rows_does_not_matter(weighted):
    y, said, proba = rows()
    weights = np.random.default_rng(2).random(len(y)) if weighted else np.ones(len(y))
    other = np.random.default_rng(1).permutation(len(y))
    one = likely.evaluate(y, said, proba, weights=weights).to_json()
    shuffled = (part[other] for part in (y, said, proba))
    assert likely.evaluate(*shuffled, weights=weights[other]).to_json() == one


def test_drawing_kinds_is_drawing_rows():
    """Both ways of drawing give every kind its share and its spread."""
    few = np.array([30, 60, 10])
    many = np.repeat(1, 100)
    by_kind = np.concatenate(list(draws(few, 20_000, [0])))
    by_row = np.concatenate(list(draws(many, 20_000, [1])))
    grouped = np.add.reduceat(by_row, [0, 30, 90], axis=1)
    for drawn in (by_kind, grouped):
        assert (drawn.sum(axis=1) == 100).all()
        assert drawn.mean(axis=0) == pytest.approx(few, rel=0.01)
        expected = 100 * (np.diag(few / 100) - np.outer(few, few) / 100**2)
        assert np.cov(drawn.T) == pytest.approx(expected, abs=0.6)


def test_ninety_five_percent_of_intervals_hold_the_truth():
    truth = likely.evaluate(*rows(200_000, seed=99), intervals=False).figures
    found = [likely.evaluate(*rows(300, seed=seed), resamples=200).figures for seed in range(200)]
    for name in ("accuracy", "macro_f1", "mcc", "log_loss", "brier", "roc_auc"):
        held = sum(one[name].low <= truth[name] <= one[name].high for one in found)
        # 190 of 200 expected; chance moves it by 3, percentiles of few resamples by a little more.
        assert 178 <= held <= 199, name


def test_a_higher_level_is_wider():
    narrow, wide = (likely.evaluate(*rows(), level=level) for level in (0.5, 0.99))
    for name, figure in narrow.figures.items():
        assert wide.figures[name].low < figure.low < figure.high < wide.figures[name].high
    assert "99 % interval" in str(wide)


def test_a_class_that_is_not_drawn_has_no_say():
    """Perfect answers stay perfect, though rare classes are missing from many resamples."""
    y = ["a"] * 50 + ["b"] * 50 + ["rare", "rarer"]
    found = likely.evaluate(y, y)
    assert found.macro_f1 == found.macro_f1.high == found.balanced_accuracy.high == 1.0
    # What is wide is what is known of two classes of one row.
    assert 0.5 < found.macro_f1.low < 0.85
    assert found.per_class[2].f1.high == 1.0
    assert found.per_class[2].f1.low == pytest.approx(0.342, abs=0.01)
    # No draw is other than perfect, which says nothing of other rows.
    assert found.mcc.low is None


def test_none_of_four_is_not_none_for_certain():
    found = likely.evaluate(["a"] * 4 + ["b"] * 96, ["b"] * 100)
    assert found.per_class[0].recall == 0
    assert found.per_class[0].recall.high == pytest.approx(0.49, abs=0.01)
    perfect = likely.evaluate(["a", "b"] * 3, ["a", "b"] * 3).accuracy
    assert (perfect.low, perfect.high) == (pytest.approx(0.610, abs=0.001), 1.0)


def test_weights_count_for_as_many_rows_as_they_are_worth():
    y, said = ["a", "b"] * 50, (["a", "b"] * 40) + ["b", "a"] * 10
    once = likely.evaluate(y, said).accuracy
    for weight in (1.0, 0.125, 8.0):
        other = likely.evaluate(y, said, weights=[weight] * 100).accuracy
        assert (other.low, other.high) == pytest.approx((once.low, once.high))
    half = likely.evaluate(y, said, weights=[1.0, 0.0] * 50).accuracy
    assert half.high - half.low > once.high - once.low


def _rare(n_rows, n_classes, seed):
    """Labels of which many are rare, and rarely right."""
    share = 1 / np.arange(1, n_classes + 1) ** 1.3
    share /= share.sum()
    right = np.where(np.arange(n_classes) < 5, 0.95, np.where(np.arange(n_classes) < 15, 0.7, 0.3))
    said = (1 - right)[:, None] * share + np.diag(right)
    rng = np.random.default_rng(seed)
    y = rng.choice(n_classes, n_rows, p=share)
    answers = (rng.random(n_rows)[:, None] > said[y].cumsum(axis=1)).sum(axis=1)
    joint = share[:, None] * said
    f1 = 2 * np.diag(joint) / (joint.sum(axis=0) + joint.sum(axis=1))
    return y, np.minimum(answers, n_classes - 1), f1.mean()


@pytest.mark.parametrize(("n_rows", "n_classes", "least"), [(300, 10, 0.9), (2_000, 40, 0.88)])
def test_intervals_of_macro_f1_hold_the_truth_where_labels_are_rare(n_rows, n_classes, least):
    held = []
    for seed in range(100):
        y, said, truth = _rare(n_rows, n_classes, seed)
        found = likely.evaluate(y, said, classes=range(n_classes), resamples=200).macro_f1
        assert found.low < found < found.high
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= least


def test_macro_f1_of_many_labels_that_are_never_right_lies_within_its_interval():
    """Classes that are not drawn have no say; were they left out, the mean would rise."""
    y = ["common"] * 500 + [f"rare {n}" for n in range(40)]
    found = likely.evaluate(y, ["common"] * 540).macro_f1
    assert found.low <= found <= found.high
    assert found.low > 0.02
    assert found.high < 0.2


@given(st.integers(1, 200), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_shares_differences_and_ratios_hold_their_figures(n, data, level):
    parts = [data.draw(st.integers(0, n)) for _ in range(2)]
    one, other = shares(np.array(parts), np.array([n, n]), level)
    for figure in (one, other, difference(one, other)):
        assert figure.low <= figure <= figure.high
        assert figure.low < figure.high
    ratio = quotient(one, other)
    if ratio == ratio and ratio.low is not None:
        assert 0 <= ratio.low <= ratio <= ratio.high


def test_counting_a_thousand_resamples_is_quick():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 25_000)
    said = np.where(rng.random(25_000) < 0.9, y, 1 - y)
    start = time.perf_counter()
    likely.evaluate(y, said)
    assert time.perf_counter() - start < 1
