"""EM step by step: what is kept of the best run, and how it is shown."""

import itertools
import json

import numpy as np
import pytest

import likely
from likely import Categorical, Gaussian, Mixture, Multinomial
from likely.errors import LikelyError, NotFittedError, OptionError

RANDOM = np.random.default_rng(3)
X = np.concatenate([RANDOM.normal(0, 1, 30), RANDOM.normal(5, 1, 20)])[:, None]
TEXTS = ["a late penalty", "the vote on a law", "penalty by the striker", "a law of the land"] * 5


def traced(x, likelihood, k=2, *, start=None, start_means=None, **options):
    mixture = Mixture(likelihood, k, trace=True, **options)
    return mixture.fit(x, start=start, start_means=start_means)


@pytest.mark.parametrize("prior", ["empirical", "uniform", {0: 0.3, 1: 0.7}])
def test_the_last_step_is_the_mixture(prior):
    mixture = traced(X, Gaussian(), prior=prior)
    last = mixture.trace.steps[-1]
    (found,) = mixture.model.estimates.values()
    np.testing.assert_array_equal(last.means["x0"], found.means[:, 0])
    np.testing.assert_array_equal(last.deviations["x0"], found.deviations[:, 0])
    np.testing.assert_allclose(last.shares, mixture.shares, rtol=1e-15)
    np.testing.assert_allclose(last.responsibilities, mixture.predict_proba(X), atol=1e-6)
    assert tuple(step.objective for step in mixture.trace.steps) == mixture.objective


def test_a_trace_changes_nothing_else():
    plain = Mixture(Gaussian("full"), 3, seed=2).fit(X)
    mixture = traced(X, Gaussian("full"), 3, seed=2)
    assert mixture.model.to_bytes() == plain.model.to_bytes()
    assert mixture.objective == plain.objective


def test_the_start_that_won_is_the_one_that_is_traced():
    alone = [traced(X, Gaussian(), 3, starts=n, seed=5).objective[-1] for n in range(1, 7)]
    trace = traced(X, Gaussian(), 3, starts=6, seed=5).trace
    assert (trace.start, trace.starts) == (alone.index(max(alone)) + 1, 6)
    assert trace.steps[-1].objective == max(alone)


def test_each_step_follows_from_the_one_before():
    """M: means of the rows weighted by the responsibilities of the step before."""
    steps = traced(X, Gaussian(), tolerance=1e-9).trace.steps
    for before, after in itertools.pairwise(steps):
        z = before.responsibilities
        np.testing.assert_allclose(after.shares, z.mean(axis=0), atol=1e-9)
        means = (z * X).sum(axis=0) / z.sum(axis=0)
        np.testing.assert_allclose(after.means["x0"], means, atol=1e-8)
        squares = (z * (X - means) ** 2).sum(axis=0) / z.sum(axis=0)
        np.testing.assert_allclose(after.deviations["x0"], np.sqrt(squares), rtol=1e-5)


def test_given_means_are_the_first_step_and_their_groups_keep_their_order():
    mixture = traced(X, Gaussian(), start_means=[6, -1])
    first, *_, last = mixture.trace.steps
    assert first.means["x0"].tolist() == [6, -1]
    assert first.deviations["x0"] == pytest.approx([X.std()] * 2)
    assert first.shares.tolist() == [0.5, 0.5]
    assert last.means["x0"] == pytest.approx([5, 0], abs=0.7)
    assert mixture.predict([[5.0], [0.0]]).tolist() == [0, 1]
    assert mixture.trace.start is None
    density = np.exp(-0.5 * ((X - [6, -1]) / X.std()) ** 2) / (X.std() * np.sqrt(2 * np.pi))
    assert first.objective == pytest.approx(np.log(density.mean(axis=1)).sum(), rel=1e-12)
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(first.responsibilities, expected, atol=1e-9)
    assert f"converged after {len(mixture.trace.steps) - 1} steps" in repr(mixture)


