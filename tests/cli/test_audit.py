"""`likely audit`, `likely mitigate`, `likely card`."""

import csv
import json
from pathlib import Path

import pytest

import likely
from tests.fairness.test_persons import FRAMES, MEN, WOMEN, planted


@pytest.fixture
def model(tmp_path):
    texts, labels = planted(0.9)
    who = ["f" if text.split()[0] in WOMEN else "m" for text in texts]
    with open(tmp_path / "rows.csv", "w", newline="") as file:
        csv.writer(file).writerows(
            [("text", "label", "who"), *zip(texts, labels, who, strict=True)]
        )
    likely.Classifier().fit({"text": texts, "label": labels}, "label").save(tmp_path / "m.likely")
    (tmp_path / "frames.toml").write_text(FRAMES)
    (tmp_path / "names.txt").write_text("# names\n" + "\n".join(WOMEN + MEN) + "\n")
    return "m.likely"


def test_sentences_groups_and_swaps_at_once(run, model):
    Path("pairs.csv").write_text("ada,bob\n")
    options = ["--templates", "frames.toml", "--group", "who", "--swap", "pairs.csv"]
    out, err = run("audit", model, "rows.csv", *options, "--html", "audit.html")
    for said in ("gender: female − male", "240 rows by `who`", "rows hold words of 1 pair"):
        assert said in out
    assert "Training rows that hold most of them" in out
    assert "wrote audit.html" in err
    html = Path("audit.html").read_text()
    assert "<script" not in html
    assert 'id="persons-0"' in html
    assert "Causes of the gap: female" in html


def test_the_facts_as_json(run, model):
    out, _ = run(
        "audit", model, "rows.csv", "--templates", "frames.toml", "--group", "who", "--json"
    )
    found = json.loads(out)
    assert set(found) == {"persons", "groups", "causes"}
    (contrast,) = found["persons"]["contrasts"]
    assert contrast["gap_low"] < contrast["gap"] < contrast["gap_high"]
    assert found["causes"][0]["carriers"][0]["name"] in {name.lower() for name in WOMEN + MEN}


def test_a_gate_fails_with_one_sentence(run, model):
    _, err = run("audit", model, "--templates", "frames.toml", "--max-gap", "0.05", code=1)
    assert "the gap in P(pos) of gender `female`, `male` is 0." in err
    assert "above 0.05" in err
    run("audit", model, "--templates", "frames.toml", "--max-gap", "0.99")


def test_by_default_our_sentences_about_persons_are_scored(run, model):
    out, _ = run("audit", model)
    assert "7,192 sentences of our own: 62 persons in 116 frames" in out
    assert "No gap was found at this sample size" in out or "A gap was found" in out


def test_terms_of_ours(run, model):
    (out, _) = run("audit", model, "--templates", "terms", "--score", "neg")
    assert "56 terms. The score is P(neg)" in out.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--group", "who"], 2, "--group and --swap need DATA"),
        (["rows.csv", "--group", "whom"], 3, "no column `whom` to group rows by"),
        (["--templates", "names.txt"], 3, "sentences about persons have `text` and `person`"),
        (["--templates", "none.toml"], 3, "none.toml: No such file or directory"),
        (["--score", "good"], 2, "`good` is no class of the model"),
        (["rows.csv", "--swap", "names.txt"], 3, "a pair is two different words"),
    ],
)
def test_what_cannot_be_audited_is_refused(run, model, arguments, code, message):
    _, err = run("audit", model, *arguments, code=code)
    assert message in err
    assert len(err.strip().split("\n")) <= 2


def test_neutral_terms_close_the_gap_and_the_cost_is_told(run, model):
    options = ["--neutralize", "names.txt", "--templates", "frames.toml", "-o", "fair.likely"]
    out, _ = run("mitigate", model, "rows.csv", *options)
    assert "Neutral about 8 terms: `" in out
    assert "and 2 more" in out
    assert "240 rows, leave-one-out" in out
    assert "+0.000" in out
    out, _ = run("info", "fair.likely")
    assert "these say nothing in `text`, by choice: `ada`, `bob`, `eva` and 5 more" in out
    assert likely.load("fair.likely").digest == likely.load(model).digest
    found = json.loads(run("mitigate", model, *options[:4], "-o", "again.likely", "--json")[0])
    assert found["gaps"][0]["after"] == 0.0
    assert found["accuracy"] is None


