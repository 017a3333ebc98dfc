"""`train --stack-linear` and what other commands say of it."""

import csv
import json

import pytest

from tests.model.test_stacked_linear import pictures


@pytest.fixture
def rows(tmp_path):
    texts, labels = pictures(200)
    with open(tmp_path / "all.csv", "w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])
    with open(tmp_path / "gone.csv", "w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), (texts[0], labels[0])])
    (tmp_path / "numbers.csv").write_text("n,label\n1,a\n2,a\n7,b\n8,b\n")


def test_it_is_trained_shown_and_remembers(run, rows):
    run("train", "all.csv", "-o", "m.likely", "--target", "label", "--stack-linear")
    assert "stacked linear model  " in run("info", "m.likely")[0]
    assert "remembers" not in run("info", "m.likely")[0]
    run("forget", "m.likely", "gone.csv", "-o", "less.likely", "--receipt", "r.json")
    out, _ = run("info", "less.likely", "--json")
    assert any("remembers" in note for note in json.loads(out)["notes"])
    with open("r.json") as file:
        assert "remembers" in file.read()
    run("explain", "m.likely", "anchor seaa")


def test_without_texts_or_weighing_it_is_refused_in_a_sentence(run, rows):
    train = ("train", "numbers.csv", "-o", "n.likely", "--target", "label", "--stack-linear")
    _, err = run(*train, code=2)
    assert "--stack-linear needs a text column" in err
    assert "Traceback" not in err
    _, err = run(*train, "--plain", code=2)
    assert "--stack-linear needs a tuned model" in err
