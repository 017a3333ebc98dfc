"""A column of vectors: its Gaussian, where vectors come from, and what is refused."""

import json

import numpy as np
import pytest

import likely
from likely.data.columns import sampled
from likely.data.table import Table
from likely.errors import DataError, ModelError, OptionError, SingularError
from likely.likelihoods import Vectors

WORDS = ["sun", "rain", "wind"]


def vectors(rows, length=5, seed=0, classes=3):
    """Vectors whose class shows in their first entries, as multiples of 1/64."""
    random = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    x = random.normal(size=(rows, length)) @ random.normal(size=(length, length))
    x[np.arange(rows), y % length] += 2.0
    return np.round(x * 64) / 64, np.array(WORDS)[y]


def scatter(x, y):
    means = {c: x[y == c].mean(axis=0) for c in np.unique(y)}
    within = x - np.array([means[c] for c in y])
    return means, within.T @ within


def log_density(x, mean, covariance):
    d = x - mean
    _, log_det = np.linalg.slogdet(2 * np.pi * covariance)
    return -0.5 * (log_det + d @ np.linalg.solve(covariance, d))


def doubted(scores, rows):
    scores = np.asarray(scores)
    most = scores.max()
    return most + np.log(np.exp(scores - most) + np.exp(scores - most).mean() / rows)


def log_odds(scores):
    return np.asarray(scores) - scores[0]


def test_the_score_is_the_density_with_a_drawn_covariance():
    x, y = vectors(60)
    model = likely.Classifier({"e": Vectors(7.0, variance=0.5)}, prior="uniform")
    model.fit({"e": x}, y)
    means, within = scatter(x, y)
    covariance = (within + 7.0 * 0.5 * np.eye(5)) / (60 - 3 + 7.0)
    new = np.round(vectors(4, seed=1)[0] * 64) / 64
    for row, found in zip(new, np.log(model.predict_proba({"e": new})), strict=True):
        expected = doubted([log_density(row, means[c], covariance) for c in model.classes], 60)
        assert log_odds(found) == pytest.approx(log_odds(expected), abs=1e-9)


def test_with_many_rows_it_is_the_lda_of_scikit_learn():
    lda = pytest.importorskip("sklearn.discriminant_analysis").LinearDiscriminantAnalysis
    x, y = vectors(3000)
    model = likely.Classifier({"e": Vectors(1e-3)}).fit({"e": x}, y)
    new, _ = vectors(300, seed=1)
    expected = lda().fit(x, y).predict_proba(new)
    assert model.predict_proba({"e": new}) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("m", [0.5, 20.0])
def test_leaving_a_row_out_is_training_without_it(m):
    x, y = vectors(40, length=12)
    x[5] = np.nan
    likelihood = Vectors(m, length=12, step=2.0**-6, variance=1.0)
    model = likely.Classifier({"e": likelihood}).fit({"e": x}, y)
    left_out = model.leave_one_out({"e": x}, y).probabilities
    for row in range(len(x)):
        rest = np.arange(len(x)) != row
        again = likely.Classifier({"e": likelihood}).fit({"e": x[rest]}, y[rest])
        assert left_out[row] == pytest.approx(again.predict_proba({"e": x[[row]]})[0], abs=1e-9)


def test_the_only_row_of_a_class_leaves_it_with_the_mean_of_all():
    x, y = vectors(9)
    y[0] = "snow"
    likelihood = Vectors(5.0, length=5, step=2.0**-6, variance=1.0)
    model = likely.Classifier({"e": likelihood}).fit({"e": x}, y)
    found = model.fitted.product.leave_one_out(
        model.tally,
        model.fitted.classes,
        next(iter(model.fitted.batches(model.fitted.labeled({"e": x}, y)))),
        model.fitted.classes.places(model.fitted.labeled({"e": x}, y)._rows[1]),
        1,
    )
    means, within = scatter(x[1:], y[1:])
    covariance = (within + 5.0 * np.eye(5)) / (8 - 3 + 5.0)
    means["snow"] = x[1:].mean(axis=0)
    # A class without rows is no part of the doubt, and out of the question.
    others = [place for place, c in enumerate(model.classes) if c != "snow"]
    logs = [log_density(x[0], means[model.classes[place]], covariance) for place in others]
    expected = doubted(logs, 8)
    assert log_odds(found[0][others]) == pytest.approx(log_odds(expected), abs=1e-9)


