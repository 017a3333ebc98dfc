"""What refuses or is interrupted has changed nothing, wherever it happens."""

import operator
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

import likely
from likely import _kernel
from likely import tally as algebra
from likely.classifier import from_bytes
from likely.errors import DataError
from likely.ledger import Ledger
from likely.likelihoods import Multinomial
from likely.tally import observe

from .laws.strategies import batch
from .laws.test_laws import PRODUCTS

ROWS = [
    ({"text": "a b 3.14 b", "u": "red", "v": "x", "a": 1.5, "b": -2.0}, "ham"),
    ({"text": "naïve a", "u": "blue", "v": "y", "a": 0.25, "b": 4.0}, "spam"),
    ({"text": "日本 b", "u": "red", "v": "y", "a": -3.0, "b": 0.5}, "spam"),
]
MORE = [({"text": "c b", "u": "green", "v": "x", "a": 7.0, "b": 1.0}, "eggs")]

LEDGERS = [Ledger.of(True), Ledger.of(False)]
WAYS = [operator.iadd, operator.isub]


def tallies(product, ledger):
    """A tally, and another that can be added to it or taken from it."""
    return (observe(product, batch(product, rows), ledger) for rows in ([*ROWS, *MORE], MORE))


def several(ledger):
    """The same of rows with any number of labels."""
    model = likely.Classifier(Multinomial(), ledger=ledger)
    texts, labels = ["a b", "b c", "c d"], [["x", "y"], ["y"], []]
    return model.observe(texts, labels), model.observe(texts[:2], labels[:2])


def unlike(counter):
    """A counter of the same kind that no other adds up with."""
    if isinstance(counter, _kernel.Moments):
        return _kernel.Moments.zero(9, True)
    return _kernel.TextCounts.zero(likely.Text(words=None, chars=16).reading)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ledger", LEDGERS, ids=str)
@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: str(product.by_column))
def test_what_one_statistic_refuses_no_statistic_has_done(product, ledger, way, monkeypatch):
    tally, other = tallies(product, ledger)
    before, counters = tally.copy(), algebra._counters
    for place in range(len(counters(tally.statistics))):

        def refusing(statistics, place=place):
            found = counters(statistics)
            if statistics is other.statistics:
                found[place] = unlike(found[place])
            return found

        monkeypatch.setattr(algebra, "_counters", refusing)
        with pytest.raises(DataError):
            way(tally, other)
        monkeypatch.setattr(algebra, "_counters", counters)
        assert tally == before
    assert way(tally, other) != before


def interrupted(change, after):
    """Whether a change was interrupted by Ctrl-C after so many instructions of the algebra."""
    left = after

    def step(frame, event, _):
        nonlocal left
        if frame.f_code.co_filename != algebra.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return step

    def run():
        # A trace is that of its thread alone.
        sys.settrace(step)
        try:
            change()
        finally:
            sys.settrace(None)

    with ThreadPoolExecutor(1) as pool:
        return isinstance(pool.submit(run).exception(), KeyboardInterrupt)


MIXED = {"text": Multinomial(), "a": likely.Gaussian(), ("u", "v"): likely.Categorical()}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ledger", LEDGERS, ids=str)
@pytest.mark.parametrize("made", ["one label", "any number of labels"])
def test_an_interrupt_leaves_all_or_nothing_done(made, ledger, way):
    product = likely.likelihoods.product.Product.of(MIXED)
    tally, other = tallies(product, ledger) if made == "one label" else several(ledger)
    done = way(tally.copy(), other)
    for after in count(1):
        changed = tally.copy()
        if not interrupted(lambda changed=changed: way(changed, other), after):
            break
        assert changed in (tally, done)
        assert changed.arrays().keys() == tally.arrays().keys()
    assert after > 100
    assert changed == done


def some_rows(n, seed):
    chosen = random.Random(seed)
    words = [f"w{i}" for i in range(2000)]
    return {
        "text": [" ".join(chosen.choices(words, k=30)) for _ in range(n)],
        "number": [chosen.random() for _ in range(n)],
        "category": chosen.choices("abcdef", k=n),
        "y": chosen.choices("pqr", k=n),
    }


@pytest.mark.xfail(strict=True, reason="a tally changes in place while other threads read it")
def test_one_thread_learns_while_others_predict_and_save():
    """It runs until something fails, for ten seconds at most; today that takes a tenth of one."""
    kinds = {"text": Multinomial(), "number": likely.Gaussian(), "category": likely.Categorical()}
    model = likely.Classifier(kinds).fit(some_rows(2000, 0), "y")
    more, asked, failed = some_rows(200, 1), some_rows(50, 2), threading.Event()

    def until_it_fails(act):
        try:
            while not failed.is_set():
                act()
        except BaseException:
            failed.set()
            raise

    acts = [
        lambda: model.update(more, "y"),
        lambda: model.predict_proba(asked),
        lambda: from_bytes(model.to_bytes()),
    ]
    with ThreadPoolExecutor(len(acts)) as pool:
        running = [pool.submit(until_it_fails, act) for act in acts]
        failed.wait(10)
        failed.set()
    for each in running:
        each.result()
