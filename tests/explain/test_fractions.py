"""The fractions that are printed multiply to the probability that the model computes."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import BernoulliNB

import likely
from likely import Classifier, textbook

RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
WORDS = st.sampled_from(["good", "bad", "fun", "dull", "plot", "star", "end", "so"])
DOCUMENTS = st.lists(WORDS, max_size=6).map(" ".join)
LABELS = st.sampled_from(["+", "-", "neutral"])
CELLS = st.sampled_from(["red", "green", "blue", None])
DATES = st.sampled_from(["2024-03-05", "2023-12-31", "2024-03-12", None])
ROWS = st.fixed_dictionaries({"text": DOCUMENTS, "u": CELLS, "v": CELLS, "d": DATES})
TABLES = st.lists(st.tuples(ROWS, LABELS), min_size=2, max_size=8)

RULES = likely.Rules(
    [likely.Rule("praise", "+", words=["good", "fun"]), likely.Rule("so", "-", words=["so"])]
)
EVEN = {"red": 0.25, "green": 0.25, "blue": 0.5}
FRACTIONAL = [
    {"text": likely.Multinomial()},
    {"text": likely.Multinomial(0.3)},
    {"text": likely.Multinomial(0)},
    {"text": likely.Multinomial(neutral=["so"])},
    {"text": likely.Multinomial(text=likely.Text((1, 2)))},
    {"text": likely.BinaryMultinomial()},
    {"text": likely.BinaryMultinomial(0)},
    {"text": likely.Bernoulli()},
    {"text": likely.Bernoulli(0.3)},
    {"text": likely.Bernoulli(0)},
    {"text": likely.Bernoulli(neutral=["so"])},
    {"text": likely.Bernoulli(text=likely.Text((1, 2)))},
    {("u", "v"): likely.Categorical()},
    {("u", "v"): likely.Categorical(0)},
    {("u", "v"): likely.Categorical(alpha=0.7)},
    {("u", "v"): likely.Categorical(2.0, p="pooled")},
    {("u", "v"): likely.Categorical(1.5, p={"u": EVEN})},
    {("u", "v"): likely.Categorical(missing="value")},
    {("u", "v"): likely.Categorical(0, missing="value")},
    {"d": likely.Dates()},
    {("u", "v"): likely.JointTable()},
    {("u", "v"): likely.JointTable(0)},
    {("u", "v"): likely.JointTable(alpha=0.5)},
    {"text": likely.RuleFeatures(RULES)},
    {"text": likely.Multinomial(), "u": likely.Categorical(), "v": likely.Categorical(0.5)},
]


def value(term):
    """A term as it is printed, as a number: `2/34`, `(2/34)³`, `0.02`, `[1/2 · 1/3]`."""
    if term.startswith("["):
        return math.prod(map(value, term[1:-1].split(" · ")), start=Fraction(1))
    inside, power = re.fullmatch(r"\(?([\d/.]+)\)?([⁰¹²³⁴⁵⁶⁷⁸⁹]*)", term).groups()
    return Fraction(inside) ** int(power.translate(RAISED) or 1)


def printed(found):
    """For each class, the product of the numbers in its line of numbers."""
    blocks = [block for block in str(found).split("\n\n") if block.startswith("prior")]
    products = {}
    for block in blocks:
        label = re.search(r"^P\((.+?)\)", block, re.MULTILINE)[1]
        numbers = re.search(
            r"^  = (.*?)(?: [=≈] .*)?$(?=\n  [=≈]|\Z)", block, re.MULTILINE | re.DOTALL
        )
        line = " ".join(numbers[1].split())
        terms = re.findall(r"\[.*?\]|[^ ·]+", line)
        products[label] = math.prod(map(value, terms), start=Fraction(1))
    return products


@pytest.mark.parametrize("likelihood", FRACTIONAL, ids=str)
@settings(max_examples=25)
@given(
    drawn=TABLES,
    new=ROWS,
    prior=st.sampled_from(["empirical", "uniform", "empirical+0.5", {"+": 0.15}]),
)
def test_the_printed_fractions_multiply_to_the_joint_probability(likelihood, drawn, new, prior):
    labels = [label for _, label in drawn]
    assume(len(set(labels)) > 1 and (prior != {"+": 0.15} or {"+", "-", "neutral"} <= set(labels)))
    x = {name: [row[name] for row, _ in drawn] for name in new}
    used = [name for key in likelihood for name in ((key,) if isinstance(key, str) else key)]
    model = Classifier(likelihood, prior=prior).fit({name: x[name] for name in used}, labels)
    row = {name: new[name] for name in used}
    (expected,) = np.exp(model.log_joint({name: [cell] for name, cell in row.items()}))
    found = model.by_hand(row)
    products = [found.product(place) for place in range(len(model.classes))]
    assert [float(one) for one in products] == pytest.approx(expected, rel=1e-12, abs=0)
    # Absent words of many different probabilities are printed as one decimal.
    if all(len(powers) <= 4 for step in found.steps for powers in step.powers):
        shown = printed(found)
        assert [shown[label] for label in model.classes] == products


@settings(max_examples=30)
@given(drawn=st.lists(st.tuples(DOCUMENTS, LABELS), min_size=2, max_size=8), new=DOCUMENTS)
def test_texts_are_those_of_the_textbook(drawn, new):
    assume(len({label for _, label in drawn}) > 1)
    texts, labels = map(list, zip(*drawn, strict=True))
    for likelihood, binary in ((likely.Multinomial(), False), (likely.BinaryMultinomial(), True)):
        found = Classifier(likelihood).fit(texts, labels).by_hand(new)
        expected = textbook.joint(new, drawn, textbook.multinomial, binary=binary)
        assert dict(zip(found.classes, map(found.product, range(3)), strict=False)) == expected
    bag = Classifier(likely.Multinomial()).fit(texts, labels).by_hand(new, bag=True)
    expected = textbook.joint(new, drawn, textbook.bag_of_words)
    assert dict(zip(bag.classes, map(bag.product, range(3)), strict=False)) == expected


@settings(max_examples=30)
@given(
    drawn=st.lists(st.tuples(st.tuples(CELLS, CELLS), LABELS), min_size=2, max_size=8),
    new=st.tuples(CELLS, CELLS),
)
def test_categories_are_those_of_the_textbook(drawn, new):
    known = [(row, label) for row, label in drawn if None not in row]
    assume(len({label for _, label in known}) > 1 and None not in new)
    x = {name: [row[place] for row, _ in known] for place, name in enumerate("uv")}
    labels, cells = [label for _, label in known], dict(zip("uv", new, strict=True))
    for m in (0, 1, 2.5):
        found = Classifier({("u", "v"): likely.Categorical(m)}).fit(x, labels).by_hand(cells)
        expected = textbook.joint(new, known, textbook.categorical, m=m)
        assert [found.product(k) for k in range(len(expected))] == list(expected.values())
    table = Classifier({("u", "v"): likely.JointTable(0)}).fit(x, labels).by_hand(cells)
    if all(value in x[name] for name, value in cells.items()):
        expected = textbook.joint(new, known, textbook.full_table)
        assert [table.product(k) for k in range(len(expected))] == list(expected.values())


@settings(max_examples=30)
@given(drawn=st.lists(st.tuples(DOCUMENTS, LABELS), min_size=2, max_size=8), new=DOCUMENTS)
def test_bernoulli_is_that_of_scikit_learn_and_of_the_formula(drawn, new):
    texts, labels = map(list, zip(*drawn, strict=True))
    vocabulary = sorted({word for text in texts for word in text.split()})
    assume(len(set(labels)) > 1 and vocabulary)
    found = Classifier(likely.Bernoulli()).fit(texts, labels).by_hand(new)

    def present(text):
        return [int(word in text.split()) for word in vocabulary]

    theirs = BernoulliNB().fit([present(text) for text in texts], labels)
    (expected,) = theirs.predict_joint_log_proba([present(new)])
    assert found.totals == pytest.approx(expected, rel=1e-9, abs=1e-9)
    for place, label in enumerate(found.classes):
        own = [text.split() for text, of in drawn if of == label]
        product = Fraction(len(own), len(drawn))
        for word in vocabulary:
            p = Fraction(sum(word in text for text in own) + 1, len(own) + 2)
            product *= p if word in new.split() else 1 - p
        assert found.product(place) == product


def test_a_missing_cell_as_a_value_has_a_factor_of_its_own():
    x = {"sky": ["blue", "grey", "grey", "blue", None]}
    model = Classifier({"sky": likely.Categorical(missing="value")})
    model = model.fit(x, ["out", "in", "in", "out", "in"])
    # One of five cells is missing; m = 1 virtual row has that share.
    missing = [Fraction(3, 5) * (1 + Fraction(1, 5)) / 4, Fraction(2, 5) * Fraction(1, 5) / 3]
    found = model.by_hand({"sky": None})
    assert [found.product(0), found.product(1)] == missing
    assert "P(sky missing | in)" in str(found)
    there = model.by_hand({"sky": "grey"})
    assert [step.name for step in there.steps] == ["prior", "sky not missing", "sky=grey"]


def test_a_joint_table_adds_up_the_cells_of_what_is_missing():
    x = {"u": ["a", "a", "b", "b"], "v": ["p", "q", "p", "p"]}
    model = Classifier({("u", "v"): likely.JointTable(2)}).fit(x, ["x", "x", "y", "y"])
    found = model.by_hand({"u": "a", "v": None})
    assert str(found).startswith("prior · likelihood\nP(x) · P(u=a | x)\n  = 2/4 · 3/4\n")
    assert found.product(1) == Fraction(1, 2) * Fraction(1, 4)


def test_few_absent_words_have_a_factor_each_and_many_have_one():
    few = Classifier(likely.Bernoulli()).fit(["good fun", "bad"], ["+", "-"]).by_hand("fun")
    assert "P(+) · P(fun | +) · (1 − P(bad | +)) · (1 − P(good | +))\n" in str(few)
    words = [f"w{n}" for n in range(20)]
    texts = [" ".join(words[:12]), " ".join(words[6:])]
    many = Classifier(likely.Bernoulli()).fit(texts, ["+", "-"]).by_hand("w0 w1")
    assert "P(+) · P(w0 | +) · P(w1 | +) · P(18 absent words | +)\n" in str(many)
    # Of the 18, the class has 10, each with probability 2/3, and lacks 8, with 1/3.
    assert "  = 1/2 · 2/3 · 2/3 · [(1/3)¹⁰ · (2/3)⁸]\n" in str(many)


def test_absent_words_of_many_probabilities_are_a_decimal():
    texts = [" ".join(f"w{n}" for n in range(k, 20)) for k in range(0, 20, 2)]
    found = Classifier(likely.Bernoulli()).fit([*texts, "x"], ["+"] * 10 + ["-"]).by_hand("x")
    step = found.steps[-1]
    exact = math.prod(
        (Fraction(10 - sum(f"w{n}" in t.split() for t in texts) + 1, 12) for n in range(20)),
        start=Fraction(1),
    )
    assert step.name == "20 absent words"
    assert found.product(0) == Fraction(10, 11) * Fraction(1, 12) * exact
    assert f"· {float(exact):.2e}".replace("e-0", "·10⁻").replace("e-", "·10⁻")[:6] in str(found)


def test_rules_that_do_not_fire_are_factors_too():
    rows = {"text": ["good", "so", "good fun", "end"]}
    model = Classifier({"text": likely.RuleFeatures(RULES)}).fit(rows, ["+", "-", "+", "-"])
    shown = str(model.by_hand({"text": "fun"}))
    assert "P(+) · P(rule=praise | +) · (1 − P(rule=so | +))\n  = 2/4 · 3/4 · 3/4\n" in shown
