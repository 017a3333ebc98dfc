"""The same rows in whatever a user has them in."""

import decimal

import numpy as np
import pyarrow as pa
import pytest

import likely
from likely.errors import DataError, DataTypeError
from tests.raising import coded

ROWS = [
    {
        "height": 1.5 + place * 0.1 if place % 7 else None,
        "colour": ("red", "green", "blue")[place % 3] if place % 5 else None,
        "stars": place % 4 if place % 6 else None,
        "member": bool(place % 2) if place % 4 else None,
        "note": f"w{place} goes to {place % 3} towns",
        "label": "x" if place % 3 else "y",
    }
    for place in range(40)
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
KINDS = {
    "height": "numeric",
    "colour": "categorical",
    "stars": "categorical",
    "member": "categorical",
    "note": "text",
}


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


@pytest.fixture
def pl():
    return pytest.importorskip("polars")


@pytest.fixture(scope="module")
def model():
    return likely.Classifier().fit(COLUMNS)


def same(model, x, y=None):
    return likely.Classifier().fit(x, y).to_bytes() == model.to_bytes()


def test_the_columns_are_what_they_look_like(model):
    assert {name: choice.role for name, choice in model.column_roles.items()} == KINDS


@pytest.mark.parametrize(
    "make",
    [
        lambda: ROWS,
        lambda: tuple(ROWS),
        lambda: iter(ROWS),
        lambda: [{k: v for k, v in row.items() if v is not None} for row in ROWS][1:] + ROWS[:1],
        lambda: {name: tuple(cells) for name, cells in COLUMNS.items()},
        lambda: {name: np.array(cells, dtype=object) for name, cells in COLUMNS.items()},
        lambda: {name: pa.array(cells) for name, cells in COLUMNS.items()},
        lambda: pa.table(COLUMNS),
        lambda: pa.concat_tables([pa.table(COLUMNS)[:7], pa.table(COLUMNS)[7:]]),
        lambda: pa.table({**COLUMNS, "colour": pa.array(COLUMNS["colour"]).dictionary_encode()}),
        lambda: pa.table({**COLUMNS, "note": pa.array(COLUMNS["note"], pa.large_string())}),
    ],
    ids=[
        "list of dicts",
        "tuple of dicts",
        "iterator of dicts",
        "dicts without the keys of missing cells",
        "dict of tuples",
        "dict of arrays",
        "dict of Arrow arrays",
        "Arrow table",
        "Arrow table in chunks",
        "Arrow dictionary",
        "Arrow large string",
    ],
)
def test_rows_in_any_form_give_the_same_model(model, make):
    assert same(model, make())


def test_rows_in_any_order_give_the_same_model(model):
    assert same(model, ROWS[::-1])


def test_rows_in_any_order_give_the_same_model_even_if_keys_are_missing():
    rows = [{k: v for k, v in row.items() if v is not None} for row in ROWS]
    assert same(likely.Classifier().fit(rows), rows[::-1])


@pytest.mark.parametrize(
    "change",
    [
        lambda pd, frame: frame,
        lambda pd, frame: frame.astype(object),
        lambda pd, frame: frame.convert_dtypes(),
        lambda pd, frame: frame.convert_dtypes(dtype_backend="pyarrow"),
        lambda pd, frame: frame.astype({"colour": "category", "label": "category"}),
        lambda pd, frame: frame.astype({"stars": "category"}),
        lambda pd, frame: frame.astype(
            {"stars": "Int64", "member": "boolean", "note": "string", "height": "Float64"}
        ),
        lambda pd, frame: frame.set_index(pd.Index(range(140, 100, -1))),
        lambda pd, frame: frame.set_index(pd.Index(["same"] * 40)),
        lambda pd, frame: frame.sample(frac=1, random_state=1),
        lambda pd, frame: pd.concat([frame[20:], frame[:20]]),
    ],
    ids=[
        "plain",
        "objects",
        "nullable",
        "Arrow inside",
        "categories",
        "categories of numbers",
        "nullable by name",
        "index backwards",
        "index all the same",
        "shuffled",
        "pieces",
    ],
)
def test_pandas_frames_give_the_same_model(model, pd, change):
    frame = change(pd, pd.DataFrame(COLUMNS))
    assert same(model, frame)
    labels = frame.pop("label")
    assert likely.Classifier().fit(frame, labels).digest == model.digest


def test_a_frame_predicts_by_its_rows_and_not_by_its_index(model, pd):
    frame = pd.DataFrame(COLUMNS).sample(frac=1, random_state=1)
    expected = model.predict_proba([ROWS[row] for row in frame.index])
    assert np.array_equal(model.predict_proba(frame), expected)


def test_polars_frames_give_the_same_model(model, pl):
    frame = pl.DataFrame(COLUMNS)
    assert same(model, frame)
    assert same(model, frame.with_columns(pl.col("colour").cast(pl.Categorical)))
    assert same(model, frame.with_columns(pl.col("stars").cast(pl.UInt8)))
    assert same(model, pl.concat([frame[:7], frame[7:]], rechunk=False))


def test_labels_beside_the_rows_count_like_those_in_a_column(model, pd, pl):
    x = {name: cells for name, cells in COLUMNS.items() if name != "label"}
    expected = likely.Classifier().fit(x, COLUMNS["label"])
    assert expected.digest == model.digest
    for y in (
        np.array(COLUMNS["label"]),
        pa.array(COLUMNS["label"]),
        pd.Series(COLUMNS["label"], index=range(100, 140)),
        pd.Series(COLUMNS["label"], dtype="category"),
        pl.Series(COLUMNS["label"]),
    ):
        assert same(expected, x, y)


def test_arrays_are_rows_without_names():
    values = np.array([[1.5, 2.0], [1.7, 1.0], [4.0, 5.5], [6.0, np.nan]])
    labels = ["x", "x", "y", "y"]
    expected = likely.Classifier(likely.Gaussian()).fit(values, labels)
    assert expected.columns == ("x0", "x1")
    for x in (
        values.tolist(),
        [tuple(row) for row in values.tolist()],
        list(values),
        np.asfortranarray(values),
        values.astype(object),
        values.astype(str),
        np.ma.masked_invalid(values),
        {"x0": values[:, 0], "x1": values[:, 1]},
    ):
        model = likely.Classifier(likely.Gaussian()).fit(x, labels)
        assert model.to_bytes() == expected.to_bytes()


def test_an_array_of_whole_numbers_is_that_of_the_same_floats():
    whole = np.arange(20).reshape(10, 2) ** 2
    labels = ["x", "y"] * 5
    expected = likely.Classifier(likely.Gaussian()).fit(whole.astype(float), labels).to_bytes()
    for kind in (np.int64, np.uint32, np.float32, object):
        found = likely.Classifier(likely.Gaussian()).fit(whole.astype(kind), labels)
        assert found.to_bytes() == expected


def test_a_structured_array_is_a_table_with_names(model):
    cells = [(row["height"] or np.nan, row["colour"] or "") for row in ROWS]
    array = np.array(cells, dtype=[("height", float), ("colour", "U5")])
    expected = {name: array[name].tolist() for name in ("height", "colour")}
    assert same(likely.Classifier().fit(expected, COLUMNS["label"]), array, COLUMNS["label"])


def test_an_arrow_batch_is_a_table(model):
    assert same(model, pa.RecordBatch.from_pydict(COLUMNS))


def test_decimals_are_numbers():
    expected = likely.Classifier({"n": likely.Gaussian()})
    expected.fit({"n": [1.0, 2.5, 4.0], "label": ["x", "y", "x"]})
    found = likely.Classifier({"n": likely.Gaussian()})
    exact = [decimal.Decimal(cell) for cell in ("1", "2.5", "4.0")]
    found.fit({"n": exact, "label": ["x", "y", "x"]})
    assert found.to_bytes() == expected.to_bytes()


# Frames that differ from those that were learned


def others(pd, pl):
    return (pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS))


