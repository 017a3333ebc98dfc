"""Dates in the usual spellings, from any source, and what they are read into."""

import datetime
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likely
from likely.data.dates import DateOrder, date_parts
from likely.data.table import Table
from likely.errors import DataError, DataTypeError


def read(*cells, day_first=False):
    """The dates as they are spelled, and the parts of each."""
    found = date_parts(Table.of({"d": list(cells)}), ["d"], day_first)
    parts = zip(*(column.tolist() for column in found.columns), strict=True)
    return found.dates[0].tolist(), list(parts)


@pytest.mark.parametrize(
    ("cell", "spelled"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024-3-5", "2024-03-05"),
        ("2024/03/05", "2024-03-05"),
        ("2024.03.05", "2024-03-05"),
        ("20240305", "2024-03-05"),
        ("05.03.2024", "2024-03-05"),
        ("5.3.2024", "2024-03-05"),
        ("05.03.24", "2024-03-05"),
        ("03/05/2024", "2024-03-05"),
        ("3/5/24", "2024-03-05"),
        ("03-05-2024", "2024-03-05"),
        ("3/5/68", "2068-03-05"),
        ("3/5/69", "1969-03-05"),
        (" 2024-03-05 ", "2024-03-05"),
        ("2024-03-05T09:30", "2024-03-05T09:30"),
        ("2024-03-05 09:30:00.000", "2024-03-05T09:30"),
        ("2024-03-05 9:30", "2024-03-05T09:30"),
        ("5.3.2024 09:30:15.50", "2024-03-05T09:30:15.5"),
        ("3/5/2024 9:30 PM", "2024-03-05T21:30"),
        ("3/5/2024 12:30 am", "2024-03-05T00:30"),
        ("3/5/2024 12:00 PM", "2024-03-05T12:00"),
        # Midnight is a date, and a zone is taken off.
        ("2024-03-05T00:00:00", "2024-03-05"),
        ("2024-03-05T00:30+02:00", "2024-03-04T22:30Z"),
        ("2024/03/05 00:30 +0200", "2024-03-04T22:30Z"),
        ("2024-02-29", "2024-02-29"),
    ],
)
def test_a_date_has_one_spelling(cell, spelled):
    assert read(cell)[0] == [spelled]


@pytest.mark.parametrize(
    "cell",
    [
        *("soon", "5", "2024", "2024-03", "1.2.10", "24-03-05", "2023-02-29", "2024-13-01"),
        *("2024-00-10", "32.1.2024", "20241301", "18991231", "2024-03/05", "2024-03-05T24:00"),
        *("2024-03-05T09:60", "2024-03-05 13:00 PM", "2024-03-05 0:30 AM", "09:30", "٢٠٢٤-٠٣-٠٥"),
        *("0000-01-01", "2024-03-05 and more", "13/13/2024"),
    ],
)
def test_what_is_no_date_is_refused_by_row_and_column(cell):
    with pytest.raises(DataError, match=r"row 2 of `d` is '.*', which is no date\nhint: dates are"):
        read("2024-03-05", cell)


def test_a_cell_of_another_type_is_refused():
    with pytest.raises(DataTypeError, match="row 1 of `d` is timedelta, not a date"):
        read(datetime.timedelta(1))


@pytest.mark.parametrize(("day_first", "other"), [(True, "Dates"), (False, "--date day-first:d")])
def test_a_date_in_the_other_order_is_refused_with_a_hint(day_first, other):
    cell = "3/25/2024" if day_first else "25/3/2024"
    with pytest.raises(DataError, match=rf"is no date if the \w+ comes first\nhint: .*`{other}"):
        read(cell, day_first=day_first)


def test_the_order_matters_only_where_the_year_is_last_and_there_are_no_dots():
    cells = ["2024-03-05", "2024/03/05", "05.03.2024", "20240305"]
    assert read(*cells, day_first=True) == read(*cells, day_first=False)
    assert read("03/05/2024", "3-5-2024", day_first=True)[0] == ["2024-05-03"] * 2


@given(st.datetimes())
def test_the_parts_are_those_of_the_calendar(moment):
    (_,), ((year, month, weekday, hour),) = read(moment)
    day = moment.date()
    assert (int(year), month, weekday) == (day.year, day.strftime("%B"), day.strftime("%A"))
    assert hour == ("" if moment.time() == datetime.time() else f"{moment.hour:02d}")


def test_missing_dates_have_no_parts():
    spelled, parts = read(None, "", "NA", float("nan"), pd.NaT, np.datetime64("NaT"), "2024-03-05")
    assert spelled == [""] * 6 + ["2024-03-05"]
    assert parts == [("",) * 4] * 6 + [("2024", "March", "Tuesday", "")]


