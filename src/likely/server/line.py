"""The line of requests that wait until they are looked at, and what is said when it is full.

When more is asked than can be answered, what is refused has to cost next to nothing, or little time
would be left for the rest. So a refused request is read only as far as to find its end.
"""

from collections.abc import Callable
from typing import Any

import httptools

from likely.server.http import RETRY, App, Receive, RefusalError, Scope, Send
from likely.server.inference_protocol import in_protocol


class Line:
    """How many requests wait until they are looked at, on all connections."""

    def __init__(self, most: int, refused: Callable[[], None]):
        self.waiting, self._most, self.refused = 0, most, refused

    @property
    def is_full(self) -> bool:
        return self.waiting >= self._most

    def left_for(self, app: App) -> App:
        """An application that a request leaves the line for."""

        async def answering(scope: Scope, receive: Receive, send: Send) -> None:
            self.waiting -= 1
            await app(scope, receive, send)

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
    headers = RETRY if stays else [*RETRY, (b"connection", b"close")]
    refusal = RefusalError(503, "busy", "too many requests wait for their turn", headers)
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
