"""All numbers of a row in several views: what their weights do, gaps, and files."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely.classifier import from_bytes
from likely.errors import ModelError, OptionError
from likely.likelihoods.binned import BITS, enough_bits, rounded
from likely.likelihoods.number_views import MOST_TOGETHER, NumberView
from likely.tally import container
from tests.forging import sealed
from tests.reference import numbers_twin

DAY = 86_400


def clouds(rows=60, seed=0, columns="uvw"):
    """Numbers that go together otherwise in each of two classes, and their labels."""
    random = np.random.default_rng(seed)
    y = ["p", "q"] * (rows // 2)
    base = random.normal(size=rows)
    signs = np.where(np.array(y) == "p", 1.0, -1.0)
    x = {}
    for place, name in enumerate(columns):
        x[name] = base * signs**place + random.normal(size=rows) * 0.5 + 0.3 * signs
    return {name: np.round(values, 3).tolist() for name, values in x.items()}, y


def fitted(x, y, *views, bits=BITS):
    """A model with these views of all columns, untuned."""
    likelihood = likely.NumberViews(bits=bits)
    if views:
        likelihood = likelihood.with_views(views)
    return likely.Classifier({tuple(x): likelihood}).fit(x, y)


def scores_of(model, row):
    """The scores of a row without the prior."""
    fitted = model.fitted
    return fitted.scores(fitted.parts(fitted.one_row(row)), 1)[0] - fitted.log_prior


def row_of(x, place):
    return {name: cells[place] for name, cells in x.items()}


# Weights

VIEWS = (
    NumberView("bins", ("u",), 8.0, "skip", 0.7),
    NumberView("bins", ("w",), 2.0, "skip", 1.3),
    NumberView("shared", ("u", "v", "w"), weight=0.4),
    NumberView("full", ("u", "v", "w"), weight=0.9),
)


def test_weights_add_up():
    x, y = clouds()
    row = {"u": 0.31, "v": -0.2, "w": 1.5}
    each = [scores_of(fitted(x, y, replace(view, weight=1.0)), row) for view in VIEWS]
    expected = sum(view.weight * scores for view, scores in zip(VIEWS, each, strict=True))
    np.testing.assert_allclose(scores_of(fitted(x, y, *VIEWS), row), expected, atol=1e-12)


def test_a_view_is_a_likelihood_and_doubt():
    """log( (n · P(x | c) + mean_k P(x | k)) / (n + 1) ), of likelihoods by themselves."""
    x, y = clouds()
    row = {"u": 0.31, "v": -0.2, "w": 1.5}
    likelihoods = {
        ("bins", ("u",)): likely.Binned(8.0),
        ("shared", tuple(x)): likely.Gaussian("shared", m=3.0),
        ("full", tuple(x)): likely.Gaussian("full", m=3.0),
    }
    for (kind, columns), likelihood in likelihoods.items():
        m, missing = (8.0, "skip") if kind == "bins" else (None, None)
        own = {name: x[name] for name in columns}
        alone = likely.Classifier({columns: likelihood}).fit(own, y)
        p = np.exp(scores_of(alone, {name: row[name] for name in columns}))
        expected = np.log((60 * p + p.mean()) / 61)
        found = scores_of(fitted(x, y, NumberView(kind, columns, m, missing)), row)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_no_view_rules_a_class_out():
    x, y = {"n": [0.0, 0.001, 1.0, 1.001] * 25}, ["p", "p", "q", "q"] * 25
    model = fitted(x, y, NumberView("full", ("n",)))
    near, far = scores_of(model, {"n": 0.0005})
    # One row of a hundred and one may be of any class, which are two.
    assert far - near == pytest.approx(-math.log(2 * 100 + 1), abs=1e-9)


def test_before_tuning_every_column_is_in_bins_of_weight_one():
    x, y = clouds()
    row = {"u": 0.31, "v": -0.2, "w": 1.5}
    bins = [NumberView("bins", (name,), 8.0, "skip") for name in x]
    expected = scores_of(fitted(x, y, *bins), row)
    assert scores_of(fitted(x, y), row).tolist() == expected.tolist()


def test_tuning_gives_weight_to_what_tells_classes_apart():
    """Two columns of which only the covariances differ between classes."""
    random = np.random.default_rng(0)
    base, noise = random.normal(size=(2, 200))
    y = ["p", "q"] * 100
    x = {"u": base, "v": np.where(np.array(y) == "p", base, -base) + 0.3 * noise}
    model = likely.Classifier(columns=dict.fromkeys(x, "numeric")).fit(x, y)
    (factor,) = model.fitted.product.factors
    weights = {view.kind: view.weight for view in factor.likelihood.views}
    assert weights["full"] > 0.5
    assert weights.get("shared", 0.0) < 0.1
    assert model.loo.accuracy > 0.85


# Contributions

CELLS = st.one_of(st.none(), st.floats(-3, 3), st.sampled_from([1e9, -1e9, 0.0]))


@settings(max_examples=60, deadline=None)
@given(st.tuples(CELLS, CELLS, CELLS), st.sampled_from(["skip", "value"]))
def test_contributions_add_up_to_scores(cells, missing):
    x, y = clouds()
    x["u"][3] = x["w"][4] = x["w"][5] = None
    views = [
        replace(view, missing=missing) if view.kind == "bins" else view
        for view in (*VIEWS, NumberView("bins", ("v",), 32.0, "skip", 2.0))
    ]
    model = fitted(x, y, *views)
    row = dict(zip(x, cells, strict=True))
    why = model.explain(row)
    prior, *numbers = why.contributions
    assert prior.kind == "prior"
    total = sum((contribution.scores for contribution in numbers), np.zeros(2))
    np.testing.assert_allclose(total, scores_of(model, row), atol=1e-12)


def test_a_contribution_names_its_columns():
    x, y = clouds()
    why = fitted(x, y, *VIEWS).explain({"u": 0.31, "v": None, "w": 1.5})
    _, first, second, lda, qda = why.contributions
    assert (first.columns, second.columns) == (("u",), ("w",))
    assert first.name.startswith("u ")
    assert lda.columns == qda.columns == ("u", "v", "w")
    assert (lda.name, qda.name) == ("u, v, w together (LDA)", "u, v, w together (QDA)")


# Missing numbers


def test_a_row_of_gaps_says_nothing():
    x, y = clouds()
    model = fitted(x, y, *VIEWS)
    np.testing.assert_allclose(scores_of(model, dict.fromkeys(x)), 0.0, atol=1e-12)
    assert len(model.explain(dict.fromkeys(x)).contributions) == 1


def test_a_missing_number_is_integrated_out_of_a_covariance():
    """What is left of a Gaussian without a column is the Gaussian of the others' covariance."""
    x, y = clouds()
    model = fitted(x, y, NumberView("full", tuple(x)))
    found = scores_of(model, {"u": 0.4, "v": None, "w": -1.0})
    rows, labels, kept = np.array(list(x.values())).T, np.array(y), [0, 2]
    of_class = [rows[labels == label] for label in "pq"]
    scatters = [np.cov(own.T, bias=True) * len(own) for own in of_class]
    variances = np.diag(sum(scatters)) / (60 - 2)
    expected = []
    for own, scatter in zip(of_class, scatters, strict=True):
        covariance = (scatter + 3 * np.diag(variances)) / (30 - 1 + 3)
        part, mean = covariance[np.ix_(kept, kept)], own.mean(axis=0)[kept]
        apart = np.array([0.4, -1.0]) - mean
        squared = apart @ np.linalg.solve(part, apart)
        expected.append(-0.5 * (np.linalg.slogdet(2 * np.pi * part)[1] + squared))
    p = np.exp(expected)
    np.testing.assert_allclose(found, np.log((60 * p + p.mean()) / 61), atol=1e-9)


