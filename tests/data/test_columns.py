"""What a column is taken to be when nobody says, and how to say it."""

import datetime
import decimal
import random
import uuid

import numpy as np
import pytest

import likely
from likely.data import columns, files
from likely.data import labeled as labeled
from likely.errors import DataError, OptionError
from tests.raising import coded

N = 60
LABELS = ["x", "y"] * (N // 2)
CHANCE = random.Random(5)
# A column that always has something to learn from.
OTHER = [place * 0.37 for place in range(N)]


def chosen(cells, name="c", **options):
    """The choice for a column of a table that has another one beside it."""
    model = likely.Classifier(**options).fit({"other": OTHER, name: cells}, LABELS)
    return model.column_roles[name]


def cycle(*cells):
    return [cells[place % len(cells)] for place in range(N)]


@pytest.mark.parametrize(
    ("cells", "kind", "why"),
    [
        # Identifiers
        (list(range(N)), "drop", "it numbers the rows"),
        ([str(100 + place * 7 % N) for place in range(N)], "drop", "it numbers the rows"),
        ([f"{place:05d}" for place in range(N)], "drop", "it numbers the rows"),
        ([f"{place * 7919:x}-{place:x}" for place in range(N)], "drop", "like identifiers"),
        ([f"Ada {place}" for place in range(N)], "drop", "60 different values in 60 rows"),
        ([str(uuid.UUID(int=CHANCE.getrandbits(128), version=4)) for _ in range(N)], "drop", "60"),
        ([f"{CHANCE.getrandbits(160):040x}" for _ in range(N)], "drop", "60 different values"),
        # Short values by their parts
        (
            [f"u{place}@{'mail' if place % 3 else 'web'}.example" for place in range(N)],
            *("short text", "60 different values that share parts"),
        ),
        (
            [f"{'AB' if place % 2 else 'X'}-{place}" for place in range(N)],
            "short text",
            "values that share parts",
        ),
        ([f"v{place % 40}" for place in range(N)], "short text", "40 different values"),
        # Nothing to learn from
        (["k"] * N, "drop", "all rows have `k`"),
        (cycle("k", None), "drop", "all rows have `k`"),
        ([None] * N, "drop", "it is empty"),
        (cycle("NA", "", "?"), "drop", "it is empty"),
        # Dates
        ([f"2020-01-{place % 28 + 1:02d}" for place in range(N)], "date", "dates"),
        ([f"{place % 28 + 1}.1.2020 10:30" for place in range(N)], "date", "dates"),
        ([f"{place % 28 + 1}/1/2020" for place in range(N)], "day-first date", "the day first"),
        ([f"1/{place % 28 + 1}/2020 9:30 AM" for place in range(N)], "date", "dates"),
        ([f"{place % 12 + 1}/1/2020" for place in range(N)], "date", "taken to have the month"),
        ([20200101 + place % 28 for place in range(N)], "date", "dates in eight digits"),
        ([datetime.date(2020, 1, 1 + p % 28) for p in range(N)], "date", "dates"),
        ([datetime.datetime(2020, 1, 1 + p % 28) for p in range(N)], "date", "dates"),
        # Versions and numbers that are no dates
        (
            [f"1.{place % 12 + 1}.{place % 28}" for place in range(N)],
            "short text",
            "values that share parts",
        ),
        ([20201301 + place % 28 for place in range(N)], "numeric", "whole numbers"),
        # Categories
        (cycle("red", "green"), "categorical", "2 different values"),
        (cycle(True, False), "categorical", "yes or no"),
        (cycle(True, False, None), "categorical", "yes or no"),
        (np.array(cycle(True, False)), "categorical", "yes or no"),
        (cycle("01234", "00120", "99100"), "categorical", "its numbers begin with zeros"),
        (cycle(1, 2, 3), "categorical", "only 3 different whole numbers"),
        (cycle("1", "2", ""), "categorical", "only 2 different whole numbers"),
        (cycle(1.0, 2.0, None), "categorical", "only 2 different whole numbers"),
        (list(range(10)) * 6, "categorical", "only 10 different whole numbers"),
        (cycle(1, "a", True, 2.5, None), "categorical", "4 different values"),
        (cycle(*range(1, 13)), "categorical", "whole numbers from 1 to 12, as of months"),
        # Numbers
        (cycle(*range(17, 47)), "numeric", "whole numbers"),
        (cycle(*range(1995, 2025)), "numeric", "whole numbers"),
        (cycle(*range(11)), "numeric", "whole numbers"),
        (cycle(0.5, 1.5, 2.5), "numeric", "numbers"),
        ([f" {place * 1.5} " for place in range(N)], "numeric", "numbers"),
        ([f"-{place}.5e-3" for place in range(N)], "numeric", "numbers"),
        ([decimal.Decimal(place) / 3 for place in range(N)], "numeric", "numbers"),
        (cycle("1.5", "2.5", "NA", "?", "null", "nan", "NaN", ""), "numeric", "numbers"),
        (cycle(1.5, 2.5, None, float("nan")), "numeric", "numbers"),
        ([place * place for place in range(N)], "numeric", "whole numbers"),
        # Texts
        ([f"w{place} and some more" for place in range(N)], "text", "about 4 words a row"),
        (cycle("one and the same", "text again and"), "categorical", "2 different values"),
    ],
)
def test_a_column_is_what_it_looks_like(cells, kind, why):
    choice = chosen(cells)
    assert choice.role == kind
    assert why in choice.why


@pytest.mark.parametrize("name", ["text", "Text", "message", "review", "body"])
def test_a_column_called_text_is_text_however_short(name):
    assert chosen(cycle("yes", "no"), name).role == "text"
    assert chosen(cycle("yes", "no"), "answer").role == "categorical"


@pytest.mark.parametrize("name", ["id", "user_id", "ID", "row", "House number", "invoice_no"])
def test_different_whole_numbers_under_the_name_of_an_identifier_number_the_rows(name):
    gaps = [place * 3 for place in range(N)]
    assert chosen(gaps, name) == columns.ColumnRole("drop", "it numbers the rows")
    assert chosen(gaps, "weight").role == "numeric"
    assert chosen(cycle(*range(0, 60, 3)), name).role == "numeric"


def test_a_few_rows_are_too_few_to_call_numbers_names():
    table = {"n": [1, 2, 3, 1, 2], "label": ["x", "y", "x", "y", "x"]}
    assert likely.Classifier().fit(table).column_roles["n"].role == "numeric"


def test_numbers_too_long_for_a_number_are_no_numbers():
    assert (
        chosen([1234567890123456789 + place * 17 for place in range(N)], "tweet").role != "numeric"
    )


def test_digits_of_other_scripts_are_the_same_in_a_file_as_in_memory(tmp_path):
    cells = [f"{place * 1.5}".replace("1", "\u0661") for place in range(N)]
    table = {"n": cells, "other": list(map(str, OTHER)), "label": LABELS}
    model = likely.Classifier().fit(table)
    found = likely.Classifier().fit(write_csv(tmp_path / "rows.csv", table))
    assert found.column_roles == model.column_roles
    assert found.to_bytes() == model.to_bytes()


@pytest.mark.parametrize(
    "cells",
    [
        cycle([1], [2]),
        cycle({"a": 1}, {"a": 2}),
        cycle(b"a", b"b"),
        cycle(datetime.timedelta(1), datetime.timedelta(2)),
        cycle(decimal.Decimal(1), decimal.Decimal(2)),
    ],
    ids=["list", "dict", "bytes", "timedelta", "Decimal"],
)
def test_what_is_chosen_can_be_learned(cells):
    assert chosen(cells).role in columns.ROLES


def test_dates_of_numpy_are_dates():
    days = np.datetime64("2020-01-01", "ns") + np.arange(N) * np.timedelta64(36, "h")
    assert chosen(days) == columns.ColumnRole("date", "dates")


def test_dates_that_one_cell_spoils_are_said_to_be_so():
    cells = [f"2020-01-{place % 28 + 1:02d}" for place in range(N - 1)]
    assert "all dates but some like `soon`" in chosen(["soon", *cells]).why
    assert chosen(["soon", *cells], missing=["soon"]).role == "date"


@pytest.mark.parametrize("name", ["zip", "postal_code", "PostCode", "Dept", "status", "codes"])
def test_whole_numbers_under_the_name_of_a_code_are_no_amounts(name):
    few, many = cycle(*range(10115, 10130)), [10115 + place * 97 for place in range(N)]
    assert chosen(few, name).role == "categorical"
    assert "its name is that of a code, 15 different" in chosen(few, name).why
    assert chosen(many, name).role == "short text"
    assert chosen([str(float(cell)) for cell in few], name).role == "categorical"
    assert chosen([cell + 0.5 for cell in few], name).role == "numeric"
    assert chosen(few, "weight").role == chosen(few, "decoded").role == "numeric"


def test_of_very_many_columns_of_many_values_none_is_read_by_its_parts(monkeypatch):
    monkeypatch.setattr(columns, "_MOST_SHORT_TEXTS", 3)

    def roles(n):
        cells = [f"{'AB' if place % 2 else 'X'}-{place}" for place in range(N)]
        table = {"other": OTHER, **{f"c{column}": cells for column in range(n)}}
        return columns.find_roles(likely.data.table.Table.of(table), {})

    assert {role.role for role in roles(3).values()} == {"numeric", "short text"}
    more = roles(4)["c0"]
    assert more == columns.ColumnRole("drop", "one of 4 columns of many different values")


@pytest.mark.parametrize("odd", ["oops", "inf"])
def test_a_column_of_numbers_that_one_cell_spoils_is_said_to_be_so(odd):
    choice = chosen([odd, *(str(place * 1.5) for place in range(N - 1))])
    assert odd in choice.why


def test_a_missing_cell_between_spaces_is_missing_for_the_choice_too():
    assert chosen([" ?" if place % 3 == 0 else f" {place * 1.5}" for place in range(N)]).role == (
        "numeric"
    )


# Saying it


def test_what_is_said_overrules_what_is_seen():
    table = {"zip": list(range(N)), "stars": cycle(1, 2, 3), "answer": cycle("a", "b"), "k": OTHER}
    said = {"zip": "categorical", "stars": "numeric", "answer": "text", "k": "drop"}
    model = likely.Classifier(columns=said).fit(table, LABELS)
    assert {name: choice.role for name, choice in model.column_roles.items()} == said
    assert {choice.why for choice in model.column_roles.values()} == {"as given"}
    assert model.columns == ("zip", "stars", "answer")
    kinds = {name: likelihood.schema["kind"] for name, likelihood in model.likelihood.items()}
    assert kinds == {"zip": "categories", "stars": "number views", "answer": "text"}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"stras": "numeric"}, "there is no column `stras`.*\n.*did you mean `stars`"),
        ({"label": "categorical"}, "there is no column `label`"),
    ],
)
def test_an_unknown_column_is_refused(said, message):
    table = {"stars": cycle(1, 2, 3), "other": OTHER, "label": LABELS}
    model = likely.Classifier(columns=said)
    with pytest.raises(OptionError, match=message):
        model.fit(table)
    assert model.classes == ()


