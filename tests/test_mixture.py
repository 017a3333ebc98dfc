"""Mixtures: equal to scikit-learn's, always climbing, of any likelihood; and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.mixture import GaussianMixture

import likely
from likely import (
    Bernoulli,
    BinaryMultinomial,
    Categorical,
    Gaussian,
    JointTable,
    Mixture,
    Multinomial,
)
from likely.mixture import pairs
from tests.raising import coded

RANDOM = np.random.default_rng(7)
GROUP = RANDOM.integers(0, 3, size=300)
POINTS = RANDOM.normal(size=(300, 2)) * [1.0, 0.5] + GROUP[:, None] * [3.0, 1.0]


def started(n_components, covariance_type, start, steps):
    """scikit-learn's mixture after so many steps from given responsibilities."""
    theirs = GaussianMixture(
        n_components, covariance_type=covariance_type, reg_covar=0, tol=0, max_iter=steps
    )
    theirs._initialize_parameters = lambda x, *_, **__: theirs._initialize(x, start)
    return theirs


@pytest.mark.filterwarnings("ignore:Best performing initialization")
@pytest.mark.filterwarnings("ignore:Initialization .* did not converge")
@pytest.mark.parametrize(
    ("covariance", "theirs"), [("diagonal", "diag"), ("shared", "tied"), ("full", "full")]
)
def test_gaussians_are_scikit_learns_from_the_same_start(covariance, theirs):
    start = RANDOM.dirichlet(np.ones(3), size=300)
    expected = started(3, theirs, start, 40).fit(POINTS)
    options = {"floor": 0} if covariance == "diagonal" else {"shrinkage": 0}
    mixture = Mixture(Gaussian(covariance, **options), 3, tolerance=0, iterations=40)
    mixture.fit(POINTS, start=start)
    order = np.argsort(-expected.weights_)
    (found,) = mixture.model.estimates.values()
    np.testing.assert_allclose(mixture.shares, expected.weights_[order], rtol=1e-8)
    np.testing.assert_allclose(found.means, expected.means_[order], rtol=1e-8)
    covariances = expected.covariances_
    if covariance == "full":
        np.testing.assert_allclose(found.covariances, covariances[order], rtol=1e-7)
    elif covariance == "diagonal":
        np.testing.assert_allclose(found.deviations**2, covariances[order], rtol=1e-7)
    else:
        np.testing.assert_allclose(found.covariances[0], covariances, rtol=1e-7)
    np.testing.assert_allclose(mixture.log_evidence(POINTS), expected.score_samples(POINTS))
    assert mixture.bic == pytest.approx(expected.bic(POINTS), rel=1e-10)


def test_texts_fall_into_their_topics():
    words = [["criterion", "team", "match", "league"], ["vote", "law", "party", "minister"]]
    random = np.random.default_rng(0)
    topic = random.integers(0, 2, size=60)
    texts = [" ".join(random.choice(words[t], size=6)) for t in topic]
    mixture = Mixture(Multinomial(), 2, seed=3).fit(texts)
    assert (mixture.aligned(texts, topic) == topic).all()
    assert {
        name for name, _ in mixture.model.top_features(4)[mixture.predict(["criterion"]).item()]
    } <= set(words[0])


def test_a_table_of_mixed_columns_has_groups():
    random = np.random.default_rng(1)
    group = random.integers(0, 2, size=200)
    table = {
        "size": random.normal(group * 3.0, 1.0).tolist(),
        "colour": [random.choice(["red", "blue"], p=[0.9, 0.1][:: 1 - 2 * g]) for g in group],
        "note": ["heavy and slow" if g else "light and quick" for g in group],
    }
    table["size"][5] = None
    mixture = Mixture({"size": Gaussian(), "colour": Categorical(), "note": Multinomial()}, 2).fit(
        table
    )
    assert (mixture.aligned(table, group) == group).mean() > 0.99
    loaded = likely.classifier.from_bytes(mixture.model.to_bytes())
    np.testing.assert_array_equal(loaded.predict_proba(table), mixture.predict_proba(table))


