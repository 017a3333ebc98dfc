"""Whether the figures that the label page shows are true, in the sessions of `labeling.curves`."""

from collections.abc import Iterator
from typing import Any

from benchmarks.claims.intervals import mean, points
from benchmarks.data import MissingError
from benchmarks.run import Run
from benchmarks.table import Cell, Row
from likely.evaluation.intervals import shares

NOTES = """\
What the page says after so many answers, minus what is true: in points, the mean over sessions of
all sets and its 95 % interval; and how many of the page's own 95 % intervals hold the truth. The
accuracy is compared with that on the held-out rows, and `twice` with that after twice as many
answers. `unseen` is the share of unanswered rows that have a label, of each label but the most
frequent one. Figures of a session are not independent of each other."""
COLUMNS = ("figure", "queue", "answers", "n", "page − true", "held", "in percent")


def rows(run: Run) -> Iterator[Row]:
    curves = run.tables.get("labeling.curves")
    if curves is None or not curves.rows:
        raise MissingError("it judges the sessions of `labeling.curves`, not measured in this run")
    at = {(row["set"], row["answers"]): row["sessions"] for row in curves.rows}
    sets = {name for name, _ in at}
    marks = sorted({n_answers for _, n_answers in at})
    for figure, judged in (("accuracy", _accuracy), ("unseen", _unseen), ("twice", _twice)):
        for queue in ("random", "mixed"):
            for n_answers in marks:
                found = [
                    one
                    for name in sorted(sets)
                    for place, session in enumerate(at[name, n_answers][queue])
                    for one in judged(session, _later(at, name, 2 * n_answers, queue, place))
                ]
                if len(found) > 1:
                    yield {"figure": figure, "queue": queue, "answers": n_answers, **_row(found)}


def _later(at: Any, name: str, n_answers: int, queue: str, place: int) -> Row | None:
    found = at.get((name, n_answers))
    return None if found is None else found[queue][place]


def _row(found: list[tuple[float, bool | None]]) -> Row:
    errors, held = zip(*found, strict=True)
    row: Row = {"n": len(errors), "page − true": points(mean(errors))}
    if None not in held:
        (share,) = shares([sum(held)], [len(held)], 0.95)
        row["held"] = sum(held)
        ends = f"{100 * share:.0f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"
        row["in percent"] = Cell((float(share), share.low, share.high), ends)
    return row


def _accuracy(session: Row, later: Row | None) -> Iterator[tuple[float, bool | None]]:
    if said := session["accuracy"]:
        yield said["value"] - session["true"], said["low"] <= session["true"] <= said["high"]


def _unseen(session: Row, later: Row | None) -> Iterator[tuple[float, bool | None]]:
    for one in sorted(session["unseen"].values(), key=lambda one: one["true"])[:-1]:
        yield (
            (one["left"] - one["true"]) / session["left"],
            one["low"] <= one["true"] <= one["high"],
        )


def _twice(session: Row, later: Row | None) -> Iterator[tuple[float, bool | None]]:
    if session["forecast"] is not None and later is not None:
        yield session["forecast"] - later["true"], None
