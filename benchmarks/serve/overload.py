"""More requests than can be answered: how many still are, and what becomes of the others."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.processes import call
from benchmarks.run import Run
from benchmarks.serve import load, scene, servers
from benchmarks.serve.scene import CONNECTIONS
from benchmarks.table import Row, Target

COLUMNS = ("what", "asked, 1/s", "in time, 1/s", "of the best", "target", "met")
COLUMNS += ("503, 1/s", "no answer, 1/s", "p50, ms", "p99, ms", "p50 of 503", "p99 of 503")
NOTES = """\
Open loop: requests come at times drawn beforehand (a Poisson process), whatever becomes of those
before them, on as many connections as that takes, up to 900; the clock of each runs from when it
was due. In time is within a second. The best is found around what a closed loop reaches; then come
twice and three times as many. A 503 without Retry-After or without an error as JSON counts as no
answer, as does a request that found no connection for a second. Of each load the best round.
`likely serve` with the default model and one worker; FastAPI, if it is there, for comparison."""

_LATE = 1.0
_SHARES = (0.8, 0.9, 1.0, 1.1)
_TARGET = Target(0.9)


def rows(run: Run) -> Iterator[Row]:
    texts = scene.reviews(run)
    with TemporaryDirectory() as name:
        folder = Path(name)
        asked = {size: scene.requests(texts, size, folder) for size in CONNECTIONS}
        with servers.likely(scene.default(texts, folder / "ours")) as server:
            for size, requests in asked.items():
                yield from _rows(run, server, str(requests), size, "likely", _TARGET)
        with servers.fastapi(scene.bigrams(texts, folder / "theirs")) as server:
            for size, requests in asked.items():
                yield from _rows(run, server, str(requests), size, "FastAPI", None)


def _rows(
    run: Run, server: servers.Server, requests: str, size: int, name: str, target: Target | None
) -> Iterator[Row]:
    warm, seconds = scene.seconds(run, 4)
    rounds, shares = (1, (1.0,)) if run.quick else (3, _SHARES)
    what = f"{name}, {'1 row' if size == 1 else f'{size} rows'}"

    def at(rate: float) -> dict[str, Any]:
        """The best of some rounds."""
        found = (
            call(load.opened, server.port, requests, rate, 2 * warm, seconds, _LATE)
            for _ in range(rounds)
        )
        return max(found, key=lambda one: one["good"])

    closed = [
        call(load.closed, server.port, requests, CONNECTIONS[size], warm, seconds)
        for _ in range(rounds)
    ]
    most = max(one["answered"] for one in closed)
    best = max((at(share * most) for share in shares), key=lambda one: one["good"])
    yield _row(f"{what}, best", best, best["good"], None)
    for times in (2, 3):
        found = at(times * max(best["good"], 1))
        yield _row(f"{what}, {times} × it", found, best["good"], target if times == 2 else None)


def _row(what: str, found: dict[str, Any], best: float, target: Target | None) -> Row:
    share = found["good"] / max(best, 1e-9)
    row = {
        "what": what,
        "asked, 1/s": found["asked"],
        "in time, 1/s": found["good"],
        "of the best": share,
        "503, 1/s": found["refused"],
        "no answer, 1/s": found["asked"] - found["answered"] - found["refused"],
        "p50, ms": found.get("p50 200"),
        "p99, ms": found.get("p99 200"),
        "p50 of 503": found.get("p50 503"),
        "p99 of 503": found.get("p99 503"),
        "client": found["client"],
        "statuses": found["statuses"],
    }
    if target is not None:
        row |= target.judge(share)
    return row
