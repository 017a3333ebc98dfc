"""PlayTennis: fourteen days, four attributes, and whether one played."""

import math
from fractions import Fraction

import numpy as np
import pytest

import likely
from tests import bundled

COLUMNS = ("outlook", "temperature", "humidity", "wind")
NEW = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "wind": "strong"}


@pytest.fixture(scope="module")
def days():
    return bundled.table("tennis.csv")


def one(row):
    return {name: [cell] for name, cell in row.items()}


def fitted(likelihood, days):
    return likely.Classifier(likelihood).fit(*days)


def chances(model, column):
    """P(value | class), by value."""
    (found,) = model.estimates.values()
    return dict(zip(found.values[column], found.probabilities[column], strict=True))


def test_the_shares_that_one_counts(days):
    model = fitted(likely.Categorical(m=0), days)
    assert model.classes == ("no", "yes")
    assert model.tally.rows.tolist() == [5, 9]
    gone = one(dict.fromkeys(COLUMNS))
    assert np.exp(model.log_joint(gone))[0] == pytest.approx([5 / 14, 9 / 14])
    assert chances(model, "outlook")["sunny"] == pytest.approx([3 / 5, 2 / 9])
    assert chances(model, "temperature")["cool"] == pytest.approx([1 / 5, 3 / 9])
    assert chances(model, "humidity")["high"] == pytest.approx([4 / 5, 3 / 9])
    assert chances(model, "wind")["strong"] == pytest.approx([3 / 5, 3 / 9])


def test_a_sunny_cool_humid_windy_day_without_smoothing(days):
    model = fitted(likely.Categorical(m=0), days)
    yes = Fraction(9, 14) * Fraction(2, 9) * Fraction(3, 9) ** 3
    no = Fraction(5, 14) * Fraction(3, 5) * Fraction(1, 5) * Fraction(4, 5) * Fraction(3, 5)
    assert (round(float(yes), 4), round(float(no), 4)) == (0.0053, 0.0206)
    assert np.exp(model.log_joint(one(NEW)))[0] == pytest.approx([float(no), float(yes)], rel=1e-12)
    assert model.predict(one(NEW))[0] == "no"
    assert model.predict_proba(one(NEW))[0, 0] == pytest.approx(float(no / (yes + no)), rel=1e-12)
    assert round(model.predict_proba(one(NEW))[0, 0], 3) == 0.795


def test_the_same_day_with_one_imagined_row(days):
    model = fitted(likely.Categorical(m=1), days)
    sizes = {"outlook": 3, "temperature": 3, "humidity": 2, "wind": 2}
    counts = {"no": (5, [3, 1, 4, 3]), "yes": (9, [2, 3, 3, 3])}
    joint = []
    for n, counted in counts.values():
        factors = [
            (count + Fraction(1, values)) / (n + 1)
            for count, values in zip(counted, sizes.values(), strict=True)
        ]
        joint.append(Fraction(n, 14) * math.prod(factors))
    assert np.exp(model.log_joint(one(NEW)))[0] == pytest.approx(list(map(float, joint)), rel=1e-12)
    assert round(model.predict_proba(one(NEW))[0, 0], 3) == 0.759
    assert fitted(likely.Categorical(), days).to_bytes() == model.to_bytes()


@pytest.mark.parametrize("alpha", [0.5, 1, 2])
def test_the_rule_of_laplace_is_an_m_estimate(days, alpha):
    laplace = fitted(likely.Categorical(alpha=alpha), days)
    for column, values in (("outlook", 3), ("temperature", 3), ("humidity", 2), ("wind", 2)):
        table = {column: days[0][column]}
        even = dict.fromkeys(set(table[column]), 1 / values)
        m_estimate = fitted(likely.Categorical(m=alpha * values, p=even), (table, days[1]))
        for value, expected in chances(m_estimate, column).items():
            assert chances(laplace, column)[value] == pytest.approx(expected, rel=1e-12)
    sunny = chances(laplace, "outlook")["sunny"]
    assert sunny == pytest.approx([(3 + alpha) / (5 + 3 * alpha), (2 + alpha) / (9 + 3 * alpha)])


def test_the_naive_model_has_20_numbers_and_the_full_table_72(days):
    naive = fitted(likely.Categorical(), days).parameters
    assert (naive.likelihood, naive.prior, naive.free) == (20, 2, 13)
    full = fitted(likely.JointTable(), days).parameters
    assert (full.likelihood, full.prior, full.free) == (72, 2, 71)


def test_the_full_table_knows_only_days_it_has_seen(days):
    model = fitted(likely.JointTable(m=0), days)
    assert model.predict(days[0]).tolist() == days[1]
    assert model.predict_proba(days[0]).max(axis=1).tolist() == [1.0] * 14
    assert model.impossible(one(NEW)).tolist() == [True]
    assert model.predict_proba(one(NEW))[0] == pytest.approx([5 / 14, 9 / 14])
    # What is known of it, sunny and humid, was seen on three days, all of them without play.
    assert model.predict(one({**NEW, "temperature": None, "wind": None}))[0] == "no"


def test_the_explanation_of_the_day_is_the_product(days):
    why = fitted(likely.Categorical(m=0), days).explain(NEW)
    assert why.prediction == "no"
    names = ["prior", *(f"{column}={value}" for column, value in NEW.items())]
    assert [term.name for term in why.contributions] == names
    shares = [np.exp(term.scores) for term in why.contributions]
    expected = [(5 / 14, 9 / 14), (3 / 5, 2 / 9), (1 / 5, 1 / 3), (4 / 5, 1 / 3), (3 / 5, 1 / 3)]
    for share, pair in zip(shares, expected, strict=True):
        assert share == pytest.approx(pair)


def test_the_blackboard(days):
    by_hand = fitted(likely.Categorical(m=0), days).by_hand(NEW)
    assert by_hand.product(0) == Fraction(18, 875)
    assert by_hand.product(1) == Fraction(1, 189)
    shown = str(by_hand)
    assert "  = 5/14 · 3/5 · 1/5 · 4/5 · 3/5\n  = 18/875 ≈ 0.0206\n" in shown
    assert "  = 9/14 · 2/9 · 3/9 · 3/9 · 3/9\n  = 1/189 ≈ 0.00529\n" in shown
    assert "P(no | row) = 0.0206 / 0.0259 = 0.7954" in shown
    imagined = str(fitted(likely.Categorical(m=1), days).by_hand(NEW))
    assert "  = 5/14 · 5/9 · 2/9 · 3/4 · 7/12\n" in imagined
    assert "= 0.7590" in imagined
