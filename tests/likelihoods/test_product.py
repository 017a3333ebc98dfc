"""Likelihoods by column: text, numbers and categories in one model."""

import pickle
import re

import numpy as np
import pyarrow as pa
import pytest

import likely
from likely.errors import DataError, DataTypeError, NotLearnedError, OptionError

Gaussian, Categorical, JointTable = likely.Gaussian, likely.Categorical, likely.JointTable
Multinomial = likely.Multinomial

BIOS = ["plays the cello", "runs and swims", "swims", "likes quiet", ""]
MIXED = {
    ("height", "weight"): Gaussian("full"),
    "age": Gaussian(),
    "bio": Multinomial(),
    ("team", "town"): JointTable(),
    "eyes": Categorical(),
}


def people(n_rows=120, seed=0, gaps=0.0):
    """A table of every kind of column, and labels that each of them knows a little of."""
    rng = np.random.default_rng(seed)
    y = [("tall", "small")[label] for label in rng.integers(0, 2, n_rows)]
    tall = np.array([label == "tall" for label in y])
    height = 165 + 15 * tall + rng.normal(0, 8, n_rows)
    table = {
        "height": height.tolist(),
        "weight": (0.9 * height - 90 + rng.normal(0, 6, n_rows)).tolist(),
        "age": [int(age) for age in rng.integers(18, 80, n_rows)],
        "bio": [BIOS[(rng.integers(0, 4) + label) % 5] for label in tall.astype(int)],
        "team": [("a", "b")[int(rng.random() < 0.3 + 0.4 * label)] for label in tall],
        "town": [("Ulm", "Bonn")[int(value)] for value in rng.integers(0, 2, n_rows)],
        "eyes": [("blue", "brown", "green")[int(value)] for value in rng.integers(0, 3, n_rows)],
    }
    for name, column in table.items():
        for place in np.flatnonzero(rng.random(n_rows) < gaps):
            if name != "bio":
                column[place] = None
    return table, y


def part(table, columns):
    return {name: table[name] for name in columns}


def cut(table, *bounds):
    return {name: column[slice(*bounds)] for name, column in table.items()}


def fitted(likelihoods, x, y, **options):
    return likely.Classifier(likelihoods, **options).fit(x, list(y))


# A product


def test_the_scores_of_a_product_are_the_sum_of_the_parts():
    x, y = people(gaps=0.05)
    model = fitted(MIXED, x, y)
    total = np.log([y.count("small") / len(y), y.count("tall") / len(y)])
    for key, likelihood in MIXED.items():
        columns = key if isinstance(key, tuple) else (key,)
        alone = fitted({key: likelihood}, part(x, columns), y, prior="uniform")
        total = total + alone.log_joint(part(x, columns)) - np.log(0.5)
    np.testing.assert_allclose(model.log_joint(x), total, rtol=1e-12)


def test_a_missing_cell_skips_its_factor():
    x, y = people()
    model = fitted(MIXED, x, y)
    blank = {**x, "age": [None] * len(y), "eyes": ["?"] * len(y), "team": [None] * len(y)}
    blank["town"] = [""] * len(y)
    rest = {("height", "weight"): Gaussian("full"), "bio": Multinomial()}
    np.testing.assert_allclose(model.log_joint(blank), fitted(rest, x, y).log_joint(x), rtol=1e-12)


def test_equal_likelihoods_that_take_columns_one_by_one_are_one():
    x, y = people()
    apart = fitted({"height": Gaussian(), "weight": Gaussian()}, x, y)
    together = fitted({("height", "weight"): Gaussian()}, x, y)
    assert apart.to_bytes() == together.to_bytes()
    kept = fitted({"height": Gaussian("full"), "weight": Gaussian("full")}, x, y)
    assert list(kept.estimates) == [("height",), ("weight",)]
    # A different floor is a different likelihood.
    other = fitted({"height": Gaussian(), "weight": Gaussian(floor=0.5)}, x, y)
    assert list(other.estimates) == [("height",), ("weight",)]


def test_two_texts_stay_two_texts():
    x = {"title": ["good", "bad"], "body": ["bad", "good"]}
    model = fitted({"title": Multinomial(), "body": Multinomial()}, x, "ab")
    assert model.predict(x).tolist() == ["a", "b"]
    swapped = {"title": x["body"], "body": x["title"]}
    assert model.predict(swapped).tolist() == ["b", "a"]


