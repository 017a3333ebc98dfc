"""Categories: the m-estimate, values that are missing or new, and bad cells."""

import pickle
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely.errors import DataError, DataTypeError, NotLearnedError, OptionError
from tests.raising import coded

COLOURS = ["red", "green", "blue", "light blue"]
SIZES = ["S", "M", "L"]
NAMES = ("colour", "size", "number")


def rows(n_rows=60, seed=0, gaps=0.0):
    """Named columns of categories that lean towards their class, and labels."""
    rng = np.random.default_rng(seed)
    y = [int(label) for label in rng.integers(0, 3, n_rows)]
    columns = {
        "colour": [COLOURS[(label + rng.integers(0, 3)) % 4] for label in y],
        "size": [SIZES[int(rng.random() < 0.5) + label // 2] for label in y],
        "number": [int(rng.integers(0, 5)) for _ in y],
    }
    for column in columns.values():
        for place in np.flatnonzero(rng.random(n_rows) < gaps):
            column[place] = None
    return columns, y


def fitted(x, y, *arguments, **options):
    return likely.Classifier(likely.Categorical(*arguments, **options)).fit(x, list(y))


def probabilities(model, column="x"):
    (found,) = model.estimates.values()
    return dict(zip(found.values[column], found.probabilities[column].tolist(), strict=True))


# The m-estimate


def test_the_m_estimate_by_hand():
    model = fitted(["s", "s", "o", "s", "o", "r"], "yyynnn", m=2)
    third = 2 / 3
    assert probabilities(model) == {
        "o": pytest.approx([(1 + third) / 5, (1 + third) / 5]),
        "r": pytest.approx([(1 + third) / 5, (0 + third) / 5]),
        "s": pytest.approx([(1 + third) / 5, (2 + third) / 5]),
    }
    assert model.classes == ("n", "y")


def test_one_imagined_row_is_the_default():
    model = fitted(["a", "b", "b"], "xxy")
    assert probabilities(model) == {
        "a": pytest.approx([1.5 / 3, 0.5 / 2]),
        "b": pytest.approx([1.5 / 3, 1.5 / 2]),
    }


@pytest.mark.parametrize("alpha", [0, 0.1, 1, 5])
def test_alpha_is_an_m_per_value(alpha):
    x, y = rows()
    for column, values in (("colour", 4), ("number", 5)):
        one = {column: x[column]}
        ours, theirs = fitted(one, y, alpha=alpha), fitted(one, y, m=alpha * values)
        np.testing.assert_allclose(ours.log_joint(one), theirs.log_joint(one), rtol=1e-12)


def test_the_values_are_those_of_all_classes():
    model = fitted(["a", "b", "c"], "xyy", m=3)
    assert list(probabilities(model)) == ["a", "b", "c"]
    total = sum(np.array(row) for row in probabilities(model).values())
    assert total == pytest.approx([1, 1])


def test_m_spreads_over_the_values_as_p_says():
    model = fitted(["a", "b", "b"], "xxy", m=4, p={"a": 0.9, "b": 0.1})
    assert probabilities(model) == {
        "a": pytest.approx([4.6 / 6, 3.6 / 5]),
        "b": pytest.approx([1.4 / 6, 1.4 / 5]),
    }


def test_p_may_be_given_for_some_of_several_columns():
    x = {"u": ["a", "b", "b"], "v": ["c", "d", "c"]}
    model = fitted(x, "xxy", m=4, p={"u": {"a": 0.9, "b": 0.1}})
    assert probabilities(model, "u")["a"] == pytest.approx([4.6 / 6, 3.6 / 5])
    assert probabilities(model, "v")["c"] == pytest.approx([3 / 6, 3 / 5])


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ({"a": 0.5, "b": 0.4}, "`p` sums to 0.9, not to 1"),
        ({"a": 1.5, "b": -0.5}, "`p` of `a` is a probability, not 1.5"),
        ({"a": "half", "b": 0.5}, "`p` of `a` is a probability, not 'half'"),
        ({"a": float("nan"), "b": 0.5}, "`p` of `a` is a probability, not nan"),
        ({"a": True, "b": False}, "`p` of `a` is a probability, not True"),
        ({}, "`p` is a probability per value, not {}"),
        ("uniform", "`p` is a probability per value, not 'uniform'"),
        ({"u": {"a": 0.5, "b": 0.5}, "v": {"c": 0.7}}, "`p` sums to 0.7, not to 1"),
        ({"u": {"a": 1.0}, "v": 0.5}, "`p` of `u` is a probability, not {'a': 1.0}"),
    ],
)
def test_a_p_that_is_no_distribution_is_refused(p, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        likely.Categorical(p=p)


def test_a_value_that_p_leaves_out_is_named():
    message = "`p` says nothing of `c`, a value of `u`"
    with pytest.raises(OptionError, match=message):
        fitted({"u": ["a", "b", "c"]}, "xxy", p={"a": 0.5, "b": 0.5})
    with pytest.raises(OptionError, match=message):
        fitted({"u": ["a", "b", "c"]}, "xxy", p={"u": {"a": 0.5, "b": 0.5}})


def test_one_p_for_several_columns_is_refused_with_a_hint():
    x = {"u": ["a", "b"], "v": ["c", "d"]}
    message = "there are several columns\nhint: `p={'u': {…}}`"
    with pytest.raises(OptionError, match=re.escape(message)):
        fitted(x, "xy", p={"a": 0.5, "b": 0.5})


def test_a_p_for_a_column_that_is_not_there_is_refused():
    with pytest.raises(OptionError, match="colour"):
        fitted({"color": ["a", "b"]}, "xy", p={"colour": {"a": 0.9, "b": 0.1}})


@pytest.mark.parametrize(
    ("cells", "p"),
    [
        ([0.0, 1.0], {0.0: 0.9, 1.0: 0.1}),
        ([1.0, 2.5], {1.0: 0.9, 2.5: 0.1}),
        (np.array([0.0, 1.0]), dict.fromkeys(np.array([0.0, 1.0]), 0.5)),
    ],
)
def test_p_spells_its_values_as_cells_are_spelled(cells, p):
    model = fitted(cells, "xy", p=p)
    first = next(iter(probabilities(model).values()))
    assert first[1] == pytest.approx(next(iter(p.values())) / 2)


@pytest.mark.parametrize("cells", [[0, 1], ["0", "1"], np.array([0, 1]), [0.0, 1.0]], ids=repr)
def test_p_may_name_whole_numbers(cells):
    model = fitted(cells, "xy", p={0: 0.9, 1: 0.1})
    assert probabilities(model)["0"] == pytest.approx([1.9 / 2, 0.9 / 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"m": -1}, "`m` is a number from 0 to 1,000,000,000, not -1"),
        ({"m": "1"}, "`m` is a number from 0 to 1,000,000,000, not '1'"),
        ({"m": True}, "`m` is a number from 0 to 1,000,000,000, not True"),
        ({"m": float("nan")}, "`m` is a number from 0 to 1,000,000,000, not nan"),
        ({"alpha": float("inf")}, "`alpha` is a number from 0 to 1,000,000,000, not inf"),
        ({"m": 2, "alpha": 1}, "`alpha` takes the place of `m` and `p`"),
        ({"alpha": 1, "p": {"a": 1.0}}, "`alpha` takes the place of `m` and `p`"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        likely.Categorical(**options)


# Values that are missing or new


@pytest.mark.parametrize("missing", [None, "?", "", "NA", float("nan"), np.nan])
def test_a_missing_value_is_not_counted(missing):
    model = fitted({"u": ["a", missing, "b", "b"]}, "xxxy", m=0)
    assert probabilities(model, "u") == {
        "a": pytest.approx([1 / 2, 0]),
        "b": pytest.approx([1 / 2, 1]),
    }
    assert model.predict_proba({"u": [missing]})[0] == pytest.approx([3 / 4, 1 / 4])


def test_a_missing_value_skips_its_factor():
    x, y = rows()
    model = fitted(x, y)
    gone = {**x, "size": [None] * len(y)}
    rest = {name: x[name] for name in ("colour", "number")}
    np.testing.assert_allclose(model.log_joint(gone), fitted(rest, y).log_joint(rest), rtol=1e-12)


def test_a_value_never_seen_is_like_a_missing_one():
    x, y = rows()
    model = fitted(x, y, m=0)
    new = {**x, "size": ["XXL"] * len(y)}
    gone = {**x, "size": [None] * len(y)}
    assert model.log_joint(new).tolist() == model.log_joint(gone).tolist()
    assert [
        term.name for term in model.explain({**_first(new), "colour": "mauve"}).contributions
    ] == [
        "prior",
        f"number={x['number'][0]}",
    ]


def _first(x):
    return {name: column[0] for name, column in x.items()}


# A missing cell as a value


def log_chance(cells, labels, cell, label, m):
    """log P(cell | class), counted: first whether it is there, then which value it has."""
    of_class = [own for own, other in zip(cells, labels, strict=True) if other == label]
    alike = [own for own in cells if (own is None) == (cell is None)]
    found = 0.0
    if alike:
        here = sum((own is None) == (cell is None) for own in of_class)
        found = np.log((here + m * len(alike) / len(cells)) / (len(of_class) + m))
    values = {own for own in cells if own is not None}
    if cell in values:
        there = [own for own in of_class if own is not None]
        found += np.log((there.count(cell) + m / len(values)) / (len(there) + m))
    return found


CELLS = st.sampled_from(["a", "b", "c", None])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS, st.sampled_from("xyz")), min_size=4, max_size=14),
    st.sampled_from([0.5, 1.0, 4.0]),
)
def test_a_missing_cell_may_be_a_value(table, m):
    u, v, y = zip(*table, strict=True)
    assume(all(y.count(label) > 1 for label in set(y)) and len(set(y)) > 1)
    x = {"u": u, "v": v}
    model = fitted(x, y, m, missing="value")
    new = {"u": ["a", None, "not missing", "b"], "v": [None, None, "c", "not missing"]}
    expected = [
        [
            np.log(y.count(label) / len(y))
            + sum(log_chance(x[name], y, new[name][row], label, m) for name in x)
            for label in model.classes
        ]
        for row in range(4)
    ]
    np.testing.assert_allclose(model.log_joint(new), expected, atol=1e-12)
    found = model.leave_one_out(x, list(y)).scores
    for row in range(len(y)):
        rest = {name: [*cells[:row], *cells[row + 1 :]] for name, cells in x.items()}
        labels = [*y[:row], *y[row + 1 :]]
        left = [
            np.log(labels.count(label) / len(labels))
            + sum(log_chance(rest[name], labels, x[name][row], label, m) for name in x)
            for label in model.classes
        ]
        np.testing.assert_allclose(found[row], left, atol=1e-12)