def test_the_words_behind_a_swap_are_named_with_or_without_labels(run, model):
    Path("pairs.csv").write_text("".join(f"{w},{m}\n" for w, m in zip(WOMEN, MEN, strict=True)))
    out, _ = run("audit", model, "rows.csv", "--swap", "pairs.csv")
    first, second = (f"the side of `{name.lower()}`" for name in (WOMEN[0], MEN[0]))
    assert f"Between {first} and {second}: the mean probability" in out.replace("\n", " ")
    assert "Training rows that hold most of them" in out
    with open("rows.csv") as file:
        texts = [{"text": row["text"]} for row in csv.DictReader(file)]
    Path("texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in texts))
    out, _ = run("audit", model, "texts.jsonl", "--swap", "pairs.csv")
    assert "With the training rows as DATA" in out


def test_two_files_of_one_kind_are_both_in_the_json(run, model):
    options = ["--templates", "frames.toml", "--templates", "persons", "--json"]
    found = json.loads(run("audit", model, *options)[0])
    assert [one["sentences"] for one in found["persons"]] == [32, 7192]


@pytest.fixture
def by_two(model, tmp_path):
    """The rows with a second column of groups."""
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    place = [f"{line},{'where' if row == 0 else 'ns'[row % 2]}" for row, line in enumerate(lines)]
    (tmp_path / "rows.csv").write_text("\n".join(place) + "\n")
    return ("rows.csv", "--group", "who", "--group", "where", "--group", "who")


def test_every_group_that_is_named_is_audited(run, model, by_two):
    out, _ = run("audit", model, *by_two, "--html", "audit.html")
    assert out.index("240 rows by `who`") < out.index("240 rows by `where`")
    assert out.count("240 rows by `who`") == 1
    html = Path("audit.html").read_text()
    assert "Groups by who" in html
    assert "Groups by where" in html
    found = json.loads(run("audit", model, *by_two, "--json")[0])["groups"]
    assert [one["column"] for one in found] == ["who", "where"]
    _, err = run("audit", model, *by_two, "--max-gap", "0.000001", code=1)
    assert err.count("the gap in ") == 2


def test_every_group_that_is_named_is_measured_after_a_mitigation_and_in_a_card(run, model, by_two):
    way = ("--neutralize", "names.txt", "-o", "n.likely")
    found = json.loads(run("mitigate", model, *by_two, *way, "--json")[0])
    changes = json.dumps(found["gaps"])
    assert "rate, who: " in changes
    assert "rate, where: " in changes
    out, _ = run("card", model, *by_two)
    assert "240 rows by `who`" in out
    assert "240 rows by `where`" in out


def test_a_mitigation_as_a_page(run, model):
    options = ["--neutralize", "names.txt", "--templates", "frames.toml", "-o", "fair.likely"]
    _, err = run("mitigate", model, "rows.csv", *options, "--html", "page.html")
    assert "wrote page.html" in err
    html = Path("page.html").read_text()
    assert '<h1 dir="auto">Mitigation of m.likely</h1>' in html
    for said in ("Neutral about 8 terms: ", "gender: female − male", "McNemar&#39;s test"):
        assert said in html
    _, err = run("mitigate", model, *options, "--html", "page.html", "--force")
    _, err = run("mitigate", model, *options[:-1], "x.likely", "--html", "page.html", code=2)
    assert "page.html exists already" in err
    assert not Path("x.likely").exists()


@pytest.mark.parametrize("way", ["--balance", "--reweigh", "--group-thresholds"])
def test_other_ways(run, model, way):
    out, _ = run("mitigate", model, "rows.csv", way, "who", "-o", "fair.likely")
    assert "before" in out
    assert likely.load("fair.likely").classes == ("neg", "pos")


def test_thresholds_decide_on_the_command_line_too(run, model):
    run("mitigate", model, "rows.csv", "--group-thresholds", "who", "-o", "fair.likely")
    Path("new.csv").write_text("text,who\nsome tea,f\nsome tea,m\n")
    out, _ = run("predict", "fair.likely", "new.csv")
    assert [row["prediction"] for row in csv.DictReader(out.splitlines())] == ["pos", "neg"]
    _, err = run("predict", "fair.likely", "-", stdin="text\nx\n", code=3)
    assert "`who`" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "give exactly one of --neutralize, "),
        (["--balance", "who", "--reweigh", "who"], 2, "give exactly one of --neutralize, "),
        (["--balance", "who"], 2, "--balance needs DATA, the training rows"),
        (["--neutralize", "names.txt"], 2, "give -o NEW, the model file to write"),
        (["--neutralize", "empty.txt", "-o", "x.likely"], 3, "empty.txt has no terms"),
    ],
)
def test_what_cannot_be_mitigated_is_refused(run, model, arguments, code, message):
    Path("empty.txt").write_text("\n# nothing\n")
    _, err = run("mitigate", model, *arguments, code=code)
    assert message in err


def test_a_card_as_markdown_and_as_a_page(run, model):
    questions, _ = run("card", "--blank")
    Path("about.toml").write_text(questions.replace('purpose = ""', 'purpose = "Sorts notes."'))
    out, err = run("card", model, "rows.csv", "--about", "about.toml")
    assert out.startswith("# Model card: m.likely\n\nSorts notes.\n")
    assert "warning: not answered: intended_use" in err
    run("card", model, "rows.csv", "--group", "who", "-o", "card.html")
    assert Path("card.html").read_text().startswith("<!DOCTYPE html>")
    options = ["--templates", "terms", "--score", "neg", "--json"]
    facts = json.loads(run("card", model, *options)[0])
    assert facts["data"] is None
    assert set(facts["audit"]) == {"terms"}
    assert run("card", code=2)[1]


def test_the_terminal_has_the_caveat_that_some_gaps_are_by_chance(run, model):
    out, _ = run("audit", model, "rows.csv", "--group", "who")
    said = " ".join(out.split())
    assert "With many groups some differ by chance" in said
    assert "Each group against all other rows, with 95 % intervals." in said


@pytest.mark.parametrize("data", [["t.csv"], []])
def test_a_model_without_texts_is_audited_by_groups(run, tmp_path, data):
    (tmp_path / "t.csv").write_text(
        "who,size,label\n" + "f,1.5,yes\nm,2.5,no\nf,2,yes\nm,3,no\n" * 9
    )
    run("train", "t.csv", "--target", "label", "-o", "t.likely")
    _, err = run("audit", "t.likely", *data, code=2)
    assert "the model reads no text, so no sentences can be scored\nhint: " in err
    assert "`--group COL` compares groups of the rows of DATA" in err
