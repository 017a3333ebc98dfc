"""Costs and the threshold of a class on the command line."""

import csv
import io
import json

import numpy as np
import pytest

import likely
from tests.model.test_decision import mail

ODD = 'no, "odd"=1: ;ham'


def table(out):
    return list(csv.DictReader(io.StringIO(out)))


@pytest.fixture
def rows(tmp_path):
    """Mail in a file, the texts and the labels."""
    texts, labels = mail(200, seed=11)
    write(tmp_path / "mail.csv", texts, labels)
    return texts, labels


def write(path, texts, labels):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])


def costs(path, *lines):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("label", "predicted", "cost"), *lines])


TRAIN = ("train", "mail.csv", "-o", "m.likely", "--force")


@pytest.mark.parametrize("more", [(), ("--plain",)])
def test_the_threshold_of_a_class_is_chosen_and_told(run, rows, more):
    texts, labels = rows
    out, _ = run(*TRAIN, *more, "--thresholds", "spam=precision>=0.9")
    found = json.loads(run(*TRAIN, *more, "--thresholds", "spam=precision>=0.9", "--json")[0])
    model = likely.load("m.likely")
    ((label, chosen),) = found["thresholds"]
    assert {label: chosen} == model.thresholds
    assert found["criterion"] == "precision>=0.9"
    assert found["short_of_criterion"] == []
    loo = model.leave_one_out(likely.open_table("mail.csv"))
    judged = likely.evaluate(loo.labels, loo.predictions, intervals=False).per_class[1]
    assert (found["precision"], found["recall"]) == (judged.precision, judged.recall)
    assert found["precision"] >= 0.9
    assert found["accuracy"] == loo.accuracy
    figures = f"precision {judged.precision:.3f}, recall {judged.recall:.3f}\n"
    assert f"`spam` is predicted from a probability of {chosen:.6g} on (chosen for" in out
    assert f"otherwise the most probable of the others: {figures}" in out
    out, _ = run("info", "m.likely")
    shown = " ".join(out.split())
    assert f" spam {labels.count('spam')} threshold {chosen:.1%} " in shown
    assert "(chosen for precision>=0.9)" in shown
    told = json.loads(run("info", "m.likely", "--json")[0])
    assert (told["criterion"], told["thresholds"]) == ("precision>=0.9", {"spam": chosen})
    out, _ = run("predict", "m.likely", "mail.csv")
    predicted = model.predict(texts).tolist()
    assert [row["prediction"] for row in table(out)] == predicted
    judged = json.loads(run("evaluate", "m.likely", "mail.csv", "--json")[0])
    assert judged["accuracy"] == np.mean(np.array(predicted) == labels)


def test_a_criterion_that_is_not_reached_is_told(run, tmp_path):
    """Both classes have the same texts, so no threshold makes half of the predictions right."""
    write(tmp_path / "mail.csv", ["x", "y"] * 30, (["ham"] * 4 + ["spam"] * 2) * 10)
    goal = ("--plain", "--thresholds", "spam=precision>=0.9")
    out, _ = run(*TRAIN, *goal)
    assert "precision 0.000, recall 0.000; it does not reach that\n" in out
    assert json.loads(run(*TRAIN, *goal, "--json")[0])["short_of_criterion"] == ["spam"]


