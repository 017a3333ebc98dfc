"""Five reviews, three negative and two positive; then "predictable with no fun"."""

from fractions import Fraction

import numpy as np
import pytest

import likely
from likely.textbook import REVIEWS

NEW = ["predictable with no fun"]


def fitted(likelihood):
    texts, labels = zip(*REVIEWS, strict=True)
    return likely.Classifier(likelihood).fit(texts, labels)


def test_the_multinomial_by_hand():
    model = fitted(likely.Multinomial(alpha=1.0))
    assert model.classes == ("+", "-")
    assert model.tally.statistics[0].features() == 20
    positive = Fraction(2, 5) * Fraction(1, 29) * Fraction(1, 29) * Fraction(2, 29)
    negative = Fraction(3, 5) * Fraction(2, 34) * Fraction(2, 34) * Fraction(1, 34)
    assert (positive, negative) == (Fraction(4, 121945), Fraction(3, 49130))
    joint = np.exp(model.log_joint(NEW))[0]
    assert joint == pytest.approx([float(positive), float(negative)], rel=1e-12)
    assert model.predict(NEW)[0] == "-"
    assert model.predict_proba(NEW)[0, 1] == pytest.approx(0.6505, abs=5e-5)


def test_the_binary_multinomial_counts_the_once():
    model = fitted(likely.BinaryMultinomial(alpha=1.0))
    positive = Fraction(2, 5) * Fraction(1, 28) * Fraction(1, 28) * Fraction(2, 28)
    negative = Fraction(3, 5) * Fraction(2, 34) * Fraction(2, 34) * Fraction(1, 34)
    posterior = float(negative / (positive + negative))
    assert posterior == pytest.approx(0.6262, abs=5e-5)
    assert model.predict_proba(NEW)[0, 1] == pytest.approx(posterior, rel=1e-12)


def test_an_unknown_word_changes_nothing():
    model = fitted(likely.Multinomial())
    assert model.log_joint(NEW).tolist() == model.log_joint(["predictable no fun"]).tolist()


def test_the_blackboard_of_the_multinomial():
    assert str(fitted(likely.Multinomial()).by_hand(NEW[0])) == (
        "Never seen in training, so left out: “with”\n\n"
        "prior · likelihood\n"
        "P(-) · P(predictable | -) · P(no | -) · P(fun | -)\n"
        "  = 3/5 · 2/34 · 2/34 · 1/34\n"
        "  = 3/49130 ≈ 6.11·10⁻⁵\n\n"
        "prior · likelihood\n"
        "P(+) · P(predictable | +) · P(no | +) · P(fun | +)\n"
        "  = 2/5 · 1/29 · 1/29 · 2/29\n"
        "  = 4/121945 ≈ 3.28·10⁻⁵\n\n"
        "evidence\n"
        "P(row) = 6.11·10⁻⁵ + 3.28·10⁻⁵ = 9.39·10⁻⁵\n\n"
        "posterior = prior · likelihood / evidence\n"
        "P(- | row) = 6.11·10⁻⁵ / 9.39·10⁻⁵ = 0.6505\n"
        "P(+ | row) = 3.28·10⁻⁵ / 9.39·10⁻⁵ = 0.3495"
    )


def test_the_blackboard_of_the_binary_multinomial():
    by_hand = fitted(likely.BinaryMultinomial()).by_hand(NEW[0])
    assert by_hand.product(by_hand.classes.index("+")) == Fraction(1, 27440)
    assert "2/5 · 1/28 · 1/28 · 2/28" in str(by_hand)
    assert "= 0.6262" in str(by_hand)
