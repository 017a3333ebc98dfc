"""Who answered what, and what the model learns of it: what most people say.

Each answer is a line of its own. An answer ends when the same person answers the row again, or
takes it back; then those that it had ended are in force again. Where people disagree evenly the
model learns nothing of the row.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from likely.server.journal import Journal

Said = tuple[str, ...]
"""The labels that were given, sorted; one of a single-label row."""

SCHEMA = """
CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    sequence INTEGER NOT NULL REFERENCES event,
    item INTEGER NOT NULL,
    who TEXT NOT NULL,
    labels TEXT,
    queue TEXT NOT NULL,
    ended INTEGER REFERENCES event
);
CREATE INDEX answer_by_item ON answer (item) WHERE ended IS NULL;
CREATE INDEX answer_by_sequence ON answer (sequence);
CREATE TABLE label (name TEXT PRIMARY KEY, place INTEGER NOT NULL, guidance TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Answer:
    """What somebody said of a row; None if it was skipped."""

    item: int
    who: str
    labels: Said | None
    queue: str
    sequence: int
    time: str = ""


def consensus(said: Iterable[Said | None]) -> Said | None:
    """What most people say; None where nobody answered, or as many say something else."""
    votes = Counter(labels for labels in said if labels is not None).most_common(2)
    if not votes or (len(votes) > 1 and votes[0][1] == votes[1][1]):
        return None
    return votes[0][0]


class Answers:
    """The answers in a journal. Those who write are inside a change of the model."""

    def __init__(self, journal: Journal):
        self._journal = journal

    def create(self) -> None:
        for statement in SCHEMA.split(";\n"):
            if statement.strip():
                self._journal.execute(statement)

    def of(self, item: int) -> dict[str, Said | None]:
        """What each person says of a row now."""
        found = self._journal.execute(
            "SELECT who, labels FROM answer WHERE item = ? AND ended IS NULL", (item,)
        )
        return {who: _said(labels) for who, labels in found}

    def agreed(self, items: Iterable[int]) -> dict[int, Said | None]:
        """What most people say of rows."""
        return {item: consensus(self.of(item).values()) for item in items}

    def add(
        self, sequence: int, items: Sequence[int], labels: Said | None, who: str, queue: str
    ) -> None:
        for item in items:
            self._journal.execute(
                "UPDATE answer SET ended = ? WHERE item = ? AND who = ? AND ended IS NULL",
                (sequence, item, who),
            )
            written = None if labels is None else json.dumps(labels, ensure_ascii=False)
            self._journal.execute(
                "INSERT INTO answer (sequence, item, who, labels, queue) VALUES (?, ?, ?, ?, ?)",
                (sequence, item, who, written, queue),
            )

    def last(self, who: str) -> tuple[int, list[int]] | None:
        """The event of somebody's last answer that is in force, and its rows."""
        ((sequence,),) = self._journal.execute(
            "SELECT max(sequence) FROM answer WHERE who = ? AND ended IS NULL", (who,)
        )
        if sequence is None:
            return None
        found = self._journal.execute(
            "SELECT item FROM answer WHERE sequence = ? AND who = ? AND ended IS NULL",
            (sequence, who),
        )
        return sequence, [item for (item,) in found]

    def undo(self, sequence: int, undone: int) -> None:
        """End the answers of an event; those that it had ended are in force again."""
        self._journal.execute(
            "UPDATE answer SET ended = NULL WHERE ended = ? AND item IN "
            "(SELECT item FROM answer WHERE sequence = ? AND ended IS NULL)",
            (undone, undone),
        )
        self._journal.execute(
            "UPDATE answer SET ended = ? WHERE sequence = ? AND ended IS NULL", (sequence, undone)
        )

    def in_force(self, item: int | None = None) -> Iterator[Answer]:
        """The answers that are in force, of a row or all, in the order in which they came."""
        which, values = ("", ()) if item is None else ("AND item = ?", (item,))
        found = self._journal.execute(
            "SELECT item, answer.who, labels, queue, sequence, time FROM answer "
            f"JOIN event USING (sequence) WHERE ended IS NULL {which} ORDER BY id",
            values,
        )
        for item, who, labels, queue, sequence, time in found:
            yield Answer(item, who, _said(labels), queue, sequence, time)

    # Labels

    def labels(self) -> dict[str, str]:
        """The labels in their order, each with its guidance."""
        return dict(self._journal.execute("SELECT name, guidance FROM label ORDER BY place"))

    def add_label(self, name: str) -> None:
        self._journal.execute(
            "INSERT OR IGNORE INTO label SELECT ?, coalesce(max(place), 0) + 1, '' FROM label",
            (name,),
        )

    def guide(self, name: str, guidance: str) -> None:
        self._journal.execute("UPDATE label SET guidance = ? WHERE name = ?", (guidance, name))


def _said(labels: str | None) -> Said | None:
    return None if labels is None else tuple(json.loads(labels))
