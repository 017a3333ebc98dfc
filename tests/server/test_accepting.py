"""New connections are accepted together where the loop looks seldom."""

import asyncio
import socket

from likely.server import accepting
from likely.server.accepting import Accepting
from tests.server.loops import run


class Counted(asyncio.Protocol):
    made = 0

    def connection_made(self, transport):
        type(self).made += 1
        transport.close()


def told(story, busy=0):
    """Runs a story with a socket that listens, and so many requests."""

    async def listening():
        with socket.create_server(("127.0.0.1", 0), backlog=100) as door:
            door.setblocking(False)
            await story(door, Accepting(door, Counted, lambda: busy))

    Counted.made = 0
    run(listening())


def clients(listening, n):
    return [socket.create_connection(listening.getsockname()) for _ in range(n)]


# In one turn of the loop they are seen; each is made some turns later.
TURNS = 6


async def turned():
    for _ in range(TURNS):
        await asyncio.sleep(0)
    return Counted.made


def test_one_is_accepted_each_time_while_there_is_nothing_else_to_do():
    async def story(listening, accepted):
        there = clients(listening, 50)
        accepted.start()
        assert await turned() <= TURNS
        async with asyncio.timeout(10):
            while Counted.made < 50:
                await asyncio.sleep(0.01)
        accepted.stop()
        for one in there:
            one.close()

    told(story)


def test_the_busier_a_server_is_the_more_are_accepted_each_time():
    async def story(listening, accepted):
        there = clients(listening, 50)
        accepted.start()
        assert await turned() == 50
        accepted.stop()
        there += clients(listening, 1)
        await asyncio.sleep(0.05)
        assert Counted.made == 50
        for one in there:
            one.close()

    told(story, busy=49)


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
        accepted = Accepting(exhausted, Counted, lambda: 0)
        accepted.start()
        (client,) = clients(listening, 1)
        async with asyncio.timeout(10):
            while not Counted.made:
                await asyncio.sleep(0.01)
        assert exhausted.tries <= 5
        accepted.stop()
        client.close()

    told(story)
