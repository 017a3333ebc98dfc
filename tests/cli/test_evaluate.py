"""Measuring and comparing models, as a user does it."""

import csv
import json
import re

import numpy as np
import pytest

import likely
from likely.evaluation.evaluate import LOSSES, figure_names
from tests.explain.test_target_leakage import LABELS
from tests.explain.test_target_leakage import texts as marked

WORDS = ["cheap", "pills", "win", "lunch", "noon", "meeting", "free", "see", "you", "cash"]


@pytest.fixture
def mail(tmp_path):
    """200 rows to learn from, 100 to test with, told apart by words that overlap."""
    rng = np.random.default_rng(0)
    for name, rows in (("train.csv", 200), ("test.csv", 100)):
        with open(tmp_path / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["text", "day", "sender", "label"])
            for row in range(rows):
                label = "spam" if rng.random() < 0.3 else "ham"
                weights = np.arange(1, 11) if label == "ham" else np.arange(10, 0, -1)
                text = " ".join(rng.choice(WORDS, 5, p=weights / weights.sum()))
                sender = f"s{rng.integers(20)}"
                writer.writerow([text, f"2026-01-{1 + row % 28:02}", sender, label])
    return "train.csv", "test.csv"


@pytest.fixture
def model(run, mail):
    run("train", mail[0], "-o", "m.likely", "--drop-column", "day", "--drop-column", "sender")
    return "m.likely"


def test_testing_has_the_keys_that_programs_read(run, mail, model, tmp_path):
    out, _ = run("evaluate", model, mail[1], "--json")
    found = json.loads(out)
    headlines = (
        "accuracy majority_baseline balanced_accuracy mcc macro_precision macro_recall macro_f1 "
        "micro_f1 weighted_f1 log_loss brier ece"
    )
    for name in headlines.split():
        assert found[f"{name}_low"] <= found[name] <= found[f"{name}_high"]
    assert found["rows"] == 100
    assert [one["label"] for one in found["per_class"]] == ["ham", "spam"]
    assert np.sum(found["confusion"]) == 100
    table = likely.open_table(tmp_path / mail[1])
    loaded = likely.load(tmp_path / model)
    (batch,) = table.batches()
    expected = likely.evaluate(batch.columns["label"].tolist(), loaded.predict(table))
    assert found["accuracy"] == float(expected.accuracy)


def test_testing_for_people(run, mail, model):
    out, err = run("evaluate", model, mail[1])
    assert "majority baseline `ham`" in out
    assert "Confusion matrix: rows are the truth" in out
    assert err == ""
    out, _ = run("evaluate", model, mail[1], "--reject-below", "0.8")
    assert "rejecting below 0.8: coverage " in out


def test_a_gate_opens_and_closes(run, mail, model):
    run("evaluate", model, mail[1], "--min", "accuracy=0.5", "--min", "recall:spam=0.1")
    out, err = run("evaluate", model, mail[1], "--min", "macro_f1=0.999", "--json", code=1)
    assert json.loads(out)["macro_f1"] < 0.999
    assert "likely: macro_f1 is 0." in err
    assert ", below 0.999" in err
    out, err = run("evaluate", model, mail[1], "--min", "makro_f1=1", code=2)
    assert "did you mean `macro_f1`?" in err
    assert out == "", "a figure that does not exist is refused before the work"
    _, err = run("evaluate", model, mail[1], "--min", "recall:spem=1", code=2)
    assert "did you mean `recall:spam`?" in err
    _, err = run("evaluate", model, mail[1], "--min", "macro_f_beta=1", code=2)
    assert "there is no such figure" in err
    run("evaluate", model, mail[1], "--beta", "2", "--min", "macro_f_beta=0.1")
    _, err = run("evaluate", model, mail[1], "--min", "accuracy", code=2)
    assert "as in macro_f1=0.8" in err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--min", "accuracy=99"], "accuracy begins at 0 and goes up to 1\nhint: 99 % is 0.99"),
        (["--min", "recall:spam=-0.1"], "recall:spam begins at 0 and goes up to 1"),
        (["--min", "mcc=2"], "mcc begins at -1 and goes up to 1"),
        (["--max", "log_loss=-1"], "log_loss begins at 0 and has no upper end"),
        (["--min", "f1=0.5"], "hint: did you mean `macro_f1`?"),
    ],
)
def test_a_gate_that_makes_no_sense_is_refused(run, mail, model, given, said):
    _, err = run("evaluate", model, mail[1], *given, code=2)
    assert said in err