def test_a_missing_cell_as_a_value_by_hand():
    x = {"u": ["a", None, None, "a", "b", "b"]}
    model = fitted(x, "xxxyyy", missing="value")
    # Missing in 2 of 3 and in none of 3; of all rows in a third: (2 + 1/3) / 4 and (0 + 1/3) / 4.
    assert model.predict_proba({"u": [None]})[0] == pytest.approx([7 / 8, 1 / 8])
    # There in 1 of 3, in 3 of 3: (1 + 2/3) / 4 and (3 + 2/3) / 4. Then `a` in 1 of 1, in 1 of 3.
    chances = np.array([5 / 12 * (1 + 0.5) / (1 + 1), 11 / 12 * (1 + 0.5) / (3 + 1)])
    assert model.predict_proba({"u": ["a"]})[0] == pytest.approx(chances / chances.sum())
    names = [term.name for cell in (None, "a", "z") for term in model.explain([cell]).contributions]
    assert names == ["prior", "u missing", "prior", "u=a", "prior", "u not missing"]


def test_without_gaps_a_missing_cell_as_a_value_changes_nothing():
    x, y = rows()
    plain = fitted(x, y).log_joint(x)
    np.testing.assert_allclose(fitted(x, y, missing="value").log_joint(x), plain, atol=1e-12)


