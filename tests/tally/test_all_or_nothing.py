"""What refuses or is interrupted has changed nothing, wherever it happens."""

import operator
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

import likely
from likely.classifier import from_bytes
from likely.likelihoods import Multinomial
from likely.tally import observe
from likely.tally.ledger import Ledger
from tests.laws.strategies import batch
from tests.laws.test_laws import PRODUCTS

OTHERS = {"d": "2024-03-05", "e": "31.12.2023 23:59", "w": [0.5, -1.0, 2.0]}
ROWS = [
    ({"text": "a b 3.14 b", "u": "red", "v": "x", "a": 1.5, "b": -2.0, **OTHERS}, "ham"),
    ({"text": "naïve a", "u": "blue", "v": "y", "a": 0.25, "b": 4.0, **OTHERS}, "spam"),
    ({"text": "日本 b", "u": "red", "v": "y", "a": -3.0, "b": 0.5, **OTHERS}, "spam"),
]
MORE = [({"text": "c b", "u": "green", "v": "x", "a": 7.0, "b": 1.0, **OTHERS}, "eggs")]

LEDGERS = [Ledger.of(True), Ledger.of(False)]
WAYS = [operator.add, operator.sub]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ledger", LEDGERS, ids=str)
@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: str(product.by_column))
def test_a_tally_is_a_value(product, ledger, way):
    whole, part = (
        observe(product, batch(product, rows), ledger) for rows in ([*ROWS, *MORE], MORE)
    )
    before = whole.digest, part.digest
    way(whole, part)
    assert before == (replace(whole).digest, replace(part).digest)


def some_rows(n, seed):
    chosen = random.Random(seed)
    words = [f"w{i}" for i in range(2000)]
    return {
        "text": [" ".join(chosen.choices(words, k=30)) for _ in range(n)],
        "number": [chosen.random() for _ in range(n)],
        "category": chosen.choices("abcdef", k=n),
        "y": chosen.choices("pqr", k=n),
    }


def test_one_thread_learns_while_others_predict_and_save():
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
        failed.wait(3)
        failed.set()
    for each in running:
        each.result()
