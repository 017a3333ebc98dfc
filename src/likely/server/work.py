"""Work that takes a while goes to threads, and is refused when too much of it waits for one."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from likely.server.http import busy

_THREADS = 2
# What takes so short a time is done where it is; more would keep others waiting.
_AT_ONCE = 0.002
# How long a kind of work takes goes by the bytes of a request, and so many that each counts as.
_EACH = 1000
_SECONDS_PER_BYTE = 1e-7
_NEWEST = 0.1

Found = TypeVar("Found")


class Work:
    """The work of a server, and how long what waits will take, judging by what was done before."""

    def __init__(self, longest_wait: float):
        self._longest_wait = longest_wait
        # Threads are started when they are needed, so after workers have been forked.
        self._threads = ThreadPoolExecutor(_THREADS, "likely-work")
        self._pace: dict[str, float] = {}
        # Expected seconds of what is in the threads, and after that of what waits for one.
        self._there: dict[object, float] = {}

    async def do(self, kind: str, n_bytes: int, work: Callable[[], Found]) -> Found:
        """The result of some work for a request of so many bytes; refused if it would wait long."""
        size = n_bytes + _EACH

        def clocked() -> Found:
            began = time.perf_counter()
            found = work()
            newest, before = (time.perf_counter() - began) / size, self._pace_of(kind)
            # Once in a while all takes long, since the machine does something else.
            self._pace[kind] = before + _NEWEST * (min(newest, 2 * before) - before)
            return found

        expected = size * self._pace_of(kind)
        if expected <= _AT_ONCE:
            return clocked()
        if self.is_crowded:
            raise busy()
        own = object()
        self._there[own] = expected
        try:
            return await self.in_thread(clocked)
        finally:
            del self._there[own]

    def refuses(self, kind: str, n_bytes: int) -> bool:
        """Whether this would be refused now, if there is work of this kind."""
        is_long = (n_bytes + _EACH) * self._pace.get(kind, 0.0) > _AT_ONCE
        return is_long and self.is_crowded

    async def in_thread(self, work: Callable[[], Found]) -> Found:
        """The result of work that is never refused."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _pace_of(self, kind: str) -> float:
        return self._pace.get(kind, _SECONDS_PER_BYTE)

    @property
    def is_crowded(self) -> bool:
        """Whether long work would have to wait too long for a thread."""
        return self.wait > self._longest_wait

    @property
    def wait(self) -> float:
        """The seconds until a thread is free for what comes now."""
        return sum(islice(self._there.values(), _THREADS, None)) / _THREADS
