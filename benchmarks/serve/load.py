"""The client: many kept connections in one process, which costs little beside a server.

It knows as much of HTTP as it needs to: requests are bytes made beforehand, and of an answer it
reads the status and the length. In a closed loop, each connection asks again as soon as it is
answered. In an open loop, requests are due at times drawn beforehand, whatever the server does
about those before them, and the clock of a request runs from the time when it was due.
"""

import json
import selectors
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

# So many connections an open loop has at most; a request that finds none free waits for one.
_CONNECTIONS = 900
_RECEIVED = 1 << 18
# Counted where there is no answer: a lost connection, or a refusal that is not clear.
NONE = 0

Found = dict[str, Any]


def post(path: str, body: bytes | Any, kind: str = "application/json") -> bytes:
    """A request whose body is bytes, or becomes JSON."""
    body = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def write(path: Path, requests: list[bytes]) -> Path:
    """A file of requests, which are asked in turn."""
    path.write_text(json.dumps([one.decode() for one in requests]), encoding="utf-8")
    return path


def _read(path: str) -> Iterator[bytes]:
    return cycle([one.encode() for one in json.loads(Path(path).read_text(encoding="utf-8"))])


def closed(port: int, path: str, connections: int, warm: float, seconds: float) -> Found:
    """Ask as fast as answers come, after some seconds to get warm."""
    requests, clock = _read(path), time.perf_counter
    with selectors.DefaultSelector() as selector:
        noted = _Noted()
        start = clock()
        for _ in range(connections):
            _Connection(port, selector).ask(next(requests), start)
        while clock() < start + warm + seconds or noted.is_empty:
            for key, events in selector.select(0.1):
                status = key.data.proceed(events)
                if status is not None:
                    now = clock()
                    if now >= start + warm:
                        noted.note(status, now - key.data.due)
                    key.data.ask(next(requests), now)
        measured = clock() - start - warm
        _close(selector)
    return noted.found(measured)


def opened(port: int, path: str, rate: float, warm: float, seconds: float, late: float) -> Found:
    """Ask so many times per second on average; an answer after `late` seconds is too late.

    Every request that was due after some seconds to get warm is counted, whatever became of it.
    """
    requests, clock = _read(path), time.perf_counter
    gaps = np.random.default_rng(0).exponential(1 / rate, int((warm + seconds) * rate) + 1)
    with selectors.DefaultSelector() as selector:
        noted = _Noted()
        free: list[_Connection] = []
        n_open, place = 0, 0
        start = clock()
        times = (start + np.cumsum(gaps)).tolist()
        asked = sum(due >= start + warm for due in times)
        times.append(float("inf"))
        ends = times[-2] + late
        while (now := clock()) < ends and (place < len(times) - 1 or len(free) < n_open):
            while times[place] <= now and (free or n_open < _CONNECTIONS):
                due, place = times[place], place + 1
                if now - due > late:  # It has waited for a connection in vain.
                    continue
                if not free:
                    free.append(_Connection(port, selector))
                    n_open += 1
                free.pop().ask(next(requests), due)
            # Where all connections are taken, the next request waits for an answer.
            pause = min(times[place] - clock(), 0.1) if times[place] > now else 0.1
            for key, events in selector.select(max(pause, 0.0)):
                status = key.data.proceed(events)
                if status is not None:
                    if key.data.due >= start + warm:
                        noted.note(status, clock() - key.data.due)
                    free.append(key.data)
        _close(selector)
    return noted.found(asked * (1 / rate), asked, late)


class _Connection:
    """One connection, and the request on it."""

    def __init__(self, port: int, selector: selectors.BaseSelector):
        self._port, self._selector = port, selector
        self.due = 0.0
        self._open()

    def _open(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self._port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self._selector.register(self.socket, selectors.EVENT_READ, self)
        self._got, self._size, self._unsent = b"", 0, memoryview(b"")

    def ask(self, request: bytes, due: float) -> None:
        self.due, self._unsent = due, memoryview(request)
        self._send()
        if self._unsent:
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            self._selector.modify(self.socket, both, self)

    def _send(self) -> None:
        with suppress(BlockingIOError):
            try:
                self._unsent = self._unsent[self.socket.send(self._unsent) :]
            except ConnectionError:  # What is read next tells that it is closed.
                self._unsent = memoryview(b"")

    def proceed(self, events: int) -> int | None:
        """Send and receive what can be; the status, once the whole answer is there."""
        if events & selectors.EVENT_WRITE:
            self._send()
            if not self._unsent:
                self._selector.modify(self.socket, selectors.EVENT_READ, self)
        if not events & selectors.EVENT_READ:
            return None
        try:
            more = self.socket.recv(_RECEIVED)
        except BlockingIOError:
            return None
        except ConnectionError:
            more = b""
        if not more:
            self._reopen()
            return NONE
        self._got = self._got + more if self._got else more
        if not self._size and (head := self._got.find(b"\r\n\r\n")) >= 0:
            at = self._got.index(b"content-length: ", 0, head) + 16
            self._size = head + 4 + int(self._got[at : self._got.index(b"\r", at)])
        if not self._size or len(self._got) < self._size:
            return None
        whole, self._got, self._size = self._got, b"", 0
        if b"\r\nconnection: close\r\n" in whole:
            self._reopen()
        status = int(whole[9:12])
        return NONE if status == 503 and not _is_clear(whole) else status

    def _reopen(self) -> None:
        self._selector.unregister(self.socket)
        self.socket.close()
        self._open()


def _is_clear(refusal: bytes) -> bool:
    """Whether a refusal says when to come again, and why in JSON."""
    return b"\r\nretry-after: " in refusal and b'{"error":{"code":"' in refusal


def _close(selector: selectors.BaseSelector) -> None:
    for key in list(selector.get_map().values()):
        key.data.socket.close()


class _Noted:
    """Statuses, and how long answers took."""

    def __init__(self) -> None:
        self._taken: dict[int, list[float]] = {}
        self._clocks = time.process_time(), time.perf_counter()

    def note(self, status: int, taken: float) -> None:
        self._taken.setdefault(status, []).append(taken)

    @property
    def is_empty(self) -> bool:
        return not self._taken

    def found(self, seconds: float, asked: int = 0, late: float = float("inf")) -> Found:
        """Per second, and in milliseconds; how much of a processor the client took."""
        busy, ended = time.process_time() - self._clocks[0], time.perf_counter()
        answers = np.array(self._taken.get(200, []))
        asked = asked or sum(map(len, self._taken.values()))
        good, refused = int(np.sum(answers <= late)), len(self._taken.get(503, []))
        found = {
            "statuses": {str(status): len(those) for status, those in self._taken.items()},
            "asked": asked / seconds,
            "answered": len(answers) / seconds,
            "good": good / seconds,
            "refused": refused / seconds,
            "lost": (asked - good - refused) / seconds,
            "client": busy / (ended - self._clocks[1]),
        }
        for status, those in self._taken.items():
            middle, most = np.percentile(those, (50, 99))
            found[f"p50 {status}"], found[f"p99 {status}"] = 1000 * middle, 1000 * most
        return found
