"""New connections are accepted together, however seldom the loop looks."""

import asyncio
import socket

from likely.server import accepting
from likely.server.accepting import Accepting


class Counted(asyncio.Protocol):
    made = 0

    def connection_made(self, transport):
        type(self).made += 1
        transport.close()


def told(story):
    """Runs a story with a socket that listens."""

    async def run():
        with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
            listening.setblocking(False)
            await story(listening, Accepting(listening, Counted))

    Counted.made = 0
    asyncio.run(run())


def clients(listening, n):
    return [socket.create_connection(listening.getsockname()) for _ in range(n)]


def test_all_that_wait_are_accepted_in_one_turn_of_the_loop():
    async def story(listening, accepted):
        there = clients(listening, 50)
        accepted.start()
        # In one turn they are seen, then each is made.
        for _ in range(6):
            await asyncio.sleep(0)
        assert Counted.made == 50
        accepted.stop()
        there += clients(listening, 1)
        await asyncio.sleep(0.05)
        assert Counted.made == 50
        for one in there:
            one.close()

    told(story)


def test_where_files_run_out_it_is_tried_again_later(monkeypatch):
    monkeypatch.setattr(accepting, "_LATER_SECONDS", 0.05)

    class Exhausted:
        tries = 0

        def __init__(self, listening):
            self.fileno, self._accept = listening.fileno, listening.accept

        def accept(self):
            self.tries += 1
            if self.tries < 3:
                raise OSError(24, "Too many open files")
            return self._accept()

    async def story(listening, _):
        exhausted = Exhausted(listening)
        accepted = Accepting(exhausted, Counted)
        accepted.start()
        (client,) = clients(listening, 1)
        async with asyncio.timeout(10):
            while not Counted.made:
                await asyncio.sleep(0.01)
        assert exhausted.tries <= 5
        accepted.stop()
        client.close()

    told(story)
