"""Rows with several labels, as a user has them in files."""

import json
import re

import pytest

import likely
from tests.model.test_stacked_linear import multilabel_rows

NEWS = """text,topics
oil prices rise,oil
wheat and oil exports,"oil; wheat"
wheat harvest is good,wheat
a game of chess,
oil tanker sinks,oil
grain and wheat,wheat
the match was dull,
oil for wheat,oil;wheat
"""


@pytest.fixture
def news(tmp_path):
    (tmp_path / "news.csv").write_text(NEWS, "utf-8")
    return "news.csv"


@pytest.fixture
def model(run, news):
    run(
        "train",
        news,
        "-o",
        "m.likely",
        "--target",
        "topics",
        "--multilabel",
        "--label-separator",
        ";",
    )
    return "m.likely"


def test_a_column_with_a_separator_and_json_arrays_are_the_same(run, news, model, tmp_path):
    rows = [line.split(",", 1) for line in NEWS.splitlines()[1:]]
    with open(tmp_path / "news.jsonl", "w", encoding="utf-8") as file:
        for text, cell in rows:
            labels = [label.strip() for label in cell.strip('"').split(";") if label.strip()]
            file.write(json.dumps({"text": text, "topics": labels}) + "\n")
    out, said = run("train", "news.jsonl", "-o", "j.likely", "--target", "topics", "--json")
    assert "target `topics`" in said
    again, _ = run("train", news, "-o", "n.likely", "--target", "topics", "--multilabel", "--json")
    assert json.loads(out)["digest"] == json.loads(again)["digest"]
    assert json.loads(out)["classes"] == ["oil", "wheat"]


def _marked(path, header="text,oil,wheat"):
    """The same rows, with a column of 0 and 1 for each label."""
    rows = [line.split(",", 1) for line in NEWS.splitlines()[1:]]
    lines = [f"{text},{int('oil' in cell)},{int('wheat' in cell)}" for text, cell in rows]
    path.write_text("\n".join([header, *lines]), "utf-8")


def test_a_column_of_0_and_1_for_each_label_is_the_same(run, news, model, tmp_path):
    _marked(tmp_path / "marks.csv")
    given = ("--target", "oil, wheat")
    out, said = run("train", "marks.csv", "-o", "k.likely", *given, "--json")
    assert "target `oil`, `wheat`; text `text`" in said
    assert json.loads(out)["digest"] == likely.load(tmp_path / model).digest
    # The model knows where labels are, whatever is done with it.
    out, said = run("evaluate", "k.likely", "marks.csv", "--json")
    assert json.loads(out)["accuracy"] == 1
    assert "8 of the 8 rows of marks.csv are also training rows" in said
    run("update", "k.likely", "marks.csv", "-o", "twice.likely")
    run("forget", "twice.likely", "marks.csv", "-o", "once.likely")
    assert (tmp_path / "once.likely").read_bytes() == (tmp_path / "k.likely").read_bytes()
    out, _ = run("plan", "marks.csv", *given)
    assert out.splitlines()[1:3] == [
        "oil     label  0/1 column",
        "wheat   label  0/1 column",
    ]
    out, _ = run("cv", "marks.csv", *given, "--folds", "2", "--json")
    assert json.loads(out)["is_multilabel"]
    rows = {
        "text": [line.split(",")[0] for line in NEWS.splitlines()[1:]],
        "oil": [int("oil" in line.split(",", 1)[1]) for line in NEWS.splitlines()[1:]],
        "wheat": [int("wheat" in line.split(",", 1)[1]) for line in NEWS.splitlines()[1:]],
    }
    loaded = likely.load(tmp_path / "k.likely")
    assert likely.Classifier().fit(rows, "oil,wheat").tally == loaded.tally


@pytest.mark.parametrize(
    ("row", "given", "sentence"),
    [
        ("a,1,2", "oil,wheat", "marks.csv, row 9: `wheat` has '2', where a column of one label "),
        ("a,,1", "oil,wheat", "marks.csv, row 9: `oil` has nothing, where a column of one label "),
        ("a,1,0", "oil,whaet", "no column `whaet`; there are `text`, `oil`, `wheat`"),
        ("a,1,0", "oil,oil", "`oil,oil` names a column twice"),
    ],
)
def test_columns_that_are_no_columns_of_labels(run, tmp_path, row, given, sentence):
    _marked(tmp_path / "marks.csv")
    with open(tmp_path / "marks.csv", "a", encoding="utf-8") as file:
        file.write(f"\n{row}\n")
    _, said = run("train", "marks.csv", "-o", "x.likely", "--target", given, code=3)
    assert sentence in said


