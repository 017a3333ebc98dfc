"""Who is answered at all: the host that was asked, the origin of a page, the token.

A page from elsewhere can make a browser send requests to this machine, even under a name of its own
that it lets resolve to it (DNS rebinding). So the name that was asked for has to be one of ours.
"""

import hmac
import re

from likely.server.http import App, Headers, Message, Receive, RefusalError, Reply, Scope, Send
from likely.server.options import LOOPBACK, ServerOptions

# Asked by those who watch over a server, and telling nothing of the model.
_OPEN = ("/healthz", "/readyz")
_CORS_SECONDS = 600
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\[\]:/@?#\s]+))(?::[0-9]*)?", re.IGNORECASE)
# Said twice, these would let two readers of one request see two things.
_ONCE = {b"host", b"origin", b"authorization", b"content-type", b"idempotency-key"}


class Guard:
    """The application behind checks of host, origin and token."""

    def __init__(self, app: App, options: ServerOptions):
        self._app, self._options = app, options
        names = {*LOOPBACK, options.host, *options.hosts} - {"0.0.0.0", "::"}
        self._hosts = {name.lower() for name in names}
        self._token = None if options.token is None else options.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        origin = headers.get(b"origin", b"").decode("latin-1")
        is_allowed = origin in self._options.cors
        if is_allowed:
            send = _with_headers(send, _cors(origin))
        try:
            self._check(scope, headers, host, origin, is_allowed)
        except RefusalError as refusal:
            await refusal.reply.send(send)
            return
        if is_allowed and scope["method"] == "OPTIONS":
            await Reply(b"", 204).send(send)
            return
        await self._app(scope, receive, send)

    def _check(
        self, scope: Scope, headers: dict[bytes, bytes], host: str, origin: str, is_allowed: bool
    ) -> None:
        if len(headers) < len(scope["headers"]):
            names = [name for name, _ in scope["headers"] if name in _ONCE]
            if len(set(names)) < len(names):
                raise RefusalError(400, "repeated-header", "a header is there twice")
        if not self._is_ours(host):
            why = f"this server is not `{host[:100]}`\nhint: `--allow-host` names further hosts"
            raise RefusalError(421, "wrong-host", why)
        is_own = not origin or origin.partition("://")[2] == host
        if not is_own and not is_allowed:
            why = f"pages of `{origin[:100]}` may not ask\nhint: `--cors` allows an origin"
            raise RefusalError(403, "wrong-origin", why)
        if not origin and _is_from_elsewhere(headers):
            why = "pages of other sites may not ask\nhint: `--cors` allows an origin"
            raise RefusalError(403, "wrong-origin", why)
        if self._token is None or scope["path"] in _OPEN:
            return
        if is_allowed and scope["method"] == "OPTIONS":
            return  # Browsers ask without the token whether they may ask with it.
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if not hmac.compare_digest(given, self._token) or scheme.lower() != b"bearer":
            why = "a bearer token is needed, in the header `Authorization`"
            raise RefusalError(401, "no-token", why, [(b"www-authenticate", b"Bearer")])

    def _is_ours(self, host: str) -> bool:
        found = _HOST.fullmatch(host)
        return found is not None and (found[1] or found[2]).lower() in self._hosts


def _is_from_elsewhere(headers: dict[bytes, bytes]) -> bool:
    """Whether a page of another site asks without saying which, as for a picture or a script."""
    if headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin"):
        return False
    return headers.get(b"sec-fetch-mode") != b"navigate"  # Links may lead here.


def _cors(origin: str) -> Headers:
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-methods", b"GET, POST"),
        (b"access-control-allow-headers", b"authorization, content-type, idempotency-key"),
        (b"access-control-max-age", str(_CORS_SECONDS).encode()),
        (b"vary", b"origin"),
    ]


def _with_headers(send: Send, more: Headers) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return sending
