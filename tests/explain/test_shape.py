"""The shape of a column, beside sums by hand."""

import json
from statistics import NormalDist

import numpy as np
import pytest

import likely
from likely.errors import DataError, OptionError
from likely.explain.shape import shapes


def test_a_category_adds_the_log_ratio_of_its_shares():
    rows = {"sky": ["clear"] * 6 + ["cloudy"] * 4}
    labels = ["dry"] * 5 + ["rain"] * 5
    shape = likely.Classifier({"sky": likely.Categorical(1)}).fit(rows, labels).shape("sky")
    assert (shape.classes, shape.curves, shape.weight) == (("dry", "rain"), ("rain",), None)
    # (4 + ½)/(5 + 1) against (0 + ½)/(5 + 1), and (1 + ½) against (5 + ½)
    assert [(step.name, step.rows) for step in shape.steps] == [
        ("cloudy", (0, 4)),
        ("clear", (5, 1)),
    ]
    assert [step.log_odds[0] for step in shape.steps] == pytest.approx(
        [np.log(4.5 / 0.5), np.log(1.5 / 5.5)]
    )
    # The virtual rows of a value are ½, of all values 1.
    deviation = np.sqrt(1 / 1 + 1 / 5 - 2 / 6.5)
    ((low, high),) = shape.steps[0].interval
    assert (low, high) == pytest.approx(
        (np.log(9) - 1.959964 * deviation, np.log(9) + 1.959964 * deviation)
    )
    assert shape.importance == pytest.approx((4 * np.log(9) + 6 * np.log(5.5 / 1.5)) / 10)


def test_of_several_classes_each_stands_against_the_mean_of_the_others():
    rows = {"k": ["u", "u", "v", "w", "v", "w", "w", "u", "u"]}
    labels = ["a", "a", "a", "b", "b", "b", "c", "c", "c"]
    model = likely.Classifier({"k": likely.Categorical(2)}).fit(rows, labels)
    shape = model.shape("k")
    assert shape.curves == ("a", "b", "c")
    logs = {
        value: np.log([(counts[c] + 2 / 3) / (3 + 2) for c in range(3)])
        for value, counts in {"u": (2, 0, 2), "v": (1, 1, 0), "w": (0, 2, 1)}.items()
    }
    for step in shape.steps:
        log = logs[step.name]
        expected = [log[c] - np.delete(log, c).mean() for c in range(3)]
        assert step.log_odds == pytest.approx(expected)
    assert [step.name for step in shape.steps] == ["u", "w", "v"]


