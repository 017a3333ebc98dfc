"""New connections: all that wait are accepted each time the loop looks.

uvloop's own server accepts one each time. While there is much to do the loop looks seldom, and new
connections would wait for seconds, unseen.
"""

import asyncio
import socket
from collections.abc import Callable

# So many each time; others are to have their turn too.
_AT_ONCE = 256
# Where there are too many open files, some may be closed by then.
_LATER_SECONDS = 1.0


class Accepting:
    """Accepts connections on a socket, and gives each a protocol."""

    def __init__(self, listening: socket.socket, protocol: Callable[[], asyncio.Protocol]):
        self._listening, self._protocol = listening, protocol
        self._loop = asyncio.get_running_loop()
        self._again: asyncio.TimerHandle | None = None
        self._made: set[asyncio.Task[object]] = set()

    def start(self) -> None:
        self._loop.add_reader(self._listening, self._accept)

    def stop(self) -> None:
        self._loop.remove_reader(self._listening)
        if self._again is not None:
            self._again.cancel()

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                accepted = self._listening.accept()[0]
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError:
                self.stop()
                self._again = self._loop.call_later(_LATER_SECONDS, self.start)
                return
            accepted.setblocking(False)
            making = self._loop.connect_accepted_socket(self._protocol, accepted)
            task = self._loop.create_task(making)
            # The loop alone would not keep it.
            self._made.add(task)
            task.add_done_callback(self._made.discard)