def test_a_missing_number_may_be_a_value():
    x, y = {"n": [1.0, 2.0, None, None, 1.0, 2.0]}, ["p", "p", "q", "q", "p", "q"]
    model = fitted(x, y, NumberView("bins", ("n",), 1.0, "value"))
    # (0 + 1/3) / (3 + 1) against (2 + 1/3) / (3 + 1), in doubt of one in seven.
    p = np.array([1 / 12, 7 / 12])
    expected = np.log((6 * p + p.mean()) / 7)
    np.testing.assert_allclose(scores_of(model, {"n": None}), expected, atol=1e-12)
    (_, gone) = model.explain({"n": None}).contributions
    assert gone.name == "n missing"


def test_tuning_finds_that_gaps_tell_classes_apart():
    random = np.random.default_rng(0)
    y = ["p", "q"] * 60
    gone = random.random(120) < np.where(np.array(y) == "p", 0.1, 0.8)
    x = {"n": [None if g else v for g, v in zip(gone, random.normal(size=120), strict=True)]}
    model = likely.Classifier(columns={"n": "numeric"}).fit(x, y)
    p = model.predict_proba({"n": [None, 0.0]})
    assert p[0, 1] > 0.75
    assert p[1, 1] < 0.35


def test_rows_with_gaps_are_said_to_be_left_out_of_covariances():
    x, y = clouds()
    x["u"][3] = x["w"][4] = x["w"][3] = None
    (note,) = [note for note in fitted(x, y, *VIEWS).info.notes if "covariances" in note]
    assert note.startswith("58 of 60 rows have a number in each of")


