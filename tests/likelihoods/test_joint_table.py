"""The full table: a cell for every combination, sums over what is missing, and its limits."""

import pickle
import re

import numpy as np
import pyarrow as pa
import pytest

import likely
from likely.errors import DataError, DataTypeError, NotLearnedError, OptionError
from tests.raising import coded

X = {"u": ["a", "a", "b", "b", "a"], "v": ["p", "q", "q", "q", "p"]}
Y = ["x", "x", "x", "y", "y"]


def rows(n_rows=80, seed=0, gaps=0.0):
    """Two columns that depend on each other and on the class."""
    rng = np.random.default_rng(seed)
    y = [int(label) for label in rng.integers(0, 2, n_rows)]
    first = [int(value) for value in rng.integers(0, 3, n_rows)]
    second = ["even" if (a + label) % 2 == 0 else "odd" for a, label in zip(first, y, strict=True)]
    columns = {"first": [*first], "second": [*second]}
    for column in columns.values():
        for place in np.flatnonzero(rng.random(n_rows) < gaps):
            column[place] = None
    return columns, y


def fitted(x, y, *arguments, **options):
    return likely.Classifier(likely.JointTable(*arguments, **options)).fit(x, list(y))


def table(model):
    (found,) = model.estimates.values()
    return found


# The estimate


def test_the_table_by_hand():
    model = fitted(X, Y, m=2)
    expected = [
        [[1.5 / 5, 1.5 / 4], [1.5 / 5, 0.5 / 4]],
        [[0.5 / 5, 0.5 / 4], [1.5 / 5, 1.5 / 4]],
    ]
    assert table(model) == pytest.approx(np.array(expected))
    assert table(model).sum(axis=(0, 1)) == pytest.approx([1, 1])
    joint = np.exp(model.log_joint({"u": ["b"], "v": ["p"]}))[0]
    assert joint == pytest.approx([3 / 5 * 0.5 / 5, 2 / 5 * 0.5 / 4])


def test_alpha_imagines_each_cell():
    np.testing.assert_allclose(table(fitted(X, Y, alpha=0.5)), table(fitted(X, Y, m=2)), rtol=1e-12)


def test_it_sees_what_a_naive_model_cannot():
    x, y = rows()
    assert (fitted(x, y).predict(x) == y).all()
    naive = likely.Classifier(likely.Categorical()).fit(x, y)
    assert np.mean(naive.predict(x) == y) < 0.8


def test_one_column_is_the_categorical_likelihood():
    x, y = rows()
    one = {"first": x["first"]}
    naive = likely.Classifier(likely.Categorical(2.5)).fit(one, y)
    np.testing.assert_allclose(
        fitted(one, y, m=2.5).log_joint(one), naive.log_joint(one), rtol=1e-12
    )


# Missing, new and impossible


@pytest.mark.parametrize("m", [0, 1, 10])
def test_a_missing_cell_is_summed_over(m):
    x, y = rows()
    model = fitted(x, y, m=m)
    shares = np.bincount(y) / len(y)
    for value, place in (("0", 0), ("1", 1), ("2", 2)):
        joint = np.exp(model.log_joint({"first": [value], "second": [None]}))[0]
        assert joint == pytest.approx(shares * table(model)[place].sum(axis=0))
    joint = np.exp(model.log_joint({"first": ["?"], "second": ["odd"]}))[0]
    assert joint == pytest.approx(shares * table(model)[:, 1].sum(axis=0))
    assert np.exp(model.log_joint({"first": [None], "second": [""]}))[0] == pytest.approx(shares)


def test_a_row_with_a_gap_teaches_nothing_but_the_prior():
    x, y = rows(40)
    more = {"first": [*x["first"], None, 7], "second": [*x["second"], "odd", None]}
    found, whole = fitted(more, [*y, 0, 0]), fitted(x, y)
    assert table(found).tolist() == table(whole).tolist()
    assert found.tally.rows.tolist() == [int(n) for n in np.bincount([*y, 0, 0])]


def test_where_every_row_has_a_gap_the_prior_decides():
    model = fitted({"u": ["a", None, "b"], "v": [None, "p", None]}, "xyy")
    assert model.predict_proba({"u": ["a"], "v": ["p"]})[0] == pytest.approx([1 / 3, 2 / 3])