def test_columns_may_have_the_same_chances():
    even = {"yes": 0.5, "no": 0.5}
    x = {"u": ["yes", "no", "yes"], "v": ["no", "yes", "yes"]}
    model = fitted({"u": Categorical(p=even), "v": Categorical(p=even)}, x, "aab")
    plain = fitted({("u", "v"): Categorical()}, x, "aab")
    assert model.log_joint(x).tolist() == plain.log_joint(x).tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "a likelihood is, for example, `Multinomial()`"),
        (Gaussian, "a likelihood is, for example, `Multinomial()`"),
        ([Gaussian()], "a likelihood is, for example, `Multinomial()`"),
        ({"u": Gaussian}, "`u` has no likelihood but"),
        ({"u": "gaussian"}, "`u` has no likelihood but 'gaussian'"),
        ({0: Gaussian()}, "columns are given by name, or by a tuple of names, not 0"),
        ({("u", 1): Gaussian()}, "columns are given by name, or by a tuple of names"),
        ({(): Gaussian()}, "columns are given by name, or by a tuple of names, not ()"),
        ({"u": Gaussian(), ("v", "u"): Categorical()}, "column `u` has more than one likelihood"),
        ({("u", "u"): Gaussian()}, "column `u` has more than one likelihood"),
        ({"u": Gaussian(), "t": likely.Complement()}, "Complement scores are no probabilities"),
    ],
)
def test_what_is_no_product_is_refused(given, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        likely.Classifier(given)


def test_a_text_takes_one_column():
    with pytest.raises(OptionError, match="Multinomial reads one column, but there are 2"):
        fitted({("u", "v"): Multinomial()}, {"u": ["a", "b"], "v": ["c", "d"]}, "xy")


# Columns by name and by place


def test_columns_are_found_by_name_whatever_their_order():
    x, y = people()
    model = fitted(MIXED, x, y)
    other = {"more": [object()] * len(y), **dict(reversed(x.items()))}
    assert model.log_joint(other).tolist() == model.log_joint(x).tolist()
    assert fitted(MIXED, other, y).to_bytes() == model.to_bytes()
    assert model.log_joint(pa.table(x)).tolist() == model.log_joint(x).tolist()
    by_row = [dict(zip(x, row, strict=True)) for row in zip(*x.values(), strict=True)]
    assert model.log_joint(by_row).tolist() == model.log_joint(x).tolist()


def test_columns_that_no_likelihood_takes_are_left_alone():
    x, y = people()
    model = fitted({"age": Gaussian()}, x, y)
    assert model.columns == ("age",)
    assert model.to_bytes() == fitted({"age": Gaussian()}, part(x, ["age"]), y).to_bytes()


def test_a_missing_column_is_named():
    x, y = people()
    model = fitted(MIXED, x, y)
    rest = {name: column for name, column in x.items() if name != "town"}
    message = "column `town` is missing; the table has `height`, `weight`, `age`, `bio`"
    with pytest.raises(DataError, match=message):
        model.predict(rest)
    with pytest.raises(DataError, match=message):
        fitted(MIXED, rest, y)


def test_a_bad_cell_is_named_whichever_likelihood_reads_it():
    x, y = people(4)
    y = ["tall", "small", "tall", "small"]
    for name, cell, error, message in [
        ("weight", "heavy", DataError, "row 3 of `weight` is 'heavy', which is no number"),
        ("age", float("inf"), DataError, "row 3 of `age` is infinite"),
        ("eyes", ["blue"], DataTypeError, "row 3 of `eyes` is list, not a category"),
    ]:
        bad = {**x, name: [*x[name][:2], cell, x[name][3]]}
        with pytest.raises(error, match=message):
            fitted(MIXED, bad, y)


NUMBERS = {"u": Gaussian("full"), ("v", "w"): Gaussian("shared")}


def numbers(n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, 3)) * [1.0, 10.0, 100.0]
    return x, [int(label) for label in np.arange(n_rows) % 2]


def test_lists_without_names_are_read_by_place():
    x, y = numbers()
    named = dict(zip("uvw", x.T, strict=True))
    model = fitted(NUMBERS, named, y)
    assert model.log_joint(x.tolist()).tolist() == model.log_joint(named).tolist()
    assert fitted(NUMBERS, x.tolist(), y).to_bytes() == model.to_bytes()
    with pytest.raises(DataError, match="there are 2 columns, but `u`, `v`, `w` are needed"):
        model.predict(x[:, :2].tolist())


def test_an_array_of_numbers_is_read_as_its_rows_are():
    x, y = numbers()
    assert fitted(NUMBERS, x, y).to_bytes() == fitted(NUMBERS, x.tolist(), y).to_bytes()


def test_a_model_of_named_columns_predicts_an_array_of_numbers():
    x, y = numbers()
    named = dict(zip("uvw", x.T, strict=True))
    model = fitted(NUMBERS, named, y)
    assert model.log_joint(x).tolist() == model.log_joint(named).tolist()


def test_places_are_those_of_the_dictionary():
    x, y = numbers()
    likelihoods = {"u": Gaussian(), "v": Gaussian("full"), "w": Gaussian()}
    named = dict(zip("uvw", x.T, strict=True))
    model = fitted(likelihoods, named, y)
    assert model.log_joint(x.tolist()).tolist() == model.log_joint(named).tolist()


# What every model promises


def test_the_terms_of_an_explanation_add_up_to_the_scores():
    x, y = people(gaps=0.1)
    model = fitted(MIXED, x, y)
    joint = model.log_joint(x)
    for place in range(40):
        row = {name: column[place] for name, column in x.items()}
        why = model.explain(row)
        np.testing.assert_allclose(why.scores, joint[place], rtol=1e-12)
        assert sum(map(why.log_odds, why.contributions)) == pytest.approx(why.total)
        kinds = [term.kind for term in why.contributions]
        assert kinds[0] == "prior"
        assert ("categorical" in kinds) == (row["eyes"] is not None)
        assert ("numeric" in kinds) == (row["age"] is not None)


