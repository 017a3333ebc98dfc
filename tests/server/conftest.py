import asyncio
import json
import re
import signal
import subprocess
import sys
import time

import pytest

import likely
from likely.server.fixed import FixedModel
from likely.server.guard import Guard
from likely.server.living import LivingModel
from likely.server.options import ServerOptions
from likely.server.service import Service
from tests.server.loops import run

# Read by schemathesis, which need not be there.
collect_ignore = ["described.py"]

TEXTS = ["free prize", "win cash", "see you", "lunch at two"]
LABELS = ["spam", "spam", "ham", "ham"]


class Asked:
    """An answer: its status, its headers, and its body."""

    def __init__(self, messages):
        start, *parts = messages
        self.status = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}
        self.body = b"".join(part["body"] for part in parts)

    @property
    def json(self):
        return json.loads(self.body)


class Client:
    """Asks an application, without a network between."""

    def __init__(self, app):
        self.app = app
        self.more = []

    def __call__(self, method, path, body=b"", pieces=None, **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"host": "localhost", "content-type": "application/json", **named}
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "scheme": "http",
            "headers": [(n.encode(), v.encode("latin-1")) for n, v in given.items()] + self.more,
        }
        coming = [*(pieces or [body])]
        sent = []

        async def receive():
            if not coming:
                await asyncio.sleep(60)
            part = coming.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(coming)}

        async def send(message):
            sent.append(message)

        run(self.app(scope, receive, send))
        return Asked(sent)

    def get(self, path, **headers):
        return self("GET", path, **headers)

    def post(self, path, body, **headers):
        return self("POST", path, body, **headers)


@pytest.fixture
def saved(tmp_path):
    """A small plain model in a file."""
    path = tmp_path / "m.likely"
    model = likely.Classifier(likely.Multinomial())
    model.fit({"text": TEXTS, "label": LABELS}, "label").save(path)
    return path


@pytest.fixture
def served():
    """Clients of models, fixed or living; models are closed in the end."""
    open_models = []

    def served(path, *, learns=False, **options):
        model = LivingModel(path) if learns else FixedModel(path)
        open_models.append(model)
        options = ServerOptions(**options)
        client = Client(Guard(Service(model, options), options))
        client.model = model
        return client

    yield served
    for model in open_models:
        model.close()


@pytest.fixture
def running(saved):
    """Starts `likely serve` and gives its port; in the end it stops, having said nothing odd."""
    processes, log = [], saved.with_name("log")
    log.touch()

    def running(*options, command=("-m", "likely", "serve")):
        command = [sys.executable, *command, str(saved), "--port", "0", *options]
        with open(log, "a") as file:
            processes.append(subprocess.Popen(command, stderr=file))
        running.process = processes[-1]
        until = time.monotonic() + 60
        while time.monotonic() < until:
            assert processes[-1].poll() is None, log.read_text()
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text()):
                return int(found[1])
            time.sleep(0.02)
        raise AssertionError("the server does not begin")

    yield running
    for process in processes:
        process.terminate()
        assert process.wait(30) in (0, -signal.SIGKILL)
    assert "Traceback" not in log.read_text()
    assert "failed with" not in log.read_text()
