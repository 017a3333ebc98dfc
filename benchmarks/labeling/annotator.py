"""Somebody who knows the label of every row, and answers what the label page asks."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.data import Corpus
from likely import Classifier, open_table
from likely.server.journal import Request
from likely.server.labeling.queues import Suggester
from likely.server.labeling.session import Session, start

_NAME = "annotator"
# The page fetches the next rows while one is shown, so many of them.
_AHEAD = 2


def sessions(corpus: Corpus, queue: str, seed: int, marks: Sequence[int]) -> Iterator[Session]:
    """A session that begins with nothing but texts, once after each of these numbers of answers.

    Queue, model and journal are those of the page. It tunes in the background, here each tuning is
    waited for; and a suggestion looks at 1,024 rows, not at as many as the time allows.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        with open(folder / "pool.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["text"], *([text] for text in corpus.texts)])
        table = open_table(folder / "pool.csv")
        session = start(folder / "pool.likely", table, Classifier(), False, [], seed)
        try:
            suggester = Suggester(session, seconds=None)
            ready = suggester.next(queue, _AHEAD, _NAME, ())
            for n_answers in range(1, marks[-1] + 1):
                shown = ready.pop(0)
                fetched = [shown.item, *(one.item for one in ready)]
                ready += suggester.next(queue, 1, _NAME, fetched)
                label = corpus.labels[shown.item]
                session.answer([shown.item], [label], _NAME, shown.queue, Request())
                if session.is_to_be_tuned:
                    session.model.tune().result()
                if n_answers in marks:
                    yield session
        finally:
            session.close()