def test_an_unknown_kind_is_refused():
    with pytest.raises(
        OptionError,
        match="a column is text, short text, numeric, categorical, date, day-first date",
    ):
        likely.Classifier(columns={"stars": "numbr"})


def test_kinds_are_not_for_a_model_that_has_its_likelihood():
    with pytest.raises(OptionError, match="`columns` is for a model that picks"):
        likely.Classifier(likely.Gaussian(), columns={"n": "numeric"})


@pytest.mark.parametrize("said", [{"x": "categorical"}, {"y": "text"}])
def test_what_is_said_of_a_list_of_texts_is_heard(said):
    model = likely.Classifier(columns=said)
    if "y" in said:
        with pytest.raises(OptionError, check=coded("unknown-column")):
            model.fit(cycle("a", "b"), LABELS)
    else:
        assert model.fit(cycle("a", "b"), LABELS).likelihood["x"] == likely.Categorical()


def test_a_column_said_to_be_numbers_must_hold_them():
    with pytest.raises(DataError, match="row 1 of `c` is 'a', which is no number"):
        chosen(cycle("a", "b"), columns={"c": "numeric"})


def test_a_table_without_anything_to_learn_from_says_why():
    with pytest.raises(DataError, match=r"no column to learn from .*`id`: it numbers the rows"):
        likely.Classifier().fit({"id": list(range(N)), "k": ["a"] * N}, LABELS)
    with pytest.raises(DataError, match="`k`: all rows have `a`"):
        likely.Classifier().fit({"id": list(range(N)), "k": ["a"] * N}, LABELS)


