"""Rows that belong to several classes in part keep the laws of whole rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likely.data.labels import Labels, Shares
from likely.data.table import Batch
from likely.tally import Tally, observe

from .strategies import batch, rows
from .test_laws import NONE, PRODUCTS

VALUES = ("eggs", "ham", "spam")
# Far from what a row in parts would overflow.
MODEST = st.one_of(st.sampled_from([None, 0.0, 1.0, 0.1, 1e8 + 1e-3, 1e-300]), st.floats(-10, 10))


def likelihoods(product):
    return [factor.likelihood for factor in product.factors]


# With `tfidf` rows have no probability, and idf counts whole documents.
JOINT = [
    product
    for product in PRODUCTS
    if product.is_joint and not any(getattr(each, "tfidf", False) for each in likelihoods(product))
]
# Covariances divide by the rows less one or more.
PLAIN = [p for p in JOINT if not {"lda", "qda"} & {each.name for each in likelihoods(p)}]


def each_of(products):
    named = pytest.mark.parametrize("product", products, ids=lambda product: str(product.by_column))
    return lambda test: named(settings(max_examples=20, deadline=None)(test))


def in_parts(product, read, parts):
    return Batch(read.parts, Shares(VALUES, np.array(parts, dtype=np.uint64).reshape(-1, 3)))


def some_parts(draw, n):
    part = st.one_of(st.integers(0, 3), st.integers(0, Shares.per_row))
    return draw(st.lists(st.lists(part, min_size=3, max_size=3), min_size=n, max_size=n))


@each_of([p for p in PRODUCTS if "vectors" not in {each.name for each in likelihoods(p)}])
@given(a=rows(numbers=MODEST), b=rows(numbers=MODEST), data=st.data())
def test_parts_add_up_whatever_the_chunks_and_threads(product, a, b, data):
    parts = [some_parts(data.draw, len(each)) for each in (a, b)]
    tallies = [
        observe(product, in_parts(product, batch(product, each), part))
        for each, part in zip((a, b), parts, strict=True)
    ]
    together = in_parts(product, batch(product, a + b), parts[0] + parts[1])
    whole = observe(product, together, threads=3)
    assert whole == tallies[0] + tallies[1] == tallies[1] + tallies[0]
    assert whole - tallies[1] == tallies[0]
    stored = Tally.from_arrays(whole.schema, product, whole.arrays())
    assert stored == whole


def whole_and_in_parts(product, given):
    read = batch(product, given)
    shares = Shares.whole(read.labels, tuple(sorted(set(read.labels.values))))
    in_parts = Batch(read.parts, shares)
    return read, observe(product, read, NONE), observe(product, in_parts)


@each_of(PLAIN)
@given(given=rows(max_size=8, numbers=MODEST).filter(len))
def test_a_row_with_all_its_parts_in_one_class_is_a_whole_row(product, given):
    read, whole, parts = whole_and_in_parts(product, given)
    assert parts.n_rows == whole.n_rows
    expected, found = (
        product.score(product.estimate(tally, tally.view()), read.parts, 1)
        for tally in (whole, parts)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@each_of(JOINT)
@given(given=rows(max_size=4, numbers=MODEST).filter(len))
def test_leaving_out_a_row_in_parts_is_taking_all_of_them_back(product, given):
    # Every class keeps a row when one is left out.
    given = given + [(cells, label) for cells, label in given[::-1]]
    read, _, tally = whole_and_in_parts(product, given)
    classes = tally.view()
    place = {label: np.uint32(c) for c, label in enumerate(classes.labels)}
    truth = np.array([place[label] for _, label in given], dtype=np.uint32)
    fast = product.leave_one_out(tally, classes, read, truth, 1)
    for row in range(len(given)):
        one = batch(product, given[row : row + 1])
        shares = Shares.whole(Labels(one.labels.values, one.labels.slots), classes.labels)
        rest = tally - observe(product, Batch(one.parts, shares))
        weights = product.estimate(rest, rest.view(classes.labels))
        slow = product.score(weights, one.parts, 1)[0]
        np.testing.assert_allclose(fast[row], slow, rtol=1e-7, atol=1e-7)