# Few columns, many columns, columns that never vary


def test_one_column_has_bins_and_two_bell_curves():
    random = np.random.default_rng(1)
    y = ["p", "q"] * 50
    x = {"n": random.normal(size=100) * np.where(np.array(y) == "p", 0.3, 3.0)}
    model = likely.Classifier(columns={"n": "numeric"}).fit(x, y)
    (factor,) = model.fitted.product.factors
    kinds = {view.kind: view for view in factor.likelihood.views}
    # Of the same mean, only QDA tells them apart among the bell curves.
    assert kinds["full"].weight > 0.2
    row = {"n": 0.1}
    own = scores_of(fitted(x, y, replace(kinds["full"], weight=1.0)), row)
    expected = numbers_twin.together([[v] for v in x["n"]], y, "pq", [0.1], is_shared=False)
    np.testing.assert_allclose(own, numbers_twin.doubted(expected, y, "pq"), atol=1e-9)


def wide(columns, rows=40):
    random = np.random.default_rng(0)
    y = ["p", "q"] * (rows // 2)
    values = random.normal(size=(columns, rows)) + 0.5 * (np.array(y) == "q")
    return {f"n{place}": each for place, each in enumerate(np.round(values, 2))}, y


@pytest.mark.parametrize("columns", [32, 33, MOST_TOGETHER, MOST_TOGETHER + 1])
def test_many_columns_share_a_weight_and_more_have_no_covariances(columns):
    x, y = wide(columns)
    model = likely.Classifier(columns=dict.fromkeys(x, "numeric")).fit(x, y)
    (factor,), (statistic,) = model.fitted.product.factors, model.fitted.tally.statistics
    bins = [view for view in factor.likelihood.views if view.kind == "bins"]
    assert {len(view.columns) for view in bins} == {1 if columns <= 32 else columns}
    assert (statistic.moments is None) == (columns > 64)
    arrays = model.fitted.tally.arrays()
    assert any("moments" in name for name in arrays) == (columns <= 64)
    if columns > 64:
        assert {view.kind for view in factor.likelihood.views} == {"bins"}
    assert model.loo.accuracy > 0.75


def test_bins_that_share_a_weight_are_doubted_together():
    x, y = wide(33)
    row = row_of(x, 7)
    model = fitted(x, y, NumberView("bins", tuple(x), 8.0, "skip"))
    alone = [likely.Classifier({n: likely.Binned(8.0)}).fit({n: x[n]}, y) for n in x]
    p = np.exp(sum(scores_of(one, {n: row[n]}) for n, one in zip(x, alone, strict=True)))
    np.testing.assert_allclose(scores_of(model, row), np.log((40 * p + p.mean()) / 41), atol=1e-9)
    (_, shown) = model.explain(row).contributions
    assert shown.name == "33 numbers in bins"


@pytest.mark.parametrize("tuned", [False, True])
def test_a_constant_column_changes_nothing(tuned):
    x, y = clouds()
    more = {**x, "same": [4.0] * len(y)}
    row = {"u": 0.31, "v": -0.2, "w": 1.5, "same": 4.0}
    if tuned:
        model = likely.Classifier(columns=dict.fromkeys(more, "numeric")).fit(more, y)
        (factor,) = model.fitted.product.factors
        assert all(view.columns != ("same",) for view in factor.likelihood.views)
        other = {**row, "same": 17.0}
        assert model.predict_proba([row])[0].tolist() == model.predict_proba([other])[0].tolist()
        return
    for kind in ("bins", "shared", "full"):
        columns = tuple(more) if kind != "bins" else ("same",)
        m, missing = (8.0, "skip") if kind == "bins" else (None, None)
        found = scores_of(fitted(more, y, NumberView(kind, columns, m, missing)), row)
        if kind == "bins":
            np.testing.assert_allclose(found, 0.0, atol=1e-12)
            continue
        # Virtual rows are as many as columns, so one more draws covariances a little further.
        rows = list(zip(*more.values(), strict=True))
        expected = numbers_twin.together(rows, y, "pq", list(row.values()), kind == "shared")
        np.testing.assert_allclose(found, numbers_twin.doubted(expected, y, "pq"), atol=1e-9)


def test_columns_that_all_stay_the_same_leave_the_prior():
    x, y = {"a": [1.0] * 6, "b": [2.0] * 6}, list("pppqqp")
    model = likely.Classifier(columns=dict.fromkeys(x, "numeric")).fit(x, y)
    found = model.predict_proba({"a": [1.0, 9.0], "b": [2.0, -3.0]})
    np.testing.assert_allclose(found, [[4 / 6, 2 / 6]] * 2, atol=1e-9)


# Rounding


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, DAY - 1), min_size=2, max_size=200), st.integers(0, 20_000))
def test_seconds_of_a_day_since_1970_are_told_apart(seconds, day):
    values = np.array([[day * DAY + second] for second in seconds], dtype=float)
    bits = enough_bits(values)
    assert len(set(rounded(values[:, 0], bits).tolist())) == len(set(seconds))


