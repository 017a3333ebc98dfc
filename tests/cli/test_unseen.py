"""A category never seen in training says nothing, and that is said."""

import json

import pytest

from likely import Categorical, Classifier, JointTable
from likely.data.table import Table
from likely.explain.unseen_values import UnseenValues

ROWS = {"colour": ["red", "blue", "red", "blue"], "size": ["S", "S", "L", "L"]}
LABELS = ["warm", "cold", "warm", "cold"]
CSV = "colour,size,label\n" + "red,S,warm\nblue,S,cold\nred,L,warm\nblue,L,cold\n" * 5


@pytest.mark.parametrize(
    "likelihood",
    [
        {"colour": Categorical(), "size": Categorical()},
        {("colour", "size"): JointTable()},
        None,
    ],
)
def test_explain_names_a_value_that_was_never_seen(likelihood):
    rows = {name: cells * 5 for name, cells in ROWS.items()}
    model = Classifier(likelihood).fit(rows, LABELS * 5)
    why = model.explain({"colour": "teal", "size": "S"})
    assert why.unseen == ("colour=teal",)
    assert "colour=teal says nothing: the value was never seen in training" in str(why)
    assert "teal" in why._repr_html_()
    assert model.explain({"colour": "red", "size": None}).unseen == ()
    assert model.explain(["TEAL", "NA"]).unseen == ("colour=TEAL",)


def test_predict_warns_once_of_a_column_without_a_known_value(run, tmp_path):
    (tmp_path / "t.csv").write_text(CSV)
    run("train", "t.csv", "-o", "m.likely")
    (tmp_path / "new.csv").write_text("colour,size\n" + "Red,S\nBlue,L\n" * 50_000)
    out, err = run("predict", "m.likely", "new.csv")
    assert out.count("\n") == 100_001
    assert err.count("warning") == 1
    assert "no value in `colour` (100,000 rows) was ever seen in training" in err
    (tmp_path / "new.csv").write_text("colour,size\n" + "Red,S\n" * 70_000 + "red,L\n")
    assert "warning" not in run("predict", "m.likely", "new.csv")[1]
    (tmp_path / "new.csv").write_text("colour,size\n,S\n,L\n")
    assert "warning" not in run("predict", "m.likely", "new.csv")[1]


def test_explain_on_the_command_line_says_it_too(run, tmp_path):
    (tmp_path / "t.csv").write_text(CSV)
    run("train", "t.csv", "-o", "m.likely")
    out, _ = run("explain", "m.likely", "colour=teal", "size=S")
    assert "colour=teal says nothing: the value was never seen in training" in out
    out, _ = run("explain", "m.likely", "colour=teal", "size=S", "--json")
    assert json.loads(out)["unseen"] == ["colour=teal"]


def test_a_cell_that_is_given_twice_is_refused(run, tmp_path):
    (tmp_path / "t.csv").write_text(CSV)
    run("train", "t.csv", "-o", "m.likely")
    _, err = run("explain", "m.likely", "colour=red", "colour=blue", code=2)
    assert "`colour` is given twice; a row has one cell per column" in err


def test_a_word_that_is_also_the_name_of_a_column_is_a_word(run, tmp_path):
    (tmp_path / "t.csv").write_text("text,label\n" + "a text,x\na film,y\n" * 5)
    run("train", "t.csv", "-o", "m.likely", "--plain")
    out, _ = run("explain", "m.likely", "text", "--json")
    assert json.loads(out)["prediction"] == "x"
    assert [term["name"] for term in json.loads(out)["contributions"]] == ["prior", "text"]


@pytest.mark.parametrize("command", ["evaluate", "report", "compare"])
def test_judging_warns_of_columns_whose_values_were_never_seen(run, tmp_path, command):
    (tmp_path / "t.csv").write_text(CSV)
    run("train", "t.csv", "-o", "m.likely")
    header, *lines = CSV.splitlines()
    cells = [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]
    strange = [",".join({**one, "colour": "teal"}.values()) for one in cells]
    (tmp_path / "new.csv").write_text("\n".join([header, *strange]))
    (tmp_path / "old.csv").write_text(CSV)
    models = ["m.likely", "m.likely"] if command == "compare" else ["m.likely"]
    more = ["-o", "page.html", "--force"] if command == "report" else []
    tick = '<code dir="auto">colour</code>' if command == "report" else "`colour`"
    said = f"o value in {tick} ({len(lines):,} rows) was ever seen in training, so it says"
    _, err = run(command, *models, "new.csv", *more)
    shown = (tmp_path / "page.html").read_text("utf-8") if command == "report" else err
    assert said in shown
    _, err = run(command, *models, "old.csv", *more)
    shown = (tmp_path / "page.html").read_text("utf-8") if command == "report" else err
    assert "ever seen in training" not in shown


def test_columns_that_are_not_named_are_counted_in_the_singular_too():
    rows = {f"c{n}": ["a", "b"] * 4 for n in range(9)}
    model = Classifier({name: Categorical() for name in rows}).fit(rows, ["x", "y"] * 4)
    strange = UnseenValues()
    strange.look(model, Table.of({name: ["z"] for name in rows}))
    assert "`c7` (1 row) and 1 more column was ever seen" in strange.sentence