@pytest.fixture(scope="module")
def tuned():
    """A tuned model of two numbers, one with missing cells, and a category."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    age = np.round(np.where(y, rng.normal(45, 9, 400), rng.normal(35, 12, 400)))
    score = np.where(rng.random(400) < 0.3 * y, np.nan, rng.normal(y, 2, 400))
    team = rng.choice(["red", "blue"], 400)
    x = {"age": age.tolist(), "score": score.tolist(), "team": team.tolist()}
    labels = np.where(y, "yes", "no").tolist()
    return likely.Classifier().fit(x, labels), x, labels


def contribution(model, column, value):
    """What an explanation says of one cell: of the column alone, "yes" against "no"."""
    why = model.explain({column: value})
    (own,) = [one for one in why.contributions if one.columns == (column,)]
    return own.scores[1] - own.scores[0]


@pytest.mark.parametrize("column", ["age", "score"])
def test_a_step_is_the_mean_of_what_explanations_say_of_its_rows(tuned, column):
    model, x, labels = tuned
    shape = model.shape(column)
    values = np.array(x[column])
    steps = [step for step in shape.steps if step.ends is not None]
    assert 2 <= len(steps) <= 30
    assert sum(sum(step.rows) for step in steps) == (~np.isnan(values)).sum()
    for step in steps:
        # Cells are rounded to some bits, and so are the ends.
        low, high = step.ends
        inside = (values >= low - 1e-4 * abs(low)) & (values <= high + 1e-4 * abs(high))
        here = np.array(labels)[inside]
        assert step.rows == ((here == "no").sum(), (here == "yes").sum())
        said = [contribution(model, column, value) for value in values[inside].tolist()]
        assert step.log_odds[0] == pytest.approx(np.mean(said), abs=1e-6)
        assert step.interval[0][0] < step.log_odds[0] < step.interval[0][1]


def test_missing_is_a_step_of_its_own_where_it_is_a_value(tuned):
    model, x, labels = tuned
    *_, last = model.shape("score").steps
    assert (last.name, last.ends) == ("missing", None)
    gone = np.array(labels)[np.isnan(x["score"])]
    assert last.rows == ((gone == "no").sum(), (gone == "yes").sum())
    assert last.log_odds[0] == pytest.approx(contribution(model, "score", None))
    assert last.log_odds[0] > 0
    assert all(step.ends is not None for step in model.shape("age").steps)


def test_what_is_read_together_is_said_to_be_left_out(tuned):
    model, *_ = tuned
    shape = model.shape("age")
    assert set(shape.beside) <= {"LDA", "QDA"}
    assert shape.beside
    assert "read" in shape.note
    assert "all numeric columns together" in shape.note
    assert shape.note in str(shape)
    assert shape.note in shape._repr_html_()


def test_a_column_without_weight_says_nothing_and_so_it_is_said():
    rng = np.random.default_rng(0)
    y = ["a", "b"] * 150
    x = {
        "n": [float(i % 2) + rng.normal() / 9 for i in range(300)],
        "k": rng.choice(list("uv"), 300),
    }
    model = likely.Classifier().fit(x, y)
    shape = model.shape("k")
    assert shape.weight == 0
    assert {odds for step in shape.steps for odds in (*step.log_odds, *step.interval[0])} == {0.0}
    assert "`k` has weight 0" in str(shape)
    assert [one.column for one in shapes(model.fitted, model.columns)] == ["n", "k"]


def test_under_a_gaussian_a_step_is_the_difference_of_two_densities():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(0, 1, 80), rng.normal(2, 3, 60)])
    labels = ["a"] * 80 + ["b"] * 60
    shape = likely.Classifier({"x": likely.Gaussian()}).fit({"x": values}, labels).shape("x")
    a, b = (NormalDist(part.mean(), part.std()) for part in (values[:80], values[80:]))
    assert 12 <= len(shape.steps) <= 32
    for step in shape.steps:
        middle = sum(step.ends) / 2
        expected = np.log(b.pdf(middle)) - np.log(a.pdf(middle))
        assert step.log_odds[0] == pytest.approx(expected, rel=1e-6, abs=1e-9)
        low, high = step.ends
        assert step.rows == pytest.approx(
            (80 * (a.cdf(high) - a.cdf(low)), 60 * (b.cdf(high) - b.cdf(low))), abs=1e-6
        )
        z = np.array([(middle - one.mean) / one.stdev for one in (a, b)])
        variance = ((z**2 + (z**2 - 1) ** 2 / 2) / [80, 60]).sum()
        assert step.interval[0][1] - step.log_odds[0] == pytest.approx(1.959964 * variance**0.5)


def test_many_values_are_the_common_ones_and_the_rest():
    values = [f"v{i:02}" for i in range(50) for _ in range(50 - i)]
    labels = ["a" if i % 3 else "b" for i in range(len(values))]
    model = likely.Classifier({"k": likely.Categorical()}).fit({"k": values}, labels)
    steps = model.shape("k").steps
    assert len(steps) == 30
    assert steps[-1].name == "21 rarer values"
    assert sum(sum(step.rows) for step in steps) == len(values)


def test_a_shape_is_plain_in_json(tuned):
    model, *_ = tuned
    shape = model.shape("score")
    facts = json.loads(json.dumps(shape.to_json()))
    assert facts["column"] == "score"
    assert facts["curves"] == ["yes"]
    assert facts["weight"] == shape.weight > 0
    assert [step["from"] for step in facts["steps"]][-1] is None
    assert facts["steps"][0]["to"] == shape.steps[0].ends[1]
    assert facts["steps"][0]["low"] == [shape.steps[0].interval[0][0]]
    impossible = likely.Classifier({"k": likely.Categorical(0)}).fit(
        {"k": ["u", "u", "v"]}, ["a", "a", "b"]
    )
    ends = [step["log_odds"] for step in impossible.shape("k").to_json()["steps"]]
    assert ends == [[None], [None]]
    assert "<svg" in impossible.shape("k")._repr_html_()


def test_what_has_no_shape_is_refused():
    texts = {"text": ["a b", "c d"] * 5, "u": [1.0, 2.0] * 5, "v": [2.0, 5.0] * 5}
    given = {"text": likely.Multinomial(), ("u", "v"): likely.Gaussian("shared")}
    model = likely.Classifier(given).fit(texts, ["a", "b"] * 5)
    with pytest.raises(DataError, match="no column `w`"):
        model.shape("w")
    with pytest.raises(OptionError, match="`text` is a text"):
        model.shape("text")
    with pytest.raises(OptionError, match="only together with other columns, or by its parts"):
        model.shape("u")