def test_costs_come_from_a_table_and_labels_hold_any_characters(run, rows, tmp_path):
    texts, labels = rows
    named = [ODD if label == "ham" else label for label in labels]
    write(tmp_path / "mail.csv", texts, named)
    costs(tmp_path / "costs.csv", (ODD, "spam", 20))
    goal = ("--thresholds", "costs:costs.csv")
    found = json.loads(run(*TRAIN, *goal, "--json")[0])
    model = likely.load("m.likely")
    assert model.info.costs == {(ODD, "spam"): 20.0}
    loo = likely.Classifier(costs={(ODD, "spam"): 20}).fit(texts, named).loo
    matrix = np.array([[0, 20], [1, 0]])
    assert found["mean_cost"] == pytest.approx(matrix[loo.truth, loo.predicted].mean())
    assert found["mean_cost_of_most_probable"] == pytest.approx(
        matrix[loo.truth, loo.most_probable].mean()
    )
    assert found["mean_cost"] < found["mean_cost_of_most_probable"]
    out, _ = run(*TRAIN, *goal)
    assert f"mean cost {found['mean_cost']:.3g}, of the most probable class" in out
    assert "any other mistake 1" in out
    told = json.loads(run("info", "m.likely", "--json")[0])
    assert told["costs"] == [[ODD, "spam", 20.0]]
    run(*TRAIN, "--thresholds", f"{ODD}=0.9")
    assert likely.load("m.likely").thresholds == {ODD: 0.9}
    run(*TRAIN, "--thresholds", f"{ODD}=recall>=0.9")
    assert str(likely.load("m.likely").criterion) == "recall>=0.9"


def test_the_prediction_comes_first_whatever_is_more_probable(run, rows):
    run(*TRAIN, "--plain")
    out, _ = run("predict", "m.likely", "-k", "2", "--threshold", "ham=0.01", stdin="buy cheap\n")
    (row,) = table(out)
    assert (row["prediction"], row["prediction_2"]) == ("ham", "spam")
    assert float(row["probability"]) < float(row["probability_2"])
    given = ("predict", "m.likely", "--threshold", "ham=0.01", "--reject-below", "0.5")
    out, _ = run(*given, stdin="buy cheap\n")
    assert table(out)[0]["prediction"] == ""
    run(*TRAIN, "--plain", "--thresholds", "ham=0.01")
    out, _ = run("predict", "m.likely", stdin="buy cheap\n")
    assert table(out)[0]["prediction"] == "ham"
    # A threshold for the moment takes the place of the one that the model has.
    out, _ = run("predict", "m.likely", "--threshold", "ham=0.9", stdin="buy cheap\n")
    assert table(out)[0]["prediction"] == "spam"
    _, err = run(*given[:2], "--threshold", "ham=0.9", "--threshold", "spam=0.9", code=2)
    assert "a threshold for one class, not for `ham`, `spam`" in err


def test_an_explanation_says_why_the_most_probable_class_is_not_predicted(run, rows):
    run(*TRAIN, "--plain", "--thresholds", "spam=0.9999")
    out, _ = run("explain", "m.likely", "buy cheap")
    probability = likely.load("m.likely").predict_proba(["buy cheap"])[0, 1]
    reason = f"spam is more probable ({probability:.1%}), but below its threshold, 0.9999"
    head, second, *_ = out.split("\n")
    assert head.startswith(f"ham  {1 - probability:.1%}   against spam, log-odds -")
    assert second == reason
    found = json.loads(run("explain", "m.likely", "buy cheap", "--json")[0])
    assert (found["prediction"], found["against"], found["reason"]) == ("ham", "spam", reason)
    out, _ = run("explain", "m.likely", "buy cheap", "--by-hand")
    assert out.endswith(f"\nham is predicted: {reason}\n")
    out, _ = run("explain", "m.likely", "buy cheap", "--without", "cheap")
    assert out.startswith(f"without `cheap` (with it: ham ({1 - probability:.1%}))\n")
    assert json.loads(run("explain", "m.likely", "lunch", "--json")[0])["reason"] is None


def test_cross_validation_and_the_report_go_by_it(run, rows):
    found = json.loads(
        run("cv", "mail.csv", "--thresholds", "spam=recall>=0.95", "--plain", "--json")[0]
    )
    plain = json.loads(run("cv", "mail.csv", "--plain", "--json")[0])
    by_label = {one["label"]: one for one in found["per_class"]}
    assert by_label["spam"]["recall"] > 0.88
    assert found["log_loss"] == pytest.approx(plain["log_loss"])
    assert found["accuracy"] != plain["accuracy"]
    run(*TRAIN, "--thresholds", "spam=recall>=0.95")
    page, _ = run("report", "m.likely", "mail.csv", "--json")
    facts = json.loads(page)
    assert facts["decision"] == likely.load("m.likely").info.decision
    assert facts["criterion"] == "recall>=0.95"


