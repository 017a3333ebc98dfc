"""`likely mixture`, `likely select`, `likely explain --surprisal`."""

import csv
import io
import json
import re

import numpy as np
import pytest

import likely
from likely import textbook
from tests import bundled


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


def test_em_is_shown_step_by_step(run):
    run("example", "two-gaussians")
    asked = ["mixture", "two-gaussians.csv", "-k", "2", "--trace"]
    known = ["--deviation", "1", "--prior", "uniform", "--start-means", "1,2"]
    out, err = run(*asked, *known)
    assert out.splitlines()[:5] == [
        "EM from the given start: converged after 4 steps",
        "",
        "step  objective   mean 0  mean 1",
        "0     -194.3477   1.0000  2.0000",
        "1     -129.3163   0.1900  3.4615",
    ]
    assert "x     -0.44   0.74   5.04   4.78   5.58   -0.2   2.43   4.62\n" in out
    assert "Mixture of 2, 60 rows: converged after 4 steps" in err
    found = json.loads(run(*asked, *known, "--json")[0])
    assert found["trace"]["rows"] == list(range(1, 61))
    assert found["trace"]["steps"][0]["means"] == {"x": [1, 2]}
    assert np.shape(found["trace"]["steps"][-1]["responsibilities"]) == (60, 2)
    xs = [float(x) for (x,) in bundled.rows("two-gaussians.csv")]
    for step, means in zip(found["trace"]["steps"], textbook.em(xs, [1, 2], 1.0), strict=False):
        assert step["means"]["x"] == pytest.approx(means, abs=1e-9)
    out, _ = run(*asked)
    assert re.match("EM from start [0-9]+ of 50, the best one: converged after", out)
    assert "trace" not in json.loads(run(*asked[:-1], "--json")[0])


def test_smoothing_and_covariance_are_options(run, tmp_path):
    rows = [f"{i % 7},{(i % 7) * 2 + i % 3},{'ab'[i % 2]} word{i % 5}" for i in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,y,text", *rows, ""]))
    asked = ["mixture", "rows.csv", "-k", "2", "-o", "m.likely", "--text", "text"]
    asked += ["--numeric", "x", "--numeric", "y"]
    found = json.loads(run(*asked, "--covariance", "full", "--alpha", "0.5", "--json")[0])
    assert found["aic"] < found["bic"]["2"]
    likelihoods = likely.load(tmp_path / "m.likely").likelihood
    assert likelihoods["x", "y"] == likely.Gaussian("full", reg_covar=1e-6)
    assert likelihoods["text"] == likely.Multinomial(0.5)
    run(*asked, "--force")
    likelihoods = likely.load(tmp_path / "m.likely").likelihood
    assert likelihoods["text"] == likely.Multinomial(0.1)
    _, err = run(*asked, "--force", "--covariance", "full", "--model", "lda", code=2)
    assert "--covariance takes the place of --model lda" in err


def test_what_is_known_of_columns_is_told_by_name(run, tmp_path):
    rows = [f"{160 + 20 * (n % 2) + n % 5}.5,{50 + 30 * (n % 2) + n % 3}.5" for n in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(["height,weight", *rows, ""]))
    asked = ["mixture", "people.csv", "-k", "2", "--trace", "--json"]
    options = ["--deviation", "height=5", "--start-means", "height=150,200"]
    steps = json.loads(run(*asked, *options)[0])["trace"]["steps"]
    assert steps[0]["objective"] is None
    assert all(step["deviations"]["height"] == [5, 5] for step in steps)
    assert steps[-1]["deviations"]["weight"] != steps[1]["deviations"]["weight"]
    for option, code, message in (
        (["--start-means", "1,2"], 2, "name the column, as in height=1,2"),
        (["--start-means", "heigt=1,2"], 2, "did you mean `height`?"),
        (["--start-means", "height=1"], 2, "`start_means` of `height` are 2 numbers"),
        (["--start-means", "height=tall"], 2, "'height=tall' is not like 1,2 or height=160,180"),
        (["--start-means", "height=1,2", "--start-means", "height=1,3"], 2, "given twice"),
        (["--start-means", "height=1,2", "--starts", "3"], 2, "--starts is about random starts"),
        (["--deviation", "width=5"], 2, "there is no such numeric column"),
        (["--deviation", "height=5", "--categorical", "height"], 2, "`--numeric height` makes it"),
        (["--deviation", "5,6"], 2, "a column has one deviation"),
        (["--deviation", "0"], 2, "a standard deviation is a number from"),
        (["--deviation", "5", "--model", "lda"], 2, "`height` shares a covariance"),
        (["--deviation", "5", "--joint", "height,weight"], 2, "`height` shares a covariance"),
        (["--deviation", "5", "--text", "height", "--text", "weight"], 2, "no Gaussian reads one"),
    ):
        _, err = run(*asked, *option, code=code)
        assert message in err


def test_a_trace_of_texts_tells_their_words(run, tmp_path):
    texts = ["a late penalty by the striker", "the vote on a law of the land"] * 6
    (tmp_path / "news.csv").write_text("\n".join(["text", *texts, ""]))
    out, _ = run("mixture", "news.csv", "-k", "2", "--trace", "-o", "m.likely")
    assert "step  features of group 1\n0     " in out
    assert likely.load(tmp_path / "m.likely").classes == (0, 1)


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