def test_a_missing_vector_is_left_out():
    x, y = vectors(30)
    gap = [*x, None]
    model = likely.Classifier({"e": Vectors()}).fit({"e": gap}, [*y, "sun"])
    assert model.predict_proba({"e": [None]})[0] == pytest.approx([10 / 31, 11 / 31, 10 / 31])
    assert "30 of 31 rows have a vector in `e`" in model.info.notes
    assert [c.kind for c in model.explain({"e": None}).contributions] == ["prior"]


def test_it_is_one_contribution():
    x, y = vectors(30)
    model = likely.Classifier().fit({"e": x, "n": np.arange(30) % 7 / 7.0}, y)
    shown = model.explain({"e": x[0], "n": 0.5})
    (found,) = [c for c in shown.contributions if c.kind == "vector"]
    assert (found.name, found.columns) == ("e (5 numbers)", ("e",))
    total = sum(c.scores for c in shown.contributions)
    expected = np.log(model.predict_proba({"e": x[:1], "n": [0.5]})[0])
    assert log_odds(total) == pytest.approx(log_odds(expected), abs=1e-9)


def test_tuning_chooses_m_unless_it_is_given():
    x, y = vectors(90)
    model = likely.Classifier().fit({"e": x}, y)
    (factor,) = model.tuning.factors
    assert factor.likelihood.m in (5.0, 20.0, 80.0)
    given = likely.Classifier({"e": Vectors(3.0)}, tune=True).fit({"e": x}, y)
    assert given.tuning.factors[0].likelihood.m == 3.0
    assert model.loo.accuracy > 0.6


def texts_and_vectors(rows=60):
    x, y = vectors(rows)
    random = np.random.default_rng(5)
    texts = [f"{random.choice(WORDS)} over {random.choice(['town', 'sea'])} today" for _ in y]
    return {"text": texts, "e": list(x), "n": (x[:, 0] * 3).round(1)}, y


def part(table, rows):
    return {name: [cells[row] for row in rows] for name, cells in table.items()}


def test_beside_texts_and_numbers_it_learns_forgets_merges_and_is_stored():
    table, y = texts_and_vectors()
    plan = likely.Classifier().plan(table, y)
    assert dict(plan.column_roles)["e"].why == "vectors of 5 numbers"
    first, rest = range(40), range(40, 60)
    whole = likely.Classifier(plan).fit(table, y)
    model = likely.Classifier(plan).fit(part(table, first), y[:40])
    model.update(part(table, rest), y[40:])
    assert model.digest == whole.digest
    model.forget(part(table, rest), y[40:])
    assert model.digest == likely.Classifier(plan).fit(part(table, first), y[:40]).digest
    one, other = (
        likely.Classifier(plan, tune=False).fit(part(table, half), y[list(half)])
        for half in (first, rest)
    )
    assert (one + other).digest == whole.digest
    again = likely.classifier.from_bytes(whole.to_bytes())
    assert again.to_bytes() == whole.to_bytes()
    assert (again.predict_proba(table) == whole.predict_proba(table)).all()
    assert (whole.compact().predict_proba(table) == whole.predict_proba(table)).all()
    with pytest.raises(likely.errors.NotLearnedError):
        whole.forget({**part(table, [0]), "e": [table["e"][1]]}, y[:1])


