"""What a living model has learned since its last snapshot, in SQLite: nothing acknowledged is lost.

    event      what was asked, when and by whom, with its answer: an audit trail without texts
    row        the rows learned, as JSON; a forgotten one leaves its hash and nothing else
    snapshot   the model files that were written, by their SHA-256

A tally does not depend on the order of its rows, so replaying is one sum: a snapshot and the rows
that came after it and were not forgotten. Forgetting a row that a snapshot has counted drops that
snapshot, since it could not be replayed without the row's text, which is gone.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from likely.errors import DataError, ModelError

Kind = Literal["start", "learn", "forget", "tune", "answer", "undo", "labels"]

FORMAT = 1
_FILE = "journal.sqlite"
_AT_ONCE = 4096
# What reading a damaged database may raise.
DAMAGE = (sqlite3.Error, UnicodeDecodeError, json.JSONDecodeError)

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    kind TEXT NOT NULL,
    who TEXT,
    request_key TEXT UNIQUE,
    body_hash BLOB,
    rows INTEGER NOT NULL,
    answer TEXT NOT NULL
);
CREATE TABLE row (
    id INTEGER PRIMARY KEY,
    sequence INTEGER NOT NULL REFERENCES event,
    hash INTEGER NOT NULL,
    cells TEXT,
    label TEXT,
    forgotten INTEGER REFERENCES event
);
CREATE INDEX row_by_hash ON row (hash) WHERE forgotten IS NULL;
CREATE INDEX row_by_sequence ON row (sequence);
CREATE TABLE forgotten (sequence INTEGER NOT NULL REFERENCES event, hash INTEGER NOT NULL);
CREATE TABLE snapshot (
    id INTEGER PRIMARY KEY,
    sequence INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    digest TEXT NOT NULL,
    rows INTEGER NOT NULL,
    kept INTEGER NOT NULL
);
"""


class JournalError(ModelError):
    """A journal that cannot be read or written, or that does not fit its model."""


class RepeatedKeyError(DataError):
    """An idempotency key that came before with another body."""


@dataclass(frozen=True)
class Row:
    """A learned row: its cells by column, and its label or labels."""

    cells: dict[str, Any]
    label: Any
    hash: int


@dataclass(frozen=True)
class Request:
    """Who asks, and what tells a repeated request from a new one."""

    key: str | None = None
    body_hash: bytes = b""
    who: str | None = None


@dataclass(frozen=True)
class Snapshot:
    """A model file that was written: its SHA-256, the digest of its tally, and its rows."""

    id: int
    sequence: int
    sha256: str
    digest: str
    rows: int


