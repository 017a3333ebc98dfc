"""`likely sample`: rows of a model, as `likely predict` and `train` read them."""

import csv
import io
import json

import pytest

DAYS = [
    "sky,degrees,rain",
    *(["clear,21.5,no", "grey,14,no", "grey,9,yes", "grey,12.5,yes"] * 3),
]
REVIEWS = ["text,label", "good fun,pos", "so good,pos", '"a dull, thin plot",neg', "bad,neg"]


@pytest.fixture
def models(run, tmp_path):
    for name, lines in (("days", DAYS), ("reviews", REVIEWS)):
        (tmp_path / f"{name}.csv").write_text("\n".join([*lines, ""]), "utf-8")
    run("train", "days.csv", "--target", "rain", "--plain", "-o", "days.likely")
    run("train", "reviews.csv", "--plain", "-o", "reviews.likely")
    return run


def rows(out):
    return list(csv.DictReader(io.StringIO(out)))


def test_rows_of_a_class_have_its_columns_and_its_label(models):
    out, err = models("sample", "days.likely", "yes", "-n", "3")
    found = rows(out)
    assert [list(row) for row in found] == [["sky", "degrees", "rain"]] * 3
    assert [row["rain"] for row in found] == ["yes"] * 3
    assert all(float(row["degrees"]) < 25 for row in found)
    assert not err
    assert models("sample", "days.likely", "yes", "-n", "3", "--seed", "0")[0] == out
    assert models("sample", "days.likely", "yes", "-n", "3", "--seed", "1")[0] != out


def test_without_a_class_rows_have_those_of_the_prior(models):
    found = rows(models("sample", "days.likely", "-n", "400")[0])
    assert 150 < sum(row["rain"] == "yes" for row in found) < 250
    assert len(rows(models("sample", "days.likely")[0])) == 10


def test_what_is_drawn_is_predicted_evaluated_and_learned(models, tmp_path):
    drawn, _ = models("sample", "days.likely", "-n", "200")
    (tmp_path / "drawn.csv").write_text(drawn, "utf-8")
    predicted = rows(models("predict", "days.likely", "drawn.csv")[0])
    assert len(predicted) == 200
    figures = json.loads(models("evaluate", "days.likely", "drawn.csv", "--json")[0])
    assert figures["rows"] == 200
    models("train", "drawn.csv", "--target", "rain", "--plain", "-o", "again.likely")
    texts, _ = models("sample", "reviews.likely", "neg", "-n", "5", "--length", "4")
    assert [len(row["text"].split()) for row in rows(texts)] == [4] * 5
    assert len(rows(models("predict", "reviews.likely", "-", stdin=texts)[0])) == 5


def test_json_lines_hold_numbers_and_labels(models):
    out, _ = models("sample", "days.likely", "no", "-n", "2", "--json")
    first, second = map(json.loads, out.splitlines())
    assert isinstance(first["degrees"], float)
    assert first["rain"] == second["rain"] == "no"
    (tmp := json.loads(models("sample", "reviews.likely", "pos", "-n", "1", "--json")[0]))
    assert set(tmp) == {"text", "label"}


def test_labels_that_are_numbers_stay_numbers(run, tmp_path):
    lines = [json.dumps({"n": n, "y": n % 2}) for n in range(10)]
    (tmp_path / "n.jsonl").write_text("\n".join(lines), "utf-8")
    run("train", "n.jsonl", "--target", "y", "--model", "gaussian", "-o", "n.likely")
    (row,) = run("sample", "n.likely", "1", "-n", "1", "--json")[0].splitlines()
    label = json.loads(row)["y"]
    (drawn,) = run("sample", "n.likely", "-n", "1", "--json")[0].splitlines()
    assert type(label) is type(json.loads(drawn)["y"])


@pytest.mark.parametrize(
    ("given", "message", "code"),
    [
        (["tuned.likely", "pos"], "no rows can be drawn from a tuned model", 2),
        (["complement.likely", "pos"], "Complement(alpha=1) gives no P(x | class)", 2),
        (
            ["reviews.likely", "maybe"],
            "`maybe` is no class of the model; there are `neg`, `pos`",
            2,
        ),
        (["reviews.likely", "-n", "0"], "0 is not a whole number from 1 up", 2),
        (["reviews.likely", "--seed", "-1"], "-1 is not a whole number from 0 up", 2),
        (["days.likely", "--length", "3"], "`length` is that of a text", 2),
        (["none.likely"], "none.likely: No such file", 4),
        (["reviews.csv"], "reviews.csv` cannot be read: it is no Likely model", 4),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(models, given, message, code):
    models("train", "reviews.csv", "-o", "tuned.likely")
    models("train", "reviews.csv", "--model", "complement", "-o", "complement.likely")
    out, err = models("sample", *given, code=code)
    assert not out
    assert message in err
    assert "Traceback" not in err
