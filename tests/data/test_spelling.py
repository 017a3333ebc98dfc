"""A cell has one spelling, whatever it came from, so a tally is the same whoever read the file."""

import datetime
import decimal
import io
import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from likely import Categorical, Classifier, Gaussian, Multinomial
from likely.data.cells import spelled
from likely.errors import DataTypeError, OptionError

COLUMNS = {
    "upper truth": ["TRUE", "FALSE", "TRUE", "FALSE"],
    "lower truth": ["true", "false", "false", "true"],
    "truth": ["True", "False", "True", "True"],
    "truth with a gap": ["TRUE", "", "FALSE", "TRUE"],
    "truth among words": ["TRUE", "maybe", "FALSE", "True"],
    "letters": ["T", "F", "T", "T"],
    "yes and no": ["yes", "no", "no", "yes"],
    "whole": ["1", "2", "1", "3"],
    "whole with a gap": ["1", "", "1", "3"],
    "whole as floats": ["1.0", "2.0", "1.0", "3.0"],
    "signed": ["-1", "0", "1", "-1"],
    "decimals": ["0.5", "1.50", "1.5", "2"],
    "powers": ["1e3", "1000", "1E-2", "0.01"],
    "long": ["1152921504606846976", "12", "12", "3"],
    "dates": ["2026-01-31", "2026-02-01", "2026-01-31", "2026-02-01"],
    "moments": ["2026-01-31 09:30:00", "2026-01-31 09:30:15", "2026-02-01 00:00:00"] * 2,
    "moments by T": ["2026-01-31T09:30:00", "2026-01-31T09:30:15", "2026-02-01T10:00:00"] * 2,
    "times": ["09:30:00", "10:15:30", "09:30:00", "23:59:59"],
    "words": ["red", "blue", "red", "dark blue"],
    "numbers among words": ["1", "1.0", "red", "1"],
}
KINDS = ["a", "b"]


def csv(cells):
    labels = itertools.islice(itertools.cycle(KINDS), len(cells))
    return "c,label\n" + "".join(f"{a},{b}\n" for a, b in zip(cells, labels, strict=True))


def from_parquet(text, tmp_path):
    table = pa.csv.read_csv(io.BytesIO(text.encode()))
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def in_a_file(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    return tmp_path / "t.csv"


def as_lists(text, tmp_path):
    rows = [line.split(",") for line in text.splitlines()[1:]]
    return {"c": [row[0] for row in rows], "label": [row[1] for row in rows]}


def as_python_values(text, tmp_path):
    """The values that Arrow reads, as plain Python objects."""
    return pa.csv.read_csv(io.BytesIO(text.encode())).to_pydict()


SOURCES = {
    "file": in_a_file,
    "lists": as_lists,
    "values": as_python_values,
    "parquet": from_parquet,
    "pandas": lambda text, _: pd.read_csv(io.StringIO(text)),
    "pandas texts": lambda text, _: pd.read_csv(io.StringIO(text), dtype=str, na_filter=False),
    "pandas nullable": lambda text, _: pd.read_csv(io.StringIO(text)).convert_dtypes(),
    "pandas by arrow": lambda text, _: pd.read_csv(
        io.StringIO(text), dtype_backend="pyarrow", engine="pyarrow"
    ),
    "pandas categories": lambda text, _: pd.read_csv(io.StringIO(text)).astype({"c": "category"}),
    "polars": lambda text, _: pl.read_csv(io.StringIO(text)),
    "polars dates": lambda text, _: pl.read_csv(io.StringIO(text), try_parse_dates=True),
    "arrow": lambda text, _: pa.csv.read_csv(io.BytesIO(text.encode())),
    "arrow dictionary": lambda text, _: pa.csv.read_csv(
        io.BytesIO(text.encode()),
        convert_options=pa.csv.ConvertOptions(auto_dict_encode=True),
    ),
}


@pytest.mark.parametrize("likelihood", [Categorical(), Multinomial()], ids=["category", "text"])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_is_the_same_whoever_read_it(column, likelihood, tmp_path):
    text = csv(COLUMNS[column])
    models = {
        name: Classifier({"c": likelihood}).fit(read(text, tmp_path), "label")
        for name, read in SOURCES.items()
    }
    first = models["file"]
    for name, model in models.items():
        assert model.digest == first.digest, name
        rows = SOURCES[name](text, tmp_path)
        assert first.was_learned(rows, "label").all(), name
        assert (first.predict_proba(rows) == first.predict_proba(tmp_path / "t.csv")).all(), name


@pytest.mark.parametrize("column", COLUMNS)
def test_what_a_column_is_does_not_depend_on_who_read_it(column, tmp_path):
    # The other column is there so that there is one to learn from.
    lines = csv(COLUMNS[column] * 4).splitlines()
    text = "\n".join(
        [f"d,{lines[0]}", *(f"{'uvw'[n % 3]},{line}" for n, line in enumerate(lines[1:]))]
    )
    rows = {
        name: read(text, tmp_path)
        for name, read in SOURCES.items()
        if name not in ("lists", "pandas categories")
    }
    roles = {name: Classifier().fit(x, "label").column_roles["c"].role for name, x in rows.items()}
    assert len(set(roles.values())) == 1, roles


@pytest.mark.parametrize(
    ("cells", "one"),
    [
        ([True, np.True_, "TRUE", "True", "true"], "true"),
        ([1, 1.0, "1", "1.0", np.int8(1), np.float32(1), decimal.Decimal("1.00")], "1"),
        ([0, -0.0, "-0", "0.0", decimal.Decimal("-0")], "0"),
        ([0.5, ".5", "0.50", np.float64(0.5), decimal.Decimal("0.5")], "0.5"),
        ([1e23, "1e23", decimal.Decimal("1e23"), 10**23], "1" + "0" * 23),
        (
            [
                datetime.date(2026, 1, 31),
                datetime.datetime(2026, 1, 31),
                pd.Timestamp("2026-01-31"),
                np.datetime64("2026-01-31"),
                np.datetime64("2026-01-31T00:00:00.000000000"),
                "2026-01-31 00:00:00",
            ],
            "2026-01-31",
        ),
        (
            [
                datetime.datetime(2026, 1, 31, 9, 30, 0, 500),
                pd.Timestamp("2026-01-31 09:30:00.0005"),
                "2026-01-31T09:30:00.000500",
            ],
            "2026-01-31T09:30:00.0005",
        ),
        (
            [
                datetime.datetime(2026, 1, 1, 1, 30, tzinfo=datetime.UTC),
                pd.Timestamp("2026-01-01 03:30", tz="Europe/Helsinki"),
                "2025-12-31T20:30-05:00",
            ],
            "2026-01-01T01:30Z",
        ),
        ([datetime.time(9, 30), "09:30:00", "09:30"], "09:30"),
        (["007"], "007"),
        (["T"], "T"),
        ([np.str_("yes"), "yes"], "yes"),
    ],
)
def test_what_means_the_same_is_spelled_the_same(cells, one):
    assert [spelled(cell) for cell in cells] == [one] * len(cells)


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans()))
def test_a_value_is_spelled_as_its_text_is_and_a_spelling_is_its_own(value):
    assert spelled(value) == spelled(str(value)) == spelled(spelled(value))
    if not isinstance(value, bool):
        assert float(spelled(value)) == float(value) if abs(value) < 2**53 else True


