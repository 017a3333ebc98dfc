"""Tables of numbers and categories on the command line."""

import csv
import io
import json
import time
import xml.etree.ElementTree as ElementTree

import pytest

import likely
from likely.render.plot import Ellipses, decision_regions

ROWS = [
    ("wing", "weight", "seen", "ringed", "bird"),
    *[(38 + i % 4, 300 + 13 * i % 70, "roof" if i % 3 else "quay", i, "pigeon") for i in range(12)],
    *[
        (44 + i % 3, 900 + 17 * i % 90, "sea" if i % 4 else "quay", 50 + i, "gull")
        for i in range(9)
    ],
]


@pytest.fixture
def birds(tmp_path):
    with open(tmp_path / "birds.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows(ROWS)
    return "birds.csv"


@pytest.fixture
def model(run, birds):
    run("train", birds, "--target", "bird", "--drop-column", "ringed", "-o", "b.likely", "--plain")
    return "b.likely"


def test_columns_are_chosen_said_and_overruled(run, birds):
    train = ("train", birds, "--target", "bird", "-o", "b.likely", "--force", "--json")
    out, err = run(*train)
    assert json.loads(out)["columns"]["seen"] == "categorical"
    assert "target `bird`; numeric `weight`, `ringed`; categorical `wing`, `seen`" in err
    out, err = run(
        *train, "--numeric", "wing", "--categorical", "weight", "--drop-column", "ringed"
    )
    assert json.loads(out)["columns"]["wing"] == "numeric"
    assert "numeric `wing`; categorical `weight`, `seen`; `ringed` not used (as given)" in err
    _, err = run(*train, "--numeric", "wings", code=2)
    assert "--numeric wings: birds.csv has no such column" in err
    assert "did you mean `wing`?" in err
    _, err = run(*train, "--numeric", "seen", code=3)
    assert "--numeric seen: birds.csv, row 1 of `seen` is" in err
    assert "hint: `--categorical seen` treats it as categorical" in err


@pytest.mark.parametrize(
    ("name", "columns"),
    [("gaussian", "weight, ringed"), ("lda", "weight, ringed"), ("joint", "wing, seen")],
)
def test_one_likelihood_takes_the_columns_it_can_read(run, birds, name, columns):
    run("train", birds, "--target", "bird", "--model", name, "-o", "m.likely")
    out, _ = run("info", "m.likely")
    assert f"\n{columns}  " in out


def test_columns_may_share_a_likelihood(run, birds):
    options = ("--joint", "wing,weight", "--numeric", "wing", "--drop-column", "ringed")
    run("train", birds, "--target", "bird", *options, "-o", "m.likely", "--plain")
    facts = json.loads(run("info", "m.likely", "--json")[0])
    assert {"columns": ["wing", "weight"], "likelihood": "Gaussian(covariance='full')"} in facts[
        "likelihoods"
    ]
    _, err = run(
        "train", birds, "--target", "bird", "--joint", "seen,weight", "-o", "n.likely", code=3
    )
    assert "all numeric or all categorical" in err


def test_rows_are_labelled_with_evidence_and_another_prior(run, birds, model):
    out, _ = run("predict", model, birds, "--evidence")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["prediction"] for row in rows] == [row[-1] for row in ROWS[1:]]
    assert all(float(row["log_evidence"]) < 0 for row in rows)
    out, _ = run("predict", model, birds, "--evidence", "--prior", "gull=0.999")
    other = next(csv.DictReader(io.StringIO(out)))
    assert float(other["log_evidence"]) < float(rows[0]["log_evidence"])
    run("train", birds, "--target", "bird", "-o", "tuned.likely")
    _, err = run("predict", "tuned.likely", birds, "--evidence", code=2)
    assert "--evidence needs a plain model: train with --plain" in err
    _, err = run("predict", model, birds, "--prior", "gull=often", code=2)
    assert "is not like spam=0.02" in err


def test_a_class_that_nobody_has_is_no_prior(run, birds, model):
    _, err = run("predict", model, birds, "--prior", "gulf=0.5", code=2)
    assert "`gulf` is no class of the model" in err
    assert "did you mean `gull`?" in err
    _, err = run(
        "train", birds, "--target", "bird", "--prior", "gulf=0.5", "-o", "x.likely", code=3
    )
    assert "--prior names `gulf`, which no row has" in err


