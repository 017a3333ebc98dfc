"""What takes long goes to threads, and is refused when it would wait too long."""

import asyncio
import threading

import pytest

from likely.server.http import RefusalError
from likely.server.work import Work
from tests.server.loops import run

# At the pace that is assumed at first, this takes more than a second.
LONG = 12_000_000


def test_what_is_short_is_done_at_once_and_what_is_long_in_a_thread():
    async def asked():
        work, here = Work(1.0), threading.current_thread()
        assert await work.do("/predict", 10, threading.current_thread) is here
        assert await work.do("/predict", LONG, threading.current_thread) is not here

    run(asked())


def test_when_long_work_waits_more_is_refused_and_short_work_is_still_done():
    async def asked():
        work, go = Work(0.5), threading.Event()
        # Two are begun, one waits.
        there = [asyncio.create_task(work.do("/predict", LONG, go.wait)) for _ in range(3)]
        await asyncio.sleep(0)
        for _ in range(5):
            with pytest.raises(RefusalError, match="too many requests wait") as refused:
                await work.do("/predict", LONG, go.wait)
            reply = refused.value.reply
            assert (reply.status, reply.headers) == (503, [(b"retry-after", b"1")])
        assert await work.do("/predict", 10, lambda: "short") == "short"
        assert await work.do("/explain", 10, lambda: "short") == "short"
        go.set()
        assert await asyncio.gather(*there) == [True] * 3
        assert work.wait == 0
        assert await work.do("/predict", LONG, lambda: "again") == "again"

    run(asked())


def test_work_that_fails_waits_no_more():
    async def asked():
        work = Work(0.0)
        for size in (10, LONG):
            with pytest.raises(ZeroDivisionError):
                await work.do("/predict", size, lambda: 1 / 0)
        assert await work.do("/predict", LONG, lambda: "next") == "next"

    run(asked())


def test_how_long_work_takes_is_learned_and_one_slow_moment_changes_little(monkeypatch):
    now = iter([])
    monkeypatch.setattr("likely.server.work.time.perf_counter", lambda: next(now))

    async def asked():
        nonlocal now
        work, here = Work(1.0), threading.current_thread()

        async def is_at_once():
            nonlocal now
            now = iter([0.0, 0.0015])
            return await work.do("/predict", 9_000, threading.current_thread) is here

        assert await is_at_once()
        now = iter([0.0, 60.0])
        await work.do("/predict", 9_000, lambda: None)
        assert await is_at_once()
        for _ in range(30):
            now = iter([0.0, 60.0])
            await work.do("/predict", 9_000, lambda: None)
        assert not await is_at_once()
        for _ in range(99):
            await is_at_once()
        assert await is_at_once()

    run(asked())


def test_a_server_refuses_long_work_with_a_503(served, saved):
    ask = served(saved, longest_wait=-1.0)
    assert ask.post("/predict", ["free lunch"]).status == 200
    for path in ("/predict", "/explain"):
        refused = ask.post(path, ["free lunch " * 5000])
        assert (refused.status, refused.json["error"]["code"]) == (503, "busy")
        assert refused.headers["retry-after"] == "1"
    tensor = {"name": "text", "shape": [1], "datatype": "BYTES", "data": ["free lunch " * 5000]}
    refused = ask.post("/v2/models/m/infer", {"inputs": [tensor]})
    assert (refused.status, isinstance(refused.json["error"], str)) == (503, True)
