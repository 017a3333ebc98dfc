"""Decimal commas: told by the file, or stated; one spelling for whoever reads on."""

import gzip
import io
import random

import numpy as np
import pytest

import likely
from likely.data.columns import find_roles
from likely.data.labeled import labeled
from likely.errors import DataError, OptionError

HEIGHTS = ["169,17", "-0,5", "180", "1,5e2", "+12,25", ",5", "NA", ""]
POINTS = [cell.replace(",", ".") for cell in HEIGHTS]


def write(folder, rows, name="x.csv", between=";"):
    path = folder / name
    path.write_text("".join(between.join(row) + "\n" for row in rows), "utf-8")
    return path


def column(path, name="height", **options):
    return [
        cell
        for table in likely.open_table(path, **options).batches([name])
        for cell in table.columns[name].tolist()
    ]


def numbers(path, name="height", **options):
    tables = likely.open_table(path, **options).batches([name])
    return np.concatenate([table.numbers((name,)).values[:, 0] for table in tables])


def labeled_rows(cells, *more):
    names = ["height", *(f"more{place}" for place in range(len(more))), "label"]
    return [names, *([*row, "ab"[n % 2]] for n, row in enumerate(zip(cells, *more, strict=True)))]


@pytest.mark.parametrize("between", [";", "\t", "|"])
def test_commas_are_decimal_where_nothing_else_makes_numbers_of_a_column(tmp_path, between):
    path = write(tmp_path, labeled_rows(HEIGHTS), between=between)
    assert column(path) == POINTS
    expected = [169.17, -0.5, 180, 150, 12.25, 0.5, np.nan, np.nan]
    assert np.array_equal(numbers(path), expected, equal_nan=True)


def test_quoted_and_spaced_cells_have_decimal_commas_too(tmp_path):
    path = write(tmp_path, labeled_rows(['"1,5"', '" 2,25"', " 3,5 "]))
    assert numbers(path).tolist() == [1.5, 2.25, 3.5]


def test_where_commas_stand_between_cells_none_is_decimal_unless_it_is_stated(tmp_path):
    path = write(tmp_path, labeled_rows(['"1,5"', '"2,5"']), between=",")
    assert column(path) == ["1,5", "2,5"]
    assert column(path, decimal=",") == ["1.5", "2.5"]


@pytest.mark.parametrize("cells", [["1,234", "12,345"], ["999", "1,000", "-1,234"]])
def test_what_may_be_thousands_is_not_guessed_at(tmp_path, cells):
    path = write(tmp_path, labeled_rows(cells))
    assert column(path) == cells
    assert column(path, decimal=",") == [cell.replace(",", ".") for cell in cells]
    with pytest.raises(DataError, match=r"(?s)which is no number.*--decimal ,"):
        numbers(path)


@pytest.mark.parametrize("telling", ["0,125", "1234,567", "1,23", "1,2345"])
def test_a_cell_that_cannot_be_thousands_tells_what_the_others_are(tmp_path, telling):
    path = write(tmp_path, labeled_rows(["1,234", telling]))
    assert column(path) == ["1.234", telling.replace(",", ".")]


def test_one_column_tells_for_the_whole_file(tmp_path):
    path = write(tmp_path, labeled_rows(["1,5", "2,5"], ["1,234", "2,345"], ["0,5", "none"]))
    assert column(path, "more0") == ["1.234", "2.345"]
    assert column(path, "more1") == ["0.5", "none"]


def test_a_column_with_points_beside_one_with_commas_leaves_it_open(tmp_path):
    path = write(tmp_path, labeled_rows(["1,5", "2,5"], ["1.5", "2.5"]))
    assert column(path) == ["1,5", "2,5"]
    stated = column(path, decimal=","), column(path, "more0", decimal=",")
    assert stated == (["1.5", "2.5"], ["1.5", "2.5"])
    with pytest.raises(DataError, match=r"row 1 of `more0` is '1.5', which is no number"):
        numbers(path, "more0", decimal=",")


