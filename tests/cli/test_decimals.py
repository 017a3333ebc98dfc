"""Decimal commas on the command line."""

import csv
import io
import json
import random

import click
import pytest

from likely.cli import cli

CONTEXT = click.Context(cli)


def written(folder, name, between, mark, *, decimals=2, rows=60):
    rng = random.Random(3)
    lines = [["height", "weight", "sex"]]
    for n in range(rows):
        cells = [f"{rng.gauss(165 + 12 * (n % 2), 6):.{decimals}f}", f"{rng.gauss(70, 9):.1f}"]
        cells[1] = "" if n == 5 else cells[1]
        lines.append([*(cell.replace(".", mark) for cell in cells), "fm"[n % 2]])
    text = "".join(between.join(line) + "\n" for line in lines)
    (folder / name).write_text(text, "utf-8")
    return text


@pytest.fixture
def tables(run, tmp_path):
    """The same rows twice, and a model of those with points."""
    written(tmp_path, "points.csv", ",", ".")
    written(tmp_path, "commas.csv", ";", ",")
    run("train", "points.csv", "-o", "x.likely", "--target", "sex")
    return run


def answers(out):
    return [row["probability"] for row in csv.DictReader(io.StringIO(out))]


def test_training_says_where_commas_are_decimal(tables, tmp_path):
    _, err = tables("train", "commas.csv", "-o", "y.likely", "--target", "sex")
    assert "numeric `height`, `weight` (decimal commas)" in err
    assert (tmp_path / "x.likely").read_bytes() == (tmp_path / "y.likely").read_bytes()
    out, _ = tables("plan", "commas.csv", "--target", "sex")
    assert "height  numeric  numbers (decimal commas)" in out


@pytest.mark.parametrize("mark", [[], ["--decimal", ","]])
def test_a_model_serves_files_with_either_mark(tables, mark):
    points, _ = tables("predict", "x.likely", "points.csv")
    commas, _ = tables("predict", "x.likely", "commas.csv", *mark)
    assert answers(points) == answers(commas)
    for command in (["evaluate"], ["plot", "-o", "x.svg", "--force"]):
        one, other = (
            tables(command[0], "x.likely", file, *command[1:], *more)
            for file, more in (("points.csv", []), ("commas.csv", mark))
        )
        assert one[0] == other[0]


def test_cells_are_kept_as_they_are_written(tables, tmp_path):
    text = (tmp_path / "commas.csv").read_text("utf-8")
    out, _ = tables("predict", "x.likely", "commas.csv")
    kept = [row[:3] for row in csv.reader(io.StringIO(out))]
    assert kept == list(csv.reader(io.StringIO(text), delimiter=";"))
    out, _ = tables("predict", "x.likely", "commas.csv", "--json")
    assert json.loads(out.partition("\n")[0])["height"] == kept[1][0]


def test_rows_without_a_label_that_is_left_out_have_decimal_commas(tables, tmp_path):
    for name in ("points", "commas"):
        arguments = ["train", f"{name}.csv", "-o", f"{name}.likely", "--target", "sex"]
        with (tmp_path / f"{name}.csv").open("a") as file:
            file.write("1,5,?\n" if name == "points" else "1,5;1,5;?\n")
        tables(*arguments, "--drop-label", "?")
    assert (tmp_path / "points.likely").read_bytes() == (tmp_path / "commas.likely").read_bytes()


def test_update_and_forget_know_rows_whichever_mark_they_have(tables, tmp_path):
    tables("update", "x.likely", "commas.csv", "-o", "twice.likely")
    out, _ = tables("forget", "twice.likely", "points.csv", "-o", "once.likely")
    assert "60 rows" in out
    digests = [
        json.loads(tables("info", m, "--json")[0])["digest"] for m in ("x.likely", "once.likely")
    ]
    assert digests[0] == digests[1]
    tables("tune", "x.likely", "commas.csv", "-o", "refit.likely")