def test_a_loss_has_its_gate_above_it(run, mail, model):
    measured = json.loads(run("evaluate", model, mail[1], "--json")[0])
    for loss in ("log_loss", "brier", "ece"):
        found = measured[loss]
        run("evaluate", model, mail[1], "--max", f"{loss}={found + 0.001}")
        _, err = run("evaluate", model, mail[1], "--max", f"{loss}={found - 0.001}", code=1)
        assert f"likely: {loss} is 0." in err
        assert ", above 0." in err
        _, err = run("evaluate", model, mail[1], "--min", f"{loss}=0.1", code=2)
        assert f"{loss} is a loss, lower is better, so its gate is --max {loss}=0.1" in err
    for score in ("accuracy", "macro_f1", "roc_auc", "recall:spam", "mcc"):
        _, err = run("evaluate", model, mail[1], "--max", f"{score}=0.1", code=2)
        assert f"{score} is a score, higher is better, so its gate is --min {score}=0.1" in err


@pytest.mark.parametrize("is_multilabel", [False, True])
def test_every_figure_is_a_score_or_a_loss_as_the_best_predictions_have_it(is_multilabel):
    truth = [["a"], ["b"], ["a", "b"], []] if is_multilabel else ["a", "b", "a", "b"]
    worst = [["b"], ["a"], [], ["a", "b"]] if is_multilabel else ["b", "a", "b", "a"]
    right = np.array([[0.9, 0.1], [0.1, 0.9], [0.9, 0.8], [0.1, 0.2]])
    if not is_multilabel:
        right = np.array([[0.9, 0.1], [0.1, 0.9]] * 2)
    best = likely.evaluate(truth, truth, right, classes=["a", "b"], intervals=False).figures
    bad = likely.evaluate(truth, worst, 1 - right, classes=["a", "b"], intervals=False).figures
    assert set(best) == set(figure_names(is_multilabel))
    for name in set(best) - {"majority_baseline"}:
        assert (best[name] < bad[name]) == (name in LOSSES), name


@pytest.mark.parametrize("given", ["log_loss=nan", "log_loss=inf", "log_loss", "=1", "log_loss="])
def test_a_gate_needs_a_figure_and_a_number(run, mail, model, given):
    _, err = run("evaluate", model, mail[1], "--max", given, code=2)
    assert f"--max {given}: a figure and a number, as in log_loss=0.5" in err


def test_rows_the_model_had_learned_are_counted(run, mail, model):
    _, err = run("evaluate", model, mail[0])
    assert "warning: 200 of the 200 rows of train.csv are also training rows of the model" in err
    with open(mail[0]) as file:
        one = "".join(file.readlines()[:2])
    with open("one.csv", "w") as file:
        file.write(one)
    _, err = run("evaluate", model, "one.csv")
    assert "1 of the 1 rows of one.csv is also a training row of the model" in err


def test_a_file_without_rows_is_named(run, model, tmp_path):
    (tmp_path / "empty.csv").write_text("text,label\n", encoding="utf-8")
    _, err = run("evaluate", model, "empty.csv", code=3)
    assert err == "likely: empty.csv: there are no rows to judge the model by\n"


def test_a_label_only_in_the_test_file(run, model, tmp_path):
    (tmp_path / "x.csv").write_text("text,label\ncheap,spam\nlunch,eggs\n")
    out, _ = run("evaluate", model, "x.csv", "--json")
    found = json.loads(out)
    assert found["classes"] == ["eggs", "ham", "spam"]
    assert any("never predicted: `eggs`" in warning for warning in found["warnings"])


