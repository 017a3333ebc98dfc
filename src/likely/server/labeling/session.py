"""A pool of rows, the answers to them, and the model that learns from each at once."""

import copy
import math
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from likely.classifier import Classifier
from likely.data.files import Source
from likely.data.labeled import Labeled
from likely.errors import DataError, OptionError
from likely.model import learning
from likely.model.fitted import Fitted
from likely.model.plan import Plan
from likely.server.journal import JournalError, Request, Row
from likely.server.labeling.answers import Answer, Answers, Said, consensus
from likely.server.labeling.pool import Pool
from likely.server.living import (
    LivingModel,
    Outcome,
    begin,
    folder_of,
    hashes,
    labeled,
    nothing_learned,
)

TARGET = "label"
# So many rows are set apart to check the model with: a share of them, and no more than this.
_CHECK_SHARE, _MOST_CHECK_ROWS = 0.25, 5000
# The model is tuned again once it has learned this much more than when it was tuned.
_GROWN = 1.25
_FIRST_TUNED = 20


@dataclass(frozen=True)
class Seen:
    """The answers as they were after an event, by row; what queues and figures are made of."""

    answers: Mapping[int, Mapping[str, Answer]]
    agreed: Mapping[int, Said]
    """The rows that the model has learned, with what most people say of them."""


