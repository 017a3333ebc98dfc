"""`likely info`: the sizes of models, and dependences in rows."""

import json

import pytest

DAYS = ["grey,strong,yes", "clear,weak,yes", "clear,weak,no", "grey,strong,no"] * 4
DAYS = ["sky,wind,rain", *DAYS, "clear,strong,no", "grey,weak,yes"]


@pytest.fixture
def days(run, tmp_path):
    (tmp_path / "days.csv").write_text("\n".join([*DAYS, ""]), "utf-8")
    run("train", "days.csv", "--target", "rain", "--model", "categorical", "-o", "days.likely")
    return run


def test_it_compares_the_parameters_of_models(days):
    out, _ = days("info", "days.likely")
    assert "columns    model       parameters\n" in out
    assert "sky, wind  full table           8\n" in out
    assert "           naive                8  this model\n" in out
    facts = json.loads(days("info", "days.likely", "--json")[0])
    assert [(one["model"], one["parameters"], one["is_own"]) for one in facts["model_sizes"]] == [
        ("full table", 8, False),
        ("naive", 8, True),
    ]
    assert facts["dependences"] is None


def test_rows_tell_which_columns_depend_on_each_other(days):
    plain, _ = days("info", "days.likely")
    assert "dependences in pairs: `likely info --data DATA`" in plain
    out, _ = days("info", "days.likely", "--data", "days.csv")
    assert "dependences in pairs" not in out
    assert "\ncolumn  and   within classes  over all rows\nsky     wind  " in out
    facts = json.loads(days("info", "days.likely", "--data", "days.csv", "--json")[0])
    (pair,) = facts["dependences"]
    assert (pair["first"], pair["second"]) == ("sky", "wind")
    assert 0.5 < pair["within"] <= 1


def test_rows_with_nothing_to_compare_are_no_table(days, tmp_path):
    (tmp_path / "none.csv").write_text("sky,wind,rain\n", "utf-8")
    out, _ = days("info", "days.likely", "--data", "none.csv")
    assert "no dependences: the rows have no two columns" in out


@pytest.mark.parametrize(
    ("given", "message", "code"),
    [
        (["--data", "wet.csv"], "wet.csv lacks a column that the model reads: `wind`", 3),
        (["--data", "empty.csv"], "empty.csv: the file is empty", 3),
        (["--data", "gone.csv"], "gone.csv", 3),
        (["--target", "rain"], "--target is about the rows of --data, which is not given", 2),
        (["--data", "days.csv", "--target", "snow"], "snow", 3),
    ],
)
def test_rows_that_cannot_be_read_are_refused(days, tmp_path, given, message, code):
    (tmp_path / "wet.csv").write_text("sky,rain\ngrey,yes\n", "utf-8")
    (tmp_path / "empty.csv").write_text("", "utf-8")
    out, err = days("info", "days.likely", *given, code=code)
    assert not out
    assert message in err
