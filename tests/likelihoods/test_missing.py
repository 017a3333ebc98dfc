"""Cells that are not there say nothing, in training and in prediction."""

import numpy as np
import pytest

import likely
from likely import Categorical, Classifier, Gaussian, JointTable
from likely.errors import DataError, OptionError

NUMBERS = [1.0, 2.5, 3.0, 4.5, 9.0]
COLOURS = ["red", "blue", "red", "blue", "green"]
LABELS = ["x", "y", "x", "y", "x"]
LIKELIHOODS = {"n": Gaussian(), "k": Categorical()}

SPELLED = ["", "?", "NA", "NaN", "nan", "null"]
OTHERS = [None, float("nan"), np.nan, np.float32("nan"), "pandas"]


@pytest.fixture(params=[*SPELLED, *OTHERS], ids=repr)
def missing(request):
    if request.param == "pandas":
        return pytest.importorskip("pandas").NA
    return request.param


@pytest.fixture
def model():
    return Classifier(LIKELIHOODS).fit({"n": NUMBERS, "k": COLOURS}, LABELS)


def same_estimates(a, b):
    return a.tolist() == b.tolist()


def test_a_missing_number_is_skipped_in_training(model, missing):
    table = {"n": [*NUMBERS, missing], "k": [*COLOURS, "red"]}
    found = Classifier(LIKELIHOODS).fit(table, [*LABELS, "y"])
    before, after = model.estimates["n",], found.estimates["n",]
    assert same_estimates(before.means, after.means)
    assert same_estimates(before.deviations, after.deviations)
    assert found.tally.n_rows == 6


def test_a_missing_category_is_skipped_in_training(missing):
    table = {"n": [*NUMBERS, 3.0], "k": [*COLOURS, missing]}
    found = Classifier(LIKELIHOODS).fit(table, [*LABELS, "y"])
    alone = Classifier({"k": Categorical()}, prior="uniform")
    expected = alone.fit({"k": COLOURS}, LABELS).predict_proba({"k": ["red", "blue", "green"]})
    rows = {"n": [None] * 3, "k": ["red", "blue", "green"]}
    # Only the row counts, for the prior.
    assert np.array_equal(found.with_prior("uniform").predict_proba(rows), expected)
    assert found.tally.n_rows == 6


def test_a_missing_cell_is_skipped_in_prediction(model, missing):
    numbers = Classifier({"n": Gaussian()}).fit({"n": NUMBERS}, LABELS)
    colours = Classifier({"k": Categorical()}).fit({"k": COLOURS}, LABELS)
    found = model.predict_proba({"n": [2.0], "k": [missing]})
    assert np.allclose(found, numbers.predict_proba({"n": [2.0]}), rtol=1e-12)
    found = model.predict_proba({"n": [missing], "k": ["red"]})
    assert np.allclose(found, colours.predict_proba({"k": ["red"]}), rtol=1e-12)
    prior = [[3 / 5, 2 / 5]]
    assert np.allclose(model.predict_proba({"n": [missing], "k": [missing]}), prior, rtol=1e-12)


def test_every_spelling_gives_the_same_model(missing):
    table = {"n": [*NUMBERS, missing], "k": [missing, *COLOURS]}
    expected = {"n": [*NUMBERS, None], "k": [None, *COLOURS]}
    labels = [*LABELS, "y"]
    found = Classifier(LIKELIHOODS).fit(table, labels)
    assert found.to_bytes() == Classifier(LIKELIHOODS).fit(expected, labels).to_bytes()


@pytest.mark.parametrize("spelled", SPELLED)
def test_a_file_spells_missing_cells_the_same_way(tmp_path, spelled):
    path = tmp_path / "rows.csv"
    path.write_text(f"n,k,label\n1.5,a,x\n{spelled},b,y\n2.5,{spelled},x\n4,a,y\n")
    expected = {"n": [1.5, None, 2.5, 4], "k": ["a", "b", None, "a"], "label": list("xyxy")}
    found = Classifier(LIKELIHOODS).fit(path)
    assert found.to_bytes() == Classifier(LIKELIHOODS).fit(expected).to_bytes()


def test_a_missing_cell_can_be_updated_and_forgotten(model, missing):
    before = model.to_bytes()
    row = {"n": [missing], "k": [missing]}
    model.update(row, ["x"])
    assert model.forget(row, ["x"]).rows == 1
    assert model.to_bytes() == before


def test_a_missing_cell_has_no_part_in_the_explanation(model, missing):
    terms = model.explain({"n": missing, "k": "red"}).contributions
    assert [term.name for term in terms] == ["prior", "k=red"]
    terms = model.explain({"n": 2.0, "k": missing}).contributions
    assert [term.name for term in terms] == ["prior", "n=2"]


def test_a_missing_cell_is_integrated_out_of_a_joint_table(missing):
    table = {"a": ["p", "p", "q", "q", "q"], "b": ["s", "t", "s", "t", "t"]}
    joint = Classifier({("a", "b"): JointTable(m=0.0)}).fit(table, LABELS)
    rows = joint.predict_proba({"a": ["p"], "b": [missing]})
    # Of x: (p, s), (q, s), (q, t); of y: (p, t), (q, t).
    assert np.allclose(rows, [[3 / 5 * 1 / 3, 2 / 5 * 1 / 2]] / np.float64(2 / 5), rtol=1e-12)


@pytest.mark.parametrize("cell", [None, float("nan"), "pandas"])
def test_a_missing_text_is_an_empty_one(cell):
    if cell == "pandas":
        cell = pytest.importorskip("pandas").NA
    table = {"t": ["good fun", "dull", cell], "label": ["pos", "neg", "neg"]}
    expected = {**table, "t": ["good fun", "dull", ""]}
    likelihoods = {"t": likely.Multinomial()}
    found = Classifier(likelihoods).fit(table)
    assert found.to_bytes() == Classifier(likelihoods).fit(expected).to_bytes()