class Session:
    """Labels for the rows of a pool."""

    def __init__(self, path: Path, pool: Pool):
        self.model = LivingModel(path)
        fitted = self.model.served.classifier.fitted
        self.is_multilabel = self.model.served.classifier.is_multilabel
        self.pool = Pool(pool.name, pool.columns, fitted.plan.product.texts)
        self.answers = Answers(self.model.journal)
        self._writing = threading.Lock()
        try:
            about = self.model.ask(lambda _: self._check())
        except BaseException:
            self.model.close()
            raise
        self.seed = int(about["seed"])
        self.order = np.random.default_rng(self.seed).permutation(len(pool))
        """The rows in a random order."""
        self.check_rows = self.order[: _check_rows(len(pool))]
        """The first of them. Only the random queue asks about these, and other queues do not know
        their answers: so they tell how good the model is, whatever it chose to ask."""
        self.seen = self._read()
        self._tuning = threading.Lock()

    # What was answered

    @property
    def labels(self) -> dict[str, str]:
        """The labels, each with its guidance."""
        return self.model.ask(lambda _: self.answers.labels())

    def _read(self) -> Seen:
        found: dict[int, dict[str, Answer]] = {}
        for answer in self.model.ask(lambda _: list(self.answers.in_force())):
            found.setdefault(answer.item, {})[answer.who] = answer
        return Seen(found, _agreed(found))

    def _with(self, items: Collection[int]) -> None:
        """Read what is said of some rows again."""
        changed = self.model.ask(
            lambda _: [answer for item in items for answer in self.answers.in_force(item)]
        )
        found = dict(self.seen.answers)
        for item in items:
            found.pop(item, None)
        for answer in changed:
            found[answer.item] = {**found.get(answer.item, {}), answer.who: answer}
        self.seen = Seen(found, _agreed(found))

    def still(self) -> "Session":
        """The session as it is now, for those who look more than once; answers go on coming."""
        return copy.copy(self)

    def knowing_no_check_rows(self) -> Classifier:
        """The model as if nobody had answered the rows that check it; it chooses what to ask."""
        agreed = self.seen.agreed
        return self._forgotten([item for item in self.check_rows.tolist() if item in agreed])

    def _forgotten(self, items: Collection[int]) -> Classifier:
        """The model as if it had not learned some of its rows."""
        classifier, agreed = self.model.served.classifier, self.seen.agreed
        if not items:
            return classifier
        fitted = classifier.fitted
        rows = self._rows(fitted, {item: agreed[item] for item in items})
        left, _ = learning.forgotten(fitted, rows, 1)
        return Classifier.of(left.spec, left)

    def without_answers(self, item: int) -> Classifier:
        """The model as if nobody had answered a row."""
        return self._forgotten({item} & self.seen.agreed.keys())

    def learned_at(self, item: int) -> int:
        """The event of a row's last answer."""
        return max(answer.sequence for answer in self.seen.answers[item].values())

    # Answering

    def answer(
        self, items: Sequence[int], labels: Sequence[str] | None, who: str, queue: str,
        request: Request,
    ) -> dict[str, Any]:  # fmt: skip
        """Say what rows are, or, without labels, that they are skipped."""
        said = None if labels is None else self._checked(labels)
        items = [self._item(item) for item in dict.fromkeys(items)]

        def write(sequence: int) -> None:
            for label in said or ():
                self.answers.add_label(label)
            self.answers.add(sequence, items, said, who, queue)

        return self._change("answer", lambda: (items, write), request)

    def undo(self, who: str, request: Request) -> dict[str, Any]:
        """Take back somebody's last answer, with all rows that it was given for."""

        def last() -> tuple[list[int], Callable[[int], None]]:
            found = self.answers.last(who)
            if found is None:
                raise DataError("there is no answer to take back")
            undone, items = found
            return items, lambda sequence: self.answers.undo(sequence, undone)

        return self._change("undo", last, request)

    def _change(
        self, kind: Any, what: Callable[[], tuple[list[int], Callable[[int], None]]],
        request: Request,
    ) -> dict[str, Any]:  # fmt: skip
        """Write answers down; the model forgets and learns what most people say of their rows.

        The rows and how they are written are looked up in the change, so that those of a request
        that is sent again are those of the first time.
        """

        def step(before: Fitted) -> Outcome:
            items, write = what()
            journal = self.model.journal
            sequence = journal.append(kind, 0, {}, request)
            old = self.answers.agreed(items)
            write(sequence)
            new = self.answers.agreed(items)
            gone = {i: said for i, said in old.items() if said is not None and said != new[i]}
            come = {i: said for i, said in new.items() if said is not None and said != old[i]}
            after, is_erased = before, False
            if gone:
                rows = self._rows(after, gone)
                after, _ = learning.forgotten(after, rows, 1)
                is_erased = journal.forget(sequence, hashes(before, rows))
            if come:
                rows = self._rows(after, come)
                own = hashes(after, rows)
                after = learning.updated(after, rows, 1)
                cells = [self.pool.cells(item) for item in come]
                own_labels = [self.label(said) for said in come.values()]
                journal.learn(sequence, [
                    Row({name: cell[name] for name in before.columns}, label, hashed)
                    for cell, label, hashed in zip(cells, own_labels, own, strict=True)
                ])  # fmt: skip
            answer = {"items": items, "rows": after.tally.n_rows}
            journal.settle(sequence, len(come) - len(gone))
            return Outcome(after, answer | {"sequence": sequence}, is_erased)

        with self._writing:
            found = self.model.change(step, request).result()
            self._with(found["items"])
        return found

    def _rows(self, fitted: Fitted, said: Mapping[int, Said]) -> Labeled:
        cells = [{n: self.pool.columns[n][i] for n in fitted.columns} for i in said]
        return labeled(fitted, cells, [self.label(one) for one in said.values()])

    def label(self, said: Said) -> Any:
        """What was said, as a model learns it."""
        return list(said) if self.is_multilabel else said[0]

    def _checked(self, labels: Sequence[str]) -> Said:
        if not all(isinstance(label, str) and label.strip() for label in labels):
            raise DataError("a label is a text that is not empty")
        found = tuple(sorted({label.strip() for label in labels}))
        if not self.is_multilabel and len(found) != 1:
            raise DataError(f"a row has one label here, and {len(found)} were given")
        return found

    def _item(self, item: Any) -> int:
        if type(item) is not int or not 0 <= item < len(self.pool):
            raise DataError(f"there is no row {item!r}; rows are from 0 to {len(self.pool) - 1:,}")
        return item

    # Labels

    def add_label(self, name: str, request: Request) -> None:
        (name,) = self._checked([name]) if not self.is_multilabel else (name.strip(),)
        self._note(lambda: self.answers.add_label(name), request)

    def guide(self, name: str, guidance: str, request: Request) -> None:
        name = name.strip()
        if name not in self.labels:
            raise DataError(f"there is no label `{name}`")
        self._note(lambda: self.answers.guide(name, guidance), request)

    def _note(self, write: Callable[[], None], request: Request) -> None:
        def step(now: Fitted) -> Outcome:
            self.model.journal.append("labels", 0, {}, request)
            write()
            return Outcome(now, {})

        self.model.change(step, request).result()

    # Tuning

    @property
    def is_to_be_tuned(self) -> bool:
        """Whether the model has learned enough to be tuned (again)."""
        classifier = self.model.served.classifier
        rows = classifier.tally.n_rows
        if len(classifier.classes) < 2 or rows < _FIRST_TUNED:
            return False
        tuning = classifier.tuning
        return tuning is None or rows > _GROWN * tuning.rows

    def tune_if_due(self) -> None:
        """Tune in the background, if it is time and nobody does already."""
        if self.is_to_be_tuned and self._tuning.acquire(blocking=False):
            threading.Thread(target=self._tune, daemon=True).start()

    def _tune(self) -> None:
        try:
            self.model.tune().result()
        finally:
            self._tuning.release()

    def close(self) -> None:
        self.model.close()

    # Beginning

    def _check(self) -> dict[str, str]:
        about = dict(self.model.journal.execute("SELECT name, value FROM about"))
        if "items" not in about:
            raise JournalError(
                f"{self.model.folder}: it is the journal of a served model, not of labels"
            )
        n = int(about["items"])
        if n > len(self.pool) or self.pool.fingerprint(n) != about["fingerprint"]:
            raise DataError(
                f"{self.pool.name}: these are not the rows that were labeled with {self.model.path}"
                "\nhint: rows may be added at the end; for other rows, take another model file"
            )
        return about