def test_missing_spellings_are_heeded_by_the_choice():
    cells = [str(place * 1.5) if place % 2 else "-" for place in range(N)]
    assert chosen(cells, missing=("-",)).role == "numeric"
    assert chosen(cells).role == "drop"


# The target


@pytest.mark.parametrize("name", ["label", "target", "class", "y", "category", "LABEL", "Class"])
def test_the_target_is_found_by_its_name(name):
    model = likely.Classifier().fit({"other": OTHER, name: LABELS})
    assert model.target == name
    assert model.columns == ("other",)


def test_a_column_called_label_is_more_of_a_target_than_one_called_y():
    table = {"x": OTHER, "y": [-cell for cell in OTHER], "label": LABELS}
    assert likely.Classifier().fit(table).target == "label"


def test_any_column_can_be_the_target_when_it_is_named():
    table = {"label": cycle("p", "q", "r"), "other": OTHER, "species": LABELS}
    model = likely.Classifier().fit(table, "species")
    assert model.target == "species"
    assert model.classes == ("x", "y")
    assert model.columns == ("label", "other")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            None,
            r"it has `other`, `species`\nhint: name the label column.*`fit\(table, \"species\"\)`",
        ),
        ("specie", "no column `specie`; there are `other`, `species`\nhint: .*`species`"),
        ("Species", "no column `Species`.*\nhint: .*`species`"),
    ],
)
def test_a_target_that_is_not_found_must_be_given(y, message):
    with pytest.raises(DataError, match=message.replace("\n.*", "\n")):
        likely.Classifier().fit({"other": OTHER, "species": LABELS}, y)


