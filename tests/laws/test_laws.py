"""The algebra, asked of every likelihood. A new one joins with a line in EVERY_LIKELIHOOD."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import likely
from likely.errors import NotLearnedError
from likely.ledger import Ledger
from likely.tally import Tally, observe

from .strategies import batch, rows

EVERY_LIKELIHOOD = [
    likely.Multinomial(),
    likely.Binary(),
    likely.Bernoulli(),
    likely.Complement(),
    likely.Multinomial(text=likely.Text(words=(1, 3))),
    likely.Multinomial(text=likely.Text(words=2)),
    likely.Multinomial(text=likely.Text(words=None, chars=(1, 4))),
    likely.Multinomial(text=likely.Text(words=(1, 2), chars=(3, 5), lowercase=False)),
]

every_likelihood = pytest.mark.parametrize("likelihood", EVERY_LIKELIHOOD, ids=repr)
NONE = Ledger.of(False)


@every_likelihood
@given(a=rows(), b=rows())
def test_observing_together_equals_adding_apart(likelihood, a, b):
    together = observe(likelihood, batch(a + b))
    assert together == observe(likelihood, batch(a)) + observe(likelihood, batch(b))


@every_likelihood
@given(a=rows(), b=rows())
def test_the_order_of_adding_does_not_matter(likelihood, a, b):
    first, second = observe(likelihood, batch(a)), observe(likelihood, batch(b))
    assert first + second == second + first


@every_likelihood
@given(a=rows(), b=rows(), c=rows())
def test_the_grouping_of_adding_does_not_matter(likelihood, a, b, c):
    first, second, third = (observe(likelihood, batch(part)) for part in (a, b, c))
    assert (first + second) + third == first + (second + third)


@every_likelihood
@given(a=rows())
def test_adding_nothing_changes_nothing(likelihood, a):
    tally, zero = observe(likelihood, batch(a)), Tally.zero(likelihood)
    assert tally + zero == zero + tally == tally
    assert observe(likelihood, batch([])) == zero


@every_likelihood
@given(a=rows(), b=rows())
def test_subtracting_undoes_adding(likelihood, a, b):
    first, second = observe(likelihood, batch(a)), observe(likelihood, batch(b))
    assert (first + second) - second == first
    assert first - first == Tally.zero(likelihood)


@every_likelihood
@given(a=rows(max_size=12), order=st.randoms(use_true_random=False), threads=st.integers(1, 4))
def test_the_order_of_rows_and_the_threads_do_not_matter(likelihood, a, order, threads):
    tally = observe(likelihood, batch(a))
    order.shuffle(a)
    assert observe(likelihood, batch(a), threads=threads) == tally


@every_likelihood
@given(a=rows(), b=rows())
def test_what_was_never_added_cannot_be_subtracted(likelihood, a, b):
    tally, other = observe(likelihood, batch(a)), observe(likelihood, batch(b))
    before = tally.copy()
    left = list(a)
    try:
        for row in b:
            left.remove(row)
    except ValueError:
        with pytest.raises(NotLearnedError):
            tally -= other
        assert tally == before
    else:
        tally -= other
        assert tally == observe(likelihood, batch(left))


@every_likelihood
@given(a=rows(), b=rows())
def test_adding_leaves_the_parts_as_they_were(likelihood, a, b):
    first, second = observe(likelihood, batch(a)), observe(likelihood, batch(b))
    kept = first.copy()
    _ = first + second
    assert first == kept
    assert (first == second) == (sorted(a) == sorted(b))


@every_likelihood
@given(a=rows(max_size=10))
def test_a_stored_tally_comes_back(likelihood, a):
    tally = observe(likelihood, batch(a))
    assert Tally.from_arrays(tally.schema, likelihood, tally.arrays()) == tally


@every_likelihood
@given(a=rows(), b=rows())
def test_without_a_ledger_what_remains_could_have_been_counted(likelihood, a, b):
    tally, other = (observe(likelihood, batch(part), NONE) for part in (a, b))
    before = tally.copy()
    try:
        tally -= other
    except NotLearnedError:
        assert tally == before
    else:
        assert Tally.from_arrays(tally.schema, likelihood, tally.arrays()) == tally
        tally += other
        assert tally == before