def test_a_column_is_together_with_others_only(run, birds):
    train = ("train", birds, "--target", "bird", "-o", "x.likely", "--joint")
    assert "different columns" in run(*train, "weight,weight", code=3)[1]


def test_a_table_piped_to_a_model_of_texts_is_a_table(run, tmp_path):
    content = "id,text,label\n1,cheap pills,spam\n2,see you,ham\n3,cheap,spam\n4,lunch,ham\n"
    (tmp_path / "m.csv").write_text(content)
    run("train", "m.csv", "-o", "m.likely")
    out, _ = run("predict", "m.likely", stdin=content)
    assert out.splitlines()[0] == "id,text,label,prediction,probability"
    assert len(out.splitlines()) == 5


def test_a_row_is_explained_cell_by_cell(run, model):
    out, _ = run("explain", model, "weight=310", "seen=roof")
    assert out.startswith("pigeon")
    assert "weight=310" in out
    assert "wing" not in out
    _, err = run("explain", model, "speed=3", code=2)
    assert "there are `wing`, `weight`, `seen`" in err


def test_a_table_may_come_from_standard_input(run, birds, model, tmp_path):
    content = (tmp_path / birds).read_text()
    out, _ = run("predict", model, stdin=content)
    assert len(out.splitlines()) == len(ROWS)
    run(
        "train",
        "-",
        "--target",
        "bird",
        "--drop-column",
        "ringed",
        "-o",
        "s.likely",
        "--plain",
        stdin=content,
    )
    assert (tmp_path / "s.likely").read_bytes() == (tmp_path / model).read_bytes()


def test_a_column_that_is_missing_is_named(run, model, tmp_path):
    (tmp_path / "few.csv").write_text("wing,weight\n40,300\n")
    _, err = run("predict", model, "few.csv", code=3)
    said = "few.csv lacks a column that the model reads: `seen`; it has `wing`, `weight`"
    assert said in err
    (tmp_path / "none.csv").write_text("bird\ngull\n")
    said = "none.csv lacks columns that the model reads: `wing`, `weight`, `seen`; it has `bird`"
    for name, *more in (
        ["predict"],
        ["evaluate"],
        ["update", "-o", "n"],
        ["report", "-o", "r.html"],
    ):
        _, err = run(name, model, "none.csv", *more, code=3)
        assert said in err


@pytest.fixture
def numeric(run, birds):
    train = ("train", birds, "--target", "bird", "--drop-column", "ringed", "--numeric", "wing")
    run(*train, "-o", "n.likely", "--plain")
    return "n.likely"


def test_regions_and_densities_are_drawn(run, birds, numeric, tmp_path):
    model = numeric
    run("plot", model, birds, "--columns", "wing,weight", "-o", "regions.svg")
    run("plot", model, birds, "-o", "densities.svg")
    said = f"Drawn: {model}, by wing and weight; seen taken as missing."
    for name, expected in (("regions.svg", said), ("densities.svg", "weight")):
        drawn = ElementTree.parse(tmp_path / name)
        assert drawn.getroot().tag.endswith("svg")
        assert expected in (tmp_path / name).read_text()
    _, err = run("plot", model, birds, "-o", "regions.svg", code=2)
    assert "`--force` overwrites it" in err
    _, err = run("plot", model, birds, "--columns", "wing,seen", "-o", "x.svg", code=3)
    assert "the model has no numeric column `seen`" in err


