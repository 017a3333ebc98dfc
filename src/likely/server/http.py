"""Requests and replies: ASGI on one side, values on the other."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

JSON = "application/json"
# What a server that is busy asks for.
RETRY: Headers = [(b"retry-after", b"1")]
# What is no page loads nothing, and is in no frame.
_NO_PAGE = b"default-src 'none'; frame-ancestors 'none'"


@dataclass(frozen=True)
class Request:
    """What was asked."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[bytes, bytes]
    body: bytes = b""

    def header(self, name: str) -> str:
        return self.headers.get(name.encode(), b"").decode("latin-1")


@dataclass(frozen=True)
class Reply:
    """What is answered: a value that becomes JSON, or bytes as they are."""

    content: Any
    status: int = 200
    content_type: str = JSON
    headers: Headers = field(default_factory=list)
    policy: bytes = _NO_PAGE
    """What browsers may do with it: its Content-Security-Policy."""

    @property
    def body(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else dumped(self.content)

    def headers_for(self, body: bytes) -> Headers:
        """The headers of the answer with this body."""
        headers = [(b"content-length", b"%d" % len(body)), *self.headers]
        if body:
            headers += [
                (b"content-type", self.content_type.encode()),
                (b"x-content-type-options", b"nosniff"),
                (b"content-security-policy", self.policy),
            ]
        return headers

    async def send(self, send: Send) -> None:
        body = self.body
        headers = self.headers_for(body)
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class RefusalError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, code: str, message: str, headers: Headers | None = None):
        super().__init__(message)
        message, _, hint = message.partition("\nhint: ")
        said = {"code": code, "message": message} | ({"hint": hint} if hint else {})
        self.reply = Reply({"error": said}, status, headers=headers or [])
        self.sentence = message


def busy(headers: Headers = RETRY) -> RefusalError:
    """What is said when too much is asked."""
    return RefusalError(503, "busy", "too many requests wait for their turn", headers)


Handler = Callable[[Request], Awaitable[Reply]]
Routes = dict[str, dict[str, Handler]]
"""What answers, by path and method."""


# Made once, since making it takes longer than a short answer.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def dumped(value: Any) -> bytes:
    """JSON in UTF-8, which knows no NaN."""
    return _ENCODER.encode(value).encode("utf-8", "replace")


async def received(scope: Scope, receive: Receive, most: int, seconds: float) -> Request:
    """A request with its whole body, if that is not too large and comes in time."""
    headers = dict(scope["headers"])
    too_large = RefusalError(
        413, "too-large", f"the body has more than {most:,} bytes", [(b"connection", b"close")]
    )
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > most:
        raise too_large
    message = await _in_time(receive, seconds)
    body = message.get("body", b"")
    if len(body) > most:
        raise too_large
    if message.get("more_body"):
        pieces, size = [body], len(body)
        until = asyncio.get_running_loop().time() + seconds
        while message.get("more_body"):
            message = await _in_time(receive, until - asyncio.get_running_loop().time())
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > most:
                raise too_large
        body = b"".join(pieces)
    query = scope["query_string"]
    pairs = parse_qs(query.decode("latin-1"), keep_blank_values=True) if query else {}
    named = {name: values[-1] for name, values in pairs.items()}
    return Request(scope["method"], scope["path"], named, headers, body)


async def _in_time(receive: Receive, seconds: float) -> Message:
    try:
        async with asyncio.timeout(max(seconds, 0)):
            message = await receive()
    except TimeoutError:
        raise RefusalError(
            408, "too-slow", "the body did not arrive in time", [(b"connection", b"close")]
        ) from None
    if message["type"] == "http.disconnect":
        raise ConnectionResetError
    return message