class Journal:
    """An open journal; only one process has it at a time."""

    def __init__(self, folder: Path, *, create: bool = False):
        self.folder = folder
        path = folder / _FILE
        if create == path.exists():
            raise JournalError(f"{folder}: there is {'a' if create else 'no'} journal")
        with readable(folder):
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            for pragma in (
                "locking_mode = EXCLUSIVE",
                "journal_mode = WAL",
                "synchronous = FULL",
                "secure_delete = ON",
                "foreign_keys = ON",
            ):
                self._database.execute(f"PRAGMA {pragma}")
            with self.transaction():
                if create:
                    for statement in _SCHEMA.split(";\n"):
                        self._database.execute(statement)
                    self._database.execute("INSERT INTO about VALUES ('format', ?)", (str(FORMAT),))
                (found,) = self._one("SELECT value FROM about WHERE name = 'format'")
        if found != str(FORMAT):
            self.close()
            raise JournalError(f"{folder}: it has format {found}, and this version reads {FORMAT}")

    def close(self) -> None:
        """Fold the write-ahead log into the file, and let go of it."""
        self._database.close()

    # Writing

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what is written inside, or nothing of it; on disk when it ends."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def step(self) -> Iterator[None]:
        """A part of a transaction that can be refused without the others."""
        self._database.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK TO step")
            raise
        finally:
            self._database.execute("RELEASE step")

    def answered(self, request: Request) -> dict[str, Any] | None:
        """The answer that this request has had before; another body under its key is refused."""
        if request.key is None:
            return None
        found = self._one(
            "SELECT body_hash, answer FROM event WHERE request_key = ?", (request.key,)
        )
        if found is None:
            return None
        if found[0] != request.body_hash:
            raise RepeatedKeyError(
                f"the idempotency key `{request.key}` came before with another body\n"
                "hint: use a new key for each new request"
            )
        answer: dict[str, Any] = json.loads(found[1])
        return answer

    def append(self, kind: Kind, rows: int, answer: dict[str, Any], request: Request) -> int:
        """Note an event, and by how many rows it changes the model; its sequence number."""
        sequence = self.sequence + 1
        self._database.execute(
            "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                sequence,
                datetime.now(UTC).isoformat(timespec="milliseconds"),
                kind,
                request.who,
                request.key,
                request.body_hash,
                rows,
                json.dumps(answer | {"sequence": sequence}, ensure_ascii=False),
            ),
        )
        return sequence

    def answer(self, sequence: int, answer: dict[str, Any]) -> None:
        """Keep what was answered, for whoever asks again."""
        self._database.execute(
            "UPDATE event SET answer = ? WHERE sequence = ?", (_dumped(answer), sequence)
        )

    def settle(self, sequence: int, rows: int) -> None:
        """Say by how many rows an event has changed the model."""
        self._database.execute("UPDATE event SET rows = ? WHERE sequence = ?", (rows, sequence))

    def learn(self, sequence: int, rows: Sequence[Row]) -> None:
        """Keep the rows that an event taught."""
        self._database.executemany(
            "INSERT INTO row (sequence, hash, cells, label) VALUES (?, ?, ?, ?)",
            [(sequence, _signed(r.hash), _dumped(r.cells), _dumped(r.label)) for r in rows],
        )

    def forget(self, sequence: int, hashes: Sequence[int]) -> bool:
        """Erase rows, one for each hash; whether a kept snapshot has counted any of them."""
        snapshot = self.snapshots[-1].sequence
        was_counted = False
        for signed in map(_signed, hashes):
            # The newest first: it may have come after the snapshot, which then stays.
            found = self._one(
                "SELECT id, sequence FROM row WHERE hash = ? AND forgotten IS NULL "
                "ORDER BY sequence DESC LIMIT 1",
                (signed,),
            )
            was_counted |= found is None or found[1] <= snapshot
            if found is not None:
                self._database.execute(
                    "UPDATE row SET cells = NULL, label = NULL, forgotten = ? WHERE id = ?",
                    (sequence, found[0]),
                )
            self._database.execute("INSERT INTO forgotten VALUES (?, ?)", (sequence, signed))
        return was_counted

    def add_snapshot(self, sha256: str, digest: str, rows: int) -> None:
        self._database.execute(
            "INSERT INTO snapshot (sequence, sha256, digest, rows, kept) VALUES (?, ?, ?, ?, 1)",
            (self.sequence, sha256, digest, rows),
        )

    def drop_snapshots(self, kept: int) -> None:
        """Keep only so many of the newest snapshots; of the others, remember the SHA-256."""
        ids = [snapshot.id for snapshot in self.snapshots[-kept:]]
        self._database.execute("UPDATE snapshot SET kept = 0 WHERE id < ?", (min(ids),))

    def drop(self, ids: Sequence[int]) -> None:
        """Drop snapshots that are damaged."""
        dropped = [(one,) for one in ids]
        self._database.executemany("UPDATE snapshot SET kept = 0 WHERE id = ?", dropped)

    def purge(self) -> None:
        """Leave nothing of erased rows in the write-ahead log."""
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # Reading

    @property
    def sequence(self) -> int:
        """The number of the last event."""
        return int(self._one("SELECT coalesce(max(sequence), 0) FROM event")[0])

    @property
    def has_answers(self) -> bool:
        """Whether it is of a labeling session, whose rows have numbers."""
        return self._one("SELECT 1 FROM about WHERE name = 'items'") is not None

    @property
    def snapshots(self) -> list[Snapshot]:
        """The snapshots that are kept, oldest first."""
        found = self._database.execute(
            "SELECT id, sequence, sha256, digest, rows FROM snapshot WHERE kept ORDER BY id"
        )
        return [Snapshot(*values) for values in found]

    def has_written(self, sha256: str) -> bool:
        """Whether a file of this SHA-256 was ever a snapshot."""
        return self._one("SELECT 1 FROM snapshot WHERE sha256 = ?", (sha256,)) is not None

    def rows_between(self, after: int, until: int | None = None) -> Iterator[list[Row]]:
        """The rows of events after one, up to another, that were not forgotten; in batches."""
        found = self._database.execute(
            "SELECT cells, label, hash FROM row WHERE forgotten IS NULL "
            "AND sequence > ? AND sequence <= ? ORDER BY id",
            (after, self.sequence if until is None else until),
        )
        while batch := found.fetchmany(_AT_ONCE):
            yield [
                Row(json.loads(cells), json.loads(label), own % 2**64)
                for cells, label, own in batch
            ]

    def live_rows(self) -> list[Row]:
        """All rows that were not forgotten."""
        return [row for rows in self.rows_between(0) for row in rows]

    def rows_since(self, sequence: int) -> int:
        """How many rows came after an event."""
        return int(self._one("SELECT count(*) FROM row WHERE sequence > ?", (sequence,))[0])

    def balance(self) -> int:
        """How many rows there are by the events: those learned, less those forgotten."""
        return int(self._one("SELECT coalesce(sum(rows), 0) FROM event")[0])

    def events(self) -> Iterator[dict[str, Any]]:
        """The audit trail."""
        found = self._database.execute(
            "SELECT sequence, time, kind, who, rows, answer FROM event ORDER BY sequence"
        )
        for sequence, time, kind, who, rows, answer in found:
            yield {
                "sequence": sequence, "time": time, "kind": kind, "who": who, "rows": rows,
                "answer": json.loads(answer),
            }  # fmt: skip

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run a statement of those who keep more than rows here."""
        return self._database.execute(statement, values)

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._database.execute(query, values).fetchone()


def is_database(path: Path) -> bool:
    """Whether a file in the folder is the database, or its write-ahead log."""
    return path.name.startswith(_FILE)


def _dumped(value: Any) -> str:
    # Cells may be infinite; Python writes and reads them as `Infinity`.
    return json.dumps(value, ensure_ascii=False)


def _signed(hashed: int) -> int:
    """A hash as SQLite has numbers: signed."""
    return hashed - 2**64 if hashed >= 2**63 else hashed


@contextmanager
def readable(folder: Path) -> Iterator[None]:
    """Say so where a journal is damaged, or somebody else has it."""
    try:
        yield
    except DAMAGE as error:
        if "locked" in str(error):
            raise JournalError(f"{folder}: another process is using this journal") from None
        raise JournalError(
            f"{folder}: the journal cannot be read ({error})\n"
            "hint: the model file is its newest snapshot; move the folder away to go on from that"
        ) from None
