"""Numbers: what is documented of the three Gaussians, and what they make of bad cells."""

import decimal
import fractions
import pickle
import re

import numpy as np
import pyarrow as pa
import pytest

import likely
from likely.errors import DataError, DataTypeError, NotLearnedError, OptionError
from tests.raising import coded

KINDS = ["diagonal", "shared", "full"]
NAMES = ("u", "v", "w")

every_kind = pytest.mark.parametrize("kind", KINDS)


def clouds(n_rows=90, seed=0, n_classes=3):
    """Rows of three numbers that go together, in classes that overlap."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    mixing = np.array([[1.0, 0.4, 0.0], [0.0, 1.0, -0.7], [0.3, 0.0, 2.0]])
    return rng.normal(size=(n_rows, 3)) @ mixing + y[:, None] * [1.0, -0.5, 0.7], y


def awkward(n_rows=300, seed=0):
    """Rows with gaps, with numbers around 1e8 and with numbers of any size."""
    rng = np.random.default_rng(seed)
    x, y = clouds(n_rows, seed)
    x[:, 1] = 1e8 + 1e-3 * x[:, 1]
    x[rng.random(n_rows) < 0.05, 2] = 1e300
    x[rng.random(n_rows) < 0.05, 2] = -1e300
    x[rng.random(n_rows) < 0.05, 0] = 5e-324
    x[rng.random(x.shape) < 0.05] = np.nan
    return x, y


def named(x):
    return dict(zip(NAMES, x.T, strict=True))


def fitted(kind, x, y, **options):
    return likely.Classifier(likely.Gaussian(kind, **options)).fit(x, list(y))


def estimates(model):
    (found,) = model.estimates.values()
    return found


# Missing numbers


@pytest.mark.parametrize("missing", [None, float("nan"), "?", "", "NA", " ? ", np.float32("nan")])
def test_a_missing_number_may_be_spelled_in_many_ways(missing):
    x, y = clouds(12)
    gap = x.copy()
    gap[4, 1] = np.nan
    cells = x.tolist()
    cells[4][1] = missing
    assert fitted("diagonal", cells, y).to_bytes() == fitted("diagonal", gap, y).to_bytes()


def test_arrow_nulls_are_missing():
    table = pa.table({"a": [1.0, None, 2.0, 5.0], "b": pa.array([1, 2, None, 3])})
    plain = {"a": [1.0, None, 2.0, 5.0], "b": [1, 2, None, 3]}
    y = [0, 1, 0, 1]
    assert fitted("diagonal", table, y).to_bytes() == fitted("diagonal", plain, y).to_bytes()


def test_a_row_with_a_gap_teaches_its_other_columns_to_a_diagonal():
    model = fitted("diagonal", [[1.0, None], [3.0, 5.0], [None, 7.0], [2.0, 4.0]], "aabb")
    assert estimates(model).means.tolist() == [[2.0, 5.0], [2.0, 5.5]]


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_a_row_with_a_gap_teaches_nothing_to_a_covariance(kind):
    x, y = clouds(40)
    gaps = np.vstack([x, [[9.0, np.nan, 9.0], [np.nan, np.nan, np.nan]]])
    whole = estimates(fitted(kind, x, y))
    found = estimates(fitted(kind, gaps, [*y, 0, 1]))
    assert found.means.tolist() == whole.means.tolist()
    assert found.covariances.tolist() == whole.covariances.tolist()


def test_a_missing_number_skips_its_factor_of_a_diagonal():
    x, y = clouds()
    model = fitted("diagonal", x, y)
    gap = x.copy()
    gap[:, 1] = np.nan
    alone = fitted("diagonal", x[:, [0, 2]], y).log_joint(x[:, [0, 2]])
    np.testing.assert_allclose(model.log_joint(gap), alone, rtol=1e-8)


@every_kind
def test_a_row_of_gaps_says_nothing(kind):
    x, y = clouds(31)
    model = fitted(kind, x, y)
    assert model.predict_proba([[None, "?", np.nan]])[0] == pytest.approx(np.bincount(y) / 31)
    assert [term.name for term in model.explain([None] * 3).contributions] == ["prior"]


def test_a_class_that_never_showed_a_column_takes_it_as_in_all_rows():
    model = fitted("diagonal", [[1.0, 5.0], [2.0, 6.0], [4.0, None], [5.0, None]], "aabb")
    found = estimates(model)
    assert found.means[:, 1].tolist() == [5.5, 5.5]
    assert found.deviations[1, 1] == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_a_class_without_a_whole_row_is_taken_as_all_rows_are(kind):
    x, y = clouds(40)
    gaps = np.vstack([x, [[9.0, np.nan, 9.0]]])
    model = fitted(kind, gaps, [*y, 3])
    assert estimates(model).means[3] == pytest.approx(x.mean(axis=0))
    assert np.isfinite(model.log_joint(gaps)).all()


def test_a_column_that_nobody_has_seen_says_nothing():
    model = fitted("diagonal", [[1.0, None], [3.0, None], [2.0, None], [5.0, None]], "aabb")
    alone = fitted("diagonal", [[1.0], [3.0], [2.0], [5.0]], "aabb")
    assert model.log_joint([[2.0, 7.0]]).tolist() == alone.log_joint([[2.0]]).tolist()
    assert np.isnan(estimates(model).deviations[:, 1]).all()


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_it_is_said_when_every_row_has_a_gap(kind):
    model = fitted(kind, [[1.0, None], [None, 2.0], [3.0, None], [None, 1.0]], "aabb")
    assert model.predict_proba([[1.0, 2.0]]).tolist() == [[0.5, 0.5]]
    assert any("gap" in note or "missing" in note for note in model.info.notes)


# Numbers without spread


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_a_constant_column_says_nothing_to_a_covariance(kind):
    x, y = clouds()
    constant = np.column_stack([x, np.full(len(x), 7.0)])
    new = np.column_stack([x, np.linspace(-9, 9, len(x))])
    model = fitted(kind, constant, y)
    np.testing.assert_allclose(model.log_joint(new), fitted(kind, x, y).log_joint(x), rtol=1e-12)
    assert estimates(model).shrinkage == estimates(fitted(kind, x, y)).shrinkage


def test_a_constant_column_does_no_harm_to_a_diagonal():
    x, y = clouds()
    model = fitted("diagonal", np.column_stack([x, np.full(len(x), 7.0)]), y)
    plain = fitted("diagonal", x, y)
    np.testing.assert_allclose(
        model.predict_proba(np.column_stack([x, np.full(len(x), 7.0)])),
        plain.predict_proba(x),
        rtol=1e-9,
    )


@every_kind
@pytest.mark.parametrize("value", [0.0, -3.5, 1e300])
def test_where_everything_is_constant_the_prior_decides(kind, value):
    model = fitted(kind, [[value, value]] * 4, [0, 1, 0, 0])
    for row in model.predict_proba([[value, value], [1.0, 2.0]]):
        assert row == pytest.approx([0.75, 0.25])


@every_kind
def test_classes_that_are_each_constant_are_told_apart(kind):
    model = fitted(kind, [[1.0, 1.0]] * 3 + [[2.0, 5.0]] * 3, "aaabbb")
    assert model.predict([[1.0, 1.0], [2.0, 5.0], [1.1, 1.2]]).tolist() == ["a", "b", "a"]


@every_kind
def test_fewer_rows_than_columns_still_predict(kind):
    rng = np.random.default_rng(0)
    y = np.arange(6) % 2
    x = rng.normal(size=(6, 20)) + 3 * y[:, None]
    model = fitted(kind, x, y)
    assert model.predict(x).tolist() == y.tolist()
    assert np.isfinite(model.log_joint(x)).all()
    if kind != "diagonal":
        assert all(amount > 0 for amount in estimates(model).shrinkage)
        assert any("singular" in note for note in model.info.notes)


@every_kind
def test_a_class_with_one_row_is_no_obstacle(kind):
    x, y = clouds(30, n_classes=2)
    model = fitted(kind, np.vstack([x, [[9.0, 9.0, 9.0]]]), [*y, 2])
    assert model.predict([[9.0, 9.0, 9.0]])[0] == 2
    assert np.isfinite(model.log_joint(x)).all()


@pytest.mark.parametrize("shrinkage", ["auto", 0.2])
def test_a_class_with_one_row_borrows_the_shared_covariance_and_says_so(shrinkage):
    x, y = clouds(30, n_classes=2)
    x, y = np.vstack([x, [[9.0, 9.0, 9.0]]]), np.array(["a", "b"] * 15 + ["c"])
    full = estimates(model := fitted("full", x, y, shrinkage=shrinkage))
    shared = estimates(fitted("shared", x, y, shrinkage=shrinkage))
    assert full.borrowed == (False, False, True)
    assert full.covariances[2].tolist() == shared.covariances[2].tolist()
    (note,) = [note for note in model.info.notes if "too few rows" in note]
    assert note.startswith("`c` has too few rows for a covariance of `x0`, `x1`, `x2` of its own")


def test_a_class_of_many_equal_rows_is_not_said_to_have_too_few():
    x, y = clouds(30, n_classes=2)
    model = fitted("full", np.vstack([x, [[9.0, 9.0, 9.0]] * 50]), [*y, *[2] * 50])
    assert estimates(model).borrowed == (False, False, True)
    assert not any("too few" in note for note in model.info.notes)


SINGULAR = {
    "a class with fewer rows than columns": (
        "full",
        {"shrinkage": 0},
        [[1.0, 2.0], [2.0, 3.5], [4.0, 1.0], [3.0, 3.0], [4.0, 4.0]],
        ["ham", "ham", "ham", "spam", "spam"],
        "`spam`",
    ),
    "one column follows from the other": (
        "shared",
        {"shrinkage": 0},
        [[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [3.0, 6.0], [5.0, 10.0]],
        ["ham", "ham", "ham", "spam", "spam"],
        None,
    ),
    "a constant column of one class": (
        "diagonal",
        {"floor": 0},
        [[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [3.0, 6.0], [4.0, 6.0]],
        ["ham", "ham", "ham", "spam", "spam"],
        "`spam`",
    ),
    "a class with one row": (
        "full",
        {"shrinkage": 0},
        [[1.0, 2.0], [2.0, 3.5], [4.0, 1.0], [3.0, 3.0], [4.0, 4.0]],
        ["ham", "ham", "ham", "ham", "spam"],
        "`spam`",
    ),
}

every_singular = pytest.mark.parametrize("case", SINGULAR.values(), ids=SINGULAR)


@every_singular
def test_what_cannot_be_inverted_is_refused_where_nothing_may_be_lent(case):
    kind, options, x, y, _ = case
    model = likely.Classifier(likely.Gaussian(kind, **options))
    with pytest.raises(DataError, match="have no spread of their own in some direction"):
        model.fit(x, y)
    assert model.classes == ()
    assert np.isfinite(fitted(kind, x, y).log_joint(x)).all()


@every_singular
def test_the_class_without_spread_is_named(case):
    kind, options, x, y, who = case
    with pytest.raises(DataError) as caught:
        fitted(kind, x, y, **options)
    (option,) = options
    assert "class 0" not in str(caught.value)
    assert who is None or who in str(caught.value)
    assert f"`{option}=0`" in str(caught.value)
    assert len(re.findall("`(?:floor|shrinkage)=0`", str(caught.value))) == 1


def test_without_a_floor_a_column_beside_a_huge_one_keeps_its_spread():
    x = [[1e300, 2.0], [2e300, 4.0], [4e300, 8.0], [3e300, 6.0], [4e300, 5.0]]
    model = fitted("diagonal", x, "aaabb", floor=0)
    assert estimates(model).deviations[1, 1] == pytest.approx(0.5)


# Cells that are no plain numbers


@pytest.mark.parametrize(
    ("cell", "error", "message"),
    [
        ("tall", DataError, "row 2 of `v` is 'tall', which is no number"),
        ("1,5", DataError, "row 2 of `v` is '1,5', which is no number"),
        ("1_000", DataError, "row 2 of `v` is '1_000', which is no number"),
        ("x" * 99, DataError, "row 2 of `v` is 'xxxxxx"),
        ([1.0], DataTypeError, "row 2 of `v` is list, not a number"),
        (b"1", DataTypeError, "row 2 of `v` is bytes, not a number"),
        (1j, DataTypeError, "row 2 of `v` is complex, not a number"),
        (np.datetime64("2020-01-01"), DataTypeError, "row 2 of `v` is datetime64, not a number"),
        (float("inf"), DataError, "row 2 of `v` is infinite"),
        (float("-inf"), DataError, "row 2 of `v` is infinite"),
        ("-inf", DataError, "row 2 of `v` is infinite"),
        (2**53 + 1, DataError, "row 2 of `v` is 9007199254740993, which has more digits"),
        (-(2**53) - 1, DataError, "row 2 of `v` is -9007199254740993, which has more digits"),
    ],
)
def test_a_cell_that_is_no_number_is_named_by_row_and_column(cell, error, message):
    table = {"u": [1.0, 2.0, 3.0], "v": [1.0, cell, 2.0]}
    model = likely.Classifier(likely.Gaussian())
    with pytest.raises(error, match=re.escape(message)) as caught:
        model.fit(table, [*"aab"])
    assert len(str(caught.value).splitlines()[0]) < 120
    model.fit({"u": [1.0, 2.0, 3.0], "v": [1.0, 5.0, 2.0]}, [*"aab"])
    with pytest.raises(error, match=re.escape(message)):
        model.predict(table)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (np.array([[1.0, 2.0], [3.0, np.inf]]), DataError, "row 2 of `x1` is infinite"),
        (np.array([[1, 2], [2**53 + 1, 4]]), DataError, "row 2 of `x0` is 9007199254740993"),
        (np.array([[1], [2**64 - 1]], np.uint64), DataError, "row 2 of `x0` is 184467440737"),
        (np.array([["1", "2"], ["3", "x"]]), DataError, "row 2 of `x1` is 'x', which is no number"),
        (np.array([[1j], [2.0]]), DataTypeError, "row 1 of `x0` is complex, not a number"),
        ([[1.0, 2.0], [3.0]], DataError, "row 1 has 2 cells but row 2 has 1"),
        ([[1.0], 2.0], DataTypeError, "row 2 is float, not a list of cells"),
        ([{"u": 1.0}, [2.0]], DataTypeError, "row 2 is list, not a dictionary"),
        (np.ones((2, 2, 2)), DataTypeError, "not the shape (2, 2, 2)"),
        ({"u": [1.0, 2.0], "v": [1.0]}, DataError, "`u` has 2 rows but `v` has 1"),
        ({"u": 1.0}, DataTypeError, "`u` is no column but float"),
        ({}, DataError, "the table has no columns"),
        ([[], []], DataError, "the table has no columns"),
        ({1: [1.0, 2.0]}, DataTypeError, "columns have names, but 1 is int"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(x, error, message):
    with pytest.raises(error, match=re.escape(message)):
        likely.Classifier(likely.Gaussian()).fit(x, ["a", "b"])


@pytest.mark.parametrize(
    "cells",
    [
        ["1", " 2.5 ", "-3e2", "+0.5"],
        [1, 2.5, -300, decimal.Decimal("0.5")],
        [True, 2.5, np.int8(-50) * np.int16(6), fractions.Fraction(1, 2)],
        np.array([1, 2.5, -300, 0.5], dtype=np.float32),
        np.array(["1", "2.5", "-300", "0.5"]),
        pa.chunked_array([[1.0, 2.5], [-300.0, 0.5]]),
        (1.0, np.float64(2.5), np.float16(-300), 0.5),
    ],
    ids=str,
)
def test_numbers_come_in_many_forms(cells):
    plain = fitted("diagonal", {"u": [1.0, 2.5, -300.0, 0.5]}, "abab")
    assert fitted("diagonal", {"u": cells}, "abab").to_bytes() == plain.to_bytes()


def test_a_whole_number_beyond_2_to_53_that_a_float_holds_is_read():
    for cells in ([2**60, 2**53, -(2**70), 1], np.array([2**60, 2**53, -(2**62), 1])):
        model = fitted("diagonal", {"u": cells}, "abab")
        assert estimates(model).means[0, 0] == (cells[0] + int(cells[2])) / 2


@pytest.mark.parametrize(
    "table",
    [
        {"u": [np.int64(2**53 + 1), 1]},
        {"u": [str(2**53 + 1), 1]},
        pa.table({"u": pa.array([2**53 + 1, None])}),
    ],
    ids=["NumPy integers in a list", "strings", "Arrow integers with a null"],
)
def test_no_form_of_a_long_whole_number_is_rounded_silently(table):
    with pytest.raises(DataError, match="has more digits than a number holds"):
        fitted("diagonal", table, "ab")


@pytest.mark.parametrize(
    ("column", "plain"),
    [
        (pa.array([1.0, None, 2.0]), [1.0, None, 2.0]),
        (pa.array([True, False, True]), [1, 0, 1]),
        (pa.array(["1", "?", "2"]), ["1", None, "2"]),
    ],
    ids=["with a null", "truth values", "strings"],
)
def test_plain_arrow_arrays_are_columns(column, plain):
    model = fitted("diagonal", {"u": column}, "aab")
    assert model.to_bytes() == fitted("diagonal", {"u": plain}, "aab").to_bytes()


@pytest.mark.parametrize("shape", [(4, 1), (4,)])
def test_masked_cells_are_missing(shape):
    masked = np.ma.masked_array([1.0, 2.0, 999.0, 3.0], mask=[0, 0, 1, 0]).reshape(shape)
    model = fitted("diagonal", masked, "abab")
    assert estimates(model).means.tolist() == [[1.0], [2.5]]


@pytest.mark.parametrize("column", [{0: 5.0, 1: 6.0}, {5.0, 6.0}], ids=["dictionary", "set"])
def test_what_has_no_order_is_no_column(column):
    with pytest.raises(DataTypeError, match="`u` is no column"):
        fitted("diagonal", {"u": column}, "ab")


def test_an_array_without_columns_is_refused():
    with pytest.raises(DataError, check=coded("no-columns")):
        fitted("diagonal", np.empty((2, 0)), "ab")


def test_negative_numbers_and_signed_zeros():
    x, y = clouds()
    model, mirrored = fitted("full", x, y), fitted("full", -x, y)
    assert estimates(mirrored).means.tolist() == (-estimates(model).means).tolist()
    assert mirrored.log_joint(-x).tolist() == model.log_joint(x).tolist()
    zeros = fitted("diagonal", [[-0.0], [1.0]], "ab"), fitted("diagonal", [[0.0], [1.0]], "ab")
    assert zeros[0].to_bytes() == zeros[1].to_bytes()


# Far away


@every_kind
@pytest.mark.parametrize("size", [1e300, 1e-290])
def test_huge_and_tiny_numbers_are_told_apart_as_others_are(kind, size):
    x, y = clouds()
    np.testing.assert_allclose(
        fitted(kind, x * size, y).predict_proba(x * size),
        fitted(kind, x, y).predict_proba(x),
        rtol=1e-9,
    )


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_no_finite_row_has_a_probability_that_is_no_number(kind):
    x, y = clouds()
    model = fitted(kind, x * 1e-5, y)
    far = np.array([[1.7e308, 1.7e308, 1.7e308], [1.7e308, -1.7e308, 0.0]])
    assert not np.isnan(model.log_joint(far)).any()
    assert model.predict_proba(far).sum(axis=1) == pytest.approx(1)


def test_estimates_of_huge_numbers_can_be_looked_at():
    found = estimates(fitted("diagonal", [[1e300], [2e300], [1.5e300], [0.0]], "abab"))
    assert np.isposinf(found.covariances).all()


# Columns by name and by place


@every_kind
def test_columns_are_found_by_name_whatever_their_order(kind):
    x, y = clouds()
    model = fitted(kind, named(x), y)
    other = {"extra": ["text"] * len(x), "w": x[:, 2], "u": x[:, 0], "v": x[:, 1]}
    assert model.columns == NAMES
    assert model.log_joint(other).tolist() == model.log_joint(named(x)).tolist()
    rows = [dict(zip(NAMES, row, strict=True)) for row in x.tolist()]
    assert model.log_joint(rows).tolist() == model.log_joint(named(x)).tolist()
    assert model.log_joint(pa.table(other)).tolist() == model.log_joint(named(x)).tolist()


def test_a_missing_column_is_named():
    x, y = clouds()
    model = fitted("diagonal", named(x), y)
    with pytest.raises(DataError, check=coded("missing-column")):
        model.predict({"u": [1.0], "w": [2.0]})
    without = model.explain({"u": 1.0, "w": 2.0}).probabilities
    assert (without == model.explain({"u": 1.0, "v": None, "w": 2.0}).probabilities).all()


@every_kind
def test_rows_without_names_are_read_by_place(kind):
    x, y = clouds()
    model = fitted(kind, named(x), y)
    for rows in (x, x.tolist(), x.astype(object), [tuple(row) for row in x]):
        assert model.log_joint(rows).tolist() == model.log_joint(named(x)).tolist()
    with pytest.raises(DataError, match="there are 2 columns, but `u`, `v`, `w` are needed"):
        model.predict(x[:, :2])
    with pytest.raises(DataError, check=coded("missing-column")):
        fitted(kind, x, y).predict(named(x))


def test_no_rows_give_no_predictions():
    x, y = clouds()
    model = fitted("diagonal", x, y)
    assert model.predict(np.empty((0, 3))).tolist() == []
    assert model.predict([]).tolist() == []


def test_learning_from_no_rows_settles_nothing():
    x, y = clouds()
    model = likely.Classifier(likely.Gaussian()).update([], []).update(x, y)
    assert model.to_bytes() == fitted("diagonal", x, y).to_bytes()


# Virtual rows


def with_virtual_rows(x, y, m, is_shared):
    """A mean and a covariance of each class, by definition."""
    classes = sorted(set(y))
    of_class = [x[np.array(y) == c] for c in classes]
    means = np.array([own.mean(axis=0) for own in of_class])
    scatters = [(own - mean).T @ (own - mean) for own, mean in zip(of_class, means, strict=True)]
    dof = len(y) - len(classes)
    variances = np.diag(np.diag(sum(scatters)) / dof)
    if is_shared:
        return means, [(sum(scatters) + m * variances) / (dof + m)] * len(classes)
    return means, [
        (scatter + m * variances) / (len(own) - 1 + m)
        for scatter, own in zip(scatters, of_class, strict=True)
    ]


def log_densities(rows, means, covariances):
    found = []
    for mean, covariance in zip(means, covariances, strict=True):
        squared = np.einsum("ij,ij->i", rows - mean, np.linalg.solve(covariance, (rows - mean).T).T)
        found.append(-0.5 * (np.linalg.slogdet(2 * np.pi * covariance)[1] + squared))
    return np.array(found).T


TOGETHER = pytest.mark.parametrize("kind", ["shared", "full"])


@TOGETHER
@pytest.mark.parametrize("m", [0.5, 3.0, 100.0])
def test_virtual_rows_have_independent_columns(kind, m):
    x, y = clouds(40)
    means, covariances = with_virtual_rows(x, y, m, kind == "shared")
    model = fitted(kind, x, y, m=m)
    np.testing.assert_allclose(estimates(model).means, means, atol=1e-12)
    expected = covariances[:1] if kind == "shared" else covariances
    np.testing.assert_allclose(estimates(model).covariances[: len(expected)], expected, atol=1e-12)
    found = model.log_joint(x) - model.fitted.log_prior
    np.testing.assert_allclose(found, log_densities(x, means, covariances), atol=1e-10)


@TOGETHER
@pytest.mark.parametrize("collinear", [False, True])
def test_with_virtual_rows_leaving_out_is_training_without(kind, collinear):
    x, y = clouds(24)
    if collinear:
        x[:, 2] = x[:, 0] - 2 * x[:, 1]
    found = fitted(kind, x, y, m=3.0).leave_one_out(x, list(y)).scores
    for row in range(len(y)):
        rest, labels = np.delete(x, row, axis=0), np.delete(y, row)
        prior = np.log(np.bincount(labels) / len(labels))
        given = with_virtual_rows(rest, labels, 3.0, kind == "shared")
        expected = prior + log_densities(x[row : row + 1], *given)[0]
        np.testing.assert_allclose(found[row], expected, atol=1e-9)


@TOGETHER
def test_many_virtual_rows_leave_no_correlation_and_none_change_nothing(kind):
    x, y = clouds()
    many = estimates(fitted(kind, x, y, m=1e9)).correlations
    np.testing.assert_allclose(many, np.broadcast_to(np.eye(3), many.shape), atol=1e-6)
    assert fitted(kind, x, y, m=0).log_joint(x).tolist() == fitted(kind, x, y).log_joint(x).tolist()


def test_with_virtual_rows_a_class_of_one_row_varies_as_all_do():
    x, y = clouds(31)
    y[-1] = 7
    found = estimates(fitted("full", x, y, m=3.0))
    classes = [np.flatnonzero(y == c) for c in (0, 1, 2)]
    squares = sum(((x[own] - x[own].mean(axis=0)) ** 2).sum(axis=0) for own in classes)
    np.testing.assert_allclose(found.covariances[-1], np.diag(squares / (31 - 4)), atol=1e-12)
    assert not any(found.borrowed)


@TOGETHER
def test_virtual_rows_come_back_from_a_file(kind, tmp_path):
    x, y = clouds()
    model = fitted(kind, x, y, m=2.5)
    model.save(tmp_path / "model.likely")
    again = likely.load(tmp_path / "model.likely")
    assert again.likelihood == likely.Gaussian(kind, m=2.5) != likely.Gaussian(kind)
    assert again.log_joint(x).tolist() == model.log_joint(x).tolist()


# Options


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (["tied"], {}, '`covariance` is "diagonal", "shared" or "full", not \'tied\''),
        ([], {"floor": -1e-9}, "`floor` is a number from 0 to 1, not -1e-09"),
        ([], {"floor": float("nan")}, "`floor` is a number from 0 to 1, not nan"),
        ([], {"floor": "small"}, "`floor` is a number from 0 to 1, not 'small'"),
        (["full"], {"shrinkage": 2}, '`shrinkage` is "auto" or a number from 0 to 1, not 2'),
        (["full"], {"shrinkage": True}, '`shrinkage` is "auto" or a number from 0 to 1, not True'),
        (
            ["full"],
            {"shrinkage": "no"},
            "`shrinkage` is \"auto\" or a number from 0 to 1, not 'no'",
        ),
        ([], {"shrinkage": 0.5}, "a diagonal covariance has nothing to shrink"),
        (["full"], {"m": -1}, "`m` is a number from 0 to 1,000,000,000, not -1"),
        ([], {"m": 1}, "`m` takes the place of `shrinkage`, where columns share a covariance"),
        (["full"], {"m": 1, "shrinkage": 0.5}, "`m` takes the place of `shrinkage`"),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments, options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        likely.Gaussian(*arguments, **options)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [([["full"]], {}), (["full"], {"shrinkage": np.array([0.1, 0.2])}), ([], {"floor": True})],
    ids=["a list of covariances", "an array of shrinkages", "a floor that is true"],
)
def test_options_of_the_wrong_type_are_refused(arguments, options):
    with pytest.raises(OptionError):
        likely.Gaussian(*arguments, **options)


@every_kind
def test_a_likelihood_is_shown_as_one_would_type_it(kind):
    more = [{"shrinkage": 0.25}, {"m": 2.5}] if kind != "diagonal" else []
    for options in ({}, {"floor": 1e-3}, *more):
        likelihood = likely.Gaussian(kind, **options)
        again = eval(repr(likelihood), {"Gaussian": likely.Gaussian})
        assert again == likelihood
        assert repr(again) == repr(likelihood)


# What every model promises


@every_kind
def test_the_terms_of_an_explanation_add_up_to_the_scores(kind):
    x, y = awkward(60)
    model = likely.Classifier(likely.Gaussian(kind)).fit(named(x), y)
    for row in x[:20]:
        cells = dict(zip(NAMES, row, strict=True))
        why = model.explain(cells)
        joint = model.log_joint({name: [cell] for name, cell in cells.items()})[0]
        assert why.scores == pytest.approx(joint, rel=1e-12, abs=1e-9)
        there = [name for name in NAMES if not np.isnan(cells[name])]
        found = re.findall(r"(\w)=", " ".join(term.name for term in why.contributions))
        assert found == there
        assert str(why).startswith(str(why.prediction))


def test_an_explanation_shows_the_number_that_was_given():
    model = fitted("diagonal", [[1e6], [2e6], [1.1e6], [2.2e6]], "abab")
    assert "1234567" in str(model.explain([1234567])).replace(",", "")


@every_kind
def test_saved_loaded_and_pickled_a_model_is_the_same(kind, tmp_path):
    x, y = awkward()
    options = {} if kind == "diagonal" else {"shrinkage": 0.125}
    model = likely.Classifier(likely.Gaussian(kind, floor=1e-6, **options), prior="uniform")
    model.fit(named(x), y)
    model.save(tmp_path / "model.likely")
    for again in (likely.load(tmp_path / "model.likely"), pickle.loads(pickle.dumps(model))):
        assert again.to_bytes() == model.to_bytes()
        assert again.digest == model.digest
        assert again.likelihood == model.likelihood
        assert again.columns == model.columns
        assert again.log_joint(named(x)).tolist() == model.log_joint(named(x)).tolist()
        again.forget(named(x[:5]), y[:5])
        assert (
            again.to_bytes()
            == likely.Classifier(model.likelihood, prior="uniform")
            .fit(named(x[5:]), y[5:])
            .to_bytes()
        )


@every_kind
def test_forgetting_returns_to_identical_bytes(kind):
    x, y = awkward()
    model = fitted(kind, x[:200], y[:200])
    before = model.to_bytes()
    receipt = model.update(x[200:], y[200:]).forget(x[200:], y[200:])
    assert receipt == likely.Receipt(rows=100, rows_left=200, classes_gone=())
    assert model.to_bytes() == before
    with pytest.raises(NotLearnedError, match="row 2 was never learned"):
        model.forget(np.vstack([x[:1], x[200:201]]), [y[0], y[200]])
    assert model.to_bytes() == before


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_without_a_ledger_nothing_impossible_remains(kind):
    x = [[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [5.0, 1.0], [6.0, 3.0], [7.0, 2.0]]
    model = likely.Classifier(likely.Gaussian(kind), ledger=False).fit(x, [*"aaaabbb"])
    before = model.to_bytes()
    # The correlation that would remain is 5.
    with pytest.raises(NotLearnedError):
        model.forget([[1.0, -1.0]], ["a"])
    assert model.to_bytes() == before


@every_kind
@pytest.mark.parametrize("chunk", [1, 7, 128, 129])
def test_learning_in_chunks_is_learning_at_once(kind, chunk):
    x, y = awkward()
    model = likely.Classifier(likely.Gaussian(kind))
    for start in reversed(range(0, len(x), chunk)):
        model.update(x[start : start + chunk], y[start : start + chunk])
    assert model.to_bytes() == fitted(kind, x, y).to_bytes()


@every_kind
def test_threads_change_nothing(kind):
    x, y = awkward(1000)
    one, three = (
        likely.Classifier(likely.Gaussian(kind), threads=threads).fit(x, y, loo=True)
        for threads in (1, 3)
    )
    assert one.to_bytes() == three.to_bytes()
    assert one.log_joint(x).tolist() == three.log_joint(x).tolist()
    assert one.loo.scores.tolist() == three.loo.scores.tolist()


@every_kind
def test_parameters_are_counted(kind):
    x, y = clouds()
    d, k = 3, 3
    spread = {"diagonal": d * k, "shared": d * (d + 1) // 2, "full": d * (d + 1) // 2 * k}
    found = fitted(kind, x, y).parameters
    assert (found.likelihood, found.prior) == (d * k + spread[kind], k)
    assert found.free == found.likelihood + k - 1
