"""`--category-prior FILE`: the prior p of the m-estimate (n_c + m·p) / (n + m)."""

import json

import pytest

import likely

DAYS = [
    "sky,wind,degrees,text,rain",
    "clear,weak,21.5,a fine day,no",
    "clear,strong,20.1,so fine,no",
    "grey,weak,14.2,dull and grey,no",
    "grey,weak,9.7,a dull day,yes",
    "black,strong,12.3,so dark,yes",
]
ROWS = {"sky": ["clear", "clear", "grey", "grey", "black"]}
RAIN = ["no", "no", "no", "yes", "yes"]
PRIOR = "column,value,p\nsky,clear,1/2\nsky,grey,0.3\nsky,black,0.2\n"


@pytest.fixture
def train(run, tmp_path):
    (tmp_path / "days.csv").write_text("\n".join([*DAYS, ""]), "utf-8")

    def train(prior, *more, code=0, command="train"):
        (tmp_path / "p.csv").write_text(prior, "utf-8")
        typed = ("days.csv", "--target", "rain", "--category-prior", "p.csv")
        return run(command, *typed, *more, code=code)

    return train


def shares(model, column):
    """P(value | class), by value, of classes `no` and `yes`."""
    for columns, found in model.estimates.items():
        if column in columns:
            both = zip(found.values[column], found.probabilities[column].tolist(), strict=True)
            return dict(both)
    raise KeyError(column)


def test_m_rows_are_spread_over_the_values_as_p_says(train):
    train(PRIOR, "--model", "categorical", "--m", "10", "-o", "m.likely")
    model = likely.load("m.likely")
    assert shares(model, "sky") == {
        "black": pytest.approx([(0 + 10 * 0.2) / 13, (1 + 10 * 0.2) / 12]),
        "clear": pytest.approx([(2 + 10 * 0.5) / 13, (0 + 10 * 0.5) / 12]),
        "grey": pytest.approx([(1 + 10 * 0.3) / 13, (1 + 10 * 0.3) / 12]),
    }
    # Columns that the file does not name keep the uniform prior.
    assert shares(model, "wind")["weak"] == pytest.approx([(2 + 5) / 13, (1 + 5) / 12])
    same = likely.Categorical(10, p={"clear": 0.5, "grey": 0.3, "black": 0.2})
    expected = likely.Classifier({"sky": same}).fit(ROWS, RAIN)
    assert shares(expected, "sky") == shares(model, "sky")


@pytest.mark.parametrize("more", [(), ("--plain",), ("--alpha", "0.5")], ids=" ".join)
def test_mixed_tables_take_it_too_tuned_or_plain(train, more):
    train(PRIOR, *more, "--text", "text", "-o", "m.likely")
    model = likely.load("m.likely")
    assert (model.tuning is None) == bool(more)
    assert shares(model, "sky")["clear"] == pytest.approx([2.5 / 4, 0.5 / 3])
    assert shares(model, "wind")["weak"] == pytest.approx([2.5 / 4, 1.5 / 3])


def test_cross_validation_and_plans_take_it(train, run):
    train(PRIOR, "--model", "categorical", "--folds", "2", command="cv")
    train(PRIOR, "--model", "categorical", "-o", "plan.json", command="plan")
    train(PRIOR, "--model", "categorical", "-o", "m.likely")
    run("train", "days.csv", "--plan", "plan.json", "-o", "planned.likely")
    ours, planned = (json.loads(run("info", f"{n}.likely", "--json")[0]) for n in ("m", "planned"))
    assert ours["likelihoods"] == planned["likelihoods"]


def test_thirds_may_be_fractions_or_rounded(train):
    for third in ("1/3", "0.333"):
        rows = "".join(f"sky,{value},{third}\n" for value in ("clear", "grey", "black"))
        train(f"column,value,p\n{rows}", "--model", "categorical", "-o", "m.likely", "--force")
        model = likely.load("m.likely")
        assert shares(model, "sky")["black"] == pytest.approx([(1 / 3) / 4, (4 / 3) / 3])