def test_a_missing_cell_is_skipped_unless_asked():
    x, y = rows(gaps=0.2)
    skipped = fitted(x, y, missing="skip").log_joint(x)
    assert fitted(x, y).log_joint(x).tolist() == skipped.tolist()
    assert fitted(x, y, missing="value").log_joint(x).tolist() != skipped.tolist()


def test_tuning_chooses_what_a_missing_cell_is():
    random = np.random.default_rng(0)
    y = ["x", "y"] * 100
    often, seldom = random.random(200) < 0.6, random.random(200) < 0.1
    gone = np.where(np.array(y) == "x", often, seldom)
    values = random.choice(["a", "b"], 200).tolist()
    u = [None if each else value for each, value in zip(gone, values, strict=True)]
    model = likely.Classifier(likely.Categorical()).fit({"u": u}, y).tune({"u": u}, y)
    (factor,) = model.fitted.product.factors
    assert factor.likelihood.missing == "value"
    assert model.predict_proba({"u": [None]})[0, 0] > 0.7
    given = likely.Classifier(likely.Categorical(missing="skip")).fit({"u": u}, y)
    (factor,) = given.tune({"u": u}, y).fitted.product.factors
    assert factor.likelihood.missing == "skip"


def test_what_a_missing_cell_is_comes_back_from_a_file(tmp_path):
    x, y = rows(gaps=0.2)
    model = fitted(x, y, missing="value")
    model.save(tmp_path / "model.likely")
    again = likely.load(tmp_path / "model.likely")
    assert again.likelihood == likely.Categorical(missing="value") != likely.Categorical()
    assert again.log_joint(x).tolist() == model.log_joint(x).tolist()


