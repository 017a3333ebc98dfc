"""The computation worked out by hand is the one that the model does."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely import Classifier
from likely.errors import LikelyError
from likely.likelihoods import TextViews
from tests.laws.strategies import COLUMNS, rows
from tests.laws.test_laws import EVERY_MODEL

TEXTS = ["good fun", "so good", "bad", "so bad, so dull", "dull", "fine fun"]
LABELS = ["pos", "pos", "neg", "neg", "neg", "pos"]


@pytest.mark.parametrize("likelihood", EVERY_MODEL, ids=str)
@settings(max_examples=25, deadline=None)
@given(drawn=rows(max_size=8, numbers=st.floats(-10, 10)))
def test_every_step_is_the_models_own(likelihood, drawn):
    x = {name: [cells[name] for cells, _ in drawn] for name in COLUMNS}
    try:
        model = Classifier(likelihood).fit(x, [label for _, label in drawn])
    except LikelyError:
        assume(False)
    for cells, _ in drawn:
        by_hand = model.by_hand(cells)
        (expected,) = model.predict_proba({name: [cell] for name, cell in cells.items()})
        assert by_hand.probabilities == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert str(by_hand)
        for place in range(len(model.classes)):
            product = by_hand.product(place)
            if product:
                total = sum(step.logs[place] for step in by_hand.steps)
                exact = math.log(product.numerator) - math.log(product.denominator)
                assert total == pytest.approx(exact, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("likelihood", [likely.Multinomial(0.5), likely.BinaryMultinomial(0)])
def test_shares_are_fractions_of_what_was_counted(likelihood):
    by_hand = Classifier(likelihood).fit(TEXTS, LABELS).by_hand("so so good")
    assert all(step.powers is not None for step in by_hand.steps)
    assert by_hand.to_json()["products"][0] is not None


def test_without_smoothing_a_class_without_words_has_none_of_them():
    model = Classifier(likely.Multinomial(0)).fit(["good fun", ""], ["pos", "neg"])
    by_hand = model.by_hand("good")
    assert [by_hand.product(place) for place in (0, 1)] == [0, Fraction(1, 4)]
    assert "P(neg) · P(good | neg)\n  = 1/2 · 0\n  = 0\n" in str(by_hand)


def test_priors_are_as_they_were_given():
    model = Classifier(likely.Multinomial()).fit(TEXTS, LABELS)
    for prior, first in (
        ("uniform", "1/2 · "),
        ("empirical+1", "4/8 · "),
        ({"pos": 0.02, "neg": 0.98}, "0.02 · "),
        ({"pos": 0.123456789, "neg": 0.876543211}, "0.123456789 · "),
    ):
        assert f"  = {first}" in str(model.with_prior(prior).by_hand("good"))


def test_a_class_without_a_prior_of_its_own_has_a_part_of_the_rest():
    model = Classifier(likely.Multinomial(), prior={"w": 0.5}).fit(list("abca"), list("wxyx"))
    by_hand = model.by_hand("a")
    priors = [share for ((share, _),) in by_hand.steps[0].powers]
    assert [part / whole for part, whole in priors] == [
        Fraction(1, 2),
        Fraction(1, 3),
        Fraction(1, 6),
    ]


def test_a_weighed_model_is_a_sum():
    model = Classifier({"text": TextViews()}).fit({"text": TEXTS}, LABELS)
    model.tune({"text": TEXTS}, LABELS)
    by_hand = model.by_hand({"text": "so good"})
    assert not by_hand.is_product
    why, table = str(by_hand).split("\n\n")
    assert why.startswith("The model is tuned: ")
    lines = table.splitlines()
    assert lines[0].split() == [str(by_hand.classes[k]) for k in np.argsort(-by_hand.probabilities)]
    total = next(line for line in lines if line.startswith("sum"))
    shown = [float(number.replace("−", "-")) for number in total.split()[1:]]
    (scores,) = model.fitted.scores_of({"text": ["so good"]}, 1)
    assert sorted(shown) == pytest.approx(sorted(scores), abs=1e-4)


def test_what_is_not_counted_is_a_decimal():
    shown = str(
        Classifier(likely.Gaussian())
        .fit({"a": [1.0, 2.0, 4.0, 7.0]}, LABELS[:4])
        .by_hand({"a": 2.0})
    )
    assert "p(a=2 | pos)" in shown
    assert "p(row) = " in shown
    bernoulli = str(Classifier(likely.Bernoulli(skip_top=1)).fit(TEXTS, LABELS).by_hand("good"))
    assert "P(all absent | pos) · odds(good | pos)" in bernoulli


@pytest.mark.parametrize("kind", [likely.Multinomial, likely.BinaryMultinomial])
@pytest.mark.parametrize("ngrams", [1, 2])
def test_without_the_most_frequent_words_the_rest_is_counted(kind, ngrams):
    texts = ["a a a b b c", "b b a c c", "c a d", "e e e b"]
    text = likely.Text(word_ngrams=(1, ngrams))
    for skip_top in range(4):
        model = Classifier(kind(skip_top=skip_top, text=text)).fit(texts, ["x", "x", "y", "y"])
        by_hand = model.by_hand("a c e d zzz")
        assert by_hand.product(0) is not None
        assert by_hand.totals == pytest.approx(model.log_joint(["a c e d zzz"])[0], abs=1e-12)


def test_stop_words_by_hand():
    texts = ["the very fun film", "the film the plot", "the dull plot"]
    model = Classifier(likely.Multinomial(skip_top=1)).fit(texts, ["pos", "pos", "neg"])
    assert "  = 2/3 · 2/10 · 3/10\n" in str(model.by_hand("the fun film"))


def test_an_impossible_row_has_no_product():
    model = Classifier(likely.Multinomial(0)).fit(TEXTS, LABELS)
    shown = str(model.by_hand("bad fun"))
    assert "· 0/" in shown
    assert "evidence\nP(row) = 0 + 0 = 0\n" in shown
    assert "posterior = prior, since 0 / 0 is no number\nP(neg | row) = P(neg) = 0.5000" in shown


def test_what_is_impossible_under_both_classes_has_no_log_odds():
    table = {"u": list("aabcc"), "v": list("pqrrq")}
    model = Classifier({name: likely.Categorical(0) for name in table}).fit(table, list("ABCAB"))
    why = model.explain({"u": "b", "v": "q"})
    assert str(why).splitlines()[-3:] == [
        "  u=b           –",
        "  v=q        -inf",
        "  (prior)  +0.000",
    ]
    assert "nan" not in why._repr_html_()


def test_many_classes_are_cut_short():
    model = Classifier(likely.Multinomial()).fit(list("abcdef"), list("uvwxyz"))
    assert str(model.by_hand("a")).endswith("and 2 less probable classes")


def test_a_row_that_says_nothing_is_worked_out_and_explained():
    model = Classifier(likely.Complement()).fit(TEXTS, LABELS)
    assert "nothing in this row counts: it was never seen" in str(model.explain("zzz"))
    assert model.explain("zzz").total == 0
    left_out = Classifier(likely.Multinomial(skip_top=1)).fit(["the cat", "the dog"], ["c", "d"])
    assert "or is left out" in str(left_out.explain("the"))
    assert "P(class | row)" in str(model.by_hand("zzz"))


def test_what_was_seen_and_is_left_out_is_told_from_what_was_never_seen():
    frequent = Classifier(likely.Multinomial(skip_top=1)).fit(TEXTS, LABELS)
    for model in (frequent, Classifier(likely.Multinomial(neutral=["so"])).fit(TEXTS, LABELS)):
        by_hand = model.by_hand("so zzz fun")
        assert (by_hand.left_out, by_hand.unknown) == (("so",), ("zzz",))
        assert "Seen in training, but the model leaves them out: “so”" in str(by_hand)
        assert by_hand.to_json()["left_out"] == ["so"]


def test_words_that_a_short_text_counts_are_not_said_to_be_left_out():
    model = Classifier({"who": likely.ShortText()}).fit({"who": ["Ann B", "Bob"]}, ["x", "y"])
    by_hand = model.by_hand({"who": "Ann zzz"})
    assert (by_hand.left_out, by_hand.unknown) == ((), ("zzz",))


@pytest.mark.parametrize(
    ("likelihood", "why"),
    [
        (likely.Complement(), "how badly the words fit all other classes"),
        (likely.Multinomial(tfidf=True), "The scores of Multinomial with `tfidf` are no prob"),
    ],
    ids=str,
)
def test_a_sum_says_why_there_are_no_fractions(likelihood, why):
    by_hand = Classifier(likelihood).fit(TEXTS, LABELS).by_hand("good fun")
    assert why in " ".join(str(by_hand).split())
    assert by_hand.to_json()["reason"] == by_hand.reason
    assert "products" not in by_hand.to_json()


def test_a_share_to_the_power_of_a_weight_is_no_share():
    by_hand = Classifier(likely.Multinomial(tfidf=True)).fit(TEXTS, LABELS).by_hand("good fun")
    assert not by_hand.is_product
    assert "P(good" not in str(by_hand)
