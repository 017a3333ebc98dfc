"""New connections: the busier a server is, the more of them it accepts each time it looks.

uvloop's own server accepts one each time. While there is much to do the loop looks seldom, and new
connections would wait for seconds, unseen. While there is little to do, one each time is right: so
workers that look at the same socket share what comes.
"""

import asyncio
import socket
from collections.abc import Callable

# Where there are too many open files, some may be closed by then.
_LATER_SECONDS = 1.0


class Accepting:
    """Accepts connections on a socket, and gives each a protocol.

    `busy` says how many requests there are.
    """

    def __init__(
        self,
        listening: socket.socket,
        protocol: Callable[[], asyncio.Protocol],
        busy: Callable[[], int],
    ):
        self._listening, self._protocol, self._busy = listening, protocol, busy
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
        for _ in range(1 + self._busy()):
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