def test_labels_that_are_numbers_are_tested_by_a_file(run, tmp_path):
    likely.Classifier({"text": likely.Multinomial()}).fit(
        {"text": ["a", "b"], "label": [0, 1]}, "label"
    ).save(tmp_path / "n.likely")
    (tmp_path / "x.csv").write_text("text,label\na,0\nb,1\n")
    out, _ = run("evaluate", "n.likely", "x.csv", "--json")
    assert json.loads(out)["accuracy"] == 1
    # What it is tested by it can learn and forget as well.
    run("update", "n.likely", "x.csv", "-o", "more.likely")
    run("forget", "more.likely", "x.csv", "-o", "less.likely")
    assert (tmp_path / "less.likely").read_bytes() == (tmp_path / "n.likely").read_bytes()
    (tmp_path / "two.csv").write_text("text,label\na,0\nb,2\n")
    out, said = run("evaluate", "n.likely", "two.csv", "--json")
    assert json.loads(out)["classes"] == [0, 1, 2]
    assert "two.csv has a label that the model never learned" in said
    (tmp_path / "words.csv").write_text("text,label\na,0\nb,one\n")
    for command in (["evaluate", "n.likely", "words.csv"], ["update", "n.likely", "words.csv"]):
        _, said = run(*command, *(["-o", "u.likely"] if command[0] == "update" else []), code=3)
        assert (
            "words.csv, row 2: the label 'one' is not a whole number, as those of the model are: "
            "`0`, `1`\nhint: if the labels are not in `label`, `--target` says where"
        ) in said


def test_models_that_spell_labels_otherwise_are_compared(run, tmp_path):
    for name, labels in (("n", [0, 1]), ("s", ["0", "1"])):
        likely.Classifier({"text": likely.Multinomial()}).fit(
            {"text": ["a", "b"], "label": labels}, "label"
        ).save(tmp_path / f"{name}.likely")
    (tmp_path / "x.csv").write_text("text,label\na,0\nb,1\n")
    for models in (("n.likely", "s.likely"), ("s.likely", "n.likely")):
        out, _ = run("compare", *models, "x.csv", "--json")
        assert [one["accuracy"] for one in json.loads(out)["systems"]] == [1, 1]


def test_cross_validation(run, mail, tmp_path):
    asked = (
        "cv",
        mail[0],
        "--drop-column",
        "day",
        "--drop-column",
        "sender",
        "--folds",
        "5",
        "--json",
    )
    out, err = run(*asked, "--repeats", "2")
    found = json.loads(out)
    assert found["rows"] == 200
    assert found["folds"] == 5
    assert found["repeats"][0]["accuracy"] == found["accuracy"]
    assert "text `text`" in err
    again = likely.cross_validate(
        likely.Classifier({"text": likely.Multinomial()}),
        likely.open_table(tmp_path / mail[0]),
        folds=5,
    )
    assert found["accuracy"] == float(again.evaluate().accuracy)
    out, _ = run(*asked[:-1], "--repeats", "2")
    assert "The figures above are those of the first repeat." in out


def test_cross_validation_by_group_and_by_time(run, mail):
    asked = ("cv", mail[0], "--folds", "4", "--json")
    out, err = run(*asked, "--group", "sender")
    assert json.loads(out)["rows"] == 200
    assert "`sender` not used" in err
    out, _ = run(*asked, "--time", "day", "--group", "nobody", code=3)
    out, _ = run(*asked, "--time", "day")
    assert json.loads(out)["rows"] < 200
    _, err = run(*asked, "--group", "sendr", code=3)
    assert "did you mean `sender`?" in err


def test_comparing(run, mail, model):
    run("train", mail[0], "-o", "b.likely", "--text", "text", "--model", "bernoulli")
    out, _ = run("compare", model, "b.likely", mail[1], "--json")
    found = json.loads(out)
    assert [one["system"] for one in found["systems"]] == ["m", "b"]
    assert 0 <= found["differences"][0]["p_value"] <= 1
    out, _ = run("compare", model, "b.likely", mail[1], "--metric", "macro_f1")
    assert "Null hypothesis:" in out
    _, err = run("compare", model, mail[1], code=2)
    assert "give two or more models and a file" in err
    _, err = run("compare", model, model, mail[1], "--metric", "speed", code=2)
    assert "`metric` is one of accuracy" in err


def test_comparing_with_neighbours(run, mail, model):
    pytest.importorskip("sklearn")
    asked = ("compare", model, mail[0], "--folds", "4", "--json", "--with")
    out, _ = run(*asked, "logistic,tree")
    found = {one["system"]: one["accuracy"] for one in json.loads(out)["systems"]}
    assert list(found) == ["m", "logistic", "tree"]
    assert all(0.6 < value < 1 for value in found.values())
    _, err = run(*asked, "forrest", code=2)
    assert "did you mean `forest`?" in err


def test_cross_validation_takes_only_what_it_heeds(run, mail):
    for flag in ("--report", "--unlabeled", "--unlabeled-weight"):
        _, err = run("cv", mail[0], flag, "x", code=2)
        assert "no such option" in err


