"""Numbers and categories against scikit-learn, plain NumPy and exact fractions."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.covariance import oas
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import likely

SEEDS = range(6)


def close(ours, theirs, rtol=1e-9):
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-13)


def clouds(seed, *, columns=None, rows=None):
    """Two to four classes of unequal size, each with its own mean, spread and correlations."""
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 3
    columns = columns or 1 + seed % 4
    x, y = [], []
    for label in range(n_classes):
        n = rows or 8 + 5 * label + seed
        mixing = rng.normal(size=(columns, columns)) + 2 * np.eye(columns)
        x.append(rng.normal(size=(n, columns)) @ mixing + 2 * rng.normal(size=columns))
        y += [label] * n
    order = rng.permutation(len(y))
    return np.concatenate(x)[order], np.array(y)[order], 3 * rng.normal(size=(40, columns))


def scatters(x, y):
    """The sums of squares and products about the mean of each class."""
    away = [x[y == label] - x[y == label].mean(axis=0) for label in np.unique(y)]
    return [d.T @ d for d in away]


def estimates(model):
    (found,) = model.estimates.values()
    return found


# Gaussian Naive Bayes


@pytest.mark.parametrize("seed", SEEDS)
def test_gaussian_naive_bayes_equals_scikit_learn(seed):
    x, y, new = clouds(seed)
    theirs = GaussianNB().fit(x, y)
    model = likely.Classifier(likely.Gaussian()).fit(x, y)
    close(estimates(model).means, theirs.theta_)
    close(estimates(model).deviations ** 2, theirs.var_)
    close(model.log_joint(new), theirs.predict_joint_log_proba(new))
    close(model.predict_proba(new), theirs.predict_proba(new))
    assert model.predict(new).tolist() == theirs.predict(new).tolist()


HUNDREDTHS = st.integers(-500, 500).map(lambda n: n / 100)


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.tuples(st.lists(HUNDREDTHS, min_size=2, max_size=2), st.sampled_from("abc")),
        min_size=3,
        max_size=12,
    ),
    floor=st.sampled_from([1e-9, 1e-3, 0.5]),
)
def test_the_floor_of_a_variance_is_that_of_scikit_learn(rows, floor):
    x, y = np.array([cells for cells, _ in rows]), [label for _, label in rows]
    assume(len(set(y)) > 1 and np.ptp(x, axis=0).any())
    theirs = GaussianNB(var_smoothing=floor).fit(x, y)
    model = likely.Classifier(likely.Gaussian(floor=floor)).fit(x, y)
    # A class with one row, or a column that is the same in all its rows, has the floor alone; there
    # the variance of scikit-learn is off by the rounding of its mean.
    rounding = np.finfo(float).eps * 25 * 12
    np.testing.assert_allclose(
        estimates(model).deviations ** 2, theirs.var_, rtol=1e-9, atol=rounding
    )
    assert estimates(model).means == pytest.approx(theirs.theta_, rel=1e-9, abs=1e-12)


# LDA and QDA. Up to version 1.8 scikit-learn divides as this package does, by n − K and by n_c − 1;
# from 1.9 on by n and by n_c. So the divisor is read off its result, and set to ours.


@pytest.mark.parametrize("seed", SEEDS)
def test_lda_equals_scikit_learn(seed):
    x, y, new = clouds(seed)
    n, n_classes = len(y), len(np.unique(y))
    theirs = LinearDiscriminantAnalysis(solver="svd").fit(x, y)
    scatter = sum(scatters(x, y))
    divisor = (theirs.scalings_.T @ scatter @ theirs.scalings_)[0, 0]
    assert round(divisor, 6) in (n, n - n_classes)
    scores = theirs.decision_function(new)
    if n_classes == 2:
        scores = np.column_stack([np.zeros(len(new)), scores])
    log_prior = np.log(theirs.priors_)
    if n_classes == 2:
        log_prior = log_prior - log_prior[0]
    scores = (scores - log_prior) * ((n - n_classes) / divisor) + log_prior
    expected = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    model = likely.Classifier(likely.Gaussian("shared")).fit(x, y)
    close(model.predict_proba(new), expected)
    close(estimates(model).means, theirs.means_)
    close(estimates(model).covariances, [scatter / (n - n_classes)] * n_classes)
    assert estimates(model).shrinkage == (0.0,)


@pytest.mark.parametrize("seed", SEEDS)
def test_qda_equals_scikit_learn(seed):
    x, y, new = clouds(seed)
    counts = np.bincount(y)
    theirs = QuadraticDiscriminantAnalysis(store_covariance=True).fit(x, y)
    found = scatters(x, y)
    pairs = zip(found, theirs.covariance_, strict=True)
    divisors = [np.trace(ours) / np.trace(cov) for ours, cov in pairs]
    close(divisors, counts if round(divisors[0], 6) == counts[0] else counts - 1)
    theirs.scalings_ = [
        scaling * divisor / (count - 1)
        for scaling, divisor, count in zip(theirs.scalings_, divisors, counts, strict=True)
    ]
    model = likely.Classifier(likely.Gaussian("full")).fit(x, y)
    close(model.predict_proba(new), theirs.predict_proba(new))
    close(estimates(model).means, theirs.means_)
    close(
        estimates(model).covariances,
        [scatter / (count - 1) for scatter, count in zip(found, counts, strict=True)],
    )
    assert estimates(model).shrinkage == (0.0,) * len(counts)


@pytest.mark.parametrize("covariance", ["shared", "full"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_density_of_numbers_taken_together(covariance, seed):
    x, y, new = clouds(seed)
    model = likely.Classifier(likely.Gaussian(covariance), prior="uniform").fit(x, y)
    found = estimates(model)
    expected = []
    for mean, spread in zip(found.means, found.covariances, strict=True):
        away = new - mean
        squared = np.einsum("ij,ij->i", away @ np.linalg.inv(spread), away)
        log_det = np.linalg.slogdet(2 * np.pi * spread)[1]
        expected.append(-0.5 * (log_det + squared) - np.log(len(found.means)))
    close(model.log_joint(new), np.transpose(expected))
    close(model.log_evidence(new), np.log(np.exp(expected).sum(axis=0)))


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_a_missing_number_leaves_the_density_of_the_others(covariance):
    x, y, new = clouds(3, columns=3)
    model = likely.Classifier(likely.Gaussian(covariance)).fit(x, y)
    found = estimates(model)
    for gone in ([0], [1], [0, 2]):
        there = [column for column in range(3) if column not in gone]
        gaps = new.copy()
        gaps[:, gone] = np.nan
        expected = []
        for mean, spread, share in zip(
            found.means, found.covariances, np.bincount(y) / len(y), strict=True
        ):
            part, away = spread[np.ix_(there, there)], (new - mean)[:, there]
            squared = np.einsum("ij,ij->i", away @ np.linalg.inv(part), away)
            log_det = np.linalg.slogdet(2 * np.pi * part)[1]
            expected.append(np.log(share) - 0.5 * (log_det + squared))
        close(model.log_joint(gaps), np.transpose(expected))


# Shrinkage


def oracle(matrix, n):
    """Chen, Wiesel, Eldar and Hero 2010, equation 23, without the terms 2/p of few columns."""
    p = len(matrix)
    trace, trace_of_square = np.trace(matrix), np.trace(matrix @ matrix)
    amount = (trace_of_square + trace**2) / ((n + 1) * (trace_of_square - trace**2 / p))
    return min(1.0, amount)


def drawn(matrix, amount):
    """A covariance of standardised columns, drawn to a multiple of the identity."""
    p = len(matrix)
    return (1 - amount) * matrix + amount * np.trace(matrix) / p * np.eye(p)


def pooled_units(x, y):
    n_classes = len(np.unique(y))
    pooled = sum(scatters(x, y)) / (len(y) - n_classes)
    deviations = np.sqrt(np.diag(pooled))
    return pooled, np.outer(deviations, deviations)


def with_fewer_rows_than_columns(seed, rows=4, columns=7):
    """Two classes; columns go together, more or less, and are of very different size."""
    rng = np.random.default_rng(seed)
    y = np.arange(2 * rows) % 2
    common = rng.normal(size=(2 * rows, 1)) + y[:, None]
    x = common + 0.1 * (1 + seed) * rng.normal(size=(2 * rows, columns))
    return x * 10.0 ** np.arange(-3, columns - 3), y


@pytest.mark.parametrize("seed", range(4))
def test_too_few_rows_shrink_a_shared_covariance_by_the_oracle(seed):
    x, y = with_fewer_rows_than_columns(seed)
    degrees = len(y) - 2
    pooled, units = pooled_units(x, y)
    amount = oracle(pooled / units, degrees)
    found = estimates(likely.Classifier(likely.Gaussian("shared")).fit(x, y))
    assert 0 < amount < 1
    close(found.shrinkage, [amount])
    close(found.covariances, [drawn(pooled / units, amount) * units] * 2)


@pytest.mark.parametrize("seed", range(4))
def test_too_few_rows_shrink_each_covariance_by_the_oracle(seed):
    x, y = with_fewer_rows_than_columns(seed, rows=5)
    _, units = pooled_units(x, y)
    found = estimates(likely.Classifier(likely.Gaussian("full")).fit(x, y))
    for place, scatter in enumerate(scatters(x, y)):
        matrix = scatter / 4 / units
        amount = oracle(matrix, 4)
        assert 0 < amount < 1
        close(found.shrinkage[place], amount)
        close(found.covariances[place], drawn(matrix, amount) * units)
    assert found.borrowed == (False, False)


@pytest.mark.parametrize("seed", range(4))
def test_the_oracle_is_that_of_scikit_learn(seed):
    x, y = with_fewer_rows_than_columns(seed)
    _, units = pooled_units(x, y)
    # Rows turned into fewer rows of the same products, as many as there are degrees of freedom.
    turned = []
    for label in np.unique(y):
        rows = (x[y == label] - x[y == label].mean(axis=0)) / np.sqrt(np.diag(units))
        turn = np.linalg.svd(np.ones((1, len(rows))))[2][1:]
        turned.append(turn @ rows)
    _, amount = oas(np.concatenate(turned), assume_centered=True)
    assert 0 < amount < 1
    found = estimates(likely.Classifier(likely.Gaussian("shared")).fit(x, y))
    close(found.shrinkage, [amount])


def test_a_column_that_follows_from_another_is_shrunk_a_little():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 2))
    x, y = np.column_stack([x, x[:, 0] - 2 * x[:, 1]]), np.arange(4000) % 2
    found = estimates(likely.Classifier(likely.Gaussian("shared")).fit(x, y))
    pooled, units = pooled_units(x, y)
    close(found.shrinkage, [oracle(pooled / units, 3998)])
    assert found.shrinkage[0] < 0.01


@pytest.mark.parametrize("amount", [0.3, 1.0, 1e-6])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_given_shrinkage_is_used_whether_needed_or_not(seed, amount):
    x, y, _ = clouds(seed, columns=3)
    pooled, units = pooled_units(x, y)
    shared = likely.Classifier(likely.Gaussian("shared", shrinkage=amount)).fit(x, y)
    close(estimates(shared).covariances[0], drawn(pooled / units, amount) * units)
    assert estimates(shared).shrinkage == (amount,)
    full = likely.Classifier(likely.Gaussian("full", shrinkage=amount)).fit(x, y)
    pairs = zip(scatters(x, y), np.bincount(y), strict=True)
    expected = [drawn(scatter / (n - 1) / units, amount) * units for scatter, n in pairs]
    close(estimates(full).covariances, expected)


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_the_units_of_a_column_do_not_matter(covariance):
    x, y = with_fewer_rows_than_columns(1)
    sizes = 2.0 ** np.array([0, 300, -300, 10, -10, 500, 1])
    plain = likely.Classifier(likely.Gaussian(covariance)).fit(x, y)
    scaled = likely.Classifier(likely.Gaussian(covariance)).fit(x * sizes, y)
    close(estimates(scaled).shrinkage, estimates(plain).shrinkage)
    close(scaled.predict_proba(x * sizes), plain.predict_proba(x), rtol=1e-7)


# Categories


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from("abcd")),
        min_size=2,
        max_size=20,
    ),
    alpha=st.sampled_from([1e-3, 0.5, 1.0, 7.0]),
)
def test_categories_equal_scikit_learn(rows, alpha):
    y = [label for *_, label in rows]
    assume(len(set(y)) > 1)
    x = np.array([cells for *cells, _ in rows])
    # There a category is a place in a row of counts, and places without a row count too.
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in x.T])
    theirs = CategoricalNB(alpha=alpha).fit(codes, y)
    model = likely.Classifier(likely.Categorical(alpha=alpha)).fit(x, y)
    assert model.classes == tuple(theirs.classes_)
    close(model.log_joint(x), theirs.predict_joint_log_proba(codes))
    close(model.predict_proba(x), theirs.predict_proba(codes))
    (found,) = model.estimates.values()
    for ours, log_theta in zip(found.probabilities.values(), theirs.feature_log_prob_, strict=True):
        close(ours, np.exp(log_theta).T)


@settings(max_examples=80)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["u", "v", "w", None]),
            st.sampled_from(["1", "2", "3", None]),
            st.sampled_from("ab"),
        ),
        min_size=2,
        max_size=15,
    ),
    m=st.sampled_from([0.0, 0.5, 1.0, 20.0]),
    given_alpha=st.booleans(),
)
def test_the_joint_table_equals_a_count_in_a_dictionary(rows, m, given_alpha):
    labels = [label for *_, label in rows]
    assume(len(set(labels)) == 2)
    whole = [row for row in rows if None not in row]
    values = [sorted({row[place] for row in whole}) for place in (0, 1)]
    cells = list(itertools.product(*values))
    assume(cells)
    seen = Counter(whole)
    imagined = m * len(cells) if given_alpha else m
    likelihood = likely.JointTable(alpha=m) if given_alpha else likely.JointTable(m)
    model = likely.Classifier(likelihood).fit([row[:2] for row in rows], labels)

    def probability(cell, label):
        counted = sum(n for row, n in seen.items() if row[2] == label)
        if not counted + imagined:
            return 1 / len(cells)
        return (seen[(*cell, label)] + imagined / len(cells)) / (counted + imagined)

    asked = [*itertools.product([*values[0], None], [*values[1], None])]
    with np.errstate(divide="ignore"):
        expected = np.log(
            [
                [
                    labels.count(label)
                    / len(labels)
                    * sum(
                        probability(cell, label)
                        for cell in cells
                        if all(a in (None, b) for a, b in zip(row, cell, strict=True))
                    )
                    for label in "ab"
                ]
                for row in asked
            ]
        )
    close(model.log_joint(asked), expected)


# Exactness


def exact_moments(numbers):
    """Mean and variance (÷ n) as fractions."""
    exact = [Fraction(number) for number in numbers]
    mean = sum(exact) / len(exact)
    return mean, sum((number - mean) ** 2 for number in exact) / len(exact)


NEAR = st.integers(-1000, 1000).map(lambda n: 1e8 + n * 1e-6)
HUGE = st.floats(-1e300, 1e300, allow_nan=False)
MIXED = st.one_of(NEAR, HUGE, st.sampled_from([1e300, -1e300, 1e-300, 5e-324, 0.0]))


@settings(max_examples=60)
@pytest.mark.parametrize("numbers", [NEAR, HUGE, MIXED], ids=["near 1e8", "huge", "mixed"])
@given(data=st.data())
def test_means_and_variances_are_those_of_fractions(numbers, data):
    columns = [data.draw(st.lists(numbers, min_size=2, max_size=8)) for _ in "ab"]
    everything = columns[0] + columns[1]
    assume(len(set(everything)) > 1)
    y = ["a"] * len(columns[0]) + ["b"] * len(columns[1])
    found = estimates(likely.Classifier(likely.Gaussian()).fit(everything, y))
    floor = Fraction(1e-9) * exact_moments(everything)[1]
    for place, column in enumerate(columns):
        mean, variance = exact_moments(column)
        assert found.means[place, 0] == float(mean)
        deviation = Fraction(found.deviations[place, 0])
        # Below the normal numbers a deviation has fewer digits, its last one worth 5e-324.
        last, error = Fraction(5e-324), Fraction(1, 10**14)
        assert max(deviation - last, 0) ** 2 <= (variance + floor) * (1 + error)
        assert (deviation + last) ** 2 >= (variance + floor) * (1 - error)


@pytest.mark.parametrize("covariance", ["diagonal", "shared", "full"])
def test_scores_keep_their_digits_far_from_zero(covariance):
    rng = np.random.default_rng(0)
    steps = rng.integers(-1024, 1024, size=(60, 2))
    y = np.arange(60) % 3
    steps[y == 1] += 500
    near, far = steps / 2.0**20, 1e8 + steps / 2.0**20
    assert ((far - 1e8) == near).all()
    plain = likely.Classifier(likely.Gaussian(covariance)).fit(near, y)
    shifted = likely.Classifier(likely.Gaussian(covariance)).fit(far, y)
    close(shifted.log_joint(far), plain.log_joint(near), rtol=1e-12)


@pytest.mark.parametrize("size", [1.0, 1e300, 1e-290])
def test_covariances_are_those_of_fractions(size):
    rng = np.random.default_rng(1)
    y = np.arange(20) % 2
    x = 1e8 + 1e-3 * rng.normal(size=(20, 2)) if size == 1 else size * rng.normal(size=(20, 2))
    expected = []
    for label in (0, 1):
        a, b = ([Fraction(cell) for cell in column] for column in x[y == label].T)
        about = [sum(column) / 10 for column in (a, b)]
        products = sum((p - about[0]) * (q - about[1]) for p, q in zip(a, b, strict=True))
        squares = [exact_moments(column)[1] * 10 for column in (a, b)]
        expected.append((products, *squares))
    full = estimates(likely.Classifier(likely.Gaussian("full")).fit(x, y))
    for place, (products, *squares) in enumerate(expected):
        for deviation, square in zip(full.deviations[place], squares, strict=True):
            assert abs(Fraction(deviation) ** 2 / (square / 9) - 1) < Fraction(1, 10**14)
        correlation = Fraction(full.correlations[place, 0, 1])
        assert correlation * products > 0
        assert abs(correlation**2 * squares[0] * squares[1] / products**2 - 1) < Fraction(1, 10**13)
    shared = estimates(likely.Classifier(likely.Gaussian("shared")).fit(x, y))
    for deviation, *squares in zip(shared.deviations[0], *(e[1:] for e in expected), strict=True):
        assert abs(Fraction(deviation) ** 2 / (sum(squares) / 18) - 1) < Fraction(1, 10**14)
