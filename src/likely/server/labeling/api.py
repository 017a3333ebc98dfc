"""What the page asks a labeling session: one method per path, and the files of the page."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import unquote

import numpy as np

from likely.classifier import Classifier
from likely.data.labels import Label
from likely.errors import DataError, LikelyError
from likely.explain.explanation import Explanation, MultiLabelExplanation
from likely.explain.highlight import spoken
from likely.likelihoods.contribution import Contribution
from likely.report import report
from likely.server.answers import predictions
from likely.server.http import Handler, Headers, RefusalError, Reply, Request, Routes
from likely.server.journal import Request as Asked
from likely.server.labeling import health, progress
from likely.server.labeling.export import exported
from likely.server.labeling.queues import Suggester
from likely.server.labeling.session import Seen, Session
from likely.server.rows import parsed

Value = TypeVar("Value")

_PAGE = Path(__file__).parent / "page"
_KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
_MOST_ITEMS = 200
# So many rows of one answer have their words with what each contributes.
_EXPLAINED = 20
_MOST_DIGITS = 18
_LONGEST_NAME = 200
_ANYBODY = "me"

# A page runs nothing but its own script, and loads nothing from elsewhere; a report is one file.
_REPORT_CSP = (
    b"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    b"form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
_CSP = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    b"connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; "
    b"frame-ancestors 'none'"
)
_PRIVATE: Headers = [(b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer")]


class LabelingApi:
    """The paths of a labeling session."""

    def __init__(self, session: Session):
        self._session = session
        self._suggester = Suggester(session)
        # One at a time: what they ask is heavy, and the session answers in order anyway.
        self._threads = ThreadPoolExecutor(1, "likely-label")
        # What looks at all rows has a thread of its own, so that the next row need not wait for it.
        self._figures = ThreadPoolExecutor(1, "likely-figures")
        self._kept: dict[str, tuple[tuple[int, Seen], Any]] = {}

    @property
    def routes(self) -> Routes:
        pages = {
            f"/{path.name}": {"GET": self._file(path)}
            for path in _PAGE.iterdir()
            if path.suffix in _KINDS
        }
        return {
            "/": {"GET": self._file(_PAGE / "index.html")},
            **pages,
            "/api/state": {"GET": self.state},
            "/api/next": {"GET": self.next},
            "/api/item": {"GET": self.item},
            "/api/answer": {"POST": self.answer},
            "/api/undo": {"POST": self.undo},
            "/api/labels": {"POST": self.label},
            "/api/search": {"GET": self.search},
            "/api/try": {"POST": self.attempt},
            "/api/progress": {"GET": self.progress},
            "/api/data": {"GET": self.data},
            "/report": {"GET": self.report},
            "/export.csv": {"GET": self.export},
            "/export.jsonl": {"GET": self.export},
            "/export.xlsx": {"GET": self.export},
        }

    # Rows and answers

    async def state(self, request: Request) -> Reply:
        return self._reply(await self._work(lambda: self._state(_who(request))))

    async def next(self, request: Request) -> Reply:
        """The next rows of a queue, without those that the page has already."""
        who, query = _who(request), request.query
        queue, n = query.get("queue", "mixed"), _number(query.get("n", "1"), 1, _MOST_ITEMS)
        without = {_number(one, 0) for one in query.get("not", "").split(",") if one}

        def found() -> dict[str, Any]:
            suggested = self._suggester.next(queue, n, who, without)
            if queue == "errors":
                items = [self._doubted(one.item, who) for one in suggested]
            else:
                items = self._items([one.item for one in suggested], who)
            for item, one in zip(items, suggested, strict=True):
                item["queue"] = one.queue
            return {"items": items, "state": self._state(who)}

        return self._reply(await self._work(found))

    async def item(self, request: Request) -> Reply:
        item = _number(request.query.get("id", ""), 0, len(self._session.pool) - 1)
        (found,) = await self._work(lambda: self._items([item], _who(request)))
        return self._reply(found)

    async def answer(self, request: Request) -> Reply:
        """Answer rows; without labels they are skipped."""
        body, who, asked = _body(request), _who(request), _asked(request)
        items, labels = body.get("items"), body.get("labels")
        if not isinstance(items, list) or not items or {type(item) for item in items} != {int}:
            raise DataError("`items` is a list of row numbers")
        if labels is not None and not isinstance(labels, list):
            raise DataError("`labels` is a list of labels, or null to skip the rows")
        queue = str(body.get("queue", "search"))[:20]

        def answered() -> dict[str, Any]:
            found = self._session.answer(items, labels, who, queue, asked)
            self._session.tune_if_due()
            return {**found, "state": self._state(who)}

        return self._reply(await self._work(answered))

    async def undo(self, request: Request) -> Reply:
        """Take back one's own last answer."""
        who, asked = _who(request), _asked(request)

        def undone() -> dict[str, Any]:
            found = self._session.undo(who, asked)
            items = self._items(found["items"][:_MOST_ITEMS], who)
            return {**found, "items": items, "state": self._state(who)}

        return self._reply(await self._work(undone))

    async def label(self, request: Request) -> Reply:
        """Add a label, or the guidance of one: what it means, and what not."""
        body, asked = _body(request), _asked(request)
        name, guidance = body.get("name"), body.get("guidance")
        if not isinstance(name, str) or not 0 < len(name.strip()) <= _LONGEST_NAME:
            raise DataError(f"`name` is a label of 1 to {_LONGEST_NAME} characters")

        def noted() -> dict[str, Any]:
            if guidance is None:
                self._session.add_label(name, asked)
            else:
                self._session.guide(name, str(guidance)[:10_000], asked)
            return self._state(_who(request))

        return self._reply(await self._work(noted))

    async def search(self, request: Request) -> Reply:
        """The rows that hold a text anywhere, or a word as a whole."""
        query, who = request.query, _who(request)
        start, n = _number(query.get("from", "0"), 0), _number(query.get("n", "50"), 1, _MOST_ITEMS)

        def found() -> dict[str, Any]:
            pool = self._session.pool
            if word := query.get("word", "").strip():
                places = pool.with_word(word)
            else:
                places = pool.with_text(query.get("text", ""))
            answered = self._session.seen.answers
            open_places = [place for place in places.tolist() if not answered.get(place)]
            return {
                "total": len(places),
                "unanswered": len(open_places),
                "unanswered_items": open_places[:10_000],
                "items": self._items(places[start : start + n].tolist(), who),
            }

        return self._reply(await self._work(found))

    # The model

    async def attempt(self, request: Request) -> Reply:
        """What the model says of cells that somebody types."""
        body = _body(request)
        cells = body.get("cells")
        if not isinstance(cells, dict):
            raise DataError("`cells` is a dictionary by column")
        return self._reply(await self._work(lambda: self._attempted(cells)))

    async def progress(self, request: Request) -> Reply:
        """How good the model is by now, and what more answers would bring."""
        found = await self._figured("progress", progress.progress)
        return self._reply(found)

    async def data(self, request: Request) -> Reply:
        """What may be wrong with the rows and the answers."""
        return self._reply(await self._figured("data", health.health))

    async def report(self, request: Request) -> Reply:
        """The report about the model, on the answered rows."""

        def made(session: Session) -> bytes:
            agreed = session.seen.agreed
            items = sorted(agreed)
            classifier = session.model.served.classifier
            labels = [session.label(agreed[item]) for item in items]
            return report(classifier, session.pool.table(items), labels).html().encode()

        try:
            page = await self._figured("report", made)
        except LikelyError as error:
            why = f"there is no report yet: {error}"
            raise RefusalError(409, error.code or "no-report", why) from None
        kind = "text/html; charset=utf-8"
        return Reply(page, content_type=kind, headers=_PRIVATE, policy=_REPORT_CSP)

    async def export(self, request: Request) -> Reply:
        """All answers, with who gave them and when."""
        form = request.path.rpartition(".")[2]
        content, kind = await self._work(
            lambda: exported(self._session.still(), form), self._figures
        )
        name = f'attachment; filename="labels.{form}"'.encode()
        return Reply(
            content, content_type=kind, headers=[*_PRIVATE, (b"content-disposition", name)]
        )

    # What they are made of

    def _state(self, who: str) -> dict[str, Any]:
        session = self._session
        seen, served = session.seen, session.model.served
        counts: dict[str, int] = {}
        for said in seen.agreed.values():
            for label in said:
                counts[label] = counts.get(label, 0) + 1
        return {
            "data": Path(session.pool.name).name,
            "model": session.model.path.name,
            "rows": len(session.pool),
            "columns": [
                {"name": name, "is_text": name in session.pool.texts}
                for name in session.pool.columns
            ],
            "is_multilabel": session.is_multilabel,
            "labels": [
                {"name": name, "guidance": guidance, "count": counts.get(name, 0)}
                for name, guidance in session.labels.items()
            ],
            "answered": len(seen.answers),
            "learned": len(seen.agreed),
            "mine": sum(who in by for by in seen.answers.values()),
            "who": who,
            "is_tuned": served.classifier.tuning is not None,
            "is_stale": served.classifier.is_stale,
            "sequence": served.sequence,
            "digest": served.snapshot,
        }

    def _doubted(self, item: int, who: str) -> dict[str, Any]:
        """An answered row, with what the model says of it by the other answers alone."""
        (found,) = self._items([item], who, self._session.without_answers(item))
        return found

    def _items(
        self, items: list[int], who: str, classifier: Classifier | None = None
    ) -> list[dict[str, Any]]:
        session = self._session
        classifier = classifier or session.model.served.classifier
        said = self._predicted(classifier, items)
        found = []
        for item, prediction in zip(items, said, strict=True):
            by = session.seen.answers.get(item, {})
            mine = by.get(who)
            cells = session.pool.cells(item)
            why = (
                _said(classifier, cells)
                if len(items) <= _EXPLAINED
                else {"pieces": {}, "about": None}
            )
            found.append(
                {
                    "id": item,
                    "cells": cells,
                    "prediction": prediction,
                    "pieces": why["pieces"],
                    "about": why["about"],
                    "mine": None if mine is None else mine.labels,
                    "is_answered_by_me": mine is not None,
                    "answers": [
                        {"who": one.who, "labels": one.labels, "time": one.time}
                        for one in by.values()
                    ],
                }
            )
        return found

    def _predicted(self, classifier: Classifier, items: list[int]) -> list[dict[str, Any] | None]:
        if not items or not _predicts(classifier):
            return [None] * len(items)
        return [*predictions(classifier, self._session.pool.table(items), 0.0)]

    def _attempted(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """What the model says of cells, with all contributions."""
        return _said(self._session.model.served.classifier, cells, is_whole=True)

    def _file(self, path: Path) -> Handler:
        content = path.read_bytes()
        kind = f"{_KINDS[path.suffix]}; charset=utf-8"

        async def file(request: Request) -> Reply:
            return Reply(content, content_type=kind, headers=_PRIVATE, policy=_CSP)

        return file

    async def _work(
        self, work: Callable[[], Value], threads: ThreadPoolExecutor | None = None
    ) -> Value:
        return await asyncio.get_running_loop().run_in_executor(threads or self._threads, work)

    async def _figured(self, name: str, made: Callable[[Session], Value]) -> Value:
        """What is made of all answers, once for each state of the session."""

        def found() -> Value:
            session = self._session.still()
            now = session.model.served.sequence, session.seen
            before, value = self._kept.get(name, (None, None))
            if before is None or before[0] != now[0] or before[1] is not now[1]:
                value = made(session)
                self._kept[name] = now, value
            return cast(Value, value)

        return await self._work(found, self._figures)

    def _reply(self, content: Any) -> Reply:
        return Reply(content, headers=_PRIVATE)


def _said(
    classifier: Classifier, cells: Mapping[str, Any], is_whole: bool = False
) -> dict[str, Any]:
    """What a model says of one row: the words of its texts, with what each contributes.

    The contributions are to one label, `about`: the one that is predicted, of several the most
    probable, of none the one that is nearest.
    """
    if not _predicts(classifier):
        return {"prediction": None, "pieces": {}, "about": None}
    row = {name: cells.get(name) for name in classifier.columns}
    about, odds = _contributions(classifier.explain(row))
    pieces = {
        name: spoken(str(cells[name]), odds) for name in classifier.text_columns if cells.get(name)
    }
    found: dict[str, Any] = {"pieces": pieces, "about": about}
    if is_whole:
        (found["prediction"],) = predictions(classifier, [row], 0.0)
        found["contributions"] = [
            {"name": each.name, "log_odds": value} for each, value in odds if np.isfinite(value)
        ]
    return found


def _predicts(classifier: Classifier) -> bool:
    return len(classifier.classes) > (0 if classifier.is_multilabel else 1)


def _contributions(
    why: Explanation | MultiLabelExplanation,
) -> tuple[Label, list[tuple[Contribution, float]]]:
    """A label, and what each contribution adds to its log-odds."""
    if isinstance(why, Explanation):
        return why.prediction, [(each, why.log_odds(each)) for each in why.contributions]
    reached = why.probabilities >= why.thresholds
    nearness = why.probabilities - (0 if reached.any() else why.thresholds)
    place = int(np.where(reached | ~reached.any(), nearness, -np.inf).argmax())
    return why.classes[place], [(each, float(each.scores[place])) for each in why.contributions]


def _who(request: Request) -> str:
    """The name that somebody gave in the page; browsers send it percent-encoded."""
    return unquote(request.header("x-user"))[:_LONGEST_NAME].strip() or _ANYBODY


def _asked(request: Request) -> Asked:
    """Who asks, and what tells a request that is sent again from a new one."""
    key = request.header("idempotency-key") or None
    if key is not None and len(key) > _LONGEST_NAME:
        why = f"an idempotency key has at most {_LONGEST_NAME} characters"
        raise RefusalError(400, "wrong-key", why)
    who = _who(request)
    what = b"\0".join((request.path.encode(), who.encode(), request.body))
    return Asked(key, hashlib.sha256(what).digest(), who)


def _body(request: Request) -> dict[str, Any]:
    found = parsed(request.body)
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RefusalError(400, "wrong-body", "the body is not valid Unicode") from None
    if not isinstance(found, dict):
        raise RefusalError(400, "wrong-body", "the body is not an object")
    return found


def _number(given: str, low: int, high: int | None = None) -> int:
    number = int(given) if given.isdecimal() and len(given) <= _MOST_DIGITS else -1
    if number < low or (high is not None and number > high):
        end = "up" if high is None else f"to {high:,}"
        raise DataError(f"{given[:20]!r} is not a whole number from {low} {end}")
    return number