def _check_rows(rows: int) -> int:
    return min(math.ceil(_CHECK_SHARE * rows), _MOST_CHECK_ROWS)


def start(path: Path, source: Source, classifier: Classifier, is_multilabel: bool,
          names: Sequence[str], seed: int | None = None) -> Session:  # fmt: skip
    """Begin to label the rows of a file, or go on; a seed fixes the random order of a new one."""
    pool = Pool.of(source, ())
    if not folder_of(path).exists():
        if path.exists():
            raise OptionError(
                f"{path} exists already, and has no journal\nhint: name another file for the labels"
            )
        plan = planned(classifier, pool, is_multilabel)
        begin(path, nothing_learned(plan), lambda journal: _note_pool(journal, pool, names, seed))
    session = Session(path, pool)
    for name in names:
        if name not in session.labels:
            session.add_label(name, Request())
    return session


def _note_pool(journal: Any, pool: Pool, names: Sequence[str], seed: int | None) -> None:
    answers = Answers(journal)
    answers.create()
    for name in names:
        answers.add_label(name)
    for name, value in (
        ("items", str(len(pool))),
        ("fingerprint", pool.fingerprint(len(pool))),
        ("seed", str(np.random.SeedSequence(seed).entropy % 2**32)),  # type: ignore[operator]
    ):
        journal.execute("INSERT INTO about VALUES (?, ?)", (name, value))


def planned(classifier: Classifier, pool: Pool, is_multilabel: bool) -> Plan:
    """How the rows of a pool are counted; labels are unknown yet, and have no part in it."""
    table = pool.table(range(len(pool)))
    marks = ["a", "b"] * (len(pool) // 2 + 1)
    given = [[mark] for mark in marks] if is_multilabel else marks
    from dataclasses import replace

    plan = classifier.plan(table, given[: len(pool)])
    return replace(plan, target=TARGET)


def _agreed(answers: Mapping[int, Mapping[str, Answer]]) -> dict[int, Said]:
    found = {i: consensus(a.labels for a in by.values()) for i, by in answers.items()}
    return {item: said for item, said in found.items() if said is not None}
