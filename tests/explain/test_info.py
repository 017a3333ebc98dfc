import numpy as np
import pytest

import likely
from likely import textbook
from likely.errors import NotFittedError


def test_it_counts_rows_and_parameters():
    x = {"sky": ["blue", "grey", "grey"], "degrees": [20.0, 10.0, None]}
    given = {"sky": likely.Categorical(), "degrees": likely.Gaussian()}
    info = likely.Classifier(given).fit(x, ["out", "in", "in"]).info
    assert info.rows == {"in": 2, "out": 1}
    assert (info.parameters.likelihood, info.parameters.prior, info.parameters.free) == (8, 2, 7)
    assert info.likelihoods == [(("sky",), "Categorical()"), (("degrees",), "Gaussian()")]
    assert "3 rows in 2 classes" in str(info)
    assert "8 parameters and 2 priors, 7 of them free" in str(info)


def test_of_many_classes_the_largest_are_shown_and_lines_end_at_80():
    labels = [f"c{place:02}" for place in range(40)] + ["c39"] * 1200
    info = likely.Classifier().fit(["a b"] * len(labels), labels).info
    first, second, *_ = str(info).split("\n")[1:]
    assert (first, second) == ("  c39  1,201", "  c00      1")
    assert "\n  and 10 classes with as many rows or fewer\n" in str(info)
    assert max(map(len, str(info).split("\n"))) <= 80


def test_shrinkage_is_said():
    x = np.random.default_rng(0).normal(size=(6, 8))
    y = [0, 0, 0, 1, 1, 1]
    info = likely.Classifier(likely.Gaussian("full")).fit(x, y).info
    assert sum("is singular; it was shrunk by" in note for note in info.notes) == 2
    fixed = likely.Classifier(likely.Gaussian("shared", shrinkage=0.5)).fit(x, y).info
    assert any("of all classes was shrunk by 0.5" in note for note in fixed.notes)
    lonely = likely.Classifier(likely.Gaussian("full")).fit(x, [0, 0, 0, 0, 0, 1]).info
    assert any("`1` has too few rows for a covariance" in note for note in lonely.notes)


def test_the_ledger_says_what_it_gives_away():
    fit = lambda **options: likely.Classifier(**options).fit(["a", "b"], ["x", "y"]).info.ledger  # noqa: E731
    assert "can test whether a row was learned" in fit()
    assert "no ledger" in fit(ledger=False)
    assert "under a secret" in fit(ledger=b"key")


def test_a_model_without_rows_has_nothing_to_say():
    with pytest.raises(NotFittedError):
        _ = likely.Classifier().info


def test_how_texts_are_read_is_said_once():
    text = likely.Text((1, 2), negation="en", surface_features=True)
    rows = ["not good", "so good", "bad", "not bad"] * 5
    labels = ["neg", "pos", "neg", "pos"] * 5
    model = likely.Classifier({"text": likely.TextViews(text=text)}, tune=True)
    info = model.fit({"text": rows}, labels).info
    (reading,) = info.texts
    assert (reading.column, reading.text) == ("text", repr(text))
    assert "surface feature" in reading.silent
    assert f"text is read as {text!r} prior: " in " ".join(str(info).split())
    assert "weight 0: " in " ".join(info.notes)
    assert f"tuned on {len(rows)} rows" in str(info)
    plain = likely.Classifier(likely.Multinomial(text=text)).fit(rows, labels).info
    assert " ".join(str(plain).split()).count(repr(text)) == 1
    assert plain.texts[0].silent == ()
    assert "is read as Text(word_ngrams=(1, 1))" in str(
        likely.Classifier(likely.Multinomial()).fit(rows, labels).info
    )


# How large other models of the same columns are


def table_of(q, rows=60):
    """Categorical columns with so many values each, all of which occur."""
    cells = [[f"v{row % values}" for row in range(rows)] for values in q]
    return {f"c{place}": column for place, column in enumerate(cells)}


def sizes(model):
    return {one.model: one.parameters for one in model.info.model_sizes}


def own(model):
    return [one.model for one in model.info.model_sizes if one.is_own]


def test_the_days_of_tennis_take_72_cells_as_a_full_table_and_20_as_naive():
    q, labels = [3, 3, 2, 2], ["yes", "no", "no"] * 20
    naive = likely.Classifier(likely.Categorical()).fit(table_of(q), labels)
    assert sizes(naive) == textbook.table_parameters(q, 2) == {"full table": 72, "naive": 20}
    assert own(naive) == ["naive"]
    full = likely.Classifier(likely.JointTable()).fit(table_of(q), labels)
    assert sizes(full) == sizes(naive)
    assert own(full) == ["full table"]
    assert "4 categorical columns" not in str(naive.info)
    assert "c0, c1, c2, c3  full table          72\n" in str(naive.info)
    assert "                naive               20  this model\n" in str(naive.info)
    assert "20 parameters and 2 priors" in str(naive.info)


@pytest.mark.parametrize(
    ("covariance", "name"), [("diagonal", "Gaussian NB"), ("shared", "LDA"), ("full", "QDA")]
)
@pytest.mark.parametrize(("columns", "classes"), [(2, 2), (5, 3)])
def test_gaussians_are_compared_by_the_formulas_of_the_textbook(covariance, name, columns, classes):
    x = np.random.default_rng(0).normal(size=(60, columns))
    model = likely.Classifier(likely.Gaussian(covariance)).fit(x, np.arange(60) % classes)
    assert sizes(model) == textbook.gaussian_parameters(columns, classes)
    assert own(model) == [name]


