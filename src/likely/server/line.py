"""The line of requests that wait for their turn, and what is said when it is full.

When more is asked than can be answered, what is refused has to cost next to nothing, or little time
would be left for the rest. So where a request is refused as soon as it begins, it is read only as
far as to find its end. One whose body came in pieces meanwhile is refused when it is whole.
"""

import re
from collections.abc import Callable
from typing import Any

import httptools

from likely.server.http import RETRY, App, Message, Receive, Scope, Send, busy
from likely.server.inference_protocol import in_protocol
from likely.server.work import Work

# The path, and how long the body will be.
_HEAD = re.compile(
    rb"POST ([^ ?]+)[^\r\n]*\r\n(?:[^\r\n]+\r\n)*?content-length: *(\d{1,15})\r", re.I
)
# What is noted of a request that has come whole.
_WAITS, _IS_REFUSED = "likely.waits", "likely.is_refused"


class Line:
    """How many requests have come whole and wait, on all connections."""

    def __init__(self, most: int, work: Work, refused: Callable[[], None]):
        self.waiting, self._most, self._work, self.refused = 0, most, work, refused

    @property
    def is_full(self) -> bool:
        return self.waiting >= self._most

    def refuses(self, data: bytes) -> bool:
        """Whether a request that begins so is refused; what only looks at the server is not."""
        if not data.startswith(b"POST "):
            return False
        if self.is_full or not self._work.is_crowded:
            return self.is_full
        head = _HEAD.match(data)
        return head is not None and self._work.refuses(head[1].decode("latin-1"), int(head[2]))

    def join(self, scope: Scope) -> None:
        """A request has come whole."""
        scope[_IS_REFUSED] = self.is_full
        if not self.is_full:
            scope[_WAITS] = True
            self.waiting += 1

    def _leave(self, scope: Scope) -> None:
        if scope.pop(_WAITS, False):
            self.waiting -= 1

    def before(self, app: App) -> App:
        """An application before which requests wait, until it has received them."""

        async def answering(scope: Scope, receive: Receive, send: Send) -> None:
            async def received() -> Message:
                message = await receive()
                self._leave(scope)
                if scope.get(_IS_REFUSED):
                    raise busy()
                return message

            try:
                await app(scope, received, send)
            finally:
                self._leave(scope)

        return answering


class Refusing:
    """Refuses the requests on a connection; `refused` is called after each."""

    def __init__(self, transport: Any, refused: Callable[[], None]):
        self._transport, self._refused = transport, refused
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self.is_within = False
        """Whether a request has come in part."""

    def read(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._transport.close()

    def on_message_begin(self) -> None:
        self.is_within, self._url = True, b""

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_message_complete(self) -> None:
        self.is_within = False
        stays = self._parser.should_keep_alive()
        self._transport.write(_ANSWERS[self._url.startswith(b"/v2/"), stays])
        if not stays:
            self._transport.close()
        self._refused()


def _answer(is_foreign: bool, stays: bool) -> bytes:
    refusal = busy(RETRY if stays else [*RETRY, (b"connection", b"close")])
    reply = in_protocol(refusal) if is_foreign else refusal.reply
    body = reply.body
    lines = [b"%s: %s\r\n" % header for header in reply.headers_for(body)]
    return b"".join([b"HTTP/1.1 503 Service Unavailable\r\n", *lines, b"\r\n", body])


# Made once.
_ANSWERS = {
    (is_foreign, stays): _answer(is_foreign, stays)
    for is_foreign in (False, True)
    for stays in (False, True)
}