def test_parts_that_share_a_decision_make_the_model_of_all(run, rows, tmp_path):
    texts, labels = rows
    costs(tmp_path / "costs.csv", ("spam", "ham", 5))
    for goal in ("spam=precision>=0.9", "costs:costs.csv"):
        run("plan", "mail.csv", "-o", "plan.json", "--force")
        planned = ("--plan", "plan.json", "--thresholds", goal, "--force")
        run("train", "mail.csv", "-o", "whole.likely", *planned)
        for name, part in (("a", slice(90)), ("b", slice(90, None))):
            write(tmp_path / f"{name}.csv", texts[part], labels[part])
            run("tally", f"{name}.csv", "-o", f"{name}.likely", *planned)
        run("merge", "a.likely", "b.likely", "-o", "ab.likely", "--force")
        run("tune", "ab.likely", "mail.csv", "-o", "tuned.likely", "--force")
        whole, tuned = ((tmp_path / f"{n}.likely").read_bytes() for n in ("whole", "tuned"))
        assert whole == tuned
    run("tally", "a.csv", "-o", "c.likely", "--plan", "plan.json")
    _, err = run("merge", "a.likely", "c.likely", "-o", "x.likely", code=4)
    assert "differ in their thresholds or costs" in err
    run("plan", "mail.csv", "-o", "plain.json", "--plain")
    _, err = run(
        *("tally", "a.csv", "--plan", "plain.json", "-o", "x.likely"),
        *("--thresholds", "spam=f1"),
        code=2,
    )
    assert "--thresholds are chosen when a model is tuned" in err
    run("tally", "a.csv", "--plan", "plain.json", "-o", "x.likely", "--thresholds", "spam=0.9")


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("f1", "--thresholds f1 is for multi-label data"),
        ("precision>=0.9", "hint: `--thresholds LABEL=precision>=0.9` is for one class"),
        ("f3", "'f3' names no class"),
        ("spam=f3", "a criterion is"),
        ("spam=1.5", "is a probability, or what it is chosen for"),
        ("spma=0.5", "did you mean `spam`?"),
        ("spma=f1", "did you mean `spam`?"),
        ("costs:labels.csv", "has no column `predicted`; costs are a table with `label`, "),
        ("costs:twice.csv", "has `ham` for `spam` twice"),
        ("costs:words.csv", "`ham` for `spam` costs 'much', which is no number"),
        ("costs:less.csv", "the cost of `ham` for `spam` is a number from 0 to"),
        ("costs:nobody.csv", "did you mean `ham`?"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(run, rows, tmp_path, goal, said):
    (tmp_path / "labels.csv").write_text("label,miss,false_alarm\nspam,1,10\n")
    costs(tmp_path / "twice.csv", ("spam", "ham", 1), ("spam", "ham", 2))
    costs(tmp_path / "words.csv", ("spam", "ham", "much"))
    costs(tmp_path / "less.csv", ("spam", "ham", -1))
    costs(tmp_path / "nobody.csv", ("spam", "hamm", 3))
    _, err = run(*TRAIN, "--thresholds", goal, code=2)
    assert said in err
    assert not (tmp_path / "m.likely").exists()


def test_thresholds_by_group_are_refused_beside_another_decision(run, rows, tmp_path):
    texts, labels = rows
    with open(tmp_path / "mail.csv", "w", newline="", encoding="utf-8") as file:
        lines = zip(texts, labels, ["a", "b"] * 100, strict=True)
        csv.writer(file).writerows([("text", "label", "who"), *lines])
    run(*TRAIN, "--drop-column", "who", "--thresholds", "spam=0.9")
    mitigate = ("mitigate", "m.likely", "mail.csv", "--group-thresholds", "who", "-o", "f.likely")
    _, err = run(*mitigate, code=2)
    assert "thresholds by group decide which label is predicted, and so do costs" in err
