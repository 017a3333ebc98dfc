"""Steps of a numeric column: which values are merged, and how a range is spelled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import likely
from likely.likelihoods.steps import ALIKE, MOST_STEPS, log_odds, spelled_range, step_starts

SCORES = st.integers(1, 80).flatmap(
    lambda n: st.tuples(
        arrays(float, (n, 3), elements=st.floats(-9, 0)),
        arrays(float, n, elements=st.integers(1, 12)),
    )
)


@given(SCORES, st.integers(1, MOST_STEPS))
def test_steps_are_few_and_large_and_differ(given, most):
    scores, rows = given
    said = log_odds(scores)
    starts = step_starts(said, rows, most)
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()
    assert len(starts) <= most
    sizes = np.add.reduceat(rows, starts)
    assert len(starts) == 1 or sizes.min() >= 5
    means = np.add.reduceat(said * rows[:, None], starts) / sizes[:, None]
    assert (np.abs(np.diff(means, axis=0)).max(axis=1, initial=ALIKE) >= ALIKE).all()


def test_values_that_say_the_same_are_one_step():
    said = np.array([[1.0, -1.0]] * 4 + [[-1.0, 1.0]] * 3 + [[-1.05, 1.05]] * 2)
    assert step_starts(said, np.full(9, 10.0)).tolist() == [0, 4]
    # Two values with few rows join the neighbour that is more like them.
    rows = np.array([10.0, 10, 10, 10, 2, 10, 10, 10, 10])
    assert step_starts(said, rows).tolist() == [0, 4]


def test_what_is_impossible_in_a_class_is_a_step_too():
    scores = np.array([[-1.0, -np.inf]] * 6 + [[-np.inf, -1.0]] * 6)
    assert np.isfinite(log_odds(scores)).all()
    assert step_starts(log_odds(scores), np.full(12, 3.0)).tolist() == [0, 6]


@pytest.mark.parametrize(
    ("first", "last", "spelled"),
    [
        (1984, 1987, "1984–1987"),
        (9_800, 12_340, "9800–12.3k"),
        (999_700, 1_200_000, "1M–1.2M"),
        (12_340, 12_342, "12.34k–12.342k"),
        (293.15, 293.16, "293.15–293.16"),
        (-0.5, -0.25, "−0.5 to −0.25"),
        (-12_000, 3, "−12k to 3"),
        (1e-7, 2e-7, "1e−07–2e−07"),
        (2e20, 3e20, "2e+20–3e+20"),
        (0, 0, "0"),
    ],
)
def test_ranges_are_rounded_by_less_than_half_of_their_width(first, last, spelled):
    assert spelled_range(first, last) == spelled


def test_the_strongest_ranges_of_iris_are_merged(public_data):
    model = likely.Classifier().fit(
        likely.open_table(public_data / "tab_iris" / "all.csv"), "species"
    )
    top = {label: [name for name, _ in best] for label, best in model.top_features(3).items()}
    assert top["setosa"][:2] == ["petal_length 1–1.9", "petal_width 0.1–0.6"]
    assert {name.split()[0] for name in top["virginica"]} == {"petal_length", "petal_width"}
    said = [one.name for one in model.explain({"petal_length": 1.4}).contributions]
    assert "petal_length 1–1.9" in said
    assert "4 numbers together (LDA)" in said