LIKELIHOODS = [
    Gaussian(),
    Gaussian("full"),
    Gaussian("shared"),
    Gaussian("full", reg_covar=0.01),
    Gaussian(deviation=0.7),
    Gaussian(floor=0.05),
    Categorical(),
    Categorical(m=0),
    JointTable(),
    Multinomial(),
    Multinomial(0),
    BinaryMultinomial(0.3),
    Bernoulli(),
]


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
@pytest.mark.parametrize("prior", ["empirical", "uniform", "empirical+2"])
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_no_step_lowers_the_objective(likelihood, prior, data):
    n = data.draw(st.integers(3, 14))
    if isinstance(likelihood, Gaussian):
        # Numbers that differ by next to nothing have an infinite density.
        number = st.floats(-3, 3).map(lambda x: round(x, 9))
        cell = st.one_of(number, st.sampled_from([1.0, float("nan")]))
        columns = 2
    else:
        cell, columns = st.sampled_from(["a", "b", "a b b", "c"]), 2
    if isinstance(likelihood, (Multinomial, BinaryMultinomial, Bernoulli)):
        rows = data.draw(st.lists(cell, min_size=n, max_size=n))
    else:
        row = st.lists(cell, min_size=columns, max_size=columns)
        rows = data.draw(st.lists(row, min_size=n, max_size=n))
    k = data.draw(st.integers(1, 3))
    mixture = Mixture(likelihood, k, prior=prior, starts=2, tolerance=0, iterations=30).fit(rows)
    path = np.array(mixture.objective)
    assert (np.diff(path) >= -1e-8 * (1 + abs(path[:-1]))).all()
    proba = mixture.predict_proba(rows)
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_the_objective_is_the_log_likelihood_where_nothing_is_smoothed():
    mixture = Mixture(Gaussian(floor=0), 2).fit(POINTS)
    assert mixture.objective[-1] == pytest.approx(mixture.log_likelihood, rel=1e-12)
    smoothed = Mixture(Categorical(m=2), 2).fit([["a"], ["b"], ["a"], ["c"]])
    (theta,) = (e.probabilities["x0"] for e in smoothed.model.estimates.values())
    expected = smoothed.log_likelihood + 2 / 3 * np.log(theta).sum()
    assert smoothed.objective[-1] == pytest.approx(expected, rel=1e-9)


def test_neither_threads_nor_the_order_of_rows_show():
    start = RANDOM.dirichlet(np.ones(2), size=300)
    order = RANDOM.permutation(300)
    one = Mixture(Gaussian("full"), 2).fit(POINTS, start=start)
    other = Mixture(Gaussian("full"), 2, threads=3).fit(POINTS[order], start=start[order])
    assert one.model.to_bytes() == other.model.to_bytes()
    assert one.objective == other.objective


def test_starts_do_not_depend_on_threads_or_the_order_of_rows():
    order = RANDOM.permutation(300)
    one = Mixture(Gaussian("full"), 3).fit(POINTS)
    other = Mixture(Gaussian("full"), 3, threads=3).fit(POINTS[order])
    assert one.model.to_bytes() == other.model.to_bytes()
    texts = [f"{'goal match team' if i % 2 else 'vote law court'} w{i % 7}" for i in range(40)]
    table = {"text": texts, "kind": ["ab"[i % 3 == 0] for i in range(40)], "x": list(range(40))}
    likelihood = {"text": Multinomial(), "kind": Categorical(), "x": Gaussian()}
    moved = {name: column[::-1] for name, column in table.items()}
    one = Mixture(likelihood, 3).fit(table)
    other = Mixture(likelihood, 3, threads=3).fit(moved)
    assert one.model.to_bytes() == other.model.to_bytes()


def made_up(seed, k, columns):
    random = np.random.default_rng(seed)
    group = random.integers(0, k, size=400)
    spread = random.uniform(0.4, 1.5, size=(k, columns))
    return (
        random.normal(size=(400, columns)) * spread[group]
        + random.normal(size=(k, columns))[group] * 2.2
    )


