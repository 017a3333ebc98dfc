"""`likely mixture`, `likely select`, `likely explain --surprisal`."""

import csv
import io
import json

import pytest

import likely


@pytest.fixture
def heights(tmp_path):
    rows = [(160 + i % 7, "a, b") for i in range(30)] + [(185 + i % 5, "c") for i in range(20)]
    text = "height,kind\n" + "".join(f'{height}.5,"{kind}"\n' for height, kind in rows)
    (tmp_path / "heights.csv").write_text(text, encoding="utf-8")
    return "heights.csv"


def test_groups_are_written_beside_their_rows(run, heights):
    out, err = run("mixture", heights, "-k", "1-3", "--drop-column", "kind", "-o", "g.likely")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows[0]["kind"] == "a, b"
    assert {(row["kind"], row["group"]) for row in rows} == {("a, b", "0"), ("c", "1")}
    assert "Mixture of 2, 50 rows: converged" in err
    assert "60.0%  height 163" in err
    out, _ = run("predict", "g.likely", heights)
    assert [row["prediction"] for row in csv.DictReader(io.StringIO(out))][::49] == ["0", "1"]


def test_groups_as_json(run, heights):
    out, _ = run("mixture", heights, "-k", "2", "--drop-column", "kind", "--json")
    found = json.loads(out)
    assert found["k"] == 2
    assert found["shares"] == pytest.approx([0.6, 0.4])
    assert found["objective"] == sorted(found["objective"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-k", "60"], 3, "there are 50 rows, too few for 60 groups"),
        (["-k", "3-2"], 2, "neither a number of groups"),
        (["-k", "2", "--model", "complement", "--text", "kind"], 2, "not probabilities of rows"),
        (["-k", "2", "--prior", "a=0.5,b=0.5"], 2, "groups are numbers"),
    ],
)
def test_what_cannot_be_grouped_is_refused(run, heights, arguments, code, message):
    _, err = run("mixture", heights, *arguments, code=code)
    assert message in err


def test_rows_like_the_target_are_kept(run, tmp_path):
    (tmp_path / "target.csv").write_text("text\na late goal\nthe goal of the match\n")
    pool = 'id,body\n1,"the law, signed"\n2,"a goal\nin the match"\n3,the budget vote\n'
    (tmp_path / "pool.csv").write_text(pool)
    options = ["select", "--target", "target.csv", "--from", "pool.csv", "--keep"]
    out, err = run(*options, "33.4%", "--top")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["id"], row["body"]) == ("2", "a goal\nin the match")
    assert float(row["log_ratio"]) > 0
    assert "pool.csv: 1 row selected" in err
    out, _ = run(*options, "2", "--json", "--features", "exact")
    assert len([json.loads(line) for line in out.splitlines()]) == 2
    for keep, code, message in (("4", 3, "but the pool has 3"), ("many", 2, "neither a share")):
        _, err = run(*options, keep, code=code)
        assert message in err
    _, err = run("select", "--target", "none.csv", "--from", "pool.csv", "--keep", "1", code=3)
    assert "none.csv" in err


def test_a_class_says_which_words_surprise_it(run, tmp_path):
    texts = ["good good fun", "so good", "dull and slow", "so dull"]
    model = likely.Classifier(likely.Multinomial()).fit(texts, ["pos", "pos", "neg", "neg"])
    model.save(tmp_path / "m.likely")
    out, _ = run("explain", "m.likely", "so good xyz", "--surprisal")
    assert out.splitlines()[0].split() == ["pos", "neg", "bits"]
    assert "never seen, and left out: xyz" in out
    out, _ = run("explain", "m.likely", "so good", "--surprisal", "--json")
    found = json.loads(out)
    assert [word for word, _ in found["classes"]["pos"]["words"]] == ["so", "good"]
    expected = model.language_model("neg").log_prob("so good")
    assert found["classes"]["neg"]["log_prob"] == pytest.approx(expected)
    text = likely.Text(stop_words=["and"])
    model = likely.Classifier(likely.Multinomial(text=text)).fit(
        texts, ["pos", "pos", "neg", "neg"]
    )
    model.save(tmp_path / "stop.likely")
    _, err = run("explain", "stop.likely", "so good", "--surprisal")
    told = "these are not probabilities of whole texts: stop words are left out"
    assert err == f"warning: {told}\n"


def test_training_with_rows_that_have_no_label(run, tmp_path):
    labeled = "text,label\na goal,sport\na vote,law\na goal now,sport\na vote now,law\n"
    (tmp_path / "some.csv").write_text(labeled)
    more = "text,label\n" + "goal and match,\nvote and court,\n" * 10
    (tmp_path / "more.csv").write_text(more)
    arguments = ["train", "some.csv", "-o", "m.likely", "--model", "multinomial"]
    arguments += ["--unlabeled", "more.csv"]
    out, err = run(*arguments, "--unlabeled-weight", "1")
    assert "more.csv: 20 unlabeled rows count 1 each" in err
    assert "cross-validation accuracy" in out
    assert "(4 labeled rows)" in out
    assert likely.load(tmp_path / "m.likely").predict(["match"]).item() == "sport"
    _, err = run(*arguments, "--force", "--unlabeled-weight", "much", code=2)
    assert "give auto, or a number" in err
    _, err = run(*arguments[:-2], "--force", "--unlabeled-weight", "1", code=2)
    assert "--unlabeled-weight needs --unlabeled FILE" in err
    (tmp_path / "empty.csv").write_text("text\n")
    _, err = run(*arguments[:-1], "empty.csv", "--force", code=3)
    assert "no unlabeled rows" in err


def test_a_column_called_like_a_target_is_no_feature_unless_it_is_named(run, tmp_path):
    rows = "".join(f"{height}.5,{'ab'[height % 2]}\n" for height in range(160, 190))
    (tmp_path / "people.csv").write_text(f"height,label\n{rows}")
    asked = ("mixture", "people.csv", "-k", "2")
    _, err = run(*asked, "-o", "g.likely")
    assert "note: `label` is not used, since it is called like a target; `--categorical" in err
    assert likely.load(tmp_path / "g.likely").columns == ("height",)
    _, err = run(*asked, "--categorical", "label", "-o", "h.likely")
    assert "note: `label`" not in err
    assert likely.load(tmp_path / "h.likely").columns == ("height", "label")