def test_in_a_text_the_spellings_are_words():
    table = {"t": ["null and void", "null", "well"], "label": ["neg", "neg", "pos"]}
    model = Classifier({"t": likely.Multinomial()}).fit(table)
    assert [term.name for term in model.explain({"t": "null"}).contributions] == ["prior", "null"]


# Other spellings


def test_spellings_of_missing_cells_can_be_given():
    table = {"n": [1.0, "-", 3.0, 4.0], "k": ["a", "b", "-", "NA"]}
    labels = ["x", "y", "x", "y"]
    found = Classifier(LIKELIHOODS, missing=["-"]).fit(table, labels)
    assert found.missing == {"-", ""}
    terms = found.explain({"n": "-", "k": "NA"}).contributions
    assert [term.name for term in terms] == ["prior", "k=NA"]
    with pytest.raises(DataError, match="row 1 of `n` is 'NA', which is no number"):
        found.predict({"n": ["NA"], "k": ["a"]})
    plain = Classifier(LIKELIHOODS)
    with pytest.raises(DataError, match="row 2 of `n` is '-', which is no number"):
        plain.fit(table, labels)


def test_spellings_are_stored_in_the_file(tmp_path):
    table = {"n": [1.0, "-", 3.0, 4.0], "k": ["a", "b", "-", "NA"]}
    model = Classifier(LIKELIHOODS, missing=["-"]).fit(table, ["x", "y", "x", "y"])
    model.save(tmp_path / "m.likely")
    loaded = likely.load(tmp_path / "m.likely")
    assert loaded.missing == {"-", ""}
    rows = {"n": ["-", 2.0], "k": ["NA", "-"]}
    assert np.array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    assert loaded.update({"n": ["-"], "k": ["-"]}, ["x"]).tally.n_rows == 5


def test_models_that_spell_missing_cells_differently_do_not_add_up():
    table = ({"n": [1.0, 2.5, 4.0], "k": ["a", "b", "b"]}, ["x", "y", "y"])
    a = Classifier(LIKELIHOODS, missing=["-"]).fit(*table)
    b = Classifier(LIKELIHOODS).fit(*table)
    with pytest.raises(likely.errors.ModelError, match="missing"):
        a + b


@pytest.mark.parametrize("bad", ["NA", b"NA", None, 5, [1], [None]])
def test_spellings_are_a_list_of_texts(bad):
    with pytest.raises(OptionError, match="`missing`"):
        Classifier(missing=bad)


def test_a_number_that_stands_for_missing_does_so_in_files_and_in_memory(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("n,label\n1,x\n-999,y\n2,y\n3,x\n")
    table = {"n": [1, -999, 2, 3], "label": list("xyyx")}
    file = Classifier({"n": Gaussian()}, missing=["-999"]).fit(path)
    memory = Classifier({"n": Gaussian()}, missing=["-999"]).fit(table)
    assert file.to_bytes() == memory.to_bytes()


@pytest.mark.parametrize(
    ("likelihood", "column"),
    [
        (Gaussian(), ["1.5", " ? ", "2.5", "4"]),
        (Categorical(), ["a", " ? ", "b", "a"]),
    ],
    ids=["numbers", "categories"],
)
def test_spaces_around_a_missing_cell_do_not_make_it_one(likelihood, column):
    labels = ["x", "y", "y", "x"]
    found = Classifier({"c": likelihood}).fit({"c": column}, labels)
    plain = [cell.strip() for cell in column]
    expected = Classifier({"c": likelihood}).fit({"c": plain}, labels)
    assert found.to_bytes() == expected.to_bytes()


# What is new


def test_a_category_never_seen_says_nothing(model):
    new = model.predict_proba({"n": [2.0], "k": ["violet"]})
    assert np.array_equal(new, model.predict_proba({"n": [2.0], "k": [None]}))
    assert "k=violet" not in [
        term.name for term in model.explain({"n": 2.0, "k": "violet"}).contributions
    ]


def test_a_category_that_comes_later_is_learned(model):
    model.update({"n": [2.0, 3.0], "k": ["violet", "violet"]}, ["y", "y"])
    table = {"n": [*NUMBERS, 2.0, 3.0], "k": [*COLOURS, "violet", "violet"]}
    expected = Classifier(LIKELIHOODS).fit(table, [*LABELS, "y", "y"])
    assert model.to_bytes() == expected.to_bytes()
    assert model.predict({"n": [None], "k": ["violet"]}).tolist() == ["y"]


def test_a_class_that_comes_later_is_learned_and_forgotten(model):
    before = model.to_bytes()
    model.update({"n": [20.0, None], "k": ["red", None]}, ["z", "z"])
    assert model.classes == ("x", "y", "z")
    assert model.predict({"n": [20.0], "k": [None]}).tolist() == ["z"]
    assert model.forget({"n": [20.0, None], "k": ["red", None]}, ["z", "z"]).classes_gone == ("z",)
    assert model.to_bytes() == before


def test_a_class_whose_numbers_are_all_missing_is_judged_by_the_rest():
    table = {"n": [1.0, 2.0, None, None], "k": ["a", "b", "b", "b"]}
    model = Classifier(LIKELIHOODS).fit(table, ["x", "x", "y", "y"])
    expected = Classifier({"k": Categorical()}).fit({"k": table["k"]}, ["x", "x", "y", "y"])
    rows = model.predict_proba({"n": [1.5, 1.5], "k": ["a", "b"]})
    assert np.isfinite(rows).all()
    assert np.allclose(rows, expected.predict_proba({"k": ["a", "b"]}), rtol=1e-12)
