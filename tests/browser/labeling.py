"""A labeling session in a process of its own, which can be killed, with pages in a real browser."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from urllib.request import Request, urlopen

PATIENCE = 12_000


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Labeling:
    """`likely label`, and the pages that are open on it."""

    def __init__(self, folder, browser):
        self.folder, self._browser = folder, browser
        self.port = free_port()
        self._log = folder / "log.txt"
        self._contexts, self._process = [], None
        self.said, self.asked = [], []

    def start(self, *options, data="data.csv", model="m.likely"):
        command = [sys.executable, "-m", "likely", "label", data, "-o", model]
        more = ["--no-browser", "--port", str(self.port), *options]
        with open(self._log, "a") as log:
            self._process = subprocess.Popen(command + more, cwd=self.folder, stderr=log)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            assert self._process.poll() is None, self._log.read_text()
            try:
                return self.get("/healthz")
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self):
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def hang_up(self):
        """End as where a terminal is closed, and say how it ended."""
        os.kill(self._process.pid, signal.SIGHUP)
        return self._process.wait(30)

    def stop(self):
        for context in self._contexts:
            context.close()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(30)
        assert "Traceback" not in self._log.read_text(), self._log.read_text()

    def get(self, path):
        with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return answer.read().decode()

    def post(self, path, body, **headers):
        where = f"http://127.0.0.1:{self.port}{path}"
        with urlopen(Request(where, json.dumps(body).encode(), headers), timeout=30) as answer:
            return json.load(answer)

    def page(self, *, width=1280, scheme="light", name="", tab="label", **options):
        context = self._browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce",
            **options,
        )  # fmt: skip
        context.add_init_script(f"localStorage.setItem('likely.name', {json.dumps(name)})")
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(f"http://127.0.0.1:{self.port}/#{tab}")
        # A function, not an expression, which the page's policy would not let run.
        page.wait_for_function(
            "() => !document.querySelector('#row-title').textContent.startsWith('Loading')"
        )
        return page


def shown(page):
    """The text of the row that is shown."""
    return page.inner_text("#row-cells .text")


def press(page, *keys):
    """Press keys, each of which changes which row is shown."""
    for key in keys:
        before = page.inner_text("#row-title")
        page.keyboard.press(key)
        page.wait_for_function(
            "before => document.querySelector('#row-title').textContent !== before", arg=before
        )


def settled(page, n):
    """Wait until the page knows that so many rows are answered."""
    page.wait_for_function(
        "n => document.querySelector('#where').textContent.startsWith(`${n} of `)", arg=n
    )