def test_a_name_with_a_comma_is_one_column(run, tmp_path):
    header = 'text,"oil,wheat",wheat'
    _marked(tmp_path / "marks.csv", header)
    _, said = run("train", "marks.csv", "-o", "x.likely", "--target", "oil,wheat")
    assert "target `oil,wheat`;" in said


def test_training_prints_what_leaving_out_says(run, news):
    out, _ = run("train", news, "-o", "m.likely", "--target", "topics", "--multilabel")
    assert "(8 rows, exact duplicates together) · macro-F1" in out
    assert "thresholds chosen for f1" in out


def test_predictions_are_joined_or_listed(run, model):
    out, _ = run("predict", model, stdin="wheat and oil\na dull game\n")
    header, both, none = out.splitlines()
    assert header == "text,prediction,probability"
    assert set(both.split(",")[1].split(";")) == {"oil", "wheat"}
    assert none == "a dull game,,"
    out, _ = run("predict", model, "--json", "--proba", stdin="wheat and oil\n")
    found = json.loads(out)
    assert sorted(found["prediction"]) == ["oil", "wheat"]
    assert len(found["probability"]) == 2
    assert 0 < found["P(oil)"] < 1
    out, _ = run("predict", model, "--threshold", "oil=1.0", stdin="wheat and oil\n")
    assert out.splitlines()[1].split(",")[1] == "wheat"
    _, said = run("predict", model, "-k", "2", stdin="oil\n", code=2)
    assert "single-label models" in said


def test_a_label_with_the_separator_in_it_is_written_as_json_only(run, tmp_path):
    rows = [{"text": "oil", "labels": ["a;b"]}, {"text": "wheat", "labels": []}] * 4
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "odd.jsonl").write_text(lines, "utf-8")
    run("train", "odd.jsonl", "-o", "odd.likely")
    _, said = run("predict", "odd.likely", stdin="oil\n", code=3)
    assert "the label `a;b` contains `;`" in said
    out, _ = run("predict", "odd.likely", "--json", stdin="oil\n")
    assert json.loads(out)["prediction"] == ["a;b"]


def test_testing_has_a_gate(run, news, model, tmp_path):
    out, _ = run("evaluate", model, news, "--min", "micro_f1=0.5", "--json")
    found = json.loads(out)
    assert found["is_multilabel"]
    assert {"micro_f1", "macro_f1", "hamming_loss", "label_ranking"} <= set(found)
    (tmp_path / "none.csv").write_text("text,topics\nsomething else,oil\n", "utf-8")
    _, said = run("evaluate", model, "none.csv", "--min", "micro_f1=1", code=1)
    assert "micro_f1 is" in said


def test_unknown_labels_in_a_test_file_count_as_missed(run, model, tmp_path):
    (tmp_path / "test.csv").write_text("text,topics\noil,oil;gold\nwheat,wheat\n", "utf-8")
    out, _ = run("evaluate", model, "test.csv", "--json")
    found = {one["label"]: one for one in json.loads(out)["per_class"]}
    assert found["gold"]["recall"] == 0


def test_the_rest_of_the_commands(run, news, model, tmp_path):
    out, _ = run("explain", model, "wheat and oil")
    assert "threshold" in out
    out, _ = run("explain", model, "wheat and oil", "--json", "--without", "oil")
    assert json.loads(out)["prediction"] == ["wheat"]
    out, _ = run("info", model, "--json")
    assert set(json.loads(out)["thresholds"]) == {"oil", "wheat"}
    out, _ = run("cv", news, "--target", "topics", "--multilabel", "--folds", "4", "--json")
    assert json.loads(out)["is_multilabel"]
    (tmp_path / "more.csv").write_text('text,topics\ngold and oil,"gold;oil"\n', "utf-8")
    run("update", model, "more.csv", "-o", "more.likely")
    run("forget", "more.likely", "more.csv", "-o", "less.likely")
    assert (tmp_path / "less.likely").read_bytes() == (tmp_path / model).read_bytes()


def test_a_page_of_training_and_of_a_report(run, news, model, tmp_path):
    given = ("--target", "topics", "--multilabel", "--label-separator", ";")
    run("train", news, "-o", "m.likely", "--force", *given, "--report", "a.html")
    _, said = run("report", "m.likely", news, "-o", "b.html")
    assert "b.html: " in said
    assert "100 % of all labels are found, 66.7 % of the predicted labels are right." in said
    first, second = ((tmp_path / name).read_text("utf-8") for name in ("a.html", "b.html"))
    # Only the command differs.
    assert re.sub("<pre>.*?</pre>", "", first) == re.sub("<pre>.*?</pre>", "", second)
    out, _ = run("report", "m.likely", news, "--json")
    assert json.loads(out)["method"] == "leave-one-out"
    (tmp_path / "test.csv").write_text("text,topics\noil,oil;gold\nwheat,wheat\n", "utf-8")
    facts = json.loads(run("report", "m.likely", "test.csv", "--json")[0])
    assert facts["evaluation"] == json.loads(run("evaluate", "m.likely", "test.csv", "--json")[0])


