"""Whether a journal is what it says: each claim is computed again from the rows it keeps."""

import hashlib
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from likely.errors import LikelyError
from likely.model import file
from likely.model.fitted import Fitted
from likely.server.journal import DAMAGE, Journal, Snapshot
from likely.server.living import hashes, labeled, named, replayed

_WHOLE = "the database is whole"


@dataclass(frozen=True)
class Check:
    """A claim, whether it holds, and what was found."""

    claim: str
    holds: bool
    found: str


@dataclass(frozen=True)
class Verification:
    """All checks, and what the model is by the journal."""

    checks: tuple[Check, ...]
    digest: str | None
    rows: int | None

    @property
    def holds(self) -> bool:
        return all(check.holds for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        checks = [vars(check) for check in self.checks]
        return {"holds": self.holds, "digest": self.digest, "rows": self.rows, "checks": checks}


def verified(path: Path, journal: Journal, secret: bytes | None = None) -> Verification:
    """Check a journal that nobody else is using."""
    try:
        return _verified(path, journal, secret)
    except DAMAGE as error:
        return Verification((Check(_WHOLE, False, str(error)),), None, None)


def _verified(path: Path, journal: Journal, secret: bytes | None) -> Verification:
    checks = [_is_whole(journal), _is_counted(journal)]
    snapshots = journal.snapshots
    fitted: dict[int, Fitted] = {}
    for snapshot in snapshots:
        check, found = _is_as_written(journal.folder, snapshot, secret)
        checks.append(check)
        if found is not None:
            fitted[snapshot.id] = found
    for older, newer in itertools.pairwise(snapshots):
        if older.id in fitted:
            again = replayed(journal, fitted[older.id], older.sequence, newer.sequence)
            held = again.digest == newer.digest
            what = f"replaying events {older.sequence + 1:,} to {newer.sequence:,} gives snapshot"
            checks.append(Check(f"{what} {newer.digest[:16]}", held, again.digest))
    if snapshots[-1].id not in fitted:
        return Verification(tuple(checks), None, None)
    newest = fitted[snapshots[-1].id]
    checks.append(_are_untouched(journal, newest))
    now = replayed(journal, newest, snapshots[-1].sequence)
    rows, balance = now.tally.n_rows, journal.balance()
    claim = "the rows of the model are those learned less those forgotten"
    checks.append(Check(claim, rows == balance, f"{rows:,} and {balance:,}"))
    checks.append(_is_published(path, journal))
    return Verification(tuple(checks), now.digest, rows)


def _is_whole(journal: Journal) -> Check:
    found = [line for (line,) in journal.execute("PRAGMA integrity_check")]
    return Check(_WHOLE, found == ["ok"], "; ".join(found[:3]))


def _is_counted(journal: Journal) -> Check:
    ((events, last),) = journal.execute("SELECT count(*), max(sequence) FROM event")
    return Check("no event is missing", events == last, f"{events:,} events, the last is {last:,}")


def _is_as_written(
    folder: Path, snapshot: Snapshot, secret: bytes | None
) -> tuple[Check, Fitted | None]:
    claim = f"snapshot {snapshot.digest[:16]} is as it was written"
    path = folder / named(snapshot.sha256)
    if not path.is_file():
        return Check(claim, False, f"{path.name} is missing"), None
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != snapshot.sha256:
        return Check(claim, False, f"its SHA-256 is {sha256}"), None
    try:
        fitted = file.from_bytes(data, secret)
    except LikelyError as error:
        return Check(claim, False, str(error)), None
    is_same = fitted.digest == snapshot.digest and fitted.tally.n_rows == snapshot.rows
    return Check(claim, is_same, f"{fitted.tally.n_rows:,} rows, {fitted.digest}"), fitted


def _are_untouched(journal: Journal, fitted: Fitted) -> Check:
    """Each row has the hash that it had when it was learned; forgotten ones have nothing else."""
    n, wrong = 0, 0
    for rows in journal.rows_between(0):
        cells, labels = [row.cells for row in rows], [row.label for row in rows]
        again = hashes(fitted, labeled(fitted, cells, labels))
        wrong += sum(row.hash != own for row, own in zip(rows, again, strict=True))
        n += len(rows)
    ((left,),) = journal.execute(
        "SELECT count(*) FROM row "
        "WHERE forgotten IS NOT NULL AND coalesce(cells, label) IS NOT NULL"
    )
    found = f"{n:,} rows, {wrong:,} with another hash; {left:,} forgotten ones with cells"
    return Check(
        "rows are as they were learned, and forgotten ones erased", not wrong + left, found
    )


def _is_published(path: Path, journal: Journal) -> Check:
    newest = journal.snapshots[-1].sha256
    found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
    return Check(f"{path.name} is the newest snapshot", found == newest, found)
