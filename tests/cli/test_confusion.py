"""`likely evaluate --confusion` and `--by-hand`."""

import json

import pytest

URGENT = "predicted,urgent,normal,spam\nurgent,8,10,1\nnormal,5,60,50\nspam,3,30,200\n"


@pytest.fixture
def table(tmp_path):
    (tmp_path / "urgent.csv").write_text(URGENT)
    return "urgent.csv"


def test_a_table_is_evaluated_without_a_model(run, table):
    out, err = run("evaluate", "--confusion", table, "--json")
    found = json.loads(out)
    assert found["confusion"] == [[8, 5, 3], [10, 60, 30], [1, 50, 200]]
    assert round(found["macro_precision"], 2) == 0.60
    assert round(found["micro_precision"], 2) == 0.73
    assert found["macro_f1_low"] < found["macro_f1"] < found["macro_f1_high"]
    assert not {"log_loss", "roc_auc", "by_hand"} & set(found)
    assert err == ""
    shown, _ = run("evaluate", "--confusion", "-", stdin=URGENT)
    assert "majority baseline `spam`" in shown
    assert shown == run("evaluate", "--confusion", table)[0]


def test_a_table_has_gates(run, table):
    run("evaluate", "--confusion", table, "--min", "macro_f1=0.6", "--min", "recall:spam=0.7")
    _, err = run("evaluate", "--confusion", table, "--min", "recall:urgent=0.6", code=1)
    assert "recall:urgent is 0.5000, below 0.6" in err
    _, err = run("evaluate", "--confusion", table, "--max", "log_loss=1", code=2)
    assert "there is no such figure" in err


def test_the_blackboard(run, table):
    out, _ = run("evaluate", "--confusion", table, "--by-hand")
    lines = out.splitlines()
    assert lines[:5] == [
        "Each class against the rest: gold in rows, predictions in columns.",
        "",
        "urgent  predicted    normal  predicted    spam  predicted    pooled  predicted",
        "gold     yes   no    gold     yes   no    gold    yes  no    gold     yes   no",
        "yes        8    8    yes       60   40    yes     200  51    yes      268   99",
    ]
    for line in (
        "precision(urgent) = 8 / (8 + 11) = 8/19 ≈ 0.42",
        "precision(normal) = 60 / (60 + 55) = 60/115 ≈ 0.52",
        "precision(spam)   = 200 / (200 + 33) = 200/233 ≈ 0.86",
        "macro precision   = (8/19 + 60/115 + 200/233) / 3 = 61132/101821 ≈ 0.60",
        "micro precision   = 268 / (268 + 99) = 268/367 ≈ 0.73",
        "F1(urgent) = 2 · 8/19 · 8/16 / (8/19 + 8/16) = 16/35 ≈ 0.46",
        "accuracy                 = (8 + 60 + 200) / 367 = 268/367 ≈ 0.73",
        "majority baseline `spam` = 251/367 ≈ 0.68",
    ):
        assert line in lines
    found = json.loads(run("evaluate", "--confusion", table, "--by-hand", "--json")[0])
    assert found["by_hand"]["pooled"]["precision"] == "268/367"
    assert found["by_hand"]["per_class"][1]["precision"] == "60/115"


def test_a_million_tweets(run, tmp_path):
    """Accuracy 99.99 %, recall 0, and a warning beside them."""
    (tmp_path / "tweets.csv").write_text("gold,other,pie\nother,999900,0\npie,100,0\n")
    found = json.loads(run("evaluate", "--confusion", "tweets.csv", "--json")[0])
    assert found["accuracy"] == found["majority_baseline"] == 0.9999
    assert found["per_class"][1]["recall"] == 0
    for how in ((), ("--by-hand",)):
        out, _ = run("evaluate", "--confusion", "tweets.csv", *how)
        assert "warning: accuracy misleads here: 99.99 % of the rows are `other`" in out
        assert "majority baseline `other`" in out
    assert "recall(pie)   = 0 / (0 + 100) = 0/100 = 0\n" in out
    assert "= (999900 + 0) / 1000000 = 999900/1000000 = 0.9999\n" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["m.likely", "--confusion", "urgent.csv"], "--confusion takes the place of MODEL and DA"),
        (["--confusion", "urgent.csv", "--reject-below", "0.5"], "--reject-below needs MODEL and"),
        (["--confusion", "urgent.csv", "--prior", "uniform"], "--prior needs MODEL and DATA"),
        (["--confusion", "urgent.csv", "--target", "x"], "--target needs MODEL and DATA"),
        (["m.likely"], "name a MODEL and DATA, or a table of counts: --confusion FILE"),
        (["--by-hand"], "name a MODEL and DATA, or a table of counts: --confusion FILE"),
    ],
)
def test_a_table_takes_the_place_of_model_and_data(run, table, arguments, message):
    _, err = run("evaluate", *arguments, code=2)
    assert message in err


def test_a_table_that_is_none_is_refused(run, tmp_path):
    (tmp_path / "x.csv").write_text("class,a,b\na,1,2\nb,3,4\n")
    _, err = run("evaluate", "--confusion", "x.csv", code=3)
    assert err.startswith("likely: x.csv: the first cell of the header says what the rows are")
    assert "\nhint: with `gold` each row is a gold class" in err
    _, err = run("evaluate", "--confusion", "none.csv", code=3)
    assert "none.csv" in err


def test_a_model_and_rules_are_evaluated_by_hand(run, tmp_path):
    (tmp_path / "x.csv").write_text("text,label\nbuy now,spam\nsee you,ham\nbuy milk,ham\n")
    run("train", "x.csv", "-o", "m.likely", "--plain")
    out, _ = run("evaluate", "m.likely", "x.csv", "--by-hand")
    assert "recall(ham)  = 2 / (2 + 0) = 2/2 = 1" in out
    rule = '[[rule]]\nname = "sale"\nlabel = "spam"\nwords = ["buy"]\n'
    (tmp_path / "rules.toml").write_text(rule)
    out, _ = run("evaluate", "rules.toml", "x.csv", "--by-hand")
    assert "Coverage 66.67 %: rules decide 2 of 3 rows" in out
    assert "precision(spam) = 1 / (1 + 1) = 1/2 = 0.5" in out


def test_labels_of_multilabel_rows_are_evaluated_by_hand(run, tmp_path):
    rows = "text,topics\noil up,oil\nwheat down,wheat\noil and wheat,oil;wheat\nchess,\n"
    (tmp_path / "news.csv").write_text(rows)
    run("train", "news.csv", "-o", "n.likely", "--target", "topics", "--multilabel")
    out, _ = run("evaluate", "n.likely", "news.csv", "--by-hand")
    assert out.startswith("Each label against the rest: gold in rows, predictions in columns.")
    assert "subset accuracy" in out
    found = json.loads(run("evaluate", "n.likely", "news.csv", "--by-hand", "--json")[0])
    assert [one["label"] for one in found["by_hand"]["per_class"]] == ["oil", "wheat"]