def test_a_row_of_gaps_or_of_new_values_says_nothing():
    model = fitted(X, Y)
    new = {"u": [None, "new"], "v": [None, "newer"]}
    for row in model.predict_proba(new):
        assert row == pytest.approx([3 / 5, 2 / 5])
    assert [term.name for term in model.explain({"u": None, "v": None}).contributions] == ["prior"]


def test_a_value_never_seen_is_like_a_missing_one():
    model = fitted(X, Y)
    new, gone = {"u": ["b"], "v": ["new"]}, {"u": ["b"], "v": [None]}
    assert model.log_joint(new).tolist() == model.log_joint(gone).tolist()


def test_without_smoothing_a_cell_that_a_class_never_had_is_impossible():
    model = fitted(X, Y, m=0)
    asked = {"u": ["b", "a"], "v": ["p", "q"]}
    assert model.impossible(asked).tolist() == [True, False]
    assert model.predict_proba(asked)[0] == pytest.approx([3 / 5, 2 / 5])
    assert model.predict_proba(asked)[1].tolist() == [1.0, 0.0]
    assert model.predict(asked).tolist() == ["x", "x"]


# Limits


def test_a_table_that_is_too_large_is_refused_with_its_number_of_cells():
    x = {"u": list("abcd"), "v": list("efgh"), "w": list("iijj")}
    model = likely.Classifier(likely.JointTable(max_cells=63))
    with pytest.raises(DataError) as caught:
        model.fit(x, [0, 1, 0, 1])
    said, hint = str(caught.value).split("\n")
    assert "32 cells for each of 2 classes, 64 in all" in said
    assert "there may be 63" in said
    assert "`u` 4, `v` 4, `w` 2" in said
    assert "`Categorical()` has 20 numbers" in hint
    assert model.classes == ()
    assert len(fitted(x, [0, 1, 0, 1], max_cells=64).classes) == 2


def test_a_table_that_would_never_fit_is_refused_at_once():
    x = {f"c{place}": [str(value) for value in range(1000)] for place in range(10)}
    with pytest.raises(DataError, match=f"{10**30:,} cells for each of 2 classes"):
        fitted(x, [0, 1] * 500)


