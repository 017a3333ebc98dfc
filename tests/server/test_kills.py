"""A server that learns is killed at any moment: what it acknowledged is there, once, and no more.

Clients learn and forget rows at the same time, each change under a key; what was not answered they
send again once the server is back, as clients do.
"""

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException

import pytest

import likely
from likely.server.journal import Journal
from likely.server.living import folder_of
from likely.server.verifying import verified

pytest.importorskip("uvicorn", reason="uvicorn serves")

# `LIKELY_KILLS=1000` kills as often as a release is to stand; it takes half an hour.
KILLS = int(os.environ.get("LIKELY_KILLS", "12"))
CLIENTS = 4
TEXTS, LABELS = ["free prize", "win cash", "see you", "lunch at two"], ["spam"] * 2 + ["ham"] * 2


class Client:
    """Learns and forgets rows of its own, until the server does not answer."""

    def __init__(self, number):
        self.live, self.forgotten, self.refused = [], [], []
        self._name, self._draw, self._n = number, random.Random(number), 0
        self._unsure = None

    def ask(self, port, *, is_last=False):
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            while not is_last or self._unsure is not None:
                self._unsure = self._unsure or self._next()
                what, text, key = self._unsure
                body = json.dumps({"rows": [{"text": text}], "labels": ["spam"]})
                headers = {"Content-Type": "application/json", "Idempotency-Key": key}
                connection.request("POST", f"/{what}", body, headers)
                answer = connection.getresponse()
                said = answer.read()
                self._unsure = None
                if answer.status != 200:
                    self.refused.append(said)
                elif what == "learn":
                    self.live.append(text)
                else:
                    self.live.remove(text)
                    self.forgotten.append(text)
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()

    def _next(self):
        self._n += 1
        key = f"{self._name}-{self._n}"
        if self.live and self._draw.random() < 0.35:
            return "forget", self._draw.choice(self.live), key
        return "learn", f"row{self._name}x{self._n}z prize", key


class Killed:
    """`likely serve --learn`, in a process that ends in one way or another."""

    def __init__(self, path):
        command = [sys.executable, "-m", "likely", "serve", str(path), "--learn", "--port", "0"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def port(self):
        line = self._process.stderr.readline()
        found = re.search(r":(\d+);", line)
        assert found, line + self._process.stderr.read()
        return int(found[1])

    def kill(self):
        self._process.kill()
        self._end()

    def terminate(self):
        self._process.terminate()
        assert self._end() == 0

    def _end(self):
        said = self._process.stderr.read()
        self._process.stderr.close()
        assert "Traceback" not in said
        assert "failed" not in said
        return self._process.wait()


def test_what_was_acknowledged_survives_kills_and_what_was_forgotten_is_gone(tmp_path):
    path = tmp_path / "m.likely"
    likely.Classifier(likely.Multinomial()).fit({"text": TEXTS, "y": LABELS}, "y").save(path)
    draw, clients = random.Random(0), [Client(number) for number in range(CLIENTS)]
    for run in range(KILLS):
        server = Killed(path)
        if run % 6 == 5:
            # While it begins, or replays.
            time.sleep(draw.uniform(0, 1.2))
            server.kill()
            continue
        port = server.port()
        asking = [threading.Thread(target=client.ask, args=(port,)) for client in clients]
        for each in asking:
            each.start()
        time.sleep(draw.uniform(0, 0.5))
        server.kill()
        for each in asking:
            each.join()
    server = Killed(path)
    port = server.port()
    for client in clients:
        client.ask(port, is_last=True)
    server.terminate()

    assert [client.refused for client in clients] == [[]] * CLIENTS
    live = [text for client in clients for text in client.live]
    texts, labels = [*TEXTS, *live], [*LABELS, *["spam"] * len(live)]
    again = likely.Classifier(likely.Multinomial()).fit({"text": texts, "y": labels}, "y")
    model = likely.load(path)
    assert model.tally.n_rows == len(texts)
    assert model.digest == again.digest
    journal = Journal(folder_of(path))
    try:
        found = verified(path, journal)
    finally:
        journal.close()
    assert found.holds
    assert found.digest == again.digest
    forgotten = [text.split()[0].encode() for client in clients for text in client.forgotten]
    for file in (path, *folder_of(path).iterdir()):
        content = file.read_bytes()
        assert not [word for word in forgotten if word in content], file
    assert len(forgotten) > KILLS