def test_a_given_likelihood_is_settled_on_the_rows_and_again_on_others():
    x, y = vectors(30)
    model = likely.Classifier({"e": Vectors()}).fit({"e": x}, y)
    settled = model.fitted.product.factors[0].likelihood
    assert (settled.length, settled.step) == (5, 2.0 ** (np.frexp(np.abs(x).max())[1] - 13))
    assert settled.variance == float(f"{x.var(axis=0).mean():.3g}")
    again = likely.classifier.from_bytes(model.to_bytes())
    assert again.fit({"e": x[:, :4]}, y).fitted.product.factors[0].likelihood.length == 4
    tally = likely.Classifier({"e": Vectors()}).observe({"e": x}, y)
    other = likely.Classifier({"e": Vectors()})
    other.tally = tally
    assert other.digest == model.digest
    picked = likely.Classifier()
    picked.tally = tally
    assert picked.digest == model.digest


def test_entries_beyond_the_grid_are_clipped():
    x, y = vectors(30)
    likelihood = Vectors(length=5, step=0.25, variance=1.0)
    model = likely.Classifier({"e": likelihood}).fit({"e": x}, y)
    far, farther = np.full((1, 5), 1e6), np.full((1, 5), 1e9)
    assert (model.predict_proba({"e": far}) == model.predict_proba({"e": farther})).all()


SOURCES = ["list", "array", "frame", "polars", "polars array", "arrow", "fixed arrow", "rows"]


@pytest.mark.parametrize("source", SOURCES)
def test_a_row_is_the_same_from_every_source(source, tmp_path):
    x, y = vectors(24)
    x = x.astype(np.float32) / np.float32(3)
    expected = likely.Classifier().fit({"e": x}, y)
    assert expected.column_roles["e"].role == "vector"
    if source == "list":
        table = {"e": x.astype(float).tolist()}
    elif source == "array":
        table = {"e": np.array([*x, None], dtype=object)[:-1]}
    elif source == "frame":
        table = pytest.importorskip("pandas").DataFrame({"e": list(x)})
    elif source == "polars":
        table = pytest.importorskip("polars").DataFrame({"e": x.tolist()})
    elif source == "polars array":
        table = pytest.importorskip("polars").DataFrame({"e": x})
    elif source == "arrow":
        table = pytest.importorskip("pyarrow").table({"e": x.tolist()})
    elif source == "fixed arrow":
        pa = pytest.importorskip("pyarrow")
        table = pa.table({"e": pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 5)})
    else:
        table = [{"e": row.tolist()} for row in x]
    assert likely.Classifier().fit(table, y).to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "bare.csv"])
def test_a_row_is_the_same_from_every_file(form, tmp_path):
    x, y = vectors(24)
    x = (x / 3).astype(np.float32)
    gap = [*x.tolist(), None]
    labels = [*y.tolist(), "sun"]
    expected = likely.Classifier().fit({"e": gap, "label": labels})
    file = tmp_path / f"rows.{form}"
    if form == "jsonl":
        rows = [{"e": e, "label": label} for e, label in zip(gap, labels, strict=True)]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form == "parquet":
        pa = pytest.importorskip("pyarrow.parquet")
        pa.write_table(pytest.importorskip("pyarrow").table({"e": gap, "label": labels}), file)
    else:
        between, (before, after) = (" ", "  ") if form == "bare.csv" else (", ", "[]")
        cells = ["" if e is None else before + between.join(map(repr, e)) + after for e in gap]
        lines = (f'"{cell}",{label}\n' for cell, label in zip(cells, labels, strict=True))
        file.write_text("e,label\n" + "".join(lines))
    columns = {"e": "vector"} if form == "bare.csv" else None
    found = likely.Classifier(columns=columns).fit(file)
    assert found.column_roles["e"].role == "vector"
    assert found.digest == expected.digest
    assert sampled([Table.of({"e": gap})]).rows == 25


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        (
            [[1.0, 2.0], [1.0]],
            "row 2 of `e` has a vector of length 1, and others of this column have 2",
        ),
        ([[1.0, 2.0], [1.0, float("nan")]], "row 2 of `e` has nan as number 2"),
        ([[1.0, 2.0], [float("inf"), 1.0]], "row 2 of `e` has inf as number 1"),
        ([[1.0, 2.0], [1e39, 1.0]], "row 2 of `e` has 1e\\+39 as number 1"),
        ([[1.0, 2.0], [1.0, None]], "row 2 of `e` has None as number 2, which is no number"),
        ([[True, False]] * 2, "row 1 of `e` has True as number 1, which is no number"),
        ([[1.0, 2.0], 3.0], "row 2 of `e` is float, not a vector"),
        ([[1.0], [2.0]], "row 1 of `e` has a vector of length 1, and vectors have from 2 to 1,024"),
        (
            [[0.0] * 1025] * 2,
            "row 1 of `e` has a vector of length 1,025, and vectors have from 2 to 1,024",
        ),
        (
            ["[1, 2]", "[1, x]"],
            "row 2 of `e` is '\\[1, x\\]', which is no vector: its part 2 is no number",
        ),
        (["[1, 2]", "[1]"], "row 2 of `e` has a vector of length 1"),
        ([None, None], "no row of `e` has a vector"),
        (np.array([[1.0, 2.0], [np.nan, 1.0]]), "row 2 of `e` has nan as number 1"),
    ],
)
def test_what_is_no_vector_is_refused_with_its_row(cells, what):
    with pytest.raises(DataError, match=what):
        likely.Classifier(columns={"e": "vector"}).fit({"e": cells}, ["a", "b"])