@pytest.mark.parametrize(
    ("cells", "alone", "stated"),
    [
        (["2,5", "1.5"], "row 1 of `height` is '2,5'", "row 2 of `height` is '1.5'"),
        (["1.5", "2,5"], "row 2 of `height` is '2,5'", "row 1 of `height` is '1.5'"),
        (["9,5", "1.234,5"], "row 1 of `height` is '9,5'", "row 2 of `height` is '1.234,5'"),
        (["1.234,5", "1.000"], "row 1 of `height` is '1.234,5'", "row 2 of `height` is '1.000'"),
        (["1.234", "5"], None, "row 1 of `height` is '1.234'"),
    ],
)
def test_a_column_that_mixes_points_and_commas_is_refused(tmp_path, cells, alone, stated):
    path = write(tmp_path, labeled_rows(cells))
    if alone is not None:
        with pytest.raises(DataError, match=alone):
            numbers(path)
    with pytest.raises(DataError, match=stated) as refused:
        numbers(path, decimal=",")
    assert "hint: numbers of this file have decimal commas, 2,7, and no points" in str(
        refused.value
    )


def test_the_first_cell_with_a_point_is_named_however_late_it_comes(tmp_path, monkeypatch):
    monkeypatch.setattr("likely.data.files._ROWS", 7)
    path = write(tmp_path, labeled_rows([*(f"{n},5" for n in range(40)), "1.234", "2.5"]))
    with pytest.raises(DataError, match=r"row 41 of `height` is '1\.234', which is no number"):
        numbers(path, decimal=",")
    found = find_roles(labeled(likely.open_table(path, decimal=","), None).sample(), {})
    assert "row 41 of `height` is '1.234'" in found["height"].odd


def test_points_are_stated_too(tmp_path):
    path = write(tmp_path, labeled_rows(["1,5", "2,5"]))
    assert column(path, decimal=".") == ["1,5", "2,5"]


@pytest.mark.parametrize("cells", [["1,2,3", "1,5"], ["a,b", "1,5"], ["12,5 kg", "1,5"]])
def test_a_column_of_other_cells_tells_nothing(tmp_path, cells):
    assert column(write(tmp_path, labeled_rows(cells))) == cells


def test_neither_the_order_of_rows_nor_batches_decide(tmp_path, monkeypatch):
    cells = [*map(str, range(500)), "1,234", "0,5"]
    monkeypatch.setattr("likely.data.files._ROWS", 7)
    random.Random(5).shuffle(cells)
    assert column(write(tmp_path, labeled_rows(cells))) == [c.replace(",", ".") for c in cells]


def test_json_has_points_only(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f'{{"height": "{n},5", "label": "a"}}\n' for n in range(3)), "utf-8")
    assert column(path) == ["0,5", "1,5", "2,5"]
    with pytest.raises(OptionError, match="in other files numbers have points"):
        likely.open_table(path, decimal=",")


@pytest.mark.parametrize("wrong", ["", ";", "comma", 1])
def test_a_decimal_mark_is_a_point_or_a_comma(tmp_path, wrong):
    with pytest.raises(OptionError, match=r'`decimal` is "." or ","'):
        likely.open_table(tmp_path, decimal=wrong)


def test_folders_and_arff_have_no_decimal_commas_to_state(tmp_path):
    (tmp_path / "x.arff").write_text("@relation x\n@attribute a numeric\n@data\n1\n")
    for path in (tmp_path, tmp_path / "x.arff"):
        with pytest.raises(OptionError, match="decimal commas"):
            likely.open_table(path, decimal=",")