def test_reports_and_folds_are_those_of_the_rows_with_points(tables, tmp_path):
    for name in ("points", "commas"):
        tables("report", "x.likely", f"{name}.csv", "-o", f"{name}.html")
    pages = [(tmp_path / f"{n}.html").read_text("utf-8") for n in ("points", "commas")]
    # All but the names and the hash of the file.
    same = [
        page.replace("points.", "commas.").partition("SHA-256 of the data")[0] for page in pages
    ]
    assert same[0] == same[1]
    folds = [tables("cv", f"{n}.csv", "--target", "sex")[0] for n in ("points", "commas")]
    assert folds[0] == folds[1]


def test_a_table_from_a_pipe_is_told_in_training_and_stated_in_predicting(tables, tmp_path):
    text = (tmp_path / "commas.csv").read_text("utf-8")
    tables("train", "-", "-o", "y.likely", "--target", "sex", stdin=text)
    assert (tmp_path / "x.likely").read_bytes() == (tmp_path / "y.likely").read_bytes()
    # Rows are labeled as they come, so nobody can look at all of them first.
    _, err = tables("predict", "x.likely", stdin=text, code=3)
    assert "row 1 of `height` is '" in err
    assert "`--decimal ,`" in err
    out, _ = tables("predict", "x.likely", "--decimal", ",", stdin=text)
    assert answers(out) == answers(tables("predict", "x.likely", "points.csv")[0])
    mixed = "height;weight\n1,5;2,5\n1.5;2,5\n"
    _, err = tables("predict", "x.likely", "--decimal", ",", stdin=mixed, code=3)
    assert "row 2 of `height` is '1.5', which is no number" in err


def test_what_may_be_thousands_stays_open_and_training_says_so(run, tmp_path):
    written(tmp_path, "x.csv", ";", ",", decimals=3)
    text = (tmp_path / "x.csv").read_text("utf-8")
    only = "".join(";".join(line.split(";")[::2]) + "\n" for line in text.splitlines())
    (tmp_path / "x.csv").write_text(only, "utf-8")
    _, err = run("train", "x.csv", "--target", "sex", "-o", "x.likely", code=3)
    assert "numbers if their commas are decimal (`--decimal ,`)" in err
    _, err = run("train", "x.csv", "--target", "sex", "-o", "x.likely", "--model", "lda", code=3)
    assert "which is no number\nhint: " in err
    assert "`--decimal ,`" in err
    _, err = run("train", "x.csv", "--target", "sex", "-o", "x.likely", "--decimal", ",")
    assert "numeric `height` (decimal commas)" in err


def test_a_category_that_may_be_numbers_is_named(run, tmp_path):
    rows = "".join(
        f"{n % 3},500;{'ab'[n % 2]};{'xy'[n % 2]}\n".replace("0,", "9,") for n in range(30)
    )
    (tmp_path / "x.csv").write_text(f"size;word;label\n{rows}", "utf-8")
    _, err = run("train", "x.csv", "-o", "x.likely")
    assert "commas in `size` are not read as decimal commas (`--decimal ,` does that)" in err


def test_every_command_that_reads_a_file_in_some_encoding_takes_its_decimal_mark():
    for name in cli.list_commands(CONTEXT):
        command = cli.get_command(CONTEXT, name)
        flags = {flag for param in command.params for flag in param.opts}
        assert ("--encoding" in flags) == ("--decimal" in flags), name


def test_other_marks_and_other_files_are_refused(tables, tmp_path):
    _, err = tables("predict", "x.likely", "points.csv", "--decimal", ";", code=2)
    assert "--decimal" in err
    (tmp_path / "x.jsonl").write_text('{"height": "1,5", "weight": 2, "sex": "f"}\n', "utf-8")
    _, err = tables("predict", "x.likely", "x.jsonl", "--decimal", ",", code=2)
    assert "in other files numbers have points" in err
    _, err = tables("predict", "x.likely", "x.jsonl", code=3)
    assert "row 1 of `height` is '1,5', which is no number" in err