def test_the_target_is_kept_for_learning_more(tmp_path):
    table = {"other": OTHER, "species": LABELS}
    model = likely.Classifier().fit(table, "species")
    model.save(tmp_path / "m.likely")
    loaded = likely.load(tmp_path / "m.likely")
    assert loaded.target == "species"
    assert loaded.update(table).tally.n_rows == 2 * N
    assert loaded.forget(table).rows_left == N
    assert loaded.to_bytes() == model.to_bytes()


# Order, batches, samples


def table_of(count, seed=0):
    """Rows whose columns are near the borders between the kinds."""
    source = random.Random(seed)
    return {
        "amount": [f"{source.gauss(0, 1):.3f}" for _ in range(count)],
        "code": [f"{source.randrange(50):03d}" for _ in range(count)],
        "half": [f"v{source.randrange(count)}" for _ in range(count)],
        "on": [f"{source.randrange(1, 13)}/{source.randrange(1, 14)}/24" for _ in range(count)],
        "note": [f"w{source.randrange(2000)} goes to town" for _ in range(count)],
        "stars": [source.choice(["1", "2", "3", ""]) for _ in range(count)],
        "label": [source.choice(["x", "y"]) for _ in range(count)],
    }


def shuffled(table, seed):
    order = list(range(len(table["label"])))
    random.Random(seed).shuffle(order)
    return {name: [cells[row] for row in order] for name, cells in table.items()}


def write_csv(path, table):
    lines = [",".join(table), *map(",".join, zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(columns, "SAMPLE", 50)
    monkeypatch.setattr(labeled, "SAMPLE", 50)


@pytest.mark.parametrize("seed", range(5))
def test_the_choice_does_not_depend_on_the_order_of_rows(small_sample, tmp_path, seed):
    table = table_of(300, seed)
    model = likely.Classifier().fit(table)
    again = likely.Classifier().fit(shuffled(table, seed))
    assert again.column_roles == model.column_roles
    assert again.to_bytes() == model.to_bytes()
    path = write_csv(tmp_path / "rows.csv", shuffled(table, seed + 1))
    assert likely.Classifier().fit(path).column_roles == model.column_roles


@pytest.mark.parametrize("rows", [1, 7, 49, 50, 51, 299, 300])
def test_the_choice_does_not_depend_on_the_batches(small_sample, tmp_path, monkeypatch, rows):
    path = write_csv(tmp_path / "rows.csv", table_of(300))
    expected = likely.Classifier().fit(path)
    monkeypatch.setattr(files, "_ROWS", rows)
    model = likely.Classifier().fit(path)
    assert model.column_roles == expected.column_roles
    assert model.to_bytes() == expected.to_bytes()


def test_a_sample_has_the_same_rows_whatever_the_order_and_the_batches(small_sample):
    table = table_of(300)
    whole = columns.sampled([likely.data.table.Table.of(table)])
    assert len(whole) == 50
    mixed = shuffled(table, 1)
    parts = [
        likely.data.table.Table.of(
            {name: cells[start : start + 17] for name, cells in mixed.items()}
        )
        for start in range(0, 300, 17)
    ]
    pieced = columns.sampled(parts)

    def rows(sample):
        return sorted(zip(*sample.columns.values(), strict=True))

    assert rows(pieced) == rows(whole)


def test_beyond_the_true_size_of_the_sample_order_and_batches_do_not_matter(tmp_path, monkeypatch):
    table = table_of(columns.SAMPLE + 5_000)
    model = likely.Classifier().fit(table)
    path = write_csv(tmp_path / "rows.csv", shuffled(table, 1))
    expected = {"amount": "numeric", "code": "categorical", "note": "text", "stars": "categorical"}
    expected |= {"half": "short text", "on": "date"}
    for rows in (files._ROWS, 3_000):
        monkeypatch.setattr(files, "_ROWS", rows)
        found = likely.Classifier().fit(path)
        assert found.column_roles == model.column_roles
        assert found.to_bytes() == model.to_bytes()
        assert expected.items() <= {n: c.role for n, c in found.column_roles.items()}.items()


def test_a_column_that_numbers_the_rows_does_so_however_many_there_are(small_sample):
    table = {"line": list(range(300)), **table_of(300)}
    assert likely.Classifier().fit(table).column_roles["line"].role == "drop"


@pytest.mark.parametrize("scale", [1.0, 1e17, 1e20, 1e300])
def test_large_floats_are_numbers_and_long_identifiers_are_not(scale):
    values = np.random.default_rng(0).normal(size=60) * scale
    table = {"x": values, "id": [2**63 + 7 * i + 1 for i in range(60)], "y": list("ab") * 30}
    roles = likely.Classifier().fit(table, "y").column_roles
    assert roles["x"].role == "numeric"
    assert roles["id"].role == "drop"
