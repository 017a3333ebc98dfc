"""Intervals: where they lie, how often they hold the truth, and that the seed alone moves them."""

import pickle
import time

import numpy as np
import pytest

import likely
from likely.evaluation.counts import draws
from likely.evaluation.intervals import Figure


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
    assert (found.macro_f1.low, found.macro_f1.high) == (1.0, 1.0)
    assert (found.balanced_accuracy.low, found.balanced_accuracy.high) == (1.0, 1.0)
    assert (found.per_class[2].f1.low, found.per_class[2].f1.high) == (1.0, 1.0)


def test_counting_a_thousand_resamples_is_quick():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 25_000)
    said = np.where(rng.random(25_000) < 0.9, y, 1 - y)
    start = time.perf_counter()
    likely.evaluate(y, said)
    assert time.perf_counter() - start < 1
