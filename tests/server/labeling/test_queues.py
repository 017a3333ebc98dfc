"""Which row comes next, and how soon."""

import csv
import time

import numpy as np
import pytest

from likely import Classifier
from likely.data.files import open_table
from likely.server.journal import Request
from likely.server.labeling.queues import Suggester
from likely.server.labeling.session import start

ROWS = 100_000


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """Many rows of made-up words, 2,000 of them answered."""
    folder = tmp_path_factory.mktemp("many")
    draw = np.random.default_rng(0)
    words = np.array([f"w{n}" for n in range(30_000)])
    places = (draw.pareto(0.7, (ROWS, 20)) * 20).astype(int) % len(words)
    with open(folder / "data.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([" ".join(row)] for row in words[places])])
    table = open_table(folder / "data.csv")
    found = start(folder / "m.likely", table, Classifier(), False, ("even", "odd"))
    for first in range(0, 2000, 100):
        items = found.order[first : first + 100].tolist()
        for label, rest in (("even", 0), ("odd", 1)):
            own = [item for item in items if places[item, 0] % 2 == rest]
            found.answer(own, [label], "me", "random", Request())
    found.model.tune().result()
    yield found
    found.close()


@pytest.mark.parametrize("queue", ["mixed", "uncertain", "unlike", "random"])
def test_the_next_of_100_000_rows_takes_less_than_a_tenth_of_a_second(session, queue):
    suggester, took = Suggester(session), []
    for _ in range(15):
        began = time.process_time()
        (one,) = suggester.next(queue, 1, "me", ())
        took.append(time.process_time() - began)
        session.answer([one.item], ["odd"], "me", queue, Request())
    assert np.median(took) < 0.1


def test_the_model_that_chooses_knows_nearly_all_answers(session):
    suggester = Suggester(session)
    suggester.next("uncertain", 1, "me", ())
    known, before = suggester._chooses
    assert known == len(session.seen.agreed)
    left = [item for item in session.order.tolist() if item not in session.seen.answers]
    session.answer(left[:20], ["odd"], "me", "search", Request())
    suggester.next("uncertain", 1, "me", ())
    assert suggester._chooses[1] is before
    session.answer(left[20:80], ["odd"], "me", "search", Request())
    suggester.next("uncertain", 1, "me", ())
    assert suggester._chooses[0] == len(session.seen.agreed)