def test_top(run, model):
    out, _ = run("top", model, "-n", "3", "--class", "spam", "--json")
    found = json.loads(out)
    assert list(found) == ["spam"]
    assert "cheap" in [one["name"] for one in found["spam"]]
    out, _ = run("top", model)
    lines = out.splitlines()
    assert lines[:3] == ["ranked by certainty (log-odds over standard error)", "", "ham"]
    assert lines[3].split() == ["feature", "log-odds"]
    _, err = run("top", model, "--class", "spem", code=2)
    assert "did you mean `spam`?" in err


def test_training_and_testing_warn_of_words_that_give_the_label_away(run, tmp_path):
    rows = zip(marked("verdict"), LABELS, strict=True)
    lines = [f'{{"text": {json.dumps(text)}, "label": "{label}"}}\n' for text, label in rows]
    (tmp_path / "rows.jsonl").write_text("".join(lines))
    out, _ = run("train", "rows.jsonl", "-o", "m.likely", "--json")
    assert any("`verdict` alone tells" in one for one in json.loads(out)["warnings"])
    _, err = run("evaluate", "m.likely", "rows.jsonl")
    assert "warning: `verdict` alone tells `spam`" in err
    assert "rows of rows.jsonl are also training rows" in err


def test_training_says_what_rows_without_near_copies_are_worth(run, tmp_path):
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in random.integers(0, 90, 20)) for _ in range(40)]
    labels = random.choice(["x", "y"], 40).tolist()
    rows = list(zip(texts, labels, strict=True))
    twins = [(f"{text} again", label) for text, label in rows[:10]]
    for name, given in (("alone.csv", rows), ("twins.csv", rows + twins)):
        with open(tmp_path / name, "w", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *given])
    out, _ = run("train", "alone.csv", "-o", "a.likely", "--text", "text")
    assert "near-duplicate" not in out
    out, _ = run("train", "twins.csv", "-o", "t.likely", "--text", "text")
    assert "% without the 20 rows that have a near-duplicate" in out
    out, _ = run("train", "twins.csv", "-o", "j.likely", "--text", "text", "--json")
    found = json.loads(out)
    assert found["near_duplicates"] == 20
    assert found["accuracy_without_near_duplicates"] < found["accuracy"]


def test_rows_that_flipped_are_counted_as_in_files(run, tmp_path):
    (tmp_path / "train.csv").write_text("text,label\na,x\nb,y\n")
    (tmp_path / "other.csv").write_text("text,label\nb,x\na,y\n")
    (tmp_path / "test.csv").write_text("text,label\na,x\na,y\nb,y\n")
    for name in ("train", "other"):
        run("train", f"{name}.csv", "-o", f"{name}.likely", "--plain")
    given = ("compare", "train.likely", "other.likely", "test.csv")
    out, _ = run(*given)
    assert "Only other is right in row 2.\n\nOnly train is right in rows 1, 3." in out
    (found,) = json.loads(run(*given, "--json")[0])["differences"]
    assert (found["gained"], found["lost"]) == ([2], [1, 3])


def test_levels_are_shown_in_their_order(run, tmp_path):
    rows = [f"word{level} a,{level}" for level in (1, 2, 10) for _ in range(4)]
    (tmp_path / "x.csv").write_text("\n".join(["text,rating", *rows]))
    out, _ = run("train", "x.csv", "-o", "m.likely", "--target", "rating", "--plain")
    assert re.findall(r"^  (\d+) +word", out, re.M) == ["1", "2", "10"]
    out, _ = run("evaluate", "m.likely", "x.csv")
    assert re.findall(r"^(\d+) +4 +1\.0", out, re.M) == ["1", "2", "10"]
    assert re.search(r"^ +1 +2 +10$", out, re.M)
    out, _ = run("top", "m.likely", "-n", "1")
    assert re.findall(r"^\d+", out, re.M) == ["1", "2", "10"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--threads", "0"), "'--threads': 0 is not a whole number from 1 to 1,024"),
        (("-k", "two"), "'-k': two is not a whole number from 1 up"),
        (("--reject-below", "1.5"), "'--reject-below': 1.5 is not a number from 0 to 1"),
    ],
)
def test_bounds_are_said_in_words(run, model, given, sentence):
    _, err = run("predict", model, *given, code=2)
    assert sentence in err