def test_a_text_takes_a_number_per_word_and_class():
    model = likely.Classifier(likely.Multinomial()).fit(["a b", "c b a", "d"], ["x", "y", "z"])
    assert sizes(model) == {"multinomial, 4 features": 4 * 3}


def test_in_a_mixed_table_columns_of_a_kind_are_compared():
    x = {**table_of([3, 4]), "n": np.arange(60.0), "t": ["good fun", "dull"] * 30}
    given = {"c0": likely.Categorical(), "n": likely.Gaussian(), "c1": likely.Categorical(m=2)}
    model = likely.Classifier({**given, "t": likely.Bernoulli()}).fit(x, ["u", "v"] * 30)
    found = [(one.columns, one.model, one.parameters) for one in model.info.model_sizes]
    assert found == [
        (("c0", "c1"), "full table", 24),
        (("c0", "c1"), "naive", 14),
        (("n",), "QDA", 4),
        (("n",), "Gaussian NB", 4),
        (("n",), "LDA", 3),
        (("t",), "bernoulli, 3 features", 6),
    ]
    assert own(model) == ["naive", "Gaussian NB", "bernoulli, 3 features"]


def test_what_is_none_of_them_is_a_line_of_its_own():
    x, y = table_of([2, 3, 5]), ["u", "v"] * 30
    given = {("c0", "c1"): likely.JointTable(), "c2": likely.Categorical()}
    model = likely.Classifier(given).fit(x, y)
    assert sizes(model) == {"full table": 60, "naive": 20, "full table and naive": 22}
    assert own(model) == ["full table and naive"]
    numbers = np.random.default_rng(0).normal(size=(60, 4))
    halves = {("x0", "x1"): likely.Gaussian("full"), ("x2", "x3"): likely.Gaussian("full")}
    parts = {f"x{place}": column for place, column in enumerate(numbers.T)}
    assert own(likely.Classifier(halves).fit(parts, y)) == ["2 × QDA"]
    assert own(likely.Classifier().fit(parts, y)) == ["number views"]


def test_a_table_that_no_computer_holds_is_counted_in_powers_of_ten():
    model = likely.Classifier(likely.Categorical()).fit(table_of([10] * 37), ["u", "v", "v"] * 20)
    assert sizes(model)["full table"] == 2 * 10**37
    assert "full table      2·10³⁷" in str(model.info) or "2.0·10³⁷" in str(model.info)
    whole = model.info.model_sizes[0].to_json()
    assert whole["parameters"] is None
    assert whole["log10_parameters"] == pytest.approx(37.301, abs=0.001)
    assert max(map(len, str(model.info).split("\n"))) <= 80


def test_multi_label_models_have_sizes_and_no_pairs():
    rows = {"n": [1.0, 2.0, 3.0, 4.0], "c": list("abab")}
    given = {"n": likely.Gaussian(), "c": likely.Categorical()}
    info = likely.Classifier(given).fit(rows, [["x"], ["x", "y"], ["y"], []]).info
    assert [one.parameters for one in info.model_sizes if one.is_own] == [4, 4]
    assert "likely info --data" not in str(info)


# Which columns go together


def test_a_joint_table_tells_what_the_rows_tell():
    chance = np.random.default_rng(0)
    a = chance.integers(0, 3, 300)
    x = {"a": a, "b": (a + chance.integers(0, 2, 300)) % 3, "c": chance.integers(0, 2, 300)}
    x = {name: [f"v{value}" for value in column] for name, column in x.items()}
    y = [f"k{value}" for value in chance.integers(0, 2, 300)]
    model = likely.Classifier(likely.JointTable()).fit(x, y)
    first = model.dependences(x, y)[0]
    assert {first.first, first.second} == {"a", "b"}
    (said,) = model.info.together
    assert said == f"`a` and `b` go together within the classes (dependence {first.within:.2f})"
    assert model.info.pairs_counted


def test_the_default_model_knows_the_correlations_of_its_numbers():
    chance = np.random.default_rng(0)
    y = np.arange(200) % 2
    wing = 40 + 9 * y + chance.normal(0, 3, 200)
    weight = 20 * wing + chance.normal(0, 30, 200)
    x = {"wing": wing, "weight": weight, "hour": chance.normal(12, 3, 200)}
    model = likely.Classifier().fit(x, y)
    means = {column: np.array([x[column][y == label].mean() for label in (0, 1)]) for column in x}
    left = [x[column] - means[column][y] for column in ("wing", "weight")]
    expected = np.corrcoef(left)[0, 1]
    said = f"`wing` and `weight` go together within the classes (correlation {expected:+.2f})"
    assert model.info.together == (said,)
    assert model.info.pairs_counted
    assert "likely info --data" not in str(model.info)


@pytest.mark.parametrize(
    ("given", "is_counted"),
    [
        (likely.Categorical(), False),
        (likely.JointTable(), True),
        ({"c0": likely.Categorical()}, True),
        ({("c0", "c1"): likely.JointTable(), "c2": likely.Categorical()}, False),
    ],
    ids=repr,
)
def test_where_pairs_are_not_counted_it_says_how_to_find_them(given, is_counted):
    info = likely.Classifier(given).fit(table_of([2, 3, 5]), ["u", "v", "v"] * 20).info
    assert info.pairs_counted is is_counted
    hint = "dependences in pairs: `likely info --data DATA`, in Python `dependences(x, y)`"
    assert (hint in str(info).split("\n")) is not is_counted


def test_words_are_pairs_that_a_text_has_not_counted():
    info = likely.Classifier(likely.Multinomial()).fit(["a b", "c"], ["x", "y"]).info
    assert not info.pairs_counted
