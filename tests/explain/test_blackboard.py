"""A computation by hand is Bayes' rule with the names of its terms, and fits a terminal."""

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest

import likely
from likely import Classifier, textbook

CLASSES = ("neg", "pos")
VOCABULARY = "the a plot film cast of and in good bad dull fun slow long end star"
WORDS = VOCABULARY.split()


def text(length, odd, seed):
    """A text whose class has more of every other word."""
    chance = np.random.default_rng(seed)
    weights = np.array([3.0 if place % 2 == odd else 1.0 for place in range(len(WORDS))])
    return " ".join(chance.choice(WORDS, length, p=weights / weights.sum()))


DATA = [(text(40, n % 2, n), CLASSES[n % 2]) for n in range(10)]
LONG = text(320, 0, 77)


@pytest.fixture(scope="module")
def model():
    texts, labels = zip(*DATA, strict=True)
    return Classifier(likely.Multinomial()).fit(list(texts), list(labels))


def test_the_terms_stand_above_what_they_name():
    model = Classifier(likely.Multinomial()).fit(
        ["buy now", "see you", "see it"], ["spam", "ham", "ham"]
    )
    shown = str(model.by_hand("see now"))
    blocks = [block.splitlines() for block in shown.split("\n\n")]
    assert [block[0] for block in blocks] == [
        "prior  · likelihood",
        "prior   · likelihood",
        "evidence",
        "posterior = prior · likelihood / evidence",
    ]
    for head, symbols, *_ in blocks[:2]:
        assert head.index(" · ") == symbols.index(" · ")


def test_labels_of_wide_signs_are_aligned_too():
    model = Classifier(likely.Multinomial()).fit(["buy", "see"], ["日本語", "ham"])
    assert "prior     · likelihood\nP(日本語) · P(buy | 日本語)\n" in str(model.by_hand("buy"))


def test_a_row_without_a_known_word_has_its_prior():
    model = Classifier(likely.Multinomial()).fit(["buy", "see", "go"], ["spam", "ham", "ham"])
    assert "prior\nP(ham)\n  = 2/3 ≈ 0.667\n\n" in str(model.by_hand("zzz"))


def test_the_evidence_is_the_sum_over_all_classes():
    model = Classifier(likely.Multinomial()).fit(list("abcdef"), list("uvwxyz"))
    by_hand = model.by_hand("a")
    assert math.exp(by_hand.log_evidence) == pytest.approx(
        float(sum(by_hand.product(place) for place in range(6)))
    )
    assert "P(row) = 0.0476 + 0.0238 + 0.0238 + 0.0238 + … = 0.167\n" in str(by_hand)
    assert model.log_evidence(["a"])[0] == pytest.approx(by_hand.log_evidence)


def test_a_probability_too_small_for_four_decimals_is_shown():
    many = ["good " * 9, "bad " * 9]
    shown = str(Classifier(likely.Multinomial()).fit(many, ["pos", "neg"]).by_hand("good " * 9))
    assert "= 1.0000\n" in shown
    # Nine words, each with 10/11 against 1/11.
    assert shown.endswith(" = 1·10⁻⁹")
    assert "= 0.0000" not in shown


def test_a_short_product_says_nothing_of_floating_point_numbers(model):
    shown = str(model.by_hand("good fun"))
    assert "underflow" not in shown
    assert all(one is None for one in map(model.by_hand("good fun").underflow, (0, 1)))


def test_where_a_product_underflows_is_found_by_multiplying(model):
    by_hand = model.by_hand(LONG)
    for place, label in enumerate(CLASSES):
        p = textbook.language_model(label, DATA)
        # As the steps come: the prior, then each word as often as it occurs.
        factors = [0.5]
        for word in dict.fromkeys(LONG.split()):
            factors += [float(p[word])] * LONG.split().count(word)
        product, after = 1.0, 0
        while product:
            product *= factors[after]
            after += 1
        found = by_hand.underflow(place)
        assert (found.after, found.factors) == (after, 321)
        assert f"{after} ({label})" in " ".join(str(by_hand).split())


def test_where_a_product_underflows_logarithms_are_added(model):
    by_hand = model.by_hand(LONG)
    exact = textbook.joint(LONG, DATA, textbook.multinomial)
    logs = {label: textbook.log(joint) for label, joint in exact.items()}
    assert dict(zip(by_hand.classes, by_hand.totals, strict=True)) == pytest.approx(logs)
    evidence = textbook.log(sum(exact.values()))
    posterior = textbook.softmax(logs)
    lines = str(by_hand).split("As floating-point numbers, the products underflow to 0 after ")[1]
    assert " of 321 factors" in lines
    best = max(logs, key=logs.get)
    for label, log in logs.items():
        shown = f"e^({log:.4f} + {-evidence:.4f})".replace("-", "−")
        assert f"P({label} | row) = {shown} = " in lines
    assert f"P({best} | row) = " in lines
    assert f"= {posterior[best]:.4f}" in lines
    assert f") = {evidence:.4f}\n".replace("-", "−") in lines
    priors, likelihoods, sums = (
        [float(number.replace("−", "-")) for number in line.split()[-2:]]
        for line in re.findall(r"^(?:log prior|log likelihood|sum) .*", lines, re.MULTILINE)
    )
    assert priors == pytest.approx([math.log(0.5)] * 2, abs=1e-4)
    assert np.add(priors, likelihoods) == pytest.approx(sums, abs=2e-4)
    assert sums == pytest.approx(sorted(logs.values(), reverse=True), abs=1e-4)