@pytest.mark.parametrize(
    ("cells", "day_first", "is_clear", "odd"),
    [
        (["2024-03-05", "05.03.2024"], False, True, set()),
        (["03/05/2024", "03/25/2024"], False, True, set()),
        (["03/05/2024", "25/03/2024"], True, True, set()),
        (["03/05/2024", "04/05/2024"], False, False, set()),
        (["03/03/2024", "2024-03-05"], False, True, set()),
        (["25/03/2024", "26/03/2024", "03/27/2024"], True, True, {"03/27/2024"}),
        (["25/03/2024", "soon"], True, True, {"soon"}),
        ([], False, True, set()),
    ],
)
def test_the_order_is_that_which_reads_more(cells, day_first, is_clear, odd):
    for _ in range(3):
        assert DateOrder.of(cells) == DateOrder(day_first, is_clear, frozenset(odd))
        random.Random(1).shuffle(cells)


# Every source


MOMENTS = [
    datetime.datetime(2024, 3, 5, 9, 30),
    datetime.datetime(2024, 3, 5),
    datetime.datetime(2023, 12, 31, 23, 59, 59),
    None,
    datetime.datetime(2024, 7, 1, 9, 30, 15, 500_000),
    datetime.datetime(2024, 7, 2, 18),
]
LABELS = ["a", "b", "a", "b", "a", "b"]
SOURCES = {
    "moments": MOMENTS,
    "iso": [None if one is None else one.isoformat() for one in MOMENTS],
    "with a space": ["" if one is None else str(one) for one in MOMENTS],
    "dots": ["NA" if m is None else f"{m:%d.%m.%Y %H:%M:%S.%f}" for m in MOMENTS],
    "numpy": np.array(MOMENTS, dtype="datetime64[us]"),
    "nanoseconds": np.array(MOMENTS, dtype="datetime64[ns]"),
    "pandas": pd.Series(pd.to_datetime(pd.Series(MOMENTS))),
    "polars": pl.Series(MOMENTS),
    "arrow": pa.array(MOMENTS, pa.timestamp("us")),
    "arrow, nanoseconds": pa.array(MOMENTS, pa.timestamp("ns")),
}


@pytest.mark.parametrize("source", SOURCES)
def test_rows_are_the_same_rows_whichever_source_they_come_from(source, tmp_path):
    model = likely.Classifier({"d": likely.Dates()}).fit({"d": MOMENTS}, LABELS)
    table = {"d": SOURCES[source]}
    again = likely.Classifier({"d": likely.Dates()}).fit(table, LABELS)
    assert again.to_bytes() == model.to_bytes()
    assert model.was_learned(table, LABELS).all()
    assert model.forget(table, LABELS).rows_left == 0


def test_a_file_gives_the_same_rows(tmp_path):
    model = likely.Classifier({"d": likely.Dates()}).fit({"d": MOMENTS, "y": LABELS}, "y")
    for source in ("iso", "with a space", "dots"):
        cells = ["" if cell is None else cell for cell in SOURCES[source]]
        rows = [",".join(pair) for pair in zip(cells, LABELS, strict=True)]
        (tmp_path / "rows.csv").write_text("\n".join(["d,y", *rows]) + "\n")
        file = likely.open_table(tmp_path / "rows.csv")
        assert likely.Classifier({"d": likely.Dates()}).fit(file, "y").to_bytes() == (
            model.to_bytes()
        )
    frame = pa.table({"d": SOURCES["arrow"], "y": LABELS})
    pq.write_table(frame, tmp_path / "rows.parquet")
    file = likely.open_table(tmp_path / "rows.parquet")
    assert likely.Classifier({"d": likely.Dates()}).fit(file, "y").digest == model.digest


def test_a_zone_is_taken_off_by_every_reader():
    berlin = datetime.timezone(datetime.timedelta(hours=1))
    moments = [datetime.datetime(2024, 3, day, 0, 30, tzinfo=berlin) for day in (1, 5)]
    expected = ["2024-02-29T23:30Z", "2024-03-04T23:30Z"]
    sources = [
        moments,
        [moment.isoformat() for moment in moments],
        pd.Series(moments),
        pa.array(moments, pa.timestamp("s", "Europe/Berlin")),
    ]
    for source in sources:
        found = date_parts(Table.of({"d": source}), ["d"], False)
        assert found.dates[0].tolist() == expected
        assert found.columns[3].tolist() == ["23", "23"]


def test_dates_beside_decimal_commas_stay_dates(tmp_path):
    rows = "\n".join(f"{1 + day}.03.2024;{day},5;{'ab'[day % 2]}" for day in range(28))
    (tmp_path / "rows.csv").write_text(f"d;n;y\n{rows}\n")
    model = likely.Classifier().fit(tmp_path / "rows.csv", "y")
    assert {name: role.role for name, role in model.column_roles.items()} == {
        "d": "date",
        "n": "numeric",
    }