def test_a_vector_of_another_length_is_refused_by_a_model():
    x, y = vectors(30)
    model = likely.Classifier().fit({"e": x}, y)
    with pytest.raises(DataError, match=r"row 1 of `e` has a vector of length 4, .* have 5"):
        model.predict({"e": x[:, :4]})


@pytest.mark.parametrize("cells", [[[1, 2], [3]], [["a", "b"], ["c", "d"]], [[[1, 2]], [[3, 4]]]])
def test_other_lists_are_no_vectors(cells):
    table = {"e": cells * 5, "n": ["red", "blue"] * 5}
    assert likely.Classifier().fit(table, ["a", "b"] * 5).column_roles["e"].role == "drop"


@pytest.mark.parametrize(
    "options",
    [
        *({"m": 0}, {"m": -1}, {"length": 1}, {"length": 1025}, {"length": True}, {"step": 0.3}),
        *({"step": 0}, {"variance": 0}, {"variance": "1"}, {"variance": float("inf")}),
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(OptionError):
        Vectors(**options)


def test_matrices_rows_without_labels_and_a_linear_form_are_refused():
    x, y = vectors(30)
    with pytest.raises(OptionError, match="reads one column of vectors, but there are 5"):
        likely.Classifier(Vectors()).fit(x, y)
    with pytest.raises(OptionError, match="not probabilities of rows"):
        likely.Classifier().fit({"e": x}, y, unlabeled={"e": x})
    with pytest.raises(OptionError, match="is not linear"):
        likely.Classifier({"e": Vectors()}).fit({"e": x}, y).linear_form()
    tiny = Vectors(1e-9, length=5, step=2.0**-6, variance=1e-9)
    along = np.outer(np.arange(6), np.ones(5))
    with pytest.raises(SingularError, match="singular with so few virtual rows"):
        likely.Classifier({"e": tiny}).fit({"e": along}, ["a", "b"] * 3)


def test_stored_sums_that_no_vectors_give_are_refused():
    x, y = vectors(30)
    model = likely.Classifier({"e": Vectors()}).fit({"e": x}, y)
    arrays, product = model.tally.arrays(), model.fitted.product
    for name, wrong in (("0/products", 0), ("0/sums", 2**40), ("0/counts", 99)):
        forged = {**arrays, name: np.full_like(arrays[name], wrong)}
        with pytest.raises(ModelError):
            likely.Tally.from_arrays(model.tally.schema, product, forged)