def test_seconds_of_one_day_need_so_many_bits():
    start = 19_700 * DAY
    values = np.arange(start, start + DAY, dtype=float)
    # 2³⁰ ≤ 1.7e9 < 2³¹, so that 30 bits after the first resolve one second.
    assert enough_bits(values[:256, None]) == 30
    assert len(np.unique(rounded(values, 30))) == DAY
    # 256 quantiles of a day are more than 2⁸ seconds apart, which 30 − 8 bits resolve.
    assert enough_bits(values[:, None]) == 22


def test_temperatures_in_kelvin_are_told_apart():
    values = np.round(293.15 + np.linspace(-0.5, 0.5, 101), 2)
    bits = enough_bits(values[:, None])
    assert len(set(rounded(values, bits).tolist())) == 101
    assert bits == BITS
    finer = np.round(293.15 + np.linspace(-0.5, 0.5, 256), 6)
    assert len(set(rounded(finer, enough_bits(finer[:, None])).tolist())) == 256


def test_years_and_missing_numbers_need_no_more():
    years = np.array([[1900.0 + year, np.nan] for year in range(120)])
    assert enough_bits(years) == BITS


@pytest.mark.parametrize("start", [1.7e9, 293.15])
def test_a_model_tells_close_numbers_apart(start):
    step = 60.0 if start > 1e9 else 0.01
    x = {"n": [start + step * place for place in range(100)]}
    y = ["early" if place < 50 else "late" for place in range(100)]
    model = likely.Classifier(columns={"n": "numeric"}).fit(x, y)
    assert model.loo.accuracy > 0.95


