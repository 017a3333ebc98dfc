"""The tests are what they say: equal to others' and wrong as often as they admit."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

import likely
from likely.evaluation.significance import holm, is_exact, mcnemar


@given(st.integers(0, 600), st.integers(0, 600))
def test_mcnemar_is_that_of_statsmodels(only_first, only_second):
    exact = is_exact(only_first, only_second)
    table = [[0, only_first], [only_second, 0]]
    if only_first + only_second:
        expected = statsmodels_mcnemar(table, exact=exact, correction=True).pvalue
        # χ² is continuity-corrected past 0 there, which makes p less than 1.
        if exact or only_first != only_second:
            assert mcnemar(only_first, only_second) == pytest.approx(expected, rel=1e-9)
    if exact and only_first + only_second:
        expected = stats.binomtest(only_first, only_first + only_second).pvalue
        assert mcnemar(only_first, only_second) == pytest.approx(expected, rel=1e-9)


def test_without_a_difference_there_is_nothing_to_explain():
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5000, 5000) == 1.0
    found = likely.compare(["a", "b"], ["a", "a"], ["a", "a"])
    assert found.p_value == 1.0
    assert (found.effect, found.effect.low, found.effect.high) == (0.0, 0.0, 0.0)


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_that_of_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def systems(n_rows, seed, better=0.0):
    """Truth and two systems that err apart, each alike but for what the second is better."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    said = [
        np.where(rng.random(n_rows) < 0.7 + more, y, rng.integers(0, 3, n_rows))
        for more in (0.0, better)
    ]
    return y, *said


def test_randomisation_agrees_with_every_possible_swap():
    y, a, b = systems(40, seed=3, better=0.2)
    differ = np.flatnonzero(a != b)[:12]
    keep = np.setdiff1d(np.arange(40), np.flatnonzero(a != b)[12:])
    y, a, b = y[keep], a[keep], b[keep]
    places = np.searchsorted(keep, differ)

    def gap(first, second):
        f1 = [likely.evaluate(y, said, intervals=False).macro_f1 for said in (first, second)]
        return abs(f1[1] - f1[0])

    as_large = total = 0
    for swaps in itertools.product([False, True], repeat=len(places)):
        first, second = a.copy(), b.copy()
        swapped = places[list(swaps)]
        first[swapped], second[swapped] = b[swapped], a[swapped]
        as_large += gap(first, second) >= gap(a, b) - 1e-12
        total += 1
    found = likely.compare(y, a, b, metric="macro_f1", resamples=20_000)
    assert found.p_value == pytest.approx(as_large / total, abs=0.015)


@pytest.mark.parametrize(
    ("test", "metric"),
    [
        ("mcnemar", "accuracy"),
        ("randomisation", "accuracy"),
        ("randomisation", "macro_f1"),
        ("bootstrap", "macro_f1"),
    ],
)
def test_equal_systems_are_told_apart_as_seldom_as_the_test_admits(test, metric):
    n, options = 400, {"test": test, "metric": metric, "resamples": 300}
    p_values = [likely.compare(*systems(200, seed), **options).p_value for seed in range(n)]
    for level in (0.05, 0.2):
        wrong = np.mean(np.array(p_values) <= level)
        # McNemar's exact test errs on the safe side; none may err three deviations on the other.
        assert wrong <= level + 3 * np.sqrt(level * (1 - level) / n)
        assert wrong >= level / 3


@pytest.mark.parametrize("test", ["mcnemar", "randomisation", "bootstrap"])
def test_a_real_difference_is_found(test):
    found = likely.compare(*systems(1000, seed=1, better=0.15), test=test, resamples=1000)
    assert found.p_value < 0.01
    assert 0 < found.effect.low < found.effect < found.effect.high


def test_of_several_systems_chance_is_counted_together():
    y, a, b = systems(300, seed=0)
    others = [systems(300, seed=0, better=more)[2] for more in (0.05, 0.1, 0.2)]
    found = likely.compare(y, a, b, *others, resamples=500)
    assert list(found.systems) == ["A", "B", "C", "D", "E"]
    p_values = [one.p_value for one in found.differences]
    assert [one.adjusted_p for one in found.differences] == pytest.approx(holm(p_values))