def test_what_is_for_one_label_says_so(run, news, model):
    _, said = run("plot", model, news, "--columns", "a,b", "-o", "p.svg", code=2)
    assert "multi-label models cannot be plotted" in said


def test_a_plain_model_heeds_a_goal_or_says_that_none_was_set(run, news):
    given = (
        "train",
        news,
        "-o",
        "p.likely",
        "--force",
        "--target",
        "topics",
        "--multilabel",
        "--plain",
    )
    out, _ = run(*given)
    assert "thresholds are 0.5" in out
    out, _ = run(*given, "--thresholds", "recall>=1", "--json")
    found = json.loads(out)
    assert found["criterion"] == "recall>=1"
    assert any(bar != 0.5 for _, bar in found["thresholds"])


def test_goals_are_typed(run, news, tmp_path):
    (tmp_path / "costs.csv").write_text("label,miss,false_alarm\noil,10,1\nwheat,1,10\n", "utf-8")
    given = (
        "train",
        news,
        "--target",
        "topics",
        "--multilabel",
        "--force",
        "-o",
        "g.likely",
        "--json",
    )
    out, _ = run(*given, "--thresholds", "costs:costs.csv")
    assert json.loads(out)["criterion"] == "the least cost"
    out, _ = run(*given, "--thresholds", "precision>=0.9")
    assert json.loads(out)["criterion"] == "precision>=0.9"
    _, said = run(*given, "--thresholds", "f3", code=2)
    assert "a criterion is" in said
    (tmp_path / "costs.csv").write_text("label,miss\noil,10\n", "utf-8")
    _, said = run(*given, "--thresholds", "costs:costs.csv", code=2)
    assert "no column `false_alarm`" in said


def test_what_does_not_go_together_is_said(run, news, model, tmp_path):
    _, said = run(
        "train", news, "-o", "x.likely", "--target", "topics", "--thresholds", "f1", code=2
    )
    assert "--target COL --multilabel" in said
    _marked(tmp_path / "marks.csv")
    given = ("--target", "oil,wheat", "--multilabel", "--label-separator", ";")
    _, said = run("train", "marks.csv", "-o", "x.likely", *given, code=2)
    assert "--label-separator is for one multi-label column" in said
    (tmp_path / "one.csv").write_text("text,label\na,x\nb,y\n", "utf-8")
    run("train", "one.csv", "-o", "one.likely")
    lists = '{"text": "a", "label": ["x"]}\n'
    (tmp_path / "lists.jsonl").write_text(lists, "utf-8")
    _, said = run("evaluate", "one.likely", "lists.jsonl", code=3)
    assert "these rows are multi-label" in said


def test_a_second_opinion_is_trained_shown_and_remembers(run, tmp_path):
    texts, labels = multilabel_rows(120)
    lines = [f"{text},{';'.join(row)}" for text, row in zip(texts, labels, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["text,label", *lines]), "utf-8")
    (tmp_path / "gone.csv").write_text("\n".join(["text,label", *lines[:2]]), "utf-8")
    said, _ = run(
        "train", "rows.csv", "-o", "s.likely", "--target", "label", "--multilabel", "--stack-linear"
    )
    assert "(120 rows, exact duplicates together) · macro-F1" in said
    assert "stacked linear model  " in run("info", "s.likely")[0]
    assert "anchor" in run("explain", "s.likely", "anchor acorn")[0]
    run("forget", "s.likely", "gone.csv", "-o", "less.likely")
    assert "remembers" in run("info", "less.likely")[0]


def test_one_label_in_every_row_is_warned_of(run, tmp_path):
    rows = "".join(f"{text},{label}\n" for text, label in [("a b", "x"), ("c d", "y|z")] * 4)
    (tmp_path / "t.csv").write_text(f"text,label\n{rows}")
    asked = ("train", "t.csv", "--multilabel", "--force", "--json", "-o", "m.likely")
    said = "every row has exactly one label, so a single-label model would do"
    assert json.loads(run(*asked)[0])["warnings"][0].startswith(said)
    out, _ = run(*asked, "--label-separator", "|")
    assert not any(said in one for one in json.loads(out)["warnings"])
