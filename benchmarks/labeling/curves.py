"""Learning curves of the label page: by which queue a model learns most from so many answers."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import f1_score

from benchmarks.claims.intervals import mean, percent, points
from benchmarks.data import Corpus
from benchmarks.labeling.annotator import sessions
from benchmarks.run import Run
from benchmarks.table import Row
from likely.server.labeling import progress
from likely.server.labeling.checking import Check
from likely.server.labeling.session import Session

NOTES = """\
Accuracy in percent, and macro-F1, of the model that the page has after so many answers, on the half
of the rows that is not in the pool: means of 5 sessions and their 95 % intervals. A session begins
with unlabeled texts and no labels. Each answer is the true label of the row that the queue asks
about. The queues see the same pools and held-out rows, so differences are of pairs."""
COLUMNS = (
    "set",
    "answers",
    "random",
    "mixed",
    "uncertain",
    "mixed − random",
    "uncertain − random",
    "F1 random",
    "F1 mixed",
    "F1 uncertain",
)
QUEUES = ("random", "mixed", "uncertain")

_SETS = ("sms_spam", "r8", "trec_qc", "rt_polarity")
_MARKS = (10, 20, 50, 100, 200, 300, 400, 500)


class _Seen(NamedTuple):
    """A session after some answers, seen by somebody who knows everything."""

    accuracy: float
    f1: float
    page: Row


def rows(run: Run) -> Iterator[Row]:
    marks = _MARKS[:2] if run.quick else _MARKS
    for name in run.data.present(*_SETS):
        whole = run.data.whole(name)
        seen: dict[str, list[list[_Seen]]] = {queue: [] for queue in QUEUES}
        for seed in run.draws(5):
            order = np.random.default_rng(seed).permutation(len(whole.texts))
            cut = len(order) // 2
            pool, held_out = whole.pick(order[:cut]), whole.pick(order[cut:])
            for queue in QUEUES:
                session = sessions(pool, queue, seed, marks)
                seen[queue].append([_seen(one, pool, held_out) for one in session])
        for place, n_answers in enumerate(marks):
            here = {queue: [own[place] for own in drawn] for queue, drawn in seen.items()}
            yield {"set": name, "answers": n_answers, **_row(here)}


def _row(seen: dict[str, list[_Seen]]) -> Row:
    accuracy = {queue: np.array([one.accuracy for one in own]) for queue, own in seen.items()}
    row: Row = {queue: percent(mean(own)) for queue, own in accuracy.items()}
    for queue in QUEUES[1:]:
        row[f"{queue} − random"] = points(mean(accuracy[queue] - accuracy["random"]))
    for queue, own in seen.items():
        row[f"F1 {queue}"] = percent(mean([one.f1 for one in own]))
    return row | {"sessions": {queue: [one.page for one in own] for queue, own in seen.items()}}


def _seen(session: Session, pool: Corpus, held_out: Corpus) -> _Seen:
    truth, predicted = np.array(held_out.labels), _predicted(session, held_out)
    accuracy = float(np.mean(predicted == truth))
    f1 = float(f1_score(truth, predicted, average="macro", zero_division=0.0))
    return _Seen(accuracy, f1, {"true": accuracy, **_page(session, pool)})


def _predicted(session: Session, held_out: Corpus) -> Any:
    """What the model says of rows; one that knows a single label can say no other."""
    classifier = session.model.served.classifier
    if len(classifier.classes) == 1:
        return np.repeat(classifier.classes, len(held_out.texts))
    return classifier.predict({"text": held_out.texts})


def _page(session: Session, pool: Corpus) -> Row:
    """What the page says of the session, beside what is true of the rows that nobody answered."""
    check = Check(session)
    now, ahead = progress.accuracy(check), progress.forecast(check)
    left = [label for item, label in enumerate(pool.labels) if item not in session.seen.answers]
    return {
        "accuracy": None if now is None else now.to_json(),
        "left": len(left),
        "forecast": None if ahead is None else ahead["accuracy"],
        "unseen": {
            label: {**found, "true": left.count(label)}
            for label, found in progress.unseen(check).items()
        },
    }