def test_means_of_several_columns_are_rows_or_columns():
    table = {"a": X[:, 0].tolist(), "b": (2 * X[:, 0] + RANDOM.normal(size=50)).tolist()}
    given = {"a": Gaussian(), "b": Gaussian()}
    rows = traced(table, given, start_means=[[0, 1], [4, 9]])
    by_name = traced(table, given, start_means={"b": [1, 9], "a": [0, 4]})
    assert rows.model.to_bytes() == by_name.model.to_bytes()
    assert {name: m.tolist() for name, m in rows.trace.steps[0].means.items()} == {
        "a": [0, 4],
        "b": [1, 9],
    }
    together = traced(table, {("a", "b"): Gaussian("full")}, start_means=[[0, 1], [4, 9]])
    assert together.predict([[0, 0], [5, 10]]).tolist() == [0, 1]


def test_columns_without_start_means_are_not_read_at_first():
    table = {"a": X[:, 0].tolist(), "text": (TEXTS * 3)[:50]}
    given = {"a": Gaussian(deviation=1.0), "text": Multinomial()}
    trace = traced(table, given, start_means={"a": [0, 5]}).trace
    alone = traced(X, Gaussian(deviation=1.0), start_means=[0, 5]).trace
    first = trace.steps[0]
    np.testing.assert_array_equal(first.responsibilities, alone.steps[0].responsibilities)
    assert np.isnan(first.objective)
    assert json.loads(json.dumps(trace.to_json(), allow_nan=False))["steps"][0]["objective"] is None
    assert "0             –" in str(trace)


def test_missing_numbers_say_nothing_at_first():
    x = [[0.0], [5.0], [float("nan")], [0.5], [4.5]]
    first = traced(x, Gaussian(deviation=1.0), start_means=[0, 5]).trace.steps[0]
    assert first.responsibilities[2].tolist() == [0.5, 0.5]


def test_texts_have_shares_and_their_most_informative_features():
    trace = traced(TEXTS, Multinomial(), seed=1).trace
    last = trace.steps[-1]
    assert last.means == {}
    assert len(last.top) == 2
    assert any("penalty" in words for words in last.top)
    shown = str(trace)
    assert "step  features of group 0\n0     " in shown
    assert "step  objective  share 0  share 1\n" in shown
    assert "mean" not in shown
    mixed = traced({"kind": ["a", "b"] * 5, "size": [1.5, 9.5] * 5}, None).trace
    assert mixed.steps[0].means.keys() == {"size"}
    assert mixed.steps[-1].top


def test_a_group_that_nothing_is_left_of_is_traced_too():
    start = [[1.0, 0.0]] * len(TEXTS)
    trace = traced(TEXTS, Multinomial(), start=start).trace
    assert trace.steps[-1].shares.tolist() == [1, 0]
    assert "EM from the given start" in str(trace)


def test_what_is_known_is_not_shown():
    known = str(traced(X, Gaussian(deviation=1.0), prior="uniform").trace)
    assert "step  objective   mean 0  mean 1\n" in known
    unknown = str(traced(X, Gaussian()).trace)
    header = unknown.splitlines()[2].split("  ")
    shown = [name.strip() for name in header if name]
    assert shown == ["step", "objective", "share 0", "mean 0", "± 0", "share 1", "mean 1", "± 1"]


def test_long_runs_show_their_first_and_last_steps():
    trace = traced(X, Gaussian(), tolerance=1e-12, start_means=[2.4, 2.5]).trace
    assert len(trace.steps) > 20
    lines = str(trace).splitlines()
    assert lines[3].startswith("0 ")
    assert lines[13].split()[0] == "…"
    assert lines[16].startswith(f"{len(trace.steps) - 1} ")
    assert max(map(len, lines)) <= 80