def test_a_missing_cell_as_a_value_has_no_linear_form():
    x, y = rows(gaps=0.2)
    with pytest.raises(OptionError, match="missing='skip'"):
        fitted(x, y, missing="value").linear_form()


# Impossible rows


def test_without_smoothing_a_class_that_never_had_a_value_is_impossible():
    x = {"u": ["a", "a", "b", "c"], "v": ["p", "q", "q", "q"]}
    model = fitted(x, "xxyy", m=0)
    joint = model.log_joint({"u": ["a"], "v": ["q"]})[0]
    assert joint == pytest.approx([np.log(1 / 2 * 1 * 1 / 2), -np.inf])
    assert model.predict_proba({"u": ["a"], "v": ["q"]}).tolist() == [[1.0, 0.0]]
    assert not model.impossible({"u": ["a"], "v": ["q"]})[0]


def test_where_every_class_is_impossible_the_prior_decides_and_the_row_is_flagged():
    x = {"u": ["a", "a", "b", "c", "b"], "v": ["p", "p", "q", "q", "q"]}
    model = fitted(x, "xxyyy", m=0)
    torn = {"u": ["a", "a"], "v": ["q", "p"]}
    assert model.impossible(torn).tolist() == [True, False]
    assert model.predict_proba(torn)[0] == pytest.approx([2 / 5, 3 / 5])
    assert model.predict(torn).tolist() == ["y", "x"]
    assert model.log_evidence(torn)[0] == -np.inf
    assert model.with_prior({"x": 0.9, "y": 0.1}).predict(torn).tolist() == ["x", "x"]
    why = model.explain({"u": "a", "v": "q"})
    assert why.impossible
    assert why.prediction == "y"


def test_an_explanation_of_a_table_does_not_speak_of_a_text():
    model = fitted({"u": ["a", "b"], "v": ["p", "q"]}, "xy", m=0)
    assert "text" not in str(model.explain({"u": "new", "v": None}))
    assert "text" not in str(model.explain({"u": "a", "v": "q"}))


def test_a_column_that_a_class_never_showed_is_even_in_it():
    model = fitted({"u": ["a", "b", "b", None]}, "xxxy", m=0)
    assert probabilities(model, "u") == {
        "a": pytest.approx([1 / 3, 1 / 2]),
        "b": pytest.approx([2 / 3, 1 / 2]),
    }


def test_a_class_known_without_rows_is_even():
    model = likely.Classifier(likely.Categorical(m=0), classes=["z"], prior="uniform")
    model.fit(["a", "b", "c", "a"], [*"xxyy"])
    assert model.classes == ("x", "y", "z")
    assert np.exp(model.log_joint(["a"]))[0] * 3 == pytest.approx([1 / 2, 1 / 2, 1 / 3])


# Cells


def test_numbers_are_categories_by_their_spelling():
    model = fitted([1, 2.0, True, "1", 0.5, np.int8(2), np.float32(1), -0.0], "xyxyxyxy")
    assert list(probabilities(model)) == ["0", "0.5", "1", "2", "true"]
    for cells in ([1], [1.0], ["1"], np.array([1]), np.array([1.0]), pa.array([1])):
        assert model.log_joint(cells).tolist() == model.log_joint(["1"]).tolist()
    assert model.log_joint([np.True_]).tolist() == model.log_joint(["true"]).tolist()