@pytest.mark.filterwarnings("ignore:Initialization .* did not converge")
@pytest.mark.parametrize(
    ("x", "k"),
    [(load_iris().data, 3), (load_wine().data, 3), (made_up(5, 5, 3), 5), (made_up(8, 4, 2), 4)],
    ids=["iris", "wine", "five", "four"],
)
@pytest.mark.parametrize(("covariance", "theirs"), [("full", "full"), ("diagonal", "diag")])
def test_it_ends_near_the_best_of_fifty_starts(x, k, covariance, theirs):
    best = GaussianMixture(k, covariance_type=theirs, n_init=50, random_state=0).fit(x)
    reached = best.score(x) * len(x)
    mixture = Mixture(Gaussian(covariance), k).fit(x)
    assert mixture.converged
    assert mixture.log_likelihood > reached - 1e-3 * abs(reached)


def test_fits_without_spread_of_their_own_do_not_compete():
    x = load_iris().data
    mixture = Mixture(Gaussian("full"), range(1, 6)).fit(x)
    assert mixture.converged
    assert mixture.k == 2
    assert not mixture.notes
    assert Mixture(Gaussian("full"), 3).fit(x).log_likelihood > -180.5
    # Fifty equal rows, and a cloud: the best density is infinite, and is not taken.
    random = np.random.default_rng(0)
    cloud = np.concatenate([random.normal(size=(80, 2)), np.full((50, 2), 3.0)])
    assert Mixture(Gaussian("full"), (1, 2)).fit(cloud).k == 1
    (note,) = Mixture(Gaussian("full"), 2).fit(cloud).notes
    assert "no spread of its own" in note


def test_a_share_of_the_variance_of_all_rows_is_added():
    x, y = POINTS * [1.0, 1000.0], np.minimum(GROUP, 1)
    total = np.diag(x.var(axis=0))
    full = likely.Classifier(Gaussian("full", reg_covar=0.25)).fit(x, y)
    (found,) = full.estimates.values()
    for place, own in enumerate(found.covariances):
        np.testing.assert_allclose(own, np.cov(x[y == place].T) + 0.25 * total, rtol=1e-9)
    alone = likely.Classifier(Gaussian(floor=0, reg_covar=0.25)).fit(x, y)
    (found,) = alone.estimates.values()
    expected = [x[y == place].var(axis=0) + 0.25 * np.diag(total) for place in (0, 1)]
    np.testing.assert_allclose(found.deviations**2, expected, rtol=1e-9)


def test_texts_of_many_common_words_fall_into_their_topics():
    random = np.random.default_rng(4)
    common, topics = (
        [f"c{i}" for i in range(300)],
        [[f"t{t}w{i}" for i in range(40)] for t in "abc"],
    )
    topic = random.integers(0, 3, size=300)
    often = 1 / np.arange(1, 301)
    texts = [
        " ".join([*random.choice(common, 60, p=often / often.sum()), *random.choice(topics[t], 4)])
        for t in topic
    ]
    for likelihood in (None, Multinomial()):
        assert (Mixture(likelihood, 3).fit(texts).aligned(texts, topic) == topic).mean() > 0.95


def test_score_aic_and_fit_predict_are_named_as_in_scikit_learn():
    mixture = Mixture(Gaussian("full"), 3)
    groups = mixture.fit_predict(POINTS)
    assert groups.tolist() == mixture.predict(POINTS).tolist()
    assert mixture.score(POINTS) == pytest.approx(mixture.log_likelihood / 300)
    # Three means, three covariances, two shares.
    assert mixture.aic == pytest.approx(2 * (6 + 9 + 2) - 2 * mixture.log_likelihood)
    assert mixture.bic == pytest.approx(17 * np.log(300) - 2 * mixture.log_likelihood)


def test_bic_chooses_the_number_of_groups():
    mixture = Mixture(Gaussian("full"), range(1, 6), tolerance=1e-6).fit(POINTS)
    assert mixture.k == 3
    assert mixture.bics[3] == mixture.bic == min(mixture.bics.values())
    flat = RANDOM.normal(size=(200, 1))
    alone = Mixture(Gaussian(), (1, 2)).fit(flat)
    assert alone.k == 1
    assert alone.predict([[0.0]]).tolist() == [0]


