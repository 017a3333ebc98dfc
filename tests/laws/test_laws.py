"""The algebra, asked of every likelihood. A new one joins with a line in EVERY_MODEL."""

import pickle
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely.errors import NotLearnedError
from likely.likelihoods import TextViews
from likely.likelihoods.number_views import NumberView
from likely.likelihoods.product import Product
from likely.likelihoods.text_views import View
from likely.tally import Tally, observe
from likely.tally.ledger import Ledger

from .strategies import batch, rows, seen

LEXICON = likely.Lexicon({"a": "positive", "b": "negative", "3.14 b": "odd", ":)": "positive"})
CLOSE = likely.Text(
    (1, 2),
    (2, 3),
    normalize=True,
    punctuation=True,
    surface_features=True,
    negation=likely.Negation(negators=["b", "*t"], ends=["a"], unless=["3.14"]),
    stop_words=["naïve"],
    stem="en",
    lexicon=LEXICON,
)
RULES = likely.Rules(
    [
        likely.Rule("word", "spam", words=["a", "naïve", "日本"]),
        likely.Rule("colour", "ham", column="u", words=["red", "light blue"]),
        likely.Rule("pattern", "eggs", pattern=r"\d|b"),
    ]
)

VIEWS = TextViews(text=likely.Text((1, 2), (2, 3), punctuation=True)).with_views(
    (
        View("word", "multinomial", 0.2, 2, 0.5, 0.0),
        View("word", "binary-multinomial", 1.0, 2, 0.0, 1.5),
        View("bigram", "binary complement", 0.2, 1, 0.25, 0.75),
        View("char n-gram", "complement", 1.0, 2, 0.0, 0.3),
    )
)

NUMBERS = likely.NumberViews().with_views(
    (
        NumberView("bins", ("a",), 2.0, "skip", 0.5),
        NumberView("bins", ("b",), 32.0, "value", 1.5),
        NumberView("shared", ("a", "b"), weight=0.25),
        NumberView("full", ("a", "b"), weight=0.75),
    )
)

EVERY_MODEL = [
    {"text": likely.Multinomial()},
    {"text": likely.BinaryMultinomial()},
    {"text": likely.Bernoulli()},
    {"text": likely.Complement()},
    {"text": likely.Multinomial(text=likely.Text(word_ngrams=(1, 3)))},
    {"text": likely.Multinomial(text=likely.Text(word_ngrams=2))},
    {"text": likely.Multinomial(text=likely.Text(word_ngrams=None, char_ngrams=(1, 4)))},
    {
        "text": likely.Multinomial(
            text=likely.Text(word_ngrams=(1, 2), char_ngrams=(3, 5), lowercase=False)
        )
    },
    {"text": likely.Multinomial(text=CLOSE)},
    {"text": likely.Multinomial(tfidf=True)},
    {"text": likely.Complement(0.5, tfidf=True)},
    {"text": [likely.Bernoulli(text=CLOSE), likely.Polarity(LEXICON, negation=None)]},
    {"text": VIEWS},
    {"text": VIEWS, "a": likely.Gaussian(), "u": likely.Categorical()},
    {("u", "v"): likely.Categorical()},
    {("u", "v"): likely.Categorical(2.0, p="pooled")},
    {("d", "e"): likely.Dates()},
    {"u": likely.ShortText(), "v": likely.ShortText(0.5, text=likely.Text((1, 2)))},
    {"d": likely.Dates(day_first=True), "u": likely.Categorical()},
    {("u", "v"): likely.JointTable()},
    {("a", "b"): likely.Gaussian()},
    {("a", "b"): likely.Gaussian("shared")},
    {("a", "b"): likely.Binned()},
    {
        "a": likely.Binned(2.0, bits=52),
        "b": likely.Binned(missing="value"),
        "u": likely.Categorical(),
    },
    {("a", "b"): likely.Gaussian("full")},
    {("a", "b"): likely.Gaussian("shared", m=2.0)},
    {("a", "b"): likely.Gaussian("full", m=3.0)},
    {("a", "b"): likely.Gaussian("full", reg_covar=0.01)},
    {("a", "b"): likely.Gaussian(reg_covar=0.01)},
    {"u": likely.Categorical(missing="value")},
    {("a", "b"): likely.NumberViews()},
    {("a", "b"): NUMBERS, "u": likely.Categorical()},
    {"text": likely.BinaryMultinomial(), "a": likely.Gaussian(), "u": likely.Categorical()},
    {"w": likely.Vectors(length=3, step=0.25, variance=1.0)},
    {"text": likely.Multinomial(), "w": likely.Vectors(2.0, length=3, step=2.0**-13, variance=4.0)},
    {("text", "u"): likely.RuleFeatures(RULES)},
    {"text": likely.Multinomial(), ("text", "u"): likely.RuleFeatures(RULES, alpha=0.5)},
]