def test_constant_columns_are_one_cell_but_too_many_are_refused():
    model = fitted([["a"] * 32] * 2, [0, 1])
    assert model.predict_proba([["a"] * 32])[0] == pytest.approx([0.5, 0.5])
    with pytest.raises(OptionError, match="takes up to 32"):
        fitted([["a"] * 70] * 2, [0, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"m": -1}, "`m` is a number from 0 to 1,000,000,000, not -1"),
        ({"alpha": "x"}, "`alpha` is a number from 0 to 1,000,000,000, not 'x'"),
        ({"m": 2, "alpha": 1}, "`alpha` takes the place of `m`"),
        ({"max_cells": 1.5}, "`max_cells` is a whole number from 1 to 10,000,000, not 1.5"),
        ({"max_cells": True}, "`max_cells` is a whole number from 1 to 10,000,000, not True"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        likely.JointTable(**options)


@pytest.mark.parametrize("max_cells", [0, -1])
def test_a_table_has_at_least_a_cell(max_cells):
    with pytest.raises(OptionError, match="max_cells"):
        likely.JointTable(max_cells=max_cells)


def test_a_cell_that_is_no_category_is_named_by_row_and_column():
    with pytest.raises(DataTypeError, match="row 2 of `v` is list, not a category"):
        fitted({"u": ["a", "b"], "v": ["c", ["d"]]}, "xy")
    with pytest.raises(DataError, match=r"row 2 .*U\+001F"):
        fitted({"u": ["a", "b"], "v": ["c", "d\x1fe"]}, "xy")


def test_the_character_that_joins_columns_is_named_by_row_and_column():
    with pytest.raises(DataError, match=r"row 2 of `v` .*U\+001F"):
        fitted({"u": ["a", "b"], "v": ["c", "d\x1fe"]}, "xy")


# Columns by name and by place


def test_columns_are_found_by_name_whatever_their_order():
    model = fitted(X, Y)
    other = {"v": X["v"], "more": [0] * 5, "u": X["u"]}
    assert model.log_joint(other).tolist() == model.log_joint(X).tolist()
    assert model.log_joint(pa.table(other)).tolist() == model.log_joint(X).tolist()
    unnamed = [list(row) for row in zip(*X.values(), strict=True)]
    assert model.log_joint(unnamed).tolist() == model.log_joint(X).tolist()
    with pytest.raises(DataError, check=coded("missing-column")):
        model.predict({"v": ["p"]})
    with pytest.raises(DataError, match="there are 3 columns, but `u`, `v` are needed"):
        model.predict([["a", "b", "c"]])


# What every model promises


@pytest.mark.parametrize("m", [0, 1])
def test_the_terms_of_an_explanation_add_up_to_the_scores(m):
    x, y = rows(gaps=0.15)
    model = fitted(x, y, m=m)
    joint = model.log_joint(x)
    for place in range(len(y)):
        row = {name: column[place] for name, column in x.items()}
        why = model.explain(row)
        np.testing.assert_allclose(why.scores, joint[place], rtol=1e-12)
        said = ", ".join(f"{name}={cell}" for name, cell in row.items() if cell is not None)
        assert [term.name for term in why.contributions] == (["prior", said] if said else ["prior"])


def test_saved_loaded_and_pickled_a_model_is_the_same(tmp_path):
    x, y = rows(gaps=0.1)
    for likelihood in (likely.JointTable(2.5, max_cells=99), likely.JointTable(alpha=0.5)):
        model = likely.Classifier(likelihood).fit(x, y)
        model.save(tmp_path / "model.likely")
        for again in (likely.load(tmp_path / "model.likely"), pickle.loads(pickle.dumps(model))):
            assert again.to_bytes() == model.to_bytes()
            assert again.likelihood == likelihood
            assert again.log_joint(x).tolist() == model.log_joint(x).tolist()


def _slice(x, *bounds):
    return {name: column[slice(*bounds)] for name, column in x.items()}


def test_forgetting_returns_to_identical_bytes():
    x, y = rows(gaps=0.1)
    x["first"][70] = "only here"
    model = fitted(_slice(x, 50), y[:50])
    before = model.to_bytes()
    model.update(_slice(x, 50, None), y[50:])
    assert table(model).shape == (4, 2, 2)
    model.forget(_slice(x, 50, None), y[50:])
    assert table(model).shape == (3, 2, 2)
    assert model.to_bytes() == before
    with pytest.raises(NotLearnedError, match="row 1 was never learned"):
        model.forget(_slice(x, 70, 71), y[70:71])
    assert model.to_bytes() == before


@pytest.mark.parametrize("chunk", [1, 7, 79])
def test_learning_in_chunks_is_learning_at_once(chunk):
    x, y = rows(gaps=0.1)
    model = likely.Classifier(likely.JointTable())
    for start in reversed(range(0, len(y), chunk)):
        model.update(_slice(x, start, start + chunk), y[start : start + chunk])
    assert model.to_bytes() == fitted(x, y).to_bytes()


def test_threads_change_nothing():
    x, y = rows(2000, gaps=0.05)
    one, three = (
        likely.Classifier(likely.JointTable(), threads=threads).fit(x, y, loo=True)
        for threads in (1, 3)
    )
    assert one.to_bytes() == three.to_bytes()
    assert one.log_joint(x).tolist() == three.log_joint(x).tolist()
    assert one.loo.scores.tolist() == three.loo.scores.tolist()


def test_parameters_are_counted():
    x, y = rows()
    found = fitted(x, y).parameters
    assert (found.likelihood, found.prior, found.free) == (6 * 2, 2, 5 * 2 + 1)


def test_a_likelihood_is_shown_as_one_would_type_it():
    for options in ({}, {"m": 0.0}, {"alpha": 2.0}, {"max_cells": 10}):
        likelihood = likely.JointTable(**options)
        again = eval(repr(likelihood), {"JointTable": likely.JointTable})
        assert again == likelihood
        assert repr(again) == repr(likelihood)