def test_the_order_of_columns_and_further_ones_do_not_matter_for_predicting(model, pd, pl):
    expected = model.predict_proba(COLUMNS)
    for frame in others(pd, pl):
        names = [str(name) for name in COLUMNS][::-1]
        turned = frame.select(names) if hasattr(frame, "select") else frame[names]
        assert np.array_equal(model.predict_proba(turned), expected)
    more = pd.DataFrame(COLUMNS).assign(further="never seen", label=None)
    assert np.array_equal(model.predict_proba(more), expected)
    assert np.array_equal(model.predict_proba([{**row, "further": 1} for row in ROWS]), expected)


def test_rows_without_names_are_read_in_the_order_of_the_model(model):
    cells = [[row[name] for name in model.columns] for row in ROWS]
    assert np.array_equal(model.predict_proba(cells), model.predict_proba(ROWS))


def test_a_missing_column_is_named(model, pd, pl):
    names = [name for name in COLUMNS if name != "colour"]
    message = "column `colour` is missing; the table has `height`, `stars`"
    for frame in others(pd, pl):
        fewer = frame.select(names) if hasattr(frame, "select") else frame[names]
        with pytest.raises(DataError, match=message):
            model.predict(fewer)
    with pytest.raises(DataError, match=message):
        model.predict([{name: row[name] for name in names} for row in ROWS])
    with pytest.raises(DataError, match=r"there are 2 columns, but .* are needed"):
        model.predict([[1.5, "red"]])


def test_a_category_of_pandas_that_no_row_has_is_no_value(pd):
    kinds = pd.CategoricalDtype(["red", "green", "blue", "never"])
    frame = pd.DataFrame({"colour": pd.Series(["red", "green", "red"], dtype=kinds)})
    frame["label"] = ["x", "y", "x"]
    expected = likely.Classifier().fit({"colour": ["red", "green", "red"], "label": list("xyx")})
    assert same(expected, frame)


