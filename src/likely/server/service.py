"""What can be asked of a model over HTTP: one method per path."""

import asyncio
import hashlib
import logging
import math
import re
import time
import traceback
from collections import Counter
from concurrent.futures import Future
from typing import Any

import numpy as np

import likely
from likely.data.table import Table
from likely.errors import LikelyError, NotFittedError, NotLearnedError
from likely.server import journal, openapi, rows
from likely.server.answers import described, explanations, predictions
from likely.server.decisions import DecisionLog
from likely.server.fixed import FixedModel
from likely.server.http import (
    RETRY,
    Handler,
    Receive,
    RefusalError,
    Reply,
    Request,
    Routes,
    Scope,
    Send,
    received,
)
from likely.server.inference_protocol import InferenceProtocol, in_protocol
from likely.server.living import Answer, LivingModel, Served
from likely.server.metrics import CONTENT_TYPE, OTHER, Labels, Metrics, names_for
from likely.server.options import ServerOptions
from likely.server.work import Work

# Words are looked up in so small a share of the time.
_SAMPLED = 0.01
_STATUSES = (200, 400, 404, 405, 408, 409, 413, 415, 422, 500, 503)
_KEY = re.compile(r"[!-~]{1,255}")

# Errors by the status that says whose they are; the first that fits.
_STATUS: list[tuple[type[LikelyError], int, str]] = [
    (rows.MediaTypeError, 415, "wrong-content-type"),
    (rows.TooManyRowsError, 413, "too-many-rows"),
    (rows.BodyError, 400, "wrong-body"),
    (journal.RepeatedKeyError, 409, "repeated-key"),
    (NotLearnedError, 409, "not-learned"),
    (NotFittedError, 409, "not-fitted"),
    (LikelyError, 422, "wrong-rows"),
]

_log = logging.getLogger("likely.serve")