@pytest.mark.parametrize("options", [[], ["--prior", "uniform"]])
def test_the_model_that_was_given_is_drawn(run, birds, tmp_path, options):
    train = ("train", birds, "--target", "bird", "--drop-column", "ringed", "--numeric", "wing")
    run(*train, "-o", "own.likely", *options)
    run("plot", "own.likely", birds, "--columns", "wing,weight", "-o", "own.svg")
    run("plot", "own.likely", birds, "-o", "own-densities.svg")
    model = likely.load(tmp_path / "own.likely")
    table = likely.open_table(birds)
    rows = next(iter(table.batches(("wing", "weight", "bird"))))
    x = rows.numbers(("wing", "weight")).values

    class Own:
        classes = model.classes

        def predict_proba(self, cells):
            return model.predict_proba(
                {"wing": cells[:, 0], "weight": cells[:, 1]}
                | {name: [None] * len(cells) for name in model.columns[2:]}
            )

    (estimates, *_) = model.estimates.values()
    gaussian = estimates.gaussians["QDA"]
    wanted = decision_regions(
        {"own.likely": Own()},
        x,
        rows.columns["bird"].tolist(),
        columns=("wing", "weight"),
        about="Drawn: own.likely, by wing and weight; seen taken as missing. "
        "Ellipses: where QDA expects 95 % of a class.",
        ellipses={"own.likely": Ellipses(gaussian.means, gaussian.covariances)},
    )
    assert (tmp_path / "own.svg").read_text() == wanted


@pytest.mark.parametrize(
    ("one", "other"),
    [("numeric", "categorical"), ("text", "categorical"), ("numeric", "drop-column")],
)
def test_a_column_that_is_taken_as_two_things_is_refused(run, tmp_path, one, other):
    (tmp_path / "t.csv").write_text("x,z,label\n" + "1,p,a\n2,q,b\n" * 5)
    _, err = run("train", "t.csv", "-o", "m.likely", f"--{one}", "x", f"--{other}", "x", code=2)
    assert f"--{one} x and --{other} x: a column has one role" in err
    run("train", "t.csv", "-o", "m.likely", f"--{one}", "x", f"--{one}", "x", "--force")


def test_prior_and_bias_are_two_lines_that_add_up(run, birds):
    model = "tuned.likely"
    run("train", birds, "--target", "bird", "--drop-column", "ringed", "-o", model)
    out, _ = run("explain", model, "wing=41", "--prior", "uniform")
    assert "(prior)" in out
    assert "bias (tuned)" in out
    out, _ = run("explain", model, "wing=41", "--json")
    facts = json.loads(out)
    odds = {term["name"]: term["log_odds"] for term in facts["contributions"]}
    assert sum(odds.values()) == pytest.approx(facts["log_odds"])
    assert odds.keys() >= {"prior", "bias (tuned)"}


def test_a_feature_is_no_target_of_a_model(run, birds, model):
    _, err = run("evaluate", model, birds, "--target", "wing", code=2)
    assert "--target wing: `wing` is a feature of this model; its target is `bird`" in err


def test_the_first_row_that_is_no_number_is_named(run, tmp_path):
    sexes = ["1", "2", *("male", "female") * 40]
    rows = "".join(f"{sex},{n},{'ab'[n % 2]}\n" for n, sex in enumerate(sexes))
    (tmp_path / "t.csv").write_text(f"sex,n,label\n{rows}")
    _, err = run("train", "t.csv", "-o", "m.likely", "--numeric", "sex", code=3)
    assert "--numeric sex: t.csv, row 3 of `sex` is" in err


def test_many_numbers_as_labels_are_warned_of(run, tmp_path):
    for different, is_warned in ((25, True), (10, False)):
        rows = "".join(f"{'xyz'[n % 3]},{n % different / 10}\n" for n in range(100))
        (tmp_path / "t.csv").write_text(f"kind,size\n{rows}")
        _, err = run("train", "t.csv", "--target", "size", "-o", "m.likely", "--force")
        said = "warning: `size` has 25 different numbers; Likely classifies and does not predict"
        assert (said in err) == is_warned


def test_a_plan_of_many_columns_is_shown_in_the_time_of_its_columns(run, tmp_path):
    def taken(columns):
        names = [f"c{place}" for place in range(columns)]
        rows = [",".join([*("ab"[row % 2] * columns), "uv"[row % 2]]) for row in range(6)]
        (tmp_path / "t.csv").write_text("\n".join([",".join([*names, "label"]), *rows]) + "\n")
        start = time.process_time()
        run("plan", "t.csv")
        return time.process_time() - start

    taken(100)
    # Eight times the columns took sixty times as long when each asked for all that are used. Of
    # several times the least, since Python may clean up after other tests meanwhile.
    assert min(taken(4_000) for _ in range(3)) < 20 * taken(500)