def test_a_frame_without_rows_has_no_predictions(model, pd, pl):
    for frame in (*(frame[:0] for frame in others(pd, pl)), [], {n: [] for n in COLUMNS}):
        assert model.predict(frame).tolist() == []
        assert model.predict_proba(frame).shape == (0, 2)


# Bad input, in one sentence


@pytest.mark.parametrize("kind", ["pandas", "Arrow"])
def test_two_columns_of_one_name_are_refused(pd, kind):
    frame = pd.DataFrame([[1.5, 2.5], [3.5, 4.5]], columns=["a", "a"])
    if kind == "Arrow":
        frame = pa.table([[1.5, 3.5], [2.5, 4.5]], names=["a", "a"])
    with pytest.raises(DataError, check=coded("repeated-column")):
        likely.Classifier().fit(frame, ["x", "y"])


def test_names_that_are_numbers_are_spelled(pd):
    frame = pd.DataFrame({0: [1.5, 2.5, 4.0], 1: [1.5, 9.5, 4.0]})
    model = likely.Classifier().fit(frame, ["x", "y", "x"])
    assert model.columns == ("0", "1")
    assert model.predict(frame).tolist() == model.predict(frame.rename(columns=str)).tolist()
    with pytest.raises(DataError, check=coded("repeated-column")):
        likely.Classifier().fit(frame.rename(columns={1: "0"}), ["x", "y", "x"])


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        ({"a": [1.5, 2.5]}, ["x"], DataError, "there are 2 rows but 1 labels"),
        ({"a": [1, 2], "b": [1]}, ["x", "y"], DataError, "`a` has 2 rows but `b` has 1"),
        ([[1, 2], [3]], ["x", "y"], DataError, "row 1 has 2 cells but row 2 has 1"),
        ([{"a": 1}, [2]], ["x", "y"], DataTypeError, "row 2 is list, not a dictionary"),
        ([[1], {"a": 2}], ["x", "y"], DataTypeError, "row 2 is dict, not a list of cells"),
        ({"a": ["1", "two"]}, ["x", "y"], DataError, "row 2 of `a` is 'two', which is no number"),
        ({"a": [1.5, [2]]}, ["x", "y"], DataTypeError, "row 2 of `a` is list, not a number"),
        ({"a": [1.5, float("inf")]}, ["x", "y"], DataError, "row 2 of `a` is infinite"),
        ({"a": 1.5}, ["x"], DataTypeError, "`a` is no column but float"),
        ({1: [1.5]}, ["x"], DataTypeError, "columns have names, but 1 is int"),
        ({"b": [1.5, 2.5]}, ["x", "y"], DataError, "column `a` is missing; the table has `b`"),
        ({}, [], DataError, "the table has no columns"),
        ({"a": []}, [], DataError, "there is nothing to learn from"),
        ([], [], DataError, "there is nothing to learn from"),
        (np.zeros((0, 1)), [], DataError, "there is nothing to learn from"),
        (np.zeros((2, 2, 2)), ["x", "y"], DataTypeError, r"not the shape \(2, 2, 2\)"),
        ({"a": [1.5, 2.5]}, ["x", "x"], DataError, "every row is `x`; .* at least two classes"),
        ({"a": [1.5, 2.5]}, ["x", None], DataError, "label 2 is missing"),
        ({"a": [1.5, 2.5]}, ["x", 1], DataTypeError, "labels are of one kind"),
    ],
)
def test_bad_tables_are_refused_in_one_sentence(x, y, error, message):
    model = likely.Classifier({"a": likely.Gaussian()})
    with pytest.raises(error, match=message) as caught:
        model.fit(x, y)
    assert "\n" not in str(caught.value).partition("\nhint: ")[0]
    assert model.classes == ()


def test_a_category_that_is_not_valid_unicode_is_named():
    table = {"k": ["a", "b\ud800", "a"], "label": ["x", "y", "x"]}
    with pytest.raises(DataError, check=coded("not-unicode")):
        likely.Classifier({"k": likely.Categorical()}).fit(table)


def test_a_label_that_is_missing_in_a_column_is_refused(pd):
    for label in (None, float("nan"), pd.NA):
        table = {"a": [1.5, 2.5, 4.0], "label": ["x", "y", label]}
        with pytest.raises(DataError, check=coded("label-empty")):
            likely.Classifier().fit(table)
        with pytest.raises(DataError, check=coded("label-empty")):
            likely.Classifier().fit(pd.DataFrame(table))


def test_an_empty_label_is_refused_in_memory_as_it_is_in_a_file():
    with pytest.raises(DataError, match="label"):
        likely.Classifier().fit({"a": [1.5, 2.5, 4.0], "label": ["x", "y", ""]})
