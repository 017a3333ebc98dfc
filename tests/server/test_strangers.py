"""Requests that were never meant well: right codes, and a server that goes on."""

import json
import os
import random
import socket
import time
from contextlib import suppress

import pytest

from tests.server.test_clients import asked

# `LIKELY_FUZZED=10000` sends as many odd requests as a release is to stand.
FUZZED = int(os.environ.get("LIKELY_FUZZED", "500"))
SLOW = 500
LARGE = 300 << 20
CODES = {200, 400, 403, 404, 405, 408, 409, 413, 415, 421, 422, 431, 501, 503}

JSON = {"Content-Type": "application/json"}
ROW = {"text": "free prize"}
PATHS = ["/predict", "/explain", "/learn", "/forget", "/model", "/metrics", "/healthz", "/v2",
         "/v2/models/m/infer", "/openapi.json", "/none", "/predict?x=%ff", "/model?digest=part",
         "//predict", "/../m.likely", "/%00"]  # fmt: skip
KINDS = [
    "application/json", "application/json; charset=utf-7", "application/x-ndjson", "text/csv",
    "text/tab-separated-values", "application/vnd.apache.arrow.stream", "text/html", "",
]  # fmt: skip
BODIES = [
    *(json.dumps(body).encode() for body in (
        ROW, [ROW] * 3, {"rows": [ROW], "labels": ["spam"]}, {"rows": [ROW], "labels": [None]},
        {"inputs": [{"name": "text", "shape": [1], "datatype": "BYTES", "data": ["x"]}]},
        {"rows": [{"text": "\ud800"}]}, [[]], [1e308], {"rows": 10**30},
    )),
    b"text,label\nfree,spam\n", b'text\n"open', b"\xff\xfe", b"[" * 2000, b"NaN", b"\0" * 9,
]  # fmt: skip
HEADERS = [
    "Host: evil.example", "Origin: http://evil.example", "Authorization: Bearer x", "Host:",
    "Idempotency-Key: \x01", "Content-Encoding: gzip", "X-User: \xff", "Content-Length: -1",
    "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: close",
]  # fmt: skip


def sent(port, request):
    """What is answered to bytes, whatever they are."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as one:
        with suppress(ConnectionError):
            one.sendall(request)
            one.shutdown(socket.SHUT_WR)
        found = b""
        with suppress(ConnectionError):
            while piece := one.recv(65536):
                found += piece
        return found.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")


def odd(draw):
    """A request that is nearly one, or not at all."""
    body = bytearray(draw.choice(BODIES))
    for _ in range(draw.choice((0, 0, 1, 3))):
        body[draw.randrange(len(body))] = draw.randrange(256)
    lines = [f"{draw.choice(('POST', 'POST', 'GET', 'HEAD', 'PUT', 'OPTIONS'))} "
             f"{draw.choice(PATHS)} HTTP/1.1", f"Content-Type: {draw.choice(KINDS)}",
             f"Content-Length: {len(body) + draw.choice((0, 0, 0, 5, -1))}"]  # fmt: skip
    lines += draw.choice((["Host: localhost"], ["Host: localhost"], []))
    lines += draw.sample(HEADERS, draw.choice((0, 0, 1, 2)))
    found = bytearray("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)
    if draw.random() < 0.2:
        found[draw.randrange(len(found))] = draw.randrange(256)
    return bytes(found[: draw.randrange(len(found))] if draw.random() < 0.1 else found)


def test_odd_requests_have_a_code_that_says_whose_fault_they_are(running):
    port, draw = running("--learn"), random.Random(0)
    for n in range(FUZZED):
        request = odd(draw)
        said = sent(port, request)
        assert b"Traceback" not in said, request
        if said:
            assert int(said[9:12]) in CODES, (request, said)
        if n % 100 == 0:
            assert asked(port)[0] == 200
    assert asked(port, "POST", "/predict", json.dumps([ROW]), **JSON)[0] == 200


@pytest.mark.parametrize("is_chunked", [False, True], ids=["told", "chunked"])
def test_a_body_of_300_mb_is_refused_before_it_is_there(running, is_chunked):
    port = running("--learn")
    before = _megabytes(running.process.pid)
    head = b"POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    length = b"Transfer-Encoding: chunked" if is_chunked else b"Content-Length: %d" % LARGE
    piece = b" " * (1 << 20)
    if is_chunked:
        piece = b"%x\r\n%s\r\n" % (len(piece), piece)
    with socket.create_connection(("127.0.0.1", port), timeout=30) as one:
        one.sendall(head + length + b"\r\n\r\n")
        n, said = 0, b""
        with suppress(ConnectionError):
            while n < LARGE >> 20:
                one.sendall(piece)
                n += 1
        with suppress(ConnectionError):
            said = one.recv(65536)
    assert n < 100
    assert not said or said.startswith(b"HTTP/1.1 413 ")
    assert asked(port)[0] == 200
    assert _megabytes(running.process.pid) < before + 100


def test_slow_connections_keep_nobody_out(running):
    port = running()
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n["
    slow = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(SLOW)]
    for n, each in enumerate(slow):
        each.sendall((head, head[:40], head[:1])[n % 3])
    took = []
    try:
        for _ in range(20):
            for each in slow:
                with suppress(OSError):
                    each.send(b" ")
            began = time.perf_counter()
            assert asked(port, "POST", "/predict", json.dumps([ROW]), **JSON)[0] == 200
            took.append(time.perf_counter() - began)
    finally:
        for each in slow:
            each.close()
    assert sorted(took)[10] < 1


def _megabytes(process):
    try:
        with open(f"/proc/{process}/status") as file:
            found = [line for line in file if line.startswith("VmRSS")]
    except OSError:
        pytest.skip("this system does not tell what a process takes")
    return int(found[0].split()[1]) / 1024
