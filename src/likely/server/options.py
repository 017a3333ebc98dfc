"""What a server allows: who may ask it, and how much."""

from dataclasses import dataclass

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class ServerOptions:
    """Where a server listens, whom it answers, and its limits."""

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    """The bearer token that every request but those for health must have."""
    cors: tuple[str, ...] = ()
    """Other origins whose pages may ask."""
    hosts: tuple[str, ...] = ()
    """Further names under which the server is known, as behind a proxy."""
    reject_below: float = 0.0
    max_body: int = 32 << 20
    max_rows: int = 100_000
    seconds: float = 30.0
    """How long a request may take to arrive."""
    connections: int = 1000
    requests: int = 128
    """Requests that may wait until they are looked at; more are refused."""
    longest_wait: float = 0.5
    """Seconds that rows may wait until they are predicted; what would wait longer is refused."""
    waiting: int = 1000
    """Changes that may wait to be written; more are refused."""
    decision_log: str | None = None
    workers: int = 1

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK
