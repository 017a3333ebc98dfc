"""The features that speak for a class, beside the same sums in NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likely import BinaryMultinomial, Classifier, Multinomial, Text
from likely.likelihoods.text_views import TextViews, View
from tests.tuned import with_weights

TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=9).map(" ".join), min_size=3)


def slowly(model, counted, n, apart=None):
    """Every feature compared, then all of them sorted."""
    (counts,), classes = model.tally.statistics, model.tally.view()
    seen = classes.slots if classes.every is None else np.append(classes.slots, classes.every[0])
    (cells, of, times, documents), codes = counts.cells(), counts.codes()
    feature = np.repeat(np.arange(len(codes.names)), cells)
    block = np.repeat(np.arange(len(codes.sizes)), codes.sizes)
    times = {"times": times, "documents": documents}[counted] * (block[feature] != apart)
    table = np.zeros((len(codes.names), len(seen)))
    table[feature, of] = times
    totals = table.sum(axis=1) if classes.every is None else table[:, -1]
    alpha, found = 0.5, {}
    smooth = alpha * len(codes.names)
    for place, label in enumerate(classes.labels):
        here, there = table[:, place] + alpha, totals - table[:, place] + alpha
        size = table[:, place].sum()
        odds = np.log(here / (size + smooth))
        odds -= np.log(there / (totals.sum() - size + smooth))
        strength = np.where(table[:, place] > 0, odds / np.sqrt(1 / here + 1 / there), 0)
        best = [i for i in np.argsort(-strength.round(9), kind="stable") if strength[i] > 1e-9]
        found[label] = [(codes.names[i], odds[i]) for i in best[:n]]
    return found


def alike(found, expected):
    assert found.keys() == expected.keys()
    for label, one in found.items():
        assert [odds for _, odds in one] == pytest.approx([odds for _, odds in expected[label]])


@given(TEXTS, st.integers(0, 20), st.booleans())
def test_they_are_those_that_all_comparisons_give(texts, n, once):
    labels = ["x", "y", "z"] * len(texts)
    likelihood = (BinaryMultinomial if once else Multinomial)(0.5, text=Text(word_ngrams=(1, 2)))
    model = Classifier(likelihood).fit(texts, labels[: len(texts)])
    alike(model.top_features(n), slowly(model, "documents" if once else "times", n))


@given(TEXTS)
def test_labels_are_compared_with_all_rows(texts):
    labels = [["x"], ["x", "y"], []] * len(texts)
    model = Classifier(Multinomial(0.5)).fit(texts, labels[: len(texts)])
    alike(model.top_features(5), slowly(model, "times", 5))


def test_of_equals_the_first_in_the_alphabet_come_first():
    model = Classifier(Multinomial(0.5)).fit(["d c b a", "x y"], ["p", "q"])
    assert [name for name, _ in model.top_features(2)["p"]] == ["a", "b"]
    forgetful = model.update(["e"], ["p"])
    forgetful.forget(["e"], ["p"])
    assert forgetful.top_features(3) == Classifier(Multinomial(0.5)).fit(
        ["x y", "a b c d"], ["q", "p"]
    ).top_features(3)


def test_runs_of_characters_leave_it_to_the_words():
    text = Text(word_ngrams=(1, 2), char_ngrams=(2, 3))
    model = Classifier(Multinomial(0.5, text=text)).fit(["good fun", "dull"], ["pos", "neg"])
    assert [name for name, _ in model.top_features()["pos"]] == ["fun", "good", "good fun"]
    assert [name for name, _ in model.top_features()["neg"]] == ["dull"]


def test_what_takes_no_part_is_not_told():
    texts, labels = ["so so good", "so so fine", "dull", "dull fare"], ["p", "p", "q", "q"]

    def told(likelihood, *views):
        model = Classifier(likelihood).fit(texts, labels)
        top = (with_weights(model, views) if views else model).top_features()
        return {name for names in top.values() for name, _ in names}

    assert told(Multinomial()) == {"so", "good", "fine", "dull", "fare"}
    assert told(Multinomial(skip_top=1)) == {"good", "fine", "dull", "fare"}
    assert told(Multinomial(neutral=["dull", "good"])) == {"so", "fine", "fare"}
    pairs = View("bigram", "multinomial", whole=1.0)
    rare = View("word", "multinomial", min_documents=2, whole=1.0)
    text = Text((1, 2), (3, 4))
    assert told(TextViews(text=text), pairs) == {"so so", "so good", "so fine", "dull fare"}
    assert told(TextViews(text=text), rare) == {"so", "dull"}
    pieces = View("char n-gram", "multinomial", whole=1.0)
    assert " so" in told(TextViews(text=text), pieces)
