"""What was asked of a model is in its file: it learns anew as it did, whatever became of it."""

import os
import pickle
import subprocess
import sys

import pytest

from likely import (
    BinaryMultinomial,
    Categorical,
    Classifier,
    Gaussian,
    Multinomial,
    Rule,
    RuleFeatures,
    Rules,
    Text,
    TextViews,
)
from likely.classifier import from_bytes
from likely.likelihoods.product import Product
from tests.forging import LABELS, SECRET, TABLE, TEXTS

T = {"text": TEXTS}
G, C = Gaussian(), Categorical()
RULES = RuleFeatures(Rules([Rule("red", "pos", column="u", words=["red"])]))


def plan(x, **options):
    return Classifier(**options).plan(x, LABELS)


ASKED = {
    "picked": (lambda: Classifier(), TEXTS),
    "one": (lambda: Classifier(TextViews(), tune=True), TEXTS),
    "one, and a stacked linear model": (
        lambda: Classifier(TextViews(), tune=True, stack_linear=True),
        T,
    ),
    "by column": (lambda: Classifier({"text": TextViews()}, tune=True), T),
    "by column, and a stacked linear model": (
        lambda: Classifier({"text": TextViews()}, tune=True, stack_linear=True),
        T,
    ),
    "costs": (lambda: Classifier(Multinomial(), costs={("pos", "neg"): 3.5}), TEXTS),
    "the threshold of a class": (lambda: Classifier(thresholds={"pos": "recall>=0.9"}), TEXTS),
    "a threshold that is given": (
        lambda: Classifier({"text": Multinomial()}, thresholds={"pos": 0.75}),
        T,
    ),
    "a plan": (lambda: Classifier(plan(T)), T),
    "a plan with a secret": (lambda: Classifier(plan(T, ledger=SECRET)), T),
    "a plan of stems": (
        lambda: Classifier(plan(T, likelihood=Multinomial(text=Text(stem="english")))),
        T,
    ),
}
WAYS = {
    "as it is": lambda model, x: model.fit(x, LABELS),
    "a compact copy": lambda model, x: model.fit(x, LABELS).compact(),
    "with unlabeled rows": lambda model, x: model.fit(x, LABELS, unlabeled=x, unlabeled_weight=1),
    "with neutral terms": lambda model, x: model.fit(x, LABELS).with_neutral(["good"]),
    "a neutral copy": lambda model, x: model.fit(x, LABELS).compact().with_neutral(["good"]),
    "unlabeled rows and neutral terms": lambda model, x: model.fit(
        x, LABELS, unlabeled=x, unlabeled_weight=1
    ).with_neutral(["good"]),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("asked", ASKED)
def test_a_loaded_model_learns_anew_as_the_one_that_was_saved(asked, way):
    make, x = ASKED[asked]
    model = WAYS[way](make(), x)
    loaded = from_bytes(model.to_bytes(), SECRET if "secret" in asked else None)
    assert loaded.to_bytes() == model.to_bytes()
    assert loaded.fit(x, LABELS).to_bytes() == model.fit(x, LABELS).to_bytes()


@pytest.mark.parametrize("way", ["as it is", "with unlabeled rows"])
@pytest.mark.parametrize("asked", ["one", "by column", "a plan"])
def test_what_was_asked_for_stays_when_terms_become_neutral(asked, way):
    make, x = ASKED[asked]
    model = WAYS[way](make(), x).with_neutral(["good"]).fit(x, LABELS)
    assert isinstance(model.fitted.plan.product.factors[0].likelihood, TextViews)
    assert (
        model.to_bytes() == make().fit(x, LABELS).with_neutral(["good"]).fit(x, LABELS).to_bytes()
    )


def test_columns_keep_their_order_when_a_loaded_model_learns_anew():
    model = Classifier({"a": Gaussian(), "u": Categorical(), "b": Gaussian()}).fit(TABLE, "y")
    for loaded in (from_bytes(model.to_bytes()), pickle.loads(pickle.dumps(model))):
        assert loaded.fit(TABLE, "y").columns == ("a", "u", "b")
        assert loaded.to_bytes() == model.to_bytes()


SUM = """
import hashlib, likely
from likely.classifier import from_bytes

def model(x, y):
    missing = ["NA", "-", "?", "none", "nil", "x"]
    return likely.Classifier({"text": likely.Multinomial()}, missing=missing).fit(x, y)

texts, labels = ["good fun", "bad", "so good", "so bad"], ["p", "n", "p", "n"]
one = model({"text": texts, "y": labels}, "y")
other = from_bytes(model({"text": texts}, labels).to_bytes())
print(hashlib.sha256((one + other).to_bytes()).hexdigest())
"""


def test_sums_have_the_same_bytes_in_every_process():
    def summed(seed):
        given = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run([sys.executable, "-c", SUM], env=given, capture_output=True).stdout

    assert len({summed(seed) for seed in "0145"}) == 1


def test_sums_know_the_secret_that_one_of_them_knows():
    model = Classifier(Multinomial(), ledger=SECRET).fit(TEXTS, LABELS)
    stranger = from_bytes(model.to_bytes())
    for both in (model + stranger, stranger + model):
        assert both.forget(TEXTS, LABELS).rows_left == len(TEXTS)


WIDE = {f"c{i}": (G, C, BinaryMultinomial())[i % 3] for i in range(40)}


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize(
    "given",
    [
        {"a": G, "u": C, "b": G},
        {("a", "b"): G, "u": C, "c": G},
        {"u": C, ("a", "b"): G},
        {("a", "b"): G, ("c", "d"): G},
        {"a": [G, C], "t": BinaryMultinomial(), "b": [G, C]},
        {"a": [G, C], "t": BinaryMultinomial(), "b": [C, G]},
        {"text": BinaryMultinomial(), "v": C, ("text", "u"): RULES},
        {("text", "u"): RULES, "v": C, "text": BinaryMultinomial(), "w": C},
        {"v": C, "x": G, ("text", "u"): RULES, "w": C, "text": BinaryMultinomial()},
        {("u", "v"): RULES, "x": G, "v": C, "y": G, "u": C},
        {("u", "a"): RULES, "x": G, "u": C, "a": C, "y": G, "w": C},
        WIDE,
    ],
    ids=str,
)
def test_likelihoods_by_column_give_their_product_back(given, apart):
    product = Product.of(given, apart=apart)
    assert Product.of(product.by_column, apart=apart) == product


def test_long_texts_have_character_ngrams_unless_they_are_many(monkeypatch):
    from likely.likelihoods import text_views

    def reading(texts, labels):
        (factor,) = Classifier().plan(texts, labels).product.factors
        return factor.likelihood.text.word_ngrams, factor.likelihood.text.char_ngrams

    short, long = ["a few words", "some more of them"], ["word " * 200, "more words " * 100]
    assert reading(short, ["a", "b"]) == ((1, 2), (3, 5))
    assert reading(long, ["a", "b"]) == ((1, 3), (3, 5))
    # Under each label of several they take long, and pay off only in messages.
    assert reading(long, [["a"], ["a", "b"]]) == ((1, 3), None)
    monkeypatch.setattr(text_views, "_MANY", sum(map(len, long)) - 1)
    assert reading(long, ["a", "b"]) == ((1, 3), None)
    assert reading(short, ["a", "b"]) == ((1, 2), (3, 5))
