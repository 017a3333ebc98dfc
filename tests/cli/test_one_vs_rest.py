"""`likely train --one-vs-rest`: each class against all others."""

import json

import pytest

import likely

ROWS = [
    "text,sky,degrees,kind",
    *("buy now,clear,20.5,ad", "buy pills,clear,21,ad", "see you now,grey,12,friend"),
    *("you and me,grey,,friend", "the bill,black,9.5,work", "pay the bill,black,8.25,work"),
]


@pytest.fixture
def train(run, tmp_path):
    (tmp_path / "mail.csv").write_text("\n".join([*ROWS, ""]), "utf-8")

    def train(*more, code=0, command="train"):
        typed = ("mail.csv", "--target", "kind", "--one-vs-rest", "--text", "text")
        return run(command, *typed, *more, code=code)

    return train


def test_it_makes_a_plain_model_with_the_tally_of_any_other(train, run):
    _, err = train("-o", "m.likely")
    assert "plain Naive Bayes (--one-vs-rest)" in err
    run("train", "mail.csv", "--target", "kind", "--plain", "--text", "text", "-o", "p.likely")
    ours, plain = (json.loads(run("info", f"{name}.likely", "--json")[0]) for name in "mp")
    assert ours["digest"] == plain["digest"]
    assert ours["sha256"] != plain["sha256"]
    assert ours["decision"] == "one-vs-rest, each class against all others"
    model = likely.load("m.likely")
    assert model.spec.one_vs_rest
    assert model.tuning is None


def test_commands_work_with_it(train, run, tmp_path):
    train("-o", "m.likely")
    out, _ = run("predict", "m.likely", "mail.csv", "--proba", "--json")
    first = json.loads(out.splitlines()[0])
    assert first["prediction"] == "ad"
    out, _ = run("explain", "m.likely", "text=buy now")
    assert "against the rest " in out
    facts = json.loads(run("explain", "m.likely", "text=buy now", "--json")[0])
    assert facts["against"] is None
    total = sum(one["log_odds"] for one in facts["contributions"])
    assert facts["log_odds"] == pytest.approx(total)
    run("evaluate", "m.likely", "mail.csv")
    run("report", "m.likely", "mail.csv", "-o", "m.html")
    train("--folds", "2", command="cv")
    (tmp_path / "one.csv").write_text("\n".join([ROWS[0], ROWS[1], ""]), "utf-8")
    run("forget", "m.likely", "one.csv", "-o", "less.likely")
    run("update", "less.likely", "one.csv", "-o", "again.likely")
    assert (tmp_path / "again.likely").read_bytes() == (tmp_path / "m.likely").read_bytes()
    run("compact", "m.likely", "-o", "c.likely")
    run("plot", "m.likely", "mail.csv", "-o", "m.svg")
    assert "<svg" in (tmp_path / "m.svg").read_text("utf-8")


def test_parts_of_a_plain_plan_add_up_to_it(train, run, tmp_path):
    train("-o", "m.likely")
    typed = ("--target", "kind", "--text", "text", "--plain")
    run("plan", "mail.csv", *typed, "-o", "plan.json")
    for name, rows in (("a", ROWS[1:4]), ("b", ROWS[4:])):
        (tmp_path / f"{name}.csv").write_text("\n".join([ROWS[0], *rows, ""]), "utf-8")
        given = ("--plan", "plan.json", "--one-vs-rest", "-o", f"{name}.likely")
        run("tally", f"{name}.csv", *given)
    run("merge", "a.likely", "b.likely", "-o", "whole.likely")
    predicted = [run("predict", f"{name}.likely", "mail.csv")[0] for name in ("whole", "m")]
    assert predicted[0] == predicted[1]
    run("plan", "mail.csv", *typed[:-1], "-o", "tuned.json")
    given = ("--plan", "tuned.json", "--one-vs-rest", "-o", "t.likely")
    _, err = run("train", "mail.csv", *given, code=2)
    assert "--one-vs-rest needs a plain model, and tuned.json is of a tuned one" in err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--stack-linear"], "--stack-linear needs a tuned model, and --one-vs-rest makes a plain"),
        (["--model", "complement"], "--one-vs-rest needs counts of all rows without a class"),
        (["--model", "bernoulli"], "hint: it applies to multinomial"),
        (["--multilabel"], "--one-vs-rest is for rows with one label each"),
        (["--alpha", "0"], "Multinomial(alpha=0) of `text` is not for one-vs-rest"),
        (["--unlabeled", "mail.csv"], "unlabeled rows need P(row | class)"),
    ],
)
def test_what_does_not_go_with_it_is_refused(train, more, message):
    out, err = train(*more, "-o", "m.likely", code=2)
    assert not out
    assert message in err


def test_what_it_does_not_have_is_said(train, run):
    train("-o", "m.likely")
    for typed in (("explain", "m.likely", "text=buy", "--by-hand"), ("sample", "m.likely", "ad")):
        _, err = run(*typed, code=2)
        assert "a one-vs-rest model compares each with the rest" in err
    _, err = run("tune", "m.likely", "mail.csv", "-o", "t.likely", code=2)
    assert "one-vs-rest is for plain models" in err
