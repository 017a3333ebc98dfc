"""The client: many kept connections in one process, which costs little beside a server.

It knows as much of HTTP as it needs to: requests are bytes made beforehand, and of an answer it
reads the status and the length. In a closed loop, each connection asks again as soon as it is
answered. In an open loop, requests are due at fixed times, whatever the server does about those
before; the clock of a request runs from the time when it was due.
"""

import json
import selectors
import socket
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

# So many connections an open loop has at most; a request that finds none free waits for one.
_CONNECTIONS = 900
_RECEIVED = 1 << 18

Found = dict[str, Any]


def post(path: str, value: Any) -> bytes:
    """A request with a body of JSON."""
    body = json.dumps(value, ensure_ascii=False).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def write(path: Path, requests: list[bytes]) -> None:
    path.write_text(json.dumps([one.decode() for one in requests]), encoding="utf-8")


def _read(path: str) -> Iterator[bytes]:
    return cycle([one.encode() for one in json.loads(Path(path).read_text(encoding="utf-8"))])


class Connection:
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
        self._got, self._whole, self._unsent = b"", 0, memoryview(b"")

    def ask(self, request: bytes, due: float) -> None:
        self.due = due
        self._unsent = memoryview(request)
        self._send()
        if self._unsent:
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            self._selector.modify(self.socket, both, self)

    def _send(self) -> None:
        try:
            self._unsent = self._unsent[self.socket.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # It was closed; that is read next.
            self._unsent = memoryview(b"")

    def proceed(self, events: int) -> int | None:
        """Send and receive what can be; the status, once the answer is there, or 0 without one."""
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
        except OSError:
            more = b""
        if not more:
            self._reopen()
            return 0
        self._got = self._got + more if self._got else more
        if not self._whole:
            end = self._got.find(b"\r\n\r\n")
            if end < 0:
                return None
            at = self._got.find(b"content-length: ", 0, end) + 16
            self._whole = end + 4 + int(self._got[at : self._got.find(b"\r", at)])
        if len(self._got) < self._whole:
            return None
        status = int(self._got[9:12])
        is_last = b"connection: close" in self._got[: self._whole]
        self._got, self._whole = b"", 0
        if is_last:
            self._reopen()
        return status

    def _reopen(self) -> None:
        self.close()
        self._open()

    def close(self) -> None:
        self._selector.unregister(self.socket)
        self.socket.close()


class _Noted:
    """Statuses, and the seconds that answers took; those before the start are not counted."""

    def __init__(self, begins: float, seconds: float, in_time: float = float("inf")):
        self._begins, self._seconds, self._in_time = begins, seconds, in_time
        self._spent: list[float] = []
        self.statuses: dict[int, int] = {}
        self._good = 0
        self._refused: list[float] = []
        self._busy = (time.process_time(), time.perf_counter())

    def note(self, status: int, due: float, now: float) -> None:
        """Count an answer; `now` decides whether it is in the time measured."""
        if not self._begins <= now < self._begins + self._seconds:
            return
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if status == 200:
            self._spent.append(now - due)
            self._good += now - due <= self._in_time
        elif status:
            self._refused.append(now - due)

    def found(self) -> Found:
        busy, wall = (time.process_time(), time.perf_counter())
        found = {
            "statuses": self.statuses,
            "answered": len(self._spent) / self._seconds,
            "good": self._good / self._seconds,
            "refused": len(self._refused) / self._seconds,
            "client": (busy - self._busy[0]) / (wall - self._busy[1]),
        }
        for name, of in (("", self._spent), ("refused_", self._refused)):
            if of:
                at = np.percentile(of, (50, 99))
                found |= {f"{name}p50": 1000 * float(at[0]), f"{name}p99": 1000 * float(at[1])}
        return found


def closed(port: int, path: str, connections: int, warm: float, seconds: float) -> Found:
    """Ask as fast as answers come; requests per second, and milliseconds per answer."""
    requests = _read(path)
    clock = time.perf_counter
    with selectors.DefaultSelector() as selector:
        each = [Connection(port, selector) for _ in range(connections)]
        begins = clock() + warm
        noted = _Noted(begins, seconds)
        for one in each:
            one.ask(next(requests), clock())
        while clock() < begins + seconds:
            for key, events in selector.select(0.1):
                status = key.data.proceed(events)
                if status is not None:
                    now = clock()
                    noted.note(status, key.data.due, now)
                    key.data.ask(next(requests), now)
        for one in each:
            one.close()
    return noted.found()


def opened(port: int, path: str, rate: float, warm: float, seconds: float, late: float) -> Found:
    """Ask at so many times per second, drawn beforehand; what comes after `late` seconds is late.

    A request that waited so long for a connection is given up.
    """
    requests = _read(path)
    clock = time.perf_counter
    gaps = np.random.default_rng(0).exponential(1 / rate, int((warm + seconds) * rate))
    with selectors.DefaultSelector() as selector:
        free: list[Connection] = []
        n_open, at = 0, 0
        start = clock()
        times = [*(start + np.cumsum(gaps)).tolist(), float("inf")]
        noted = _Noted(start + warm, seconds, late)
        while (now := clock()) < start + warm + seconds:
            while times[at] <= now and (free or n_open < _CONNECTIONS):
                due, at = times[at], at + 1
                if now - due > late:
                    noted.note(0, due, now)
                    continue
                if not free:
                    free.append(Connection(port, selector))
                    n_open += 1
                free.pop().ask(next(requests), due)
            # Late ones wait for a connection, so for an answer.
            until = times[at] - clock() if times[at] > now else 0.1
            for key, events in selector.select(min(max(until, 0.0), 0.1)):
                status = key.data.proceed(events)
                if status is not None:
                    noted.note(status, key.data.due, clock())
                    free.append(key.data)
        for key in list(selector.get_map().values()):
            key.data.close()
    return noted.found()