def test_decimals_that_are_exact_are_equal():
    """2/5 is 0.4, and 2/3 is about 0.667."""
    rows = [("a", "pos"), ("b", "pos"), ("a", "neg"), ("b", "neg"), ("b", "neg")]
    values, labels = zip(*rows, strict=True)
    model = Classifier(likely.Categorical(0)).fit({"v": list(values)}, list(labels))
    assert "  = 3/5 · 2/3\n  = 2/5 = 0.4\n" in str(model.by_hand({"v": "b"}))
    assert "  = 3/5 · 1/3\n  = 1/5 = 0.2\n" in str(model.by_hand({"v": "a"}))
    assert "  = 3/5 = 0.6\n" in str(model.by_hand({"v": "c"}))
    thirds = Classifier(likely.Categorical(0)).fit({"v": ["a", "b", "b"]}, ["pos", "neg", "neg"])
    assert "  = 2/3 · 2/2\n  = 2/3 ≈ 0.667\n" in str(thirds.by_hand({"v": "b"}))


def test_an_impossible_class_does_not_underflow():
    texts = ["good " * 3, "bad " * 3]
    by_hand = (
        Classifier(likely.Multinomial(0)).fit(texts, ["pos", "neg"]).by_hand("good bad " * 400)
    )
    assert [by_hand.underflow(place) for place in (0, 1)] == [None, None]
    assert "underflow" not in str(by_hand)


def test_densities_underflow_as_well():
    chance = np.random.default_rng(1)
    x = chance.normal(size=(8, 200)) * 1e6
    by_hand = Classifier(likely.Gaussian()).fit(x, [0, 1] * 4).by_hand(x[0].tolist())
    assert by_hand.underflow(0).factors == 201
    assert "so logarithms are added" in " ".join(str(by_hand).split())


def test_a_long_product_is_cut_short(model):
    words = [f"w{n}" for n in range(60)]
    many = Classifier(likely.Multinomial()).fit([" ".join(words), "w1"], ["a", "b"])
    shown = str(many.by_hand(" ".join(words)))
    assert "· P(w10 | a) · … (46 more) · P(w57 | a) · P(w58 | a) · P(w59 | a)" in " ".join(
        shown.split()
    )
    assert shown.count("…") == 4
    assert len(many.by_hand(" ".join(words)).to_json()["steps"]) == 61


def test_a_text_of_thousands_of_words_is_written():
    """An integer of more than 4,300 digits cannot be spelled."""
    words = " ".join(f"w{n}" for n in range(3000))
    by_hand = (
        Classifier(likely.Multinomial()).fit([words, "b"], ["x", "y"]).by_hand(words, bag=True)
    )
    assert "≈ " in str(by_hand)
    facts = by_hand.to_json()
    assert facts["products"] == [None, None]
    assert facts["underflows_after"][0] < facts["underflows_after"][1] + 3000
    json.dumps(facts, allow_nan=False)


@pytest.mark.parametrize("row", ["good fun", LONG, "zzz"])
def test_lines_fit_a_terminal(model, row):
    for bag in (False, True):
        assert max(map(len, str(model.by_hand(row, bag=bag)).splitlines())) <= 80


def test_json_has_every_term(model):
    by_hand = model.by_hand("good fun")
    facts = by_hand.to_json()
    assert [(step["name"], step["term"]) for step in facts["steps"]] == [
        ("prior", "prior"),
        ("good", "likelihood"),
        ("fun", "likelihood"),
    ]
    exact = textbook.joint("good fun", DATA, textbook.multinomial)
    assert [Fraction(one) for one in facts["products"]] == [exact[c] for c in facts["classes"]]
    assert np.add(facts["log_prior"], facts["log_likelihood"]) == pytest.approx(facts["sums"])
    assert facts["log_evidence"] == pytest.approx(textbook.log(sum(exact.values())))
    posterior = textbook.posterior("good fun", DATA, textbook.multinomial)
    assert facts["posterior"] == pytest.approx([float(posterior[c]) for c in facts["classes"]])
    assert facts["underflows_after"] == [None, None]


def test_json_of_an_impossible_row_has_no_infinities():
    model = Classifier(likely.Multinomial(0)).fit(["good", "bad"], ["pos", "neg"])
    facts = model.by_hand("good bad").to_json()
    assert (facts["products"], facts["log_evidence"]) == (["0", "0"], "-inf")
    json.dumps(facts, allow_nan=False)


@pytest.mark.parametrize(
    "likelihood",
    [likely.Multinomial(), likely.BinaryMultinomial(), likely.Bernoulli()],
    ids=str,
)
def test_a_compact_copy_computes_the_same(likelihood):
    texts, labels = map(list, zip(*DATA, strict=True))
    model = Classifier(likelihood).fit(texts, labels)
    assert str(model.compact().by_hand("good fun")) == str(model.by_hand("good fun"))
