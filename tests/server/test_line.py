"""More requests than can be answered: so many wait, the others are refused at once."""

import asyncio
import json
import threading

import pytest

from likely.server.fixed import FixedModel
from likely.server.guard import Guard
from likely.server.options import ServerOptions
from likely.server.service import Service
from likely.server.work import Work
from tests.server.loops import run

uvicorn = pytest.importorskip("uvicorn", reason="uvicorn serves")

MOST = 3
BODY = b'{"rows": [{"text": "free lunch"}]}'


def post(path=b"/predict", body=BODY, more=b""):
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s" % (
        path, more,
    )  # fmt: skip
    return head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class Wire:
    """The network's end of a connection: what was written to it."""

    def __init__(self):
        self.written, self.is_closed = b"", False

    def write(self, data):
        self.written += data

    def close(self):
        self.is_closed = True

    def is_closing(self):
        return self.is_closed

    def get_extra_info(self, name):
        return None

    def pause_reading(self):
        pass

    resume_reading = pause_reading

    @property
    def answers(self):
        """The status and the JSON of each answer."""
        found, left = [], self.written
        while left:
            head, _, left = left.partition(b"\r\n\r\n")
            names = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
            size = int(names[b"content-length"])
            if head.startswith(b"HTTP/1.1 503 "):
                assert names[b"retry-after"] == b"1"
            found.append((int(head.split()[1]), json.loads(left[:size])))
            left = left[size:]
        return found

    @property
    def statuses(self):
        return [status for status, _ in self.answers]


@pytest.fixture
def asked(saved):
    """Runs a story with a server whose connections are made by hand, on a loop of its own."""
    from likely.server.connection import Connection
    from likely.server.line import Line

    def asked(story, **more):
        options = ServerOptions(requests=MOST, **more)
        service = Service(FixedModel(saved), options)

        async def told():
            config = uvicorn.Config(Guard(service, options), lifespan="off", log_config=None)
            config.load()
            state = uvicorn.server.ServerState()
            line = Line(options.requests, service.work, service.refused)

            def connected():
                made = Connection(options, line, config=config, server_state=state, app_state={})
                made.connection_made(wire := Wire())
                return made, wire

            async def settled():
                while state.tasks:
                    await asyncio.sleep(0)

            story_of = story(connected, settled, line)
            await story_of
            await settled()
            assert line.waiting == 0
            for connection in list(state.connections):
                connection.connection_lost(None)

        run(told())
        return service.metrics.text([]).decode()

    return asked


def test_so_many_wait_and_the_others_are_refused_at_once(asked):
    async def story(connected, settled, line):
        every = [connected() for _ in range(10)]
        for connection, _ in every:
            connection.data_received(post())
        # The loop has not come to any of them.
        assert line.waiting == MOST
        assert [wire.statuses for _, wire in every] == [[]] * MOST + [[503]] * (10 - MOST)
        ((_, said),) = every[-1][1].answers
        assert said["error"]["code"] == "busy"
        await settled()
        assert [wire.statuses for _, wire in every[:MOST]] == [[200]] * MOST
        every[-1][0].data_received(post())
        await settled()
        assert every[-1][1].statuses == [503, 200]

    said = asked(story)
    assert 'likely_requests_total{path="other",status="503"} 7' in said
    assert 'likely_requests_total{path="/predict",status="200"} 4' in said


def test_long_work_that_would_wait_too_long_is_refused_as_it_begins():
    from likely.server.line import Line

    async def told():
        work, go = Work(0.5), threading.Event()
        line = Line(MOST, work, lambda: None)
        long, short = post(body=b"x" * 50_000), post(body=b"x" * 50)
        await work.do("/predict", 10, lambda: None)
        there = [asyncio.create_task(work.do("/predict", 12_000_000, go.wait)) for _ in range(3)]
        assert not line.refuses(long)
        await asyncio.sleep(0)
        for one in (long, long.replace(b"Content-L", b"content-l"), long.replace(b" HTTP", b"? H")):
            assert line.refuses(one)
            # Its beginning is enough.
            assert line.refuses(one[:200])
        assert not line.refuses(short)
        assert not line.refuses(long.replace(b"/predict", b"/learn"))
        assert not line.refuses(long.replace(b"POST", b"GET"))
        assert not line.refuses(long.replace(b"Content-Length", b"X-Length"))
        go.set()
        await asyncio.gather(*there)
        assert not line.refuses(long)

    run(told())