def test_values_are_spelled_as_cells_are(run, tmp_path):
    (tmp_path / "n.csv").write_text("k,y\n1.0,a\n2,a\n2.0,b\n1,b\nTRUE,b\n", "utf-8")
    (tmp_path / "p.csv").write_text("column,value,p\nk,1,.5\nk,2.0,0.25\nk,true,0.25\n", "utf-8")
    typed = ("--target", "y", "--categorical", "k", "--category-prior", "p.csv", "--m", "4")
    run("train", "n.csv", *typed, "-o", "n.likely")
    assert shares(likely.load("n.likely"), "k")["1"] == pytest.approx([3 / 6, 3 / 7])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("weather,clear,1\n", "days.csv has no column `weather`; there are `sky`"),
        ("rain,yes,1\n", "`rain` is the target; `--prior` sets the prior of classes"),
        ("degrees,9.7,1\n", "`degrees` is numeric, and only values of categorical columns"),
        ("text,so dark,1\n", "`text` is text, and only values of categorical columns"),
        ("sky,clear,-0.1\n", "p.csv, row 1: p is -0.1, and not a number from 0 to 1"),
        ("sky,clear,1.1\n", "row 1: p is 1.1, and not"),
        ("sky,clear,half\n", "row 1: p is half, and not"),
        ("sky,clear,nan\n", "row 1: p is nan, and not"),
        ("sky,clear,1/0\n", "row 1: p is 1/0, and not"),
        (
            "sky,clear,0.5\nsky,grey,0.4\n",
            "p.csv: the p of `sky` sum to 0.9, not to 1\nhint: every",
        ),
        ("sky,clear,0.5\nsky,clear,0.5\n", "p.csv, row 2: `sky` has `clear` twice"),
        ("sky,,1\n", "p.csv, row 1: `value` is empty"),
        ("sky,clear,\n", "p.csv, row 1: `p` is empty"),
        ("", "p.csv has no rows"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_in_a_sentence(train, rows, message):
    typed = ("--text", "text", "--numeric", "degrees", "-o", "m.likely")
    out, err = train(f"column,value,p\n{rows}", *typed, code=3)
    assert not out
    assert message in err


def test_a_table_of_other_columns_is_refused(train):
    _, err = train("column,value\nsky,clear\n", "-o", "m.likely", code=3)
    assert "p.csv has no column `p`; it is a table with `column`, `value` and `p`" in err
    _, err = train("", "-o", "m.likely", code=3)
    assert "p.csv: the file is empty" in err


def test_a_value_without_a_prior_is_named(train):
    some = "column,value,p\nsky,clear,0.5\nsky,grey,0.5\n"
    _, err = train(some, "--model", "categorical", "-o", "m.likely", code=2)
    assert "`p` says nothing of `black`, a value of `sky`\nhint: it has every value" in err


def test_columns_that_are_not_taken_one_by_one_have_none(train):
    _, err = train(PRIOR, "--joint", "sky,wind", "-o", "m.likely", code=3)
    assert "`sky` is in --joint sky,wind, and a joint table has no prior of values" in err
    _, err = train(PRIOR, "--drop-column", "sky", "-o", "m.likely", code=3)
    assert "`sky` is not used" in err


def test_with_several_target_columns_each_is_a_target(run, tmp_path):
    (tmp_path / "m.csv").write_text("sky,a,b\nclear,1,0\ngrey,0,1\nclear,1,1\n", "utf-8")
    (tmp_path / "p.csv").write_text("column,value,p\na,1,1\n", "utf-8")
    typed = ("--target", "a,b", "--category-prior", "p.csv", "--categorical", "sky")
    _, err = run("train", "m.csv", *typed, "-o", "m.likely", code=3)
    assert "`a` is the target" in err