@pytest.mark.parametrize(
    "column",
    [
        np.array(["a", "b", "a"]),
        np.array(["a", "b", "a"], dtype=object),
        pa.array(["a", "b", "a"]),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.chunked_array([["a"], ["b", "a"]]),
        ("a", "b", "a"),
    ],
    ids=lambda column: type(column).__name__,
)
def test_categories_come_in_many_forms(column):
    expected = fitted({"u": ["a", "b", "a"]}, "xyy").to_bytes()
    assert fitted({"u": column}, "xyy").to_bytes() == expected


def test_arrow_nulls_are_missing():
    table = pa.table({"u": ["a", None, "b"], "v": pa.array([1, 2, None])})
    plain = {"u": ["a", None, "b"], "v": ["1", "2", None]}
    assert fitted(table, "xyy").to_bytes() == fitted(plain, "xyy").to_bytes()


def test_spellings_are_kept_whole():
    cells = [" a", "a", "A", "a b", "日本", "a\nb", "a\0", "z" * 70_000]
    model = fitted(cells, "xyxyxyxy")
    assert sorted(probabilities(model)) == sorted(cells)
    assert model.predict(cells).tolist() == [*"xyxyxyxy"]


@pytest.mark.parametrize(
    ("cell", "kind"), [(["a"], "list"), (b"a", "bytes"), (1j, "complex"), (object(), "object")]
)
def test_a_cell_that_is_no_category_is_named_by_row_and_column(cell, kind):
    with pytest.raises(DataTypeError, match=f"row 2 of `v` is {kind}, not a category"):
        fitted({"u": ["a", "b"], "v": ["c", cell]}, "xy")


def test_a_category_that_is_not_unicode_is_named_by_row_and_column():
    with pytest.raises(DataError, match="row 2 of `v`") as caught:
        fitted({"u": ["a", "b"], "v": ["c", "\ud800"]}, "xy")
    assert "Text(" not in str(caught.value)


# Columns by name and by place


def test_columns_are_found_by_name_whatever_their_order():
    x, y = rows()
    model = fitted(x, y)
    other = {"more": [[]] * len(y), **dict(reversed(x.items()))}
    assert model.log_joint(other).tolist() == model.log_joint(x).tolist()
    by_row = [dict(zip(x, row, strict=True)) for row in zip(*x.values(), strict=True)]
    assert model.log_joint(by_row).tolist() == model.log_joint(x).tolist()
    with pytest.raises(DataError, check=coded("missing-column")):
        model.predict({"colour": ["red"], "number": [1]})


def test_rows_without_names_are_read_by_place():
    x, y = rows()
    model = fitted(x, y)
    unnamed = [list(row) for row in zip(*x.values(), strict=True)]
    assert model.log_joint(unnamed).tolist() == model.log_joint(x).tolist()
    assert model.log_joint(np.array(unnamed)).tolist() == model.log_joint(x).tolist()
    with pytest.raises(DataError, match="there are 2 columns, but `colour`, `size`, `number` are"):
        model.predict([row[:2] for row in unnamed])


# What every model promises


@pytest.mark.parametrize("options", [{}, {"m": 0}, {"alpha": 2}], ids=str)
def test_the_terms_of_an_explanation_add_up_to_the_scores(options):
    x, y = rows(gaps=0.1)
    model = fitted(x, y, **options)
    joint = model.log_joint(x)
    for place in range(len(y)):
        row = {name: column[place] for name, column in x.items()}
        why = model.explain(row)
        np.testing.assert_allclose(why.scores, joint[place], rtol=1e-12)
        said = [f"{name}={cell}" for name, cell in row.items() if cell is not None]
        assert [term.name for term in why.contributions] == ["prior", *said]
        assert why.prediction == model.predict({name: [cell] for name, cell in row.items()})[0]


@pytest.mark.parametrize(
    "options",
    [{"m": 1}, {"m": 30}]
    + [pytest.param(options) for options in ({"alpha": 50}, {"m": 20, "p": {"a": 0.9, "b": 0.1}})],
    ids=str,
)
def test_top_gives_the_log_odds_of_the_estimates(options):
    model = fitted({"u": ["a", "b", "a", "b", "a", "a"]}, "xyxyxy", **options)
    chances = probabilities(model, "u")
    assert model.top_features()["x"] == [
        ("u=a", pytest.approx(np.log(chances["a"][0] / chances["a"][1]), rel=1e-9))
    ]


