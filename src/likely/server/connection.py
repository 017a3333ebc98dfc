"""Connections that may be slow or endless: what does not come in time is not waited for.

uvicorn waits for the head of a request as long as it takes, and keeps all of it. A client that
sends a byte now and then would hold its connection for good, and enough of them would hold all.
"""

import asyncio
import time
from collections.abc import Iterable
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from likely.server.http import RETRY, Receive, RefusalError, Scope, Send
from likely.server.line import Line, Refusing
from likely.server.options import ServerOptions

_LONGEST_HEAD = 65_536
# A client may take so many times longer to read its answer than to send its request.
_READING = 10
_LOOK_SECONDS = 1.0
_TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


class Connection(HttpToolsProtocol):
    """A connection that keeps the limits of a server."""

    def __init__(self, options: ServerOptions, line: Line, **given: Any):
        super().__init__(**given)
        self._options, self._line = options, line
        self._since = time.monotonic()
        self._head, self._has_head = 0, False
        self._is_within = False
        """Whether a request has come in part."""
        self._joins = False
        self._refusing: Refusing | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > 2 * self._options.connections:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._refuses(data):
            self._refusing = self._refusing or Refusing(self.transport, self._refused)
            self._refusing.read(data)
            return
        super().data_received(data)
        self._head += len(data)
        if not self._has_head and self._head > _LONGEST_HEAD and not self.transport.is_closing():
            self.transport.write(_TOO_LONG)
            self.transport.close()

    def _refuses(self, data: bytes) -> bool:
        """Whether this is of a request that is refused."""
        if self._refusing is not None and self._refusing.is_within:
            return True
        return not self._is_within and self._is_idle and self._line.refuses(data)

    @property
    def _is_idle(self) -> bool:
        """Whether all that was asked is answered."""
        return self.cycle is None or self.cycle.response_complete

    def _refused(self) -> None:
        self._line.refused()
        # To set uvicorn's clock for idle connections anew would cost more than all else here.
        self._unset_keepalive_if_required()
        self._since = time.monotonic()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head, self._has_head, self._is_within = 0, False, True

    def on_headers_complete(self) -> None:
        self._has_head = True
        is_busy = len(self.connections) > self._options.connections
        own = _busy if is_busy else self.config.loaded_app
        # What follows before the one before it is answered waits in no line.
        self._joins = self._is_idle and self.parser.get_method() == b"POST"
        self.app = self._line.before(own) if self._joins else own
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_within = False
        if self._joins and not self._is_idle:
            self._line.join(cast(Scope, self.scope))

    def on_response_complete(self) -> None:
        self._since = time.monotonic()
        super().on_response_complete()

    def end_if_late(self, now: float) -> None:
        """End a connection that has asked nothing for too long, or does not read its answer."""
        waited, longest = now - self._since, self._options.seconds
        if self.flow.write_paused or self.transport.get_write_buffer_size():
            is_late = waited > longest * _READING
        else:
            is_late = waited > longest and self._is_idle
        if is_late:
            self.transport.abort()


async def watch(connections: Iterable[Any]) -> None:
    """End late connections, again and again."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        now = time.monotonic()
        for connection in list(connections):
            connection.end_if_late(now)


async def _busy(scope: Scope, receive: Receive, send: Send) -> None:
    headers = [*RETRY, (b"connection", b"close")]
    await RefusalError(503, "busy", "there are too many connections", headers).reply.send(send)