def test_compressed_recoded_and_piped_files_are_told_alike(tmp_path, monkeypatch):
    text = "größe;label\n1,5;a\n2,5;b\n"
    packed, latin = tmp_path / "x.csv.gz", tmp_path / "y.csv"
    packed.write_bytes(gzip.compress(text.encode()))
    latin.write_bytes(text.encode("latin-1"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert column(packed, "größe") == ["1.5", "2.5"]
    assert column(latin, "größe", encoding="latin-1") == ["1.5", "2.5"]
    assert column("-", "größe") == ["1.5", "2.5"]


def model(path, **options):
    return likely.Classifier(**options).fit(likely.open_table(path))


def tables(folder, cells, *more, name="x"):
    """The same rows with commas between cells and decimal points, and in the other way."""
    pointed = [[cell.replace(",", ".") for cell in each] for each in (cells, *more)]
    return (
        write(folder, labeled_rows(*pointed), f"{name}-points.csv", ","),
        write(folder, labeled_rows(cells, *more), f"{name}-commas.csv", ";"),
    )


def test_a_model_is_the_same_whichever_mark_its_rows_had(tmp_path):
    rng = random.Random(1)
    cells = [f"{rng.gauss(170, 9):.2f}".replace(".", ",") for _ in range(60)]
    few, odd = rng.choices(["1,0", "2,0", "3,0"], k=60), rng.choices(["0,5", "none"], k=60)
    one, other = (model(path) for path in tables(tmp_path, cells, few, odd))
    assert one.digest == other.digest
    assert [choice.role for choice in other.column_roles.values()] == [
        "numeric",
        "categorical",
        "categorical",
    ]
    assert other.column_roles["height"].why == "numbers (decimal commas)"
    assert one.column_roles["height"].why == "numbers"


def test_a_model_reads_later_files_with_either_mark(tmp_path):
    cells = [f"{150 + n},{n % 7}5" for n in range(40)]
    one, other = tables(tmp_path, cells)
    learned, saved = model(one), tmp_path / "x.likely"
    learned.save(saved)
    loaded = likely.load(saved)
    for path in (one, other):
        source = likely.open_table(path)
        assert loaded.was_learned(source).all()
        assert np.array_equal(loaded.predict_proba(source), learned.predict_proba(one))
    loaded.update(other)
    assert loaded.tally.n_rows == 80
    assert loaded.forget(one).rows == 40
    assert loaded.digest == learned.digest


def test_a_thousand_or_a_number_is_refused_by_a_model_too(tmp_path):
    learned = model(tables(tmp_path, [f"{n},5" for n in range(20)])[0])
    unclear = write(tmp_path, labeled_rows(["1,234", "2,345"]), "unclear.csv")
    with pytest.raises(DataError, match=r"row 1 of `height` is '1,234'.*\n.*`--decimal ,`"):
        learned.predict(unclear)
    assert len(learned.predict(likely.open_table(unclear, decimal=","))) == 2


def test_strings_in_memory_have_points(tmp_path):
    learned = model(tables(tmp_path, [f"{n},5" for n in range(20)])[0])
    assert learned.predict({"height": ["1.5"]}).shape == (1,)
    with pytest.raises(DataError, match="row 1 of `height` is '1,5', which is no number"):
        learned.predict({"height": ["1,5"]})


def test_a_column_that_could_have_decimal_commas_says_how_to_state_it(tmp_path):
    cells = [f"{n},{n:03}" for n in range(100, 140)]
    found = find_roles(labeled(write(tmp_path, labeled_rows(cells)), None).sample(), {})
    assert found["height"].role == "drop"
    assert found["height"].why.endswith("numbers if their commas are decimal (`--decimal ,`)")


def test_a_spelling_of_missing_may_have_a_decimal_comma(tmp_path):
    cells = ["-99,9", *(f"{n},5" for n in range(20))]
    one, other = tables(tmp_path, cells)
    assert model(one, missing=["-99,9"]).digest == model(other, missing=["-99,9"]).digest
    row = {"height": [3.5]}
    asked = [model(one, missing=["-99.9"]), model(other, missing=["-99,9"])]
    assert np.array_equal(*(each.predict_proba(row) for each in asked))


def test_labels_stay_as_they_are_written(tmp_path):
    rows = [["height", "label"], *([f"{n},5", f"{n % 2},{n % 3}"] for n in range(20))]
    path = write(tmp_path, rows)
    assert model(path).classes == ("0,0", "0,1", "0,2", "1,0", "1,1", "1,2")
    is_multilabel = likely.Classifier(separator=",").fit(
        write(
            tmp_path,
            [["text", "label"], *([f"row {n}", f"{n % 2},{2 + n % 3}"] for n in range(20))],
        )
    )
    assert is_multilabel.classes == ("0", "1", "2", "3", "4")