def test_saved_loaded_and_pickled_a_model_is_the_same(tmp_path):
    x, y = rows(gaps=0.1)
    chances = {"size": {"S": 0.5, "M": 0.25, "L": 0.25}}
    for likelihood in (likely.Categorical(2.5, p=chances), likely.Categorical(alpha=0.5)):
        model = likely.Classifier(likelihood).fit(x, y)
        model.save(tmp_path / "model.likely")
        for again in (likely.load(tmp_path / "model.likely"), pickle.loads(pickle.dumps(model))):
            assert again.to_bytes() == model.to_bytes()
            assert again.likelihood == likelihood
            assert again.columns == NAMES
            assert again.log_joint(x).tolist() == model.log_joint(x).tolist()


def _slice(x, *bounds):
    return {name: column[slice(*bounds)] for name, column in x.items()}


def test_forgetting_returns_to_identical_bytes():
    x, y = rows(gaps=0.1)
    x["colour"][50] = "only here"
    model = fitted(_slice(x, 40), y[:40])
    before = model.to_bytes()
    receipt = model.update(_slice(x, 40, None), y[40:]).forget(_slice(x, 40, None), y[40:])
    assert receipt == likely.Receipt(rows=20, rows_left=40, classes_gone=())
    assert model.to_bytes() == before
    with pytest.raises(NotLearnedError, match="row 1 was never learned"):
        model.forget(_slice(x, 50, 51), y[50:51])
    assert model.to_bytes() == before


@pytest.mark.parametrize("chunk", [1, 7, 59])
def test_learning_in_chunks_is_learning_at_once(chunk):
    x, y = rows(gaps=0.1)
    model = likely.Classifier(likely.Categorical())
    for start in reversed(range(0, len(y), chunk)):
        model.update(_slice(x, start, start + chunk), y[start : start + chunk])
    assert model.to_bytes() == fitted(x, y).to_bytes()


def test_threads_change_nothing():
    x, y = rows(2000, gaps=0.05)
    one, three = (
        likely.Classifier(likely.Categorical(), threads=threads).fit(x, y, loo=True)
        for threads in (1, 3)
    )
    assert one.to_bytes() == three.to_bytes()
    assert one.log_joint(x).tolist() == three.log_joint(x).tolist()
    assert one.loo.scores.tolist() == three.loo.scores.tolist()


def test_parameters_are_counted():
    x, y = rows()
    found = fitted(x, y).parameters
    assert (found.likelihood, found.prior, found.free) == (12 * 3, 3, 9 * 3 + 2)


def test_a_likelihood_is_shown_as_one_would_type_it():
    for options in (
        {},
        {"m": 0.0},
        {"alpha": 2.0},
        {"p": {"a": 0.25, "b": 0.75}},
        {"missing": "value"},
    ):
        likelihood = likely.Categorical(**options)
        again = eval(repr(likelihood), {"Categorical": likely.Categorical})
        assert again == likelihood
        assert repr(again) == repr(likelihood)


def test_the_pooled_prior_is_the_share_of_a_value_in_all_classes():
    table = {"c": ["red", "red", "blue", "red", None, "green"]}
    labels = ["x", "x", "x", "y", "y", "y"]
    pooling = likely.Categorical(2.0, p="pooled")
    model = likely.Classifier({"c": pooling}, classes=["z"]).fit(table, labels)
    (found,) = model.estimates.values()
    assert found.values["c"] == ("blue", "green", "red")
    pooled = np.array([1, 1, 3]) / 5
    expected = [(np.array([1, 0, 2]) + 2 * pooled) / 5, (np.array([0, 1, 1]) + 2 * pooled) / 4]
    # A class without rows has the shares of all classes.
    np.testing.assert_allclose(found.probabilities["c"].T, [*expected, pooled])
    assert likely.Categorical(p="pooled").is_naive
    assert repr(likely.Categorical(p="pooled")) == "Categorical(p='pooled')"
    with pytest.raises(OptionError, match="`p` is a probability per value, not 'shared'"):
        likely.Categorical(p="shared")
