"""Rules on the command line."""

import json

import pytest

RULES = """
[[rule]]
name = "blocked"
label = "spam"
column = "from"
senders = ["@bad.example"]

[[rule]]
name = "prize"
label = "spam"
words = ["lottery"]
"""


@pytest.fixture
def mail(tmp_path):
    rows = ["from,text,label"]
    for n in range(20):
        rows.append(f"a{n}@bad.example,buy the pill number {n} now,spam")
        rows.append(f"b{n}@good.example,the lunch number {n} is ready,ham")
    rows.append("c@good.example,a lottery at our lunch,ham")
    (tmp_path / "mail.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    return "mail.csv"


def test_rules_overrule_what_is_learned(run, mail):
    out, err = run("train", mail, "-o", "m.likely", "--rules", "rules.toml", "--json")
    assert "; 2 rules on `from`, `text`" in err
    # The one row that the rules get wrong is counted as such.
    assert json.loads(out)["accuracy"] == 40 / 41
    row = ("from=x@bad.example", "text=the lunch is ready")
    out, _ = run("explain", "m.likely", *row)
    assert out.startswith("spam   by rule `blocked`; the counts alone say:\nham  ")
    out, _ = run("explain", "m.likely", *row, "--by-hand", "--without", "ready")
    assert out.startswith("without `ready` (with it: spam by rule `blocked`)\n")
    assert "\nspam by rule `blocked`; the counts alone say:\n" in out
    facts = json.loads(run("explain", "m.likely", *row, "--json")[0])
    assert (facts["prediction"], facts["rule"], facts["counted"]) == ("spam", "blocked", "ham")
    # The log-odds are those of the prediction, which the counts speak against.
    assert facts["against"] == "ham"
    assert facts["log_odds"] == pytest.approx(
        sum(term["log_odds"] for term in facts["contributions"])
    )
    assert facts["log_odds"] < 0
    stdin = "from,text\nx@bad.example,lunch\ny@good.example,lunch\n"
    out, _ = run("predict", "m.likely", stdin=stdin)
    assert out.splitlines()[0] == "from,text,prediction,probability,rule"
    assert out.splitlines()[1] == "x@bad.example,lunch,spam,1.0,blocked"
    assert out.splitlines()[2].endswith(",")
    out, _ = run("info", "m.likely")
    assert "overruled by blocked, prize" in out


def test_rules_may_be_features(run, mail):
    options = ("--rules", "features:rules.toml", "--json", "--plain")
    out, _ = run("train", mail, "-o", "m.likely", *options)
    assert json.loads(out)["accuracy"] == 1.0
    out, _ = run("explain", "m.likely", "from=x@bad.example", "text=lunch")
    assert "rule=blocked" in out
    assert "by rule" not in out
    facts = json.loads(run("info", "m.likely", "--json")[0])
    assert facts["rules"] == []
    assert {"columns": ["from", "text"], "likelihood": "RuleEvidence(<2 rules>, alpha=1)"} in facts[
        "likelihoods"
    ]


def test_what_is_wrong_with_rules_is_said(run, mail, tmp_path):
    train = ("train", mail, "-o", "m.likely", "--rules", "bad.toml")
    (tmp_path / "bad.toml").write_text('[[rule]]\nname = "a"\n', encoding="utf-8")
    assert run(*train, code=3)[1].endswith("likely: bad.toml, line 1: rule `a` has no `label`\n")
    (tmp_path / "bad.toml").write_text(RULES.replace("spam", "sapm"), encoding="utf-8")
    assert (
        "bad.toml, line 4: rule `blocked` says 'sapm', which is no class of the model"
        in run(*train, code=2)[1]
    )
    (tmp_path / "bad.toml").write_text(RULES.replace("from", "form"), encoding="utf-8")
    assert (
        "bad.toml, line 5: rule `blocked` reads column `form`, which is not there"
        in run(*train, code=3)[1]
    )
    assert "nothing.toml" in run(*train[:-1], "nothing.toml", code=3)[1]
    assert not (tmp_path / "m.likely").exists()


def test_rules_alone_label_rows(run, mail, tmp_path):
    stdin = "from,text\nx@bad.example,lunch\ny@good.example,the lottery\nz@good.example,lunch\n"
    out, _ = run("predict", "rules.toml", stdin=stdin)
    assert out.splitlines() == [
        "from,text,prediction,rule",
        "x@bad.example,lunch,spam,blocked",
        "y@good.example,the lottery,spam,prize",
        "z@good.example,lunch,,",
    ]
    out, _ = run("predict", "rules.toml", mail, "--json")
    assert json.loads(out.splitlines()[1])["rule"] is None
    _, err = run("predict", "rules.toml", stdin="text\nhello\n", code=3)
    assert "rule `blocked` reads column `from`, which is not there" in err
    _, err = run("predict", "rules.toml", mail, "--proba", code=2)
    assert "--proba needs a model; rules give no probabilities" in err


def test_rules_that_name_no_column_read_lines_and_any_text(run, tmp_path):
    rule = '[[rule]]\nname = "prize"\nlabel = 1\nwords = ["lottery"]\n'
    (tmp_path / "rules.toml").write_text(rule, encoding="utf-8")
    out, _ = run("predict", "rules.toml", stdin="the Lottery\nlunch\n")
    assert out == "text,prediction,rule\nthe Lottery,1,prize\nlunch,,\n"
    (tmp_path / "d.csv").write_text("id,said\n7,lottery\n", encoding="utf-8")
    out, _ = run("predict", "rules.toml", "d.csv", "--text", "said")
    assert out == "id,said,prediction,rule\n7,lottery,1,prize\n"


def test_rules_alone_are_measured(run, mail, tmp_path):
    out, err = run("evaluate", "rules.toml", mail, "--json")
    facts = json.loads(out)
    # 20 rows of spam are found, one lottery is taken for it, and 20 rows are left undecided.
    assert err == ""
    assert not facts["is_multilabel"]
    assert (facts["rows"], facts["rows_in_all"], facts["coverage"]) == (21, 41, 21 / 41)
    assert facts["accuracy"] == 20 / 21
    spam = facts["per_class"][1]
    assert (spam["precision"], spam["recall"]) == (20 / 21, 1.0)
    _, err = run("evaluate", "rules.toml", mail, "--min", "coverage=0.6", code=1)
    assert "coverage is 0.5122, below 0.6" in err
    _, err = run("evaluate", "rules.toml", mail, "--max", "log_loss=0.6", code=2)
    assert "--max log_loss: there is no such figure" in err
    _, err = run("evaluate", "rules.toml", mail, "--min", "precision:spam=0.99", code=1)
    assert "precision:spam is 0.9524, below 0.99" in err
    _, err = run("evaluate", "rules.toml", mail, "--reject-below", "0.5", code=2)
    assert "--reject-below needs a model" in err
    (tmp_path / "empty.csv").write_text("from,text,label\n", encoding="utf-8")
    assert (
        "empty.csv: there are no rows to evaluate the rules on"
        in run("evaluate", "rules.toml", "empty.csv", code=3)[1]
    )


def test_each_rule_is_measured_beside_the_others(run, tmp_path):
    rules = [("fun", "pos", "fun"), ("so", "neg", "so"), ("good", "pos", "good"), ("z", "pos", "z")]
    written = [f'[[rule]]\nname = "{n}"\nlabel = "{y}"\nwords = ["{w}"]\n' for n, y, w in rules]
    (tmp_path / "r.toml").write_text("".join(written))
    rows = ["good fun,pos", "so good,pos", "so bad,neg", "so so,neg", "dull,neg", "fun,neg"]
    (tmp_path / "d.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    out, _ = run("evaluate", "r.toml", "d.csv", "--json")
    facts = json.loads(out)
    assert [(r["name"], r["rows"], r["decides"]) for r in facts["rules"]] == [
        ("fun", 2, 2),
        ("so", 3, 3),
        ("good", 2, 0),
        ("z", 0, 0),
    ]
    assert [r["coverage"] for r in facts["rules"]] == [2 / 6, 3 / 6, 2 / 6, 0]
    assert [r["precision"] for r in facts["rules"]] == [1 / 2, 2 / 3, 1, None]
    assert [(r["overlaps"], r["conflicts"]) for r in facts["rules"]] == [
        (1, 0),
        (1, 1),
        (2, 1),
        (0, 0),
    ]
    assert facts["accuracy"] == 3 / 5
    out, _ = run("evaluate", "r.toml", "d.csv")
    assert out.startswith(
        "Coverage 83.33 %: rules decide 5 of 6 rows; the figures are for these rows"
    )
    assert "subset accuracy" not in out
    assert "so    neg       3        3      50 %     0.6667         1          1\n" in out


def test_rules_that_decide_nothing_have_no_figures(run, tmp_path):
    rule = '[[rule]]\nname = "z"\nlabel = "pos"\nwords = ["z"]\n'
    (tmp_path / "r.toml").write_text(rule)
    (tmp_path / "d.csv").write_text("text,label\nfun,pos\ndull,neg\n")
    out, _ = run("evaluate", "r.toml", "d.csv")
    assert out.startswith("Coverage 0 %: rules decide 0 of 2 rows.\n\nrule")
    facts = json.loads(run("evaluate", "r.toml", "d.csv", "--json")[0])
    assert (facts["rows"], facts["rows_in_all"], facts["coverage"]) == (0, 2, 0)
    _, err = run("evaluate", "r.toml", "d.csv", "--min", "accuracy=0", code=1)
    assert "accuracy cannot be told from these rows" in err


@pytest.mark.parametrize("how", ["", "features:"])
def test_explain_tells_programs_which_rules_fire(run, mail, how):
    run("train", mail, "-o", "m.likely", "--rules", f"{how}rules.toml")
    row = ("text=the lottery", "from=x@bad.example")
    facts = json.loads(run("explain", "m.likely", *row, "--json")[0])
    assert facts["rules_fired"] == ["blocked", "prize"]
    assert facts["rule"] == (None if how else "blocked")
    assert "(no rule)" not in run("explain", "m.likely", *row)[0]