class Service:
    """An ASGI application over a model, fixed or living."""

    def __init__(
        self,
        model: FixedModel | LivingModel,
        options: ServerOptions,
        more: Routes | None = None,
    ):
        self.model, self.options = model, options
        self.work = Work(options.longest_wait)
        self._next_sample = 0.0
        self._log = None if options.decision_log is None else DecisionLog(options.decision_log)
        self.routes: Routes = {
            "/predict": {"POST": self.predict},
            "/explain": {"POST": self.explain},
            "/model": {"GET": self.describe},
            "/healthz": {"GET": self.health},
            "/readyz": {"GET": self.ready},
            "/openapi.json": {"GET": self.openapi},
            "/metrics": {"GET": self.metrics_text},
            **InferenceProtocol(
                model.path.stem, lambda: model.served, self._predicted, options.max_rows
            ).routes,
            **(more or {}),
        }
        # A model that is being labeled learns from answers, and from nothing else.
        self.learns = isinstance(model, LivingModel) and more is None
        if self.learns:
            self.routes |= {"/learn": {"POST": self.learn}, "/forget": {"POST": self.forget}}
        known = names_for([*self.routes, OTHER], _STATUSES, model.served.classifier.classes)
        self.metrics = Metrics(options.workers, known)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        began = time.perf_counter()
        path = scope["path"]
        try:
            handler = self._handler(scope)
            options = self.options
            request = await received(scope, receive, options.max_body, options.seconds)
            reply = await handler(request)
        except ConnectionResetError:
            return
        except Exception as error:
            refusal = _refusal(scope, error)
            is_foreign = path == "/v2" or path.startswith("/v2/")
            reply = in_protocol(refusal) if is_foreign else refusal.reply
        await reply.send(send)
        known = path if path in self.routes else OTHER
        self.metrics.request(known, reply.status, time.perf_counter() - began)

    def refused(self) -> None:
        """Count a request that was refused before it was looked at."""
        self.metrics.add("likely_requests_total", (("path", OTHER), ("status", "503")))

    def _handler(self, scope: Scope) -> Handler:
        methods = self.routes.get(scope["path"])
        if methods is None:
            raise RefusalError(404, "not-found", f"there is nothing at `{scope['path'][:100]}`")
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if method not in methods:
            allowed = ", ".join(methods)
            why = f"`{scope['path']}` takes {allowed}, not {method[:20]}"
            raise RefusalError(405, "wrong-method", why, [(b"allow", allowed.encode())])
        return methods[method]

    # Asking

    async def predict(self, request: Request) -> Reply:
        """The label of each row, and the probability of each class."""
        served = self.model.served
        asked = self._unlabeled(request, served)
        n_bytes, reject_below = len(request.body), self.options.reject_below
        found = await self._predicted(served, asked.x, n_bytes, reject_below)
        return Reply({"predictions": found, **_version(served)})

    async def _predicted(
        self, served: Served, x: Table, n_bytes: int, reject_below: float = 0.0
    ) -> list[dict[str, Any]]:
        """Predictions, counted and noted in the log of decisions."""

        def predict() -> list[dict[str, Any]]:
            return predictions(served.classifier, x, reject_below)

        found = await self.work.do("/predict", n_bytes, predict)
        self._count(found)
        if (now := time.monotonic()) >= self._next_sample:
            self._next_sample = math.inf  # One at a time.
            try:
                await self.work.in_thread(lambda: self._count_words(served, x))
            finally:
                done = time.monotonic()
                self._next_sample = done + (done - now) / _SAMPLED
        if (log := self._log) is not None:
            await self.work.in_thread(lambda: log.write(served, x, found))
        return found

    def _count(self, found: list[dict[str, Any]]) -> None:
        if found and "labels" in found[0]:
            labels = Counter(label for one in found for label in one["labels"])
        else:
            labels = Counter(one["label"] for one in found)
        if rejected := labels.pop(None, 0):
            self.metrics.add("likely_rejected_total", n=rejected)
        for label, n in labels.items():
            self.metrics.add("likely_predictions_total", (("label", str(label)),), n)

    def _count_words(self, served: Served, x: Table) -> None:
        """Count the words of the first row that the model knows, and those that it does not."""
        try:
            bags = served.classifier.features(x.at(np.array([0])))
        except LikelyError:
            return
        for feature in (feature for bag in bags.values() for feature in bag.features):
            state = "unknown" if feature.state == "unknown" else "known"
            self.metrics.add("likely_words_total", (("state", state),), feature.count)

    async def explain(self, request: Request) -> Reply:
        """The contributions to the prediction of each row."""
        served = self.model.served
        asked = self._unlabeled(request, served)

        def explain() -> list[dict[str, Any]]:
            return explanations(served.classifier, asked.x)

        found = await self.work.do("/explain", len(request.body), explain)
        return Reply({"explanations": found, **_version(served)})

    async def describe(self, request: Request) -> Reply:
        """What the model is: its rows, classes and columns; with `?digest=full`, its digest now."""
        served = self.model.served
        found = described(served.classifier) | _version(served)
        if request.query.get("digest", "full") != "full":
            raise RefusalError(400, "wrong-query", "`digest` can be `full`")
        if "digest" in request.query:
            found["full_digest"] = await self.work.in_thread(lambda: served.classifier.digest)
        return Reply(found)

    async def health(self, request: Request) -> Reply:
        return Reply({"status": "ok"})

    async def ready(self, request: Request) -> Reply:
        return Reply({"status": "ready", "version": likely.__version__})

    async def openapi(self, request: Request) -> Reply:
        """The description of this server."""
        learns, has_token = self.learns, self.options.token is not None
        classifier = self.model.served.classifier
        name = self.model.path.stem
        return Reply(openapi.described(classifier, name, learns=learns, has_token=has_token))

    async def metrics_text(self, request: Request) -> Reply:
        """What the server counts about itself."""
        served = self.model.served
        waiting = self.model.waiting if isinstance(self.model, LivingModel) else 0
        gauges: list[tuple[str, Labels, float]] = [
            ("likely_rows", (), served.classifier.tally.n_rows),
            ("likely_sequence", (), served.sequence),
            ("likely_waiting", (), waiting),
            ("likely_model", (("digest", served.snapshot),), 1),
        ]
        return Reply(self.metrics.text(gauges), content_type=CONTENT_TYPE)

    # Learning

    async def learn(self, request: Request) -> Reply:
        """Learn labeled rows; they are on the disk when the answer comes."""
        asked, own = self._changing(request)
        assert isinstance(self.model, LivingModel)
        return Reply(await _waited(self.model.learn(asked.x, asked.y, own)))

    async def forget(self, request: Request) -> Reply:
        """Forget rows that were learned; the answer is the receipt."""
        asked, own = self._changing(request)
        assert isinstance(self.model, LivingModel)
        return Reply(await _waited(self.model.forget(asked.x, asked.y, own)))

    def _changing(self, request: Request) -> tuple[rows.Rows, journal.Request]:
        assert isinstance(self.model, LivingModel)
        if self.model.waiting >= self.options.waiting:
            raise RefusalError(503, "busy", "too many changes wait to be written", RETRY)
        asked = self._rows(request, self.model.served)
        key = request.header("idempotency-key") if b"idempotency-key" in request.headers else None
        if key is not None and not _KEY.fullmatch(key):
            why = "an idempotency key has 1 to 255 ASCII characters, and no space"
            raise RefusalError(400, "wrong-key", why)
        what = request.path.encode() + b"\0" + request.body
        hashed = hashlib.sha256(what).digest()
        return asked, journal.Request(key, hashed, request.header("x-user") or None)

    def _unlabeled(self, request: Request, served: Served) -> rows.Rows:
        asked = self._rows(request, served)
        if asked.y is not None:
            raise rows.BodyError("`labels` are for /learn and /forget")
        return asked

    def _rows(self, request: Request, served: Served) -> rows.Rows:
        given = request.header("content-type")
        if request.header("content-encoding").lower() not in ("", "identity"):
            raise rows.MediaTypeError("a body comes as it is, not compressed")
        fitted = served.classifier.fitted
        return rows.read(request.body, given, fitted, self.options.max_rows)


async def _waited(future: "Future[Answer]") -> Answer:
    return await asyncio.wrap_future(future)


def _refusal(scope: Scope, error: Exception) -> RefusalError:
    if isinstance(error, RefusalError):
        return error
    if not isinstance(error, LikelyError):
        # Where it happened, and no message: that could hold a text of the request.
        where = "".join(traceback.format_tb(error.__traceback__))
        what = type(error).__name__
        _log.error("%s %s failed with %s\n%s", scope["method"], scope["path"], what, where)
        return RefusalError(500, "internal", "something went wrong here")
    if isinstance(error, journal.JournalError):
        # Where the journal lies is not for strangers.
        _log.error("%s %s: %s", scope["method"], scope["path"], error)
        why = "the journal cannot be written now, so nothing was changed"
        return RefusalError(503, "journal", why, RETRY)
    status, code = next((s, c) for kind, s, c in _STATUS if isinstance(error, kind))
    return RefusalError(status, error.code or code, str(error))


def _version(served: Served) -> dict[str, Any]:
    return {"digest": served.snapshot, "sequence": served.sequence}
