"""Numbers in bins: against a slow twin in fractions, and against retraining."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely.errors import DataError, OptionError
from likely.likelihoods.binned import BITS, rounded
from tests.reference.numbers_twin import in_bins, log

# Values that round, repeat, change sign, and lie far apart.
VALUES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.5, 2.0, -1.0, 293.15, 293.16, 1e300, -1e300, 5e-324]),
    st.floats(-10, 10),
    st.floats(allow_nan=False, allow_infinity=False),
)
CELLS = st.one_of(st.none(), VALUES)
LABELS = st.sampled_from("pqr")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(CELLS, LABELS), min_size=2, max_size=14),
    VALUES,
    st.sampled_from([1, 8, 30]),
    st.sampled_from([3, BITS, 52]),
)
def test_scores_are_those_of_the_slow_twin(rows, x, m, bits):
    cells, labels = zip(*rows, strict=True)
    assume(len(set(labels)) > 1)
    model = likely.Classifier({"x": likely.Binned(m, bits=bits)}).fit({"x": cells}, labels)
    found = model.log_joint({"x": [x]})[0] - model.fitted.log_prior
    expected = in_bins(cells, labels, model.classes, x, m, bits)
    assert found.tolist() == pytest.approx([log(each) for each in expected], abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS, LABELS), min_size=4, max_size=12),
    st.sampled_from(["skip", "value"]),
)
def test_leaving_out_is_training_without(rows, missing):
    labels = [label for *_, label in rows]
    assume(len(set(labels)) > 1 and min(labels.count(label) for label in set(labels)) > 1)
    x = {"a": [a for a, *_ in rows], "b": [b for _, b, _ in rows]}

    def model():
        return likely.Classifier({("a", "b"): likely.Binned(2.0, missing=missing)})

    found = model().fit(x, labels).leave_one_out(x, labels).scores
    for row in range(len(rows)):
        others = [place for place in range(len(rows)) if place != row]
        rest = {name: [cells[place] for place in others] for name, cells in x.items()}
        other = model().fit(rest, [labels[place] for place in others])
        scores = other.log_joint({name: [cells[row]] for name, cells in x.items()})
        np.testing.assert_allclose(found[row], scores[0], rtol=0, atol=1e-9)


def test_a_column_without_numbers_or_with_one_says_nothing():
    x = {"gone": [None, None, None], "same": [4.0, 4.0, 4.0], "n": [1.0, 2.0, 9.0]}
    likelihoods = {name: likely.Binned() for name in x}
    model = likely.Classifier(likelihoods).fit(x, ["p", "q", "q"])
    why = model.explain({"gone": 3.0, "same": 5.0, "n": 1.0})
    silent = [c for c in why.contributions if c.name.split()[0] in ("gone", "same")]
    assert len(silent) == 2
    assert all(not c.scores.any() for c in silent)


def test_a_missing_number_is_a_value_if_asked():
    x = {"n": [1.0, 2.0, None, None, 1.0, 2.0]}
    y = ["p", "p", "q", "q", "p", "q"]
    skipped = likely.Classifier({"n": likely.Binned()}).fit(x, y)
    assert skipped.predict_proba({"n": [None]})[0].tolist() == pytest.approx([0.5, 0.5])
    counted = likely.Classifier({"n": likely.Binned(1.0, missing="value")}).fit(x, y)
    # (0 + 1/3) / (3 + 1) against (2 + 1/3) / (3 + 1)
    assert counted.predict_proba({"n": [None]})[0].tolist() == pytest.approx([1 / 8, 7 / 8])
    (prior, gone) = counted.explain({"n": None}).contributions
    assert (prior.kind, gone.name) == ("prior", "n missing")


def test_bins_are_shown_as_ranges():
    ages = [*range(20, 60)] * 4
    labels = ["young" if age < 40 else "old" for age in ages]
    model = likely.Classifier({"age": likely.Binned()}).fit({"age": ages}, labels)
    (name, log_odds), *_ = model.top_features(1)["old"]
    low, high = (int(part) for part in name.removeprefix("age ").split("–"))
    assert 40 <= low <= high <= 59
    assert log_odds > 1
    (shown,) = [c.name for c in model.explain({"age": 31}).contributions if c.kind == "numeric"]
    low, high = (float(part) for part in shown.removeprefix("age ").split("–"))
    assert 20 <= low <= 31 <= high < 40


@pytest.mark.parametrize(
    ("values", "bits"),
    [
        ([293.15 + step / 100 for step in range(50)], BITS),
        ([1.7e9 + 3600 * h for h in range(48)], 20),
    ],
)
def test_the_grid_tells_close_values_apart(values, bits):
    assert len(set(rounded(np.array(values), bits).tolist())) == len(values)


def test_cells_are_in_the_order_of_their_values():
    values = np.sort(np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250))
    for bits in (1, 12, BITS, 52):
        assert (np.diff(rounded(values, bits).astype(object)) >= 0).all()


@pytest.mark.parametrize("options", [{"m": -1}, {"bits": 0}, {"bits": 53}, {"missing": "no"}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(OptionError):
        likely.Binned(**options)


def test_what_is_no_number_is_refused():
    model = likely.Classifier({"n": likely.Binned()})
    with pytest.raises(DataError, match="row 2"):
        model.fit({"n": ["1", "one"]}, ["p", "q"])


def test_banknotes_are_told_apart_better_than_by_bell_curves(public_data):
    rows = likely.open_table(public_data / "tab_banknote" / "all.csv")
    found = {}
    for likelihood in (likely.Gaussian(), likely.Binned()):
        names = [name for name in rows.columns if name != "class"]
        model = likely.Classifier(dict.fromkeys(names, likelihood)).fit(rows, "class", loo=True)
        found[type(likelihood)] = model.loo.accuracy
    assert found[likely.Binned] > found[likely.Gaussian] + 0.04