PRODUCTS = [Product.of(model) for model in EVERY_MODEL]
NONE = Ledger.of(False)


def every_model(test):
    """The test, for each product of likelihoods."""
    named = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: str(product.by_column))
    return named(settings(max_examples=40)(test))


@every_model
@given(a=rows(), b=rows())
def test_observing_together_equals_adding_apart(product, a, b):
    together = observe(product, batch(product, a + b))
    assert together == observe(product, batch(product, a)) + observe(product, batch(product, b))


@every_model
@given(a=rows(), b=rows())
def test_the_order_of_adding_does_not_matter(product, a, b):
    first, second = observe(product, batch(product, a)), observe(product, batch(product, b))
    assert first + second == second + first


@every_model
@given(a=rows(), b=rows(), c=rows())
def test_the_grouping_of_adding_does_not_matter(product, a, b, c):
    first, second, third = (observe(product, batch(product, part)) for part in (a, b, c))
    assert (first + second) + third == first + (second + third)


@every_model
@given(a=rows())
def test_adding_nothing_changes_nothing(product, a):
    tally, zero = observe(product, batch(product, a)), Tally.zero(product)
    assert tally + zero == zero + tally == tally
    assert observe(product, batch(product, [])) == zero


@every_model
@given(a=rows(), b=rows())
def test_subtracting_undoes_adding(product, a, b):
    first, second = observe(product, batch(product, a)), observe(product, batch(product, b))
    assert (first + second) - second == first
    assert first - first == Tally.zero(product)


@every_model
@given(a=rows(max_size=12), order=st.randoms(use_true_random=False), threads=st.integers(1, 4))
def test_the_order_of_rows_and_the_threads_do_not_matter(product, a, order, threads):
    tally = observe(product, batch(product, a))
    order.shuffle(a)
    assert observe(product, batch(product, a), threads=threads) == tally


@every_model
@given(a=rows(), b=rows())
def test_what_was_never_added_cannot_be_subtracted(product, a, b):
    tally, other = observe(product, batch(product, a)), observe(product, batch(product, b))
    before = tally
    learned, forgotten = Counter(seen(product, a)), Counter(seen(product, b))
    if forgotten <= learned:
        tally -= other
        for row in seen(product, b):
            a.pop(seen(product, a).index(row))
        assert tally == observe(product, batch(product, a))
    else:
        with pytest.raises(NotLearnedError):
            tally -= other
        assert tally == before


@every_model
@given(a=rows(), b=rows())
def test_adding_leaves_the_parts_as_they_were(product, a, b):
    first, second = observe(product, batch(product, a)), observe(product, batch(product, b))
    kept = pickle.loads(pickle.dumps(first))
    _ = first + second
    assert first == kept
    assert (first == second) == (Counter(seen(product, a)) == Counter(seen(product, b)))


@every_model
@given(a=rows(max_size=10))
def test_a_stored_tally_comes_back(product, a):
    tally = observe(product, batch(product, a))
    assert Tally.from_arrays(tally.schema, product, tally.arrays()) == tally


@every_model
@given(a=rows(), b=rows())
def test_without_a_ledger_what_remains_could_have_been_counted(product, a, b):
    tally, other = (observe(product, batch(product, part), NONE) for part in (a, b))
    before = tally
    try:
        tally -= other
    except NotLearnedError:
        assert tally == before
    else:
        assert Tally.from_arrays(tally.schema, product, tally.arrays()) == tally
        tally += other
        assert tally == before
