"""What `likely train` says beside its figures."""

import csv
import json

import numpy as np
import pytest

import likely


@pytest.fixture
def mail(tmp_path):
    """Short texts of two classes, some of them with the wrong label."""
    chance = np.random.default_rng(3)
    words = {"ham": ["lunch", "noon", "see", "you", "home"], "spam": ["win", "cash", "free", "buy"]}
    rows = [("label", "text")]
    for n in range(300):
        label = ("ham", "spam")[n % 2]
        text = " ".join(chance.choice(words[label], 5))
        rows.append((("spam", "ham")[n % 2] if n < 9 else label, text))
    with open(tmp_path / "mail.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return "mail.csv"


def test_few_rows_for_each_tuned_number_are_said_to_be_optimistic(run, mail):
    out, _ = run("train", mail, "-o", "m.likely")
    model = likely.load("m.likely")
    assert 0 < model.tuned_numbers < 300
    fit = f"{model.tuned_numbers} weights were fit on these 300 rows, so accuracy on new rows"
    assert f"{fit} may be lower; `likely cv` measures it\n" in out
    out, _ = run("tune", "m.likely", mail, "-o", "n.likely")
    assert fit in out
    out, _ = run("train", mail, "-o", "p.likely", "--plain", "--report", "p.html")
    assert "were fit on" not in out
    run("report", "m.likely", mail, "-o", "m.html")
    for page, said in (("m.html", True), ("p.html", False)):
        with open(page, encoding="utf-8") as file:
            assert (fit in file.read()) == said


def test_many_rows_for_each_tuned_number_are_not_said_to_be_optimistic():
    rows = {"team": ["a", "b", "a", "b"] * 500, "won": ["yes", "no", "yes", "yes"] * 500}
    model = likely.Classifier().fit(rows, "won")
    assert model.tuned_numbers == 3
    assert model.optimism is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--plain"], "plain Naive Bayes (--plain)"),
        (["--alpha", "0.5"], "plain Naive Bayes (--alpha)"),
        (["--model", "binary-multinomial"], "plain Naive Bayes (--model binary-multinomial)"),
        (["--tfidf"], "plain Naive Bayes (--tfidf)"),
    ],
)
def test_training_says_that_a_model_is_plain(run, mail, options, said):
    _, err = run("train", mail, "-o", "m.likely", *options)
    assert err == f"mail.csv: target `label`; text `text`; {said}\n"


def test_a_model_that_is_no_naive_bayes_is_said_to_be_not_tuned(run, tmp_path):
    (tmp_path / "n.csv").write_text("y,a,b\n" + "x,1.5,2\nz,3,4.5\nx,1,2.5\nz,3.5,4\n" * 3)
    _, err = run("train", "n.csv", "--target", "y", "-o", "m.likely", "--model", "lda")
    assert err.endswith("; not tuned (--model lda)\n")


def test_label_issues_that_are_not_shown_are_counted_and_listed_in_json(run, mail):
    train = ("train", mail, "-o", "m.likely", "--plain", "--force")
    out, _ = run(*train)
    found = json.loads(run(*train, "--json")[0])
    n = found["label_issue_rows"]
    assert n > 6
    assert f"  {n - 5} more; `--json` lists them\n" in out
    assert out.count("  predicted ") == 5
    assert len(found["label_issues"]) == n
    assert len({one["row"] for one in found["label_issues"]}) == n


@pytest.mark.parametrize("name", ["precision", "recall"])
def test_what_became_of_a_goal_is_said(run, tmp_path, name):
    chance = np.random.default_rng(0)
    rows = []
    for _ in range(120):
        labels = [label for label in "abc" if chance.random() < 0.4]
        words = [label * 2 if chance.random() < 0.7 else "zz" for label in labels]
        rows.append({"text": " ".join([*words, "xx"]), "labels": labels})
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    train = (
        "train",
        "rows.jsonl",
        "--target",
        "labels",
        "--multilabel",
        "--thresholds",
        f"{name}>=0.95",
        "--force",
    )
    out, _ = run(*train, "-o", "m.likely")
    found = json.loads(run(*train, "-o", "m.likely", "--json")[0])
    reached = found[f"micro_{name}"]
    assert f"chosen for {name}>=0.95: micro-{name} {reached:.3f}, " in out
    loo = likely.load("m.likely").leave_one_out(likely.open_table("rows.jsonl"))
    judged = likely.evaluate(loo.labels, loo.predictions, classes=loo.classes, intervals=False)
    short = [one.label for one in judged.per_class if getattr(one, name) < 0.95]
    assert found["short_of_criterion"] == short
    assert ("every label reaches it" in out) == (not short)
