"""A model that learns while it serves: each change is computed, written down, and only then seen.

    compute the new value (it may refuse)  →  commit  →  swap  →  answer

One thread makes all changes. Those that wait while it writes are committed together, so that many
cost one write to the disk. Predicting reads the value that is there, and waits for nothing.
"""

import glob
import hashlib
import math
import os
import queue
import shutil
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import likely
from likely.classifier import Classifier
from likely.data.cells import spelled
from likely.data.labeled import Labeled
from likely.data.labels import plain_list
from likely.data.table import Table
from likely.errors import LikelyError
from likely.model import file, learning
from likely.model.fitted import Fitted
from likely.model.plan import Plan
from likely.server.journal import Journal, JournalError, Request, Row, is_database, readable
from likely.tally import OPEN, Tally, container

NO_REQUEST = Request()

# A snapshot is due once so many rows would have to be replayed without it.
_REPLAYED = 20_000
_SNAPSHOTS = 2
# Changes that one commit holds.
_TOGETHER = 256

Answer = dict[str, Any]
Value = TypeVar("Value")


@dataclass(frozen=True)
class Served:
    """A model as it was after an event of its journal."""

    classifier: Classifier
    sequence: int
    snapshot: str
    """The digest of the newest snapshot."""


@dataclass(frozen=True)
class Outcome:
    """What a change made: the next value, and the answer."""

    fitted: Fitted
    answer: Answer
    is_erased: bool = False
    """Whether snapshots have counted rows that are forgotten now, so that they are to go."""
    is_tuned: bool = False
    """Whether the tuning changed, which only a snapshot holds."""


@dataclass(frozen=True)
class _Change:
    step: Callable[[Fitted], Outcome]
    request: Request
    done: "Future[Answer]"