def test_who_looks_after_the_server_is_answered_also_when_it_is_full(asked):
    async def story(connected, settled, line):
        for _ in range(MOST):
            connected()[0].data_received(post())
        connection, wire = connected()
        assert line.is_full
        connection.data_received(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await settled()
        assert wire.statuses == [200]

    asked(story)


@pytest.mark.parametrize(
    "request_of",
    [post, lambda: post(more=b"Expect: 100-continue\r\n"), lambda: post(b"/learn?x=1", b"{}" * 9)],
)
def test_what_is_refused_may_come_in_any_pieces(asked, request_of):
    async def story(connected, settled, line):
        whole = request_of()
        for cut in range(5, len(whole)):
            full = [connected()[0] for _ in range(MOST)]
            for one in full:
                one.data_received(post())
            connection, wire = connected()
            connection.data_received(whole[:cut])
            await settled()
            assert line.waiting == 0
            # It goes on being refused, and the next is not.
            connection.data_received(whole[cut:] + whole[:7])
            connection.data_received(whole[7:])
            await settled()
            assert wire.statuses[0] == 503
            assert not wire.is_closed
            for one in [*full, connection]:
                one.connection_lost(None)

    asked(story)


def test_a_refused_request_in_chunks_ends_where_it_ends(asked):
    async def story(connected, settled, line):
        for _ in range(MOST):
            connected()[0].data_received(post())
        connection, wire = connected()
        head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.data_received(head + b"5\r\nPOST \r\n")
        assert wire.statuses == []
        connection.data_received(b"0\r\n\r\n")
        assert wire.statuses == [503]
        await settled()
        connection.data_received(post())
        await settled()
        assert wire.statuses == [503, 200]

    asked(story)


def test_one_that_comes_whole_when_the_line_is_full_is_refused_then(asked):
    async def story(connected, settled, line):
        late, wire = connected()
        late.data_received(post()[:-9])
        await asyncio.sleep(0)
        for _ in range(MOST):
            connected()[0].data_received(post())
        late.data_received(post()[-9:])
        await settled()
        assert [(status, said["error"]["code"]) for status, said in wire.answers] == [(503, "busy")]
        late.data_received(post())
        await settled()
        assert wire.statuses == [503, 200]

    assert 'likely_requests_total{path="/predict",status="503"} 1' in asked(story)


def test_the_rest_of_a_head_is_not_taken_for_another_request(asked):
    async def story(connected, settled, line):
        connection, wire = connected()
        before, after = post(more=b"X-Note: POST it\r\n").split(b"POST it")
        connection.data_received(before)
        for _ in range(MOST):
            connected()[0].data_received(post())
        connection.data_received(b"POST it" + after)
        await settled()
        assert wire.statuses == [503]
        assert not wire.is_closed

    asked(story)


def test_bodies_that_do_not_come_take_no_place(asked):
    async def story(connected, settled, line):
        slow = [connected() for _ in range(5 * MOST)]
        for connection, _ in slow:
            connection.data_received(post()[:-1])
        await asyncio.sleep(0)
        connection, wire = connected()
        connection.data_received(post())
        while not wire.written:
            await asyncio.sleep(0)
        assert wire.statuses == [200]
        for one, _ in slow:
            one.connection_lost(None)

    asked(story)


def test_what_is_refused_for_another_reason_leaves_the_line(asked):
    async def story(connected, settled, line):
        for request in (
            post().replace(b"localhost", b"evil.example"),
            post(b"/nothing"),
            post(b"//[/"),
            post(body=b"x" * 200),
        ):
            connection, wire = connected()
            connection.data_received(request)
            await settled()
            assert line.waiting == 0
            assert wire.written.startswith(b"HTTP/1.1 4")

    asked(story, max_body=100)


def test_requests_on_one_connection_are_answered_in_turn_and_take_one_place(asked):
    async def story(connected, settled, line):
        connection, wire = connected()
        connection.data_received(post() * 2 * MOST)
        assert line.waiting == 1
        while len(wire.statuses) < 2 * MOST:
            await asyncio.sleep(0)
        assert wire.statuses == [200] * 2 * MOST

    asked(story)


def test_a_refusal_is_as_the_path_has_it_and_closes_if_asked(asked):
    async def story(connected, settled, line):
        for _ in range(MOST):
            connected()[0].data_received(post())
        connection, wire = connected()
        connection.data_received(post(b"/v2/models/m/infer"))
        assert isinstance(wire.answers[0][1]["error"], str)
        assert not wire.is_closed
        connection.data_received(post(more=b"Connection: close\r\n"))
        assert wire.statuses == [503, 503]
        assert wire.is_closed
        other, wire = connected()
        other.data_received(b"POST /predict HTTP/1.1\r\nno header\r\n\r\n")
        assert wire.is_closed
        assert wire.statuses == []

    asked(story)