def test_saved_loaded_and_pickled_a_model_is_the_same(tmp_path):
    x, y = people(gaps=0.1)
    model = fitted(MIXED, x, y, prior={"tall": 0.1})
    model.save(tmp_path / "model.likely")
    for again in (likely.load(tmp_path / "model.likely"), pickle.loads(pickle.dumps(model))):
        assert again.to_bytes() == model.to_bytes()
        assert again.columns == model.columns
        assert again.likelihood == {**MIXED}
        assert again.log_joint(x).tolist() == model.log_joint(x).tolist()
        again.update(cut(x, 3), y[:3]).forget(cut(x, 3), y[:3])
        assert again.to_bytes() == model.to_bytes()


@pytest.mark.parametrize(
    "likelihoods", [{"age": Gaussian()}, {("height", "weight"): Gaussian("full")}], ids=str
)
def test_a_loaded_model_fits_anew_as_it_did_before(likelihoods, tmp_path):
    x, y = people()
    model = fitted(likelihoods, x, y)
    model.save(tmp_path / "model.likely")
    again = likely.load(tmp_path / "model.likely").fit(x, y)
    assert again.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("likelihoods", [MIXED, Gaussian()], ids=["mixed", "numbers"])
def test_a_model_travels_before_it_has_learned(likelihoods):
    x, y = people()
    x = x if isinstance(likelihoods, dict) else part(x, ["height", "age"])
    model = likely.Classifier(likelihoods, prior="uniform")
    again = pickle.loads(pickle.dumps(model))
    assert again.observe(x, y) == model.observe(x, y)


def test_forgetting_returns_to_identical_bytes():
    x, y = people(gaps=0.1)
    model = fitted(MIXED, cut(x, 80), y[:80])
    before = model.to_bytes()
    receipt = model.update(cut(x, 80, None), y[80:]).forget(cut(x, 80, None), y[80:])
    assert receipt == likely.Receipt(rows=40, rows_left=80, classes_gone=())
    assert model.to_bytes() == before
    with pytest.raises(NotLearnedError, match="row 1 was never learned"):
        model.forget(cut(x, 80, 81), y[80:81])
    assert model.to_bytes() == before


@pytest.mark.parametrize("chunk", [1, 7, 119])
def test_learning_in_chunks_is_learning_at_once(chunk):
    x, y = people(gaps=0.1)
    x["weight"][5], x["age"][7], x["height"][9] = 1e300, 1e8 + 1e-3, 1e8 - 1e-3
    model, parts = likely.Classifier(MIXED), []
    for start in reversed(range(0, len(y), chunk)):
        rows = cut(x, start, start + chunk), y[start : start + chunk]
        model.update(*rows)
        parts.append(likely.Classifier(MIXED).update(*rows))
    assert model.to_bytes() == fitted(MIXED, x, y).to_bytes()
    assert sum(parts).to_bytes() == model.to_bytes()


def test_what_one_likelihood_refuses_none_has_learned():
    x, y = people()
    model = fitted(MIXED, x, y)
    before = model.to_bytes()
    for name, cell in (("age", "old"), ("eyes", ["blue"]), ("town", "a\x1fb"), ("bio", ["old"])):
        bad = {**cut(x, 1), name: [cell]}
        with pytest.raises((DataError, DataTypeError)):
            model.update(bad, y[:1])
        assert model.to_bytes() == before
    assert model.update(cut(x, 1), y[:1]).forget(cut(x, 1), y[:1]).rows_left == len(y)


def test_threads_change_nothing():
    x, y = people(1000, gaps=0.05)
    one, three = (
        likely.Classifier(MIXED, threads=threads).fit(x, y, loo=True) for threads in (1, 3)
    )
    assert one.to_bytes() == three.to_bytes()
    assert one.log_joint(x).tolist() == three.log_joint(x).tolist()
    assert one.loo.scores.tolist() == three.loo.scores.tolist()


def test_parameters_add_up():
    x, y = people()
    found = fitted(MIXED, x, y).parameters
    words = len({word for bio in x["bio"] for word in bio.split()})
    by_hand = (2 * 2 + 3 * 2) + 2 * 2 + words * 2 + 4 * 2 + 3 * 2
    assert (found.likelihood, found.prior) == (by_hand, 2)
    assert found.free == 10 + 4 + (words - 1) * 2 + 3 * 2 + 2 * 2 + 1


def test_models_of_other_columns_or_options_do_not_add_up():
    x, y = people()
    model = fitted({"age": Gaussian(), "eyes": Categorical()}, x, y)
    for other in (
        {"weight": Gaussian(), "eyes": Categorical()},
        {"age": Gaussian("full"), "eyes": Categorical()},
        {"age": Gaussian(floor=0.1), "eyes": Categorical()},
        {"age": Gaussian(), "eyes": Categorical(m=3)},
    ):
        with pytest.raises(likely.errors.ModelError, match="differ"):
            model + fitted(other, x, y)