# Files


def tuned():
    x, y = clouds(80)
    x["u"][3] = None
    return likely.Classifier(columns=dict.fromkeys(x, "numeric")).fit(x, y), x


def test_it_comes_back_from_a_file(tmp_path):
    model, x = tuned()
    model.save(tmp_path / "numbers.likely")
    again = likely.load(tmp_path / "numbers.likely")
    assert again.to_bytes() == model.to_bytes()
    assert (again.predict_proba(x) == model.predict_proba(x)).all()
    views, others = (one.fitted.product.factors[0].likelihood.views for one in (model, again))
    assert views == others
    assert len({view.kind for view in views}) > 1


def forged(change):
    """A file of a tuned model whose views of numbers have been changed."""
    metadata, arrays = container.unpack(tuned()[0].to_bytes())
    views = metadata["model"]["tuning"]["factors"][0]["views"]
    change(views)
    return sealed(metadata, arrays)


def replaced(**fields):
    """Some fields of the first view in bins, or of the first one together, replaced."""
    order = ("kind", "columns", "m", "missing", "weight")

    def change(views):
        is_bins = fields.get("of", "bins") == "bins"
        own = next(view for view in views if (view[0] == "bins") == is_bins)
        for name, value in fields.items():
            if name != "of":
                own[order.index(name)] = value

    return change


def test_what_was_not_changed_is_read():
    assert from_bytes(forged(lambda views: None)).classes == ("p", "q")


@pytest.mark.parametrize(
    "change",
    [
        replaced(kind="other"),
        replaced(kind="shared"),
        replaced(columns=["x"]),
        replaced(columns=[]),
        replaced(columns=["u", "v"]),
        replaced(columns="u"),
        replaced(columns=None),
        replaced(m=-1.0),
        replaced(m=None),
        replaced(m="8"),
        replaced(missing="no"),
        replaced(weight=0.0),
        replaced(weight=-1.0),
        replaced(weight=float("nan")),
        replaced(weight=None),
        replaced(of="together", columns=["u"]),
        replaced(of="together", columns=["w", "v", "u"]),
        replaced(of="together", m=3.0),
        replaced(of="together", missing="skip"),
        lambda views: views[0].append(1.0),
        lambda views: views[0].pop(),
        lambda views: views.append([]),
    ],
)
def test_a_forged_tuning_is_refused(change):
    with pytest.raises(ModelError):
        from_bytes(forged(change))


@pytest.mark.parametrize("bits", [0, 53, 1.5, True, "16"])
def test_bits_that_make_no_sense_are_refused(bits):
    with pytest.raises(OptionError):
        likely.NumberViews(bits=bits)


def test_a_likelihood_is_shown_as_one_would_type_it():
    assert repr(likely.NumberViews()) == "NumberViews()"
    assert repr(likely.NumberViews(bits=20)) == "NumberViews(bits=20)"


@pytest.mark.parametrize(
    ("columns", "views"),
    [
        (2, [["bins", ["c0"], 8.0, "skip", 1.0]] * 2),
        (2, [["bins", ["c0", "c1"], 8.0, "skip", 1.0]]),
        (70, [["shared", [f"c{i}" for i in range(70)], None, None, 1.0]]),
        (70, [["bins", ["c0"], 8.0, "skip", 1.0]]),
    ],
)
def test_stored_views_that_tuning_never_chooses_are_refused(columns, views):
    names = tuple(f"c{i}" for i in range(columns))
    with pytest.raises(ModelError):
        likely.NumberViews().tuned_from_json({"views": views}, names)