@given(st.text())
def test_a_spelling_is_its_own_whatever_the_text(text):
    assert spelled(spelled(text)) == spelled(text)


@given(st.datetimes())
def test_a_moment_is_spelled_alike_as_a_value_and_as_text(moment):
    assert spelled(moment) == spelled(str(moment)) == spelled(moment.isoformat())
    assert spelled(pd.Timestamp(moment)) == spelled(moment)


@given(st.datetimes(timezones=st.timezones()))
def test_a_moment_in_a_zone_is_the_same_moment_in_utc(moment):
    offset = moment.utcoffset()
    assume(offset is not None and offset.total_seconds() % 60 == 0)
    try:
        there = moment.astimezone(datetime.UTC)
    except OverflowError:
        reject()
    assert spelled(moment) == spelled(there)


def test_a_missing_number_is_missing_however_it_is_written():
    cells = [["-999", "1", "2"], ["-999.0", "1", "2"], [-999, 1, 2], [-999.0, 1.0, 2.0]]
    digests = {
        Classifier({"c": Categorical()}, missing=["-999"]).fit({"c": c}, ["a", "b", "b"]).digest
        for c in cells
    }
    assert len(digests) == 1


def test_truth_values_are_numbers_to_a_column_of_numbers(tmp_path):
    text = csv(["TRUE", "FALSE", "true", "False", "TRUE", "FALSE"])
    models = [
        Classifier({"c": Gaussian()}).fit(read(text, tmp_path), "label")
        for name, read in SOURCES.items()
        if name != "pandas categories"
    ]
    assert len({model.digest for model in models}) == 1


def test_a_cell_that_is_none_is_refused_with_its_row_and_column():
    with pytest.raises(DataTypeError, match="row 2 of `c` is list, not a text"):
        Classifier({"c": Multinomial()}).fit({"c": ["a", ["b"]]}, ["x", "y"])


def test_a_group_is_the_same_whoever_read_it():
    from likely.model.adjust.group_thresholds import GroupThresholds

    model = Classifier({"t": Multinomial()}).fit({"t": ["a", "b"], "y": ["u", "v"]}, "y")
    strict = model.with_group_thresholds(GroupThresholds("old", "u", {"TRUE": 0.9}))
    found = [
        strict.predict_proba({"t": ["a", "a"], "old": old})[:, 0].tolist()
        for old in ([True, False], ["TRUE", "FALSE"], ["true", "false"], np.array([True, False]))
    ]
    assert all(one == found[0] for one in found)
    assert found[0][0] < found[0][1]


def test_the_values_of_a_prior_over_categories_are_spelled_too():
    rows = {"c": ["TRUE", "FALSE"]}
    models = [
        Classifier({"c": Categorical(p=p)}).fit(rows, ["a", "b"])
        for p in ({True: 0.9, False: 0.1}, {"TRUE": 0.9, "FALSE": 0.1})
    ]
    assert (models[0].predict_proba(rows) == models[1].predict_proba(rows)).all()
    with pytest.raises(OptionError, match="a value twice"):
        Categorical(p={True: 0.5, "TRUE": 0.5})