def test_of_many_rows_a_sample_is_kept_and_named():
    x = np.repeat(X, 50, axis=0)
    trace = traced(x, Gaussian(deviation=1.0), start_means=[0, 5]).trace
    assert len(trace.rows) == 1000
    assert trace.rows[[0, -1]].tolist() == [0, 2499]
    assert trace.values["x0"].tolist() == x[trace.rows, 0].tolist()
    found = traced(x, Gaussian(deviation=1.0), start_means=[0, 5])
    np.testing.assert_allclose(
        trace.steps[-1].responsibilities, found.predict_proba(x)[trace.rows], atol=1e-9
    )
    assert "Responsibilities were kept for a sample of 1,000 of 2,500 rows." in str(trace)
    assert trace.to_json()["rows"][:2] == [1, 4]


def test_rows_of_a_file_are_traced_across_its_batches(tmp_path):
    lines = "".join(f"{n % 7}.5\n" for n in range(70_000))
    (tmp_path / "x.csv").write_text(f"x\n{lines}")
    source = likely.open_table(tmp_path / "x.csv")
    trace = traced(source, Gaussian(), iterations=2, start_means=[0, 5]).trace
    assert trace.n_rows == 70_000
    assert trace.values["x"].tolist() == [row % 7 + 0.5 for row in trace.rows]


def test_one_group_has_a_trace():
    trace = traced(X, Gaussian(), 1).trace
    assert trace.steps[0].means["x0"] == pytest.approx([X.mean()])
    assert "P(group" not in str(trace)
    assert str(trace).startswith("EM from a random start: converged after 1 step\n")


def test_a_run_that_was_cut_short_says_so():
    trace = traced(X, Gaussian(), tolerance=0, iterations=2, starts=3).trace
    assert "the best one: still climbing after 2 steps\n" in str(trace)


def test_many_groups_are_cut():
    shown = str(traced(X, Gaussian(deviation=1.0), 6).trace)
    assert "P(group 3 | row)" in shown
    assert "P(group 4 | row)" not in shown
    assert "and 2 more groups" in shown


@pytest.mark.parametrize(
    ("likelihood", "x", "start_means", "message"),
    [
        (Gaussian(), X, [1, 2, 3], "of `x0` are 2 numbers, one for each group"),
        (Gaussian(), X, [1, float("nan")], "of `x0` are 2 numbers, one for each group"),
        (
            Gaussian(),
            X,
            [[1, 2], [3, 4]],
            r"with the mean of `x0`; this one has the shape \(2, 2\)",
        ),
        (Gaussian(), X, {"y": [1, 2]}, "names `y`; the numeric columns are `x0`"),
        (Gaussian(), X, {"x0": "ab"}, "of `x0` are numbers, not 'ab'"),
        (Gaussian(), X, {}, "`start_means` is empty"),
        (Gaussian(), X, "12", "`start_means`"),
        (Gaussian(), X, [1, "b"], "`start_means` are numbers"),
        (Multinomial(), TEXTS, [1, 2], "of numeric columns, and no Gaussian reads one"),
        (Categorical(), [["a"], ["b"]], [1, 2], "of numeric columns, and no Gaussian reads one"),
    ],
)
def test_means_that_make_no_sense_are_refused(likelihood, x, start_means, message):
    with pytest.raises(OptionError, match=message):
        Mixture(likelihood, 2).fit(x, start_means=start_means)


def test_one_start_is_given():
    with pytest.raises(LikelyError, match="`start` and `start_means` are two starts"):
        Mixture(Gaussian(), 2).fit([[1.0], [2.0]], start=[[1, 0], [0, 1]], start_means=[1, 2])
    with pytest.raises(LikelyError, match="`start_means` are for one number of groups"):
        Mixture(Gaussian(), (1, 2)).fit([[1.0], [2.0]], start_means=[1, 2])


def test_what_was_not_traced_has_no_trace():
    with pytest.raises(NotFittedError, match="was not traced"):
        _ = Mixture(Gaussian(), 2).fit(X).trace
    with pytest.raises(NotFittedError, match="has seen nothing yet"):
        _ = Mixture(Gaussian(), 2, trace=True).trace
