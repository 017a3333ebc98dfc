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
    numbers = [f"{place % 7 + 4 * (place % 2)},{'ab'[place % 2]}" for place in range(60)]
    (tmp_path / "numbers.csv").write_text("\n".join(["n,label", *numbers, ""]))


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


def test_a_table_without_texts_is_trained_too(run, rows):
    run("train", "numbers.csv", "-o", "n.likely", "--target", "label", "--stack-linear")
    assert "stacked linear model  " in run("info", "n.likely")[0]
    assert "stacked linear model  " in run("explain", "n.likely", "n=5.5")[0]


def test_without_tuning_it_is_refused_in_a_sentence(run, rows):
    train = ("train", "numbers.csv", "-o", "n.likely", "--target", "label", "--stack-linear")
    _, err = run(*train, "--plain", code=2)
    assert "--stack-linear needs a tuned model" in err
    assert "Traceback" not in err