class LivingModel:
    """A model, its journal, and the thread that changes both."""

    def __init__(self, path: Path, secret: bytes | None = None):
        """Open the journal of a model file, or begin one."""
        self.path, self.folder = path, folder_of(path)
        self._secret = secret
        if not self.folder.exists():
            begin(path, likely.load(path, secret=secret))
        self.journal = Journal(self.folder)
        try:
            with readable(self.folder):
                self._check_path()
                self.served = self._replayed()
                self._mend()
                self._publish()
                self.journal.purge()
        except BaseException:
            self.journal.close()
            raise
        self._changes: queue.SimpleQueue[_Change | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="likely-journal", daemon=True)
        self._thread.start()

    @classmethod
    def served_from(cls, path: Path) -> "LivingModel":
        """One that is not being labeled: rows that come by other ways are no answers of anybody."""
        found = cls(path)
        if found.ask(lambda _: found.journal.has_answers):
            found.close()
            raise JournalError(
                f"{found.folder}: it has the answers of `likely label`, and learns from those\n"
                "hint: serve a copy of the model file"
            )
        return found

    # Changes

    @property
    def waiting(self) -> int:
        """How many changes wait to be made."""
        return self._changes.qsize()

    def change(
        self, step: Callable[[Fitted], Outcome], request: Request = NO_REQUEST
    ) -> "Future[Answer]":
        """Make a change; the step writes down what it does, in a transaction that is open."""
        done: Future[Answer] = Future()
        if not self._thread.is_alive():
            raise JournalError(f"{self.folder}: the journal is closed")
        self._changes.put(_Change(step, request, done))
        return done

    def ask(self, question: Callable[[Fitted], Value]) -> Value:
        """Ask the model together with its journal, between two changes."""
        found: list[Value] = []

        def step(now: Fitted) -> Outcome:
            found.append(question(now))
            return Outcome(now, {})

        self.change(step).result()
        return found[0]

    def learn(self, x: Any, y: Any = None, request: Request = NO_REQUEST) -> "Future[Answer]":
        """Learn rows; the answer comes once they are on the disk."""

        def step(before: Fitted) -> Outcome:
            cells, labels = _written(before, before.labeled(x, y))
            rows = labeled(before, cells, labels)
            after = learning.updated(before, rows, 1)
            new = [label for label in after.tally.classes if label not in before.tally.classes]
            answer = {"learned": len(cells), "rows": after.tally.n_rows, "classes_new": new}
            sequence = self.journal.append("learn", len(cells), answer, request)
            hashed = zip(cells, labels, hashes(before, rows), strict=True)
            self.journal.learn(sequence, [Row(*values) for values in hashed])
            return Outcome(after, answer | {"sequence": sequence})

        return self.change(step, request)

    def forget(self, x: Any, y: Any = None, request: Request = NO_REQUEST) -> "Future[Answer]":
        """Forget rows, in the journal and its snapshots too; the answer is the receipt."""

        def step(before: Fitted) -> Outcome:
            rows = before.labeled(x, y)
            after, receipt = learning.forgotten(before, rows, 1)
            answer = {
                "forgotten": receipt.rows,
                "rows_left": receipt.rows_left,
                "classes_gone": list(receipt.classes_gone),
                "inexact": list(receipt.inexact),
            }
            sequence = self.journal.append("forget", -receipt.rows, answer, request)
            is_erased = self.journal.forget(sequence, hashes(before, rows))
            return Outcome(after, answer | {"sequence": sequence}, is_erased)

        return self.change(step, request)

    def tune(self, request: Request = NO_REQUEST, threads: int = 1) -> "Future[Answer]":
        """Tune the model on all of its rows, if the journal has them; it learns on meanwhile.

        Rows that come in the meantime leave the new tuning stale, as `update` does.
        """
        before, rows = self.ask(lambda fitted: (fitted, self._all_rows(fitted)))
        tuned = learning.retuned(before, rows, threads)

        def step(now: Fitted) -> Outcome:
            after = tuned if now.tally is before.tally else tuned.with_tally(now.tally)
            answer = {"tuned_on": before.tally.n_rows, "rows": now.tally.n_rows}
            sequence = self.journal.append("tune", 0, answer, request)
            return Outcome(after, answer | {"sequence": sequence}, is_tuned=True)

        return self.change(step, request)

    def _all_rows(self, fitted: Fitted) -> Labeled:
        """All learned rows, if all of them came through the journal."""
        kept = self.journal.live_rows()
        if len(kept) != fitted.tally.n_rows:
            raise JournalError(
                f"the journal has {len(kept):,} of the model's {fitted.tally.n_rows:,} rows; it is "
                "tuned on all of them\nhint: `likely tune` takes them from a file"
            )
        return labeled(fitted, [row.cells for row in kept], [row.label for row in kept])

    def close(self) -> None:
        """Finish what waits, write a snapshot, and let go of the journal."""
        if not self._thread.is_alive():
            return
        self._changes.put(None)
        self._thread.join()
        try:
            if self.served.sequence > self.journal.snapshots[-1].sequence:
                with self.journal.transaction():
                    self.served = self._snapshot(self.served, _SNAPSHOTS)
                self._publish()
        finally:
            self.journal.close()

    # The thread

    def _work(self) -> None:
        while (change := self._changes.get()) is not None:
            together = [change]
            is_last = False
            while len(together) < _TOGETHER and not self._changes.empty():
                more = self._changes.get()
                if is_last := more is None:
                    break
                together.append(more)
            self._make(together)
            if is_last:
                return

    def _make(self, changes: Sequence[_Change]) -> None:
        """Make changes with one commit; what one of them refuses leaves the others as they are."""
        made: list[tuple[_Change, Answer]] = []
        new: list[tuple[int, Answer]] = []
        fitted, is_erased, is_due = self.served.classifier.fitted, False, False
        try:
            with self.journal.transaction():
                for change in changes:
                    try:
                        with self.journal.step():
                            answer = self.journal.answered(change.request)
                            if answer is None:
                                outcome = change.step(fitted)
                                fitted, answer = outcome.fitted, outcome.answer
                                is_erased |= outcome.is_erased
                                is_due |= outcome.is_tuned
                                if "sequence" in answer:
                                    new.append((answer["sequence"], answer))
                        made.append((change, answer))
                    except (sqlite3.Error, OSError):
                        raise
                    except Exception as error:
                        change.done.set_exception(error)
                served = self._served(fitted)
                since = self.journal.snapshots[-1].sequence
                is_due |= self.journal.rows_since(since) > _REPLAYED
                if is_erased or is_due:
                    served = self._snapshot(served, 1 if is_erased else _SNAPSHOTS)
                for sequence, answer in new:
                    answer["digest"] = served.snapshot
                    self.journal.answer(sequence, answer)
        except (sqlite3.Error, OSError) as error:
            for change in changes:
                if not change.done.done():
                    change.done.set_exception(_unwritten(self.folder, error))
            return
        self.served = served
        more: Answer = {}
        try:
            if is_erased or any("forgotten" in answer for _, answer in made):
                self.journal.purge()
            self._publish()
        except (sqlite3.Error, OSError) as error:
            more = {"unpublished": str(_unwritten(self.path, error))}
        except JournalError as error:
            more = {"unpublished": str(error)}
        for change, answer in made:
            change.done.set_result(answer | more)

    def _served(self, fitted: Fitted) -> Served:
        # Estimates are made here, so that no prediction has to wait for them.
        with suppress(LikelyError):
            fitted.weights  # noqa: B018
        classifier = Classifier.of(fitted.spec, fitted)
        return Served(classifier, self.journal.sequence, self.journal.snapshots[-1].digest)

    # Snapshots

    def _snapshot(self, served: Served, kept: int) -> Served:
        """Write a snapshot, and keep so many; their files stay until the journal is committed."""
        fitted = served.classifier.fitted
        data, digest = file.to_bytes(fitted), fitted.digest
        sha256 = hashlib.sha256(data).hexdigest()
        container.write(self.folder / named(sha256), data)
        self.journal.add_snapshot(sha256, digest, fitted.tally.n_rows)
        self.journal.drop_snapshots(kept)
        return replace(served, snapshot=digest)

    def _publish(self) -> None:
        """Make the model file the newest snapshot, and remove the files of dropped ones."""
        kept = {named(snapshot.sha256) for snapshot in self.journal.snapshots}
        newest = self.folder / named(self.journal.snapshots[-1].sha256)
        if newest.name != self._published:
            for other in self.folder.iterdir():
                # Dropped snapshots, and drafts of those that were never finished.
                if other.name not in kept and not is_database(other):
                    other.unlink()
            if not _is_snapshot(self.path, newest.stem):
                self._check_path()
                container.write(self.path, newest.read_bytes())
            self._published = newest.name

    _published = ""
    """The snapshot that the model file was last made to be."""

    # Starting

    def _check_path(self) -> None:
        """Refuse a model file that somebody else wrote since."""
        if self.path.exists():
            sha256 = hashlib.sha256(self.path.read_bytes()).hexdigest()
            if not self.journal.has_written(sha256):
                raise JournalError(
                    f"{self.path}: its journal did not write this file, so it was replaced since\n"
                    f"hint: move {self.folder} away to begin a journal of this model"
                )

    def _replayed(self) -> Served:
        """The newest snapshot that verifies, and the rows that came after it."""
        for snapshot in reversed(self.journal.snapshots):
            # The model file is a copy of the newest.
            for path in (self.folder / named(snapshot.sha256), self.path):
                if _is_snapshot(path, snapshot.sha256):
                    fitted = file.from_bytes(path.read_bytes(), self._secret)
                    return self._served(replayed(self.journal, fitted, snapshot.sequence))
        raise JournalError(f"{self.folder}: no snapshot in it is as it was written")

    def _mend(self) -> None:
        """Write a snapshot in place of damaged ones."""
        damaged = [
            snapshot.id
            for snapshot in self.journal.snapshots
            if not _is_snapshot(self.folder / named(snapshot.sha256), snapshot.sha256)
        ]
        if damaged:
            with self.journal.transaction():
                self.journal.drop(damaged)
                self.served = self._snapshot(self.served, _SNAPSHOTS)