def test_known_shares_and_deviations_are_kept():
    x = np.concatenate([RANDOM.normal(0, 1, 400), RANDOM.normal(4, 1, 100)])[:, None]
    mixture = Mixture(Gaussian(deviation=1.0), 2, prior={0: 0.8, 1: 0.2}).fit(x)
    (found,) = mixture.model.estimates.values()
    assert found.deviations.tolist() == [[1.0], [1.0]]
    assert mixture.shares.tolist() == pytest.approx([0.8, 0.2])
    assert found.means[:, 0].tolist() == pytest.approx([0, 4], abs=0.4)
    # Two means are all that is estimated.
    assert mixture.bic == pytest.approx(2 * np.log(500) - 2 * mixture.log_likelihood)


def test_a_seed_gives_the_same_groups_again():
    a, b = (Mixture(Gaussian(), 3, seed=4).fit(POINTS).model.to_bytes() for _ in range(2))
    assert a == b


def test_groups_that_nothing_is_left_of_are_named():
    start = np.array([[1.0, 0.0]] * 4)
    mixture = Mixture(Gaussian(), 2).fit([[1.0], [2.0], [3.0], [4.0]], start=start)
    assert "nothing is left of group 1" in mixture.notes
    assert mixture.shares.tolist() == [1, 0]
    assert mixture.predict([[2.5]]).tolist() == [0]


@given(
    st.integers(1, 5).flatmap(
        lambda rows: st.integers(1, 5).flatmap(
            lambda columns: st.lists(
                st.lists(st.integers(0, 9), min_size=columns, max_size=columns),
                min_size=rows,
                max_size=rows,
            )
        )
    )
)
def test_pairs_agree_as_far_as_can_be(table):
    from scipy.optimize import linear_sum_assignment

    cells = np.array(table, dtype=float)
    rows, columns = linear_sum_assignment(cells, maximize=True)
    found = pairs(cells)
    assert len(found) == len(rows)
    assert sum(cells[pair] for pair in found) == cells[rows, columns].sum()


def test_constant_columns_and_copies_do_no_harm():
    x = [[1.0, 5.0], [1.0, 5.0], [1.0, 9.0], [1.0, 9.0]]
    for covariance in ("diagonal", "full", "shared"):
        mixture = Mixture(Gaussian(covariance), 2).fit(x)
        assert np.isfinite(mixture.log_likelihood)
        assert len(set(mixture.predict(x)[:2])) == 1
    nothing = Mixture(Gaussian(), 2).fit([[1.0], [1.0], [1.0]])
    assert nothing.predict_proba([[1.0]]).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("make", "rows", "message"),
    [
        (lambda: Mixture(Gaussian(), 5), [[1.0], [2.0]], "there are 2 rows, too few for 5 groups"),
        (lambda: Mixture(Gaussian(), 2), [], "no rows were given"),
        (lambda: Mixture(likely.Complement(), 2), ["a", "b"], "Complement scores are not prob"),
        (lambda: Mixture(Multinomial(tfidf=True), 2), ["a", "b"], "with `tfidf`, Multinomial no"),
        (lambda: Mixture(Gaussian(), 0), [], "`k` is a number of groups from 1 up"),
        (lambda: Mixture(Gaussian(), "3"), [], "`k` is a number of groups"),
        (lambda: Mixture(Gaussian(), 2, starts=0), [], "`starts` is a number of guesses"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(make, rows, message):
    with pytest.raises(likely.errors.LikelyError, match=message):
        make().fit(rows)


def test_a_start_fits_the_rows():
    for start, message in (
        ([[1.0, 0.0]], "for each of 2 rows"),
        ([[0.5, 0.2], [1.0, 0.0]], "sum to 1"),
    ):
        with pytest.raises(likely.errors.DataError, match=message):
            Mixture(Gaussian(), 2).fit([[1.0], [2.0]], start=start)
    with pytest.raises(likely.errors.NotFittedError, match="seen nothing yet"):
        _ = Mixture(Gaussian()).model


def test_whole_rows_and_rows_in_parts_are_not_mixed():
    mixture = Mixture(Gaussian(), 2).fit(POINTS)
    with pytest.raises(likely.errors.ModelError, check=coded("soft-and-whole-rows")):
        mixture.model.update([[1.0, 2.0]], [0])
    assert any("in parts" in note for note in mixture.model.info.notes)