def folder_of(path: Path) -> Path:
    """Where the journal of a model file is."""
    return path.with_name(f"{path.name}.journal")


def replayed(journal: Journal, fitted: Fitted, after: int, until: int | None = None) -> Fitted:
    """A snapshot with the rows of later events that were not forgotten."""
    for rows in journal.rows_between(after, until):
        cells, labels = [row.cells for row in rows], [row.label for row in rows]
        fitted = learning.updated(fitted, labeled(fitted, cells, labels), 1)
    return fitted


def begin(
    path: Path, classifier: Classifier, also: Callable[[Journal], None] = lambda journal: None
) -> None:
    """Begin the journal of a model: it is there whole, or not at all; `also` writes more in it."""
    folder = folder_of(path)
    fitted = classifier.fitted
    fitted.check_learns()
    data = file.to_bytes(fitted)
    for left in folder.parent.glob(f".{glob.escape(folder.name)}.*"):
        shutil.rmtree(left, ignore_errors=True)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}")
    draft.mkdir()
    try:
        sha256 = hashlib.sha256(data).hexdigest()
        container.write(draft / named(sha256), data)
        journal = Journal(draft, create=True)
        with journal.transaction():
            rows = fitted.tally.n_rows
            journal.append("start", rows, {"rows": rows}, NO_REQUEST)
            journal.add_snapshot(sha256, fitted.digest, rows)
            also(journal)
        journal.close()
        _sync(draft)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    _sync(folder.parent)


def _sync(folder: Path) -> None:
    """Have the names in a folder on the disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def nothing_learned(plan: Plan) -> Classifier:
    """A model that counts rows as a plan says, and has none yet."""
    spec = Classifier(plan).spec
    return Classifier.of(spec, Fitted.of(spec, plan, Tally.zero(plan.product, plan.ledger)))


def named(sha256: str) -> str:
    """The file name of a snapshot."""
    return f"{sha256}.likely"


def _is_snapshot(path: Path, sha256: str) -> bool:
    """Whether a file is there with this SHA-256."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _unwritten(path: Path, error: Exception) -> JournalError:
    return JournalError(f"{path}: it cannot be written ({error})")


# Rows as a journal has them


def _written(fitted: Fitted, rows: Labeled) -> tuple[list[dict[str, Any]], list[Any]]:
    """The cells that the model reads, and the labels, as JSON has them."""
    cells: list[dict[str, Any]] = []
    found: list[Any] = []
    for table, labels in rows.batches(fitted.columns):
        columns = [map(plain_cell, plain_list(column)) for column in table.take(fitted.columns)]
        cells += [dict(zip(fitted.columns, row, strict=True)) for row in zip(*columns, strict=True)]
        found += [plain_cell(label) for label in labels.lists]
    return cells, found


def plain_cell(cell: Any) -> Any:
    """A cell as JSON has it; others by the one way in which they are spelled."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, (list, tuple, np.ndarray)):
        return [plain_cell(one) for one in cell]
    if isinstance(cell, float) and math.isnan(cell):
        return None
    return cell if cell is None or isinstance(cell, (str, bool, int, float)) else spelled(cell)


def labeled(fitted: Fitted, cells: Sequence[dict[str, Any]], labels: Sequence[Any]) -> Labeled:
    """Rows as a journal has them, as a model learns them."""
    return fitted.labeled(Table.of(list(cells)), list(labels))


def hashes(fitted: Fitted, rows: Labeled) -> list[int]:
    """What tells rows apart: their hashes in the ledger, or those that an open one would have."""
    ledger = OPEN if fitted.plan.ledger.name == "none" else fitted.plan.ledger
    found: list[int] = []
    for batch in fitted.batches(rows):
        hashes = ledger.hashes(batch)
        assert hashes is not None
        found += hashes.tolist()
    return found
