"""More requests than can be answered: how many still are, and what becomes of the others."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.processes import call
from benchmarks.run import Run
from benchmarks.serve import load, scene, servers
from benchmarks.serve.scene import CONNECTIONS
from benchmarks.table import Cell, Row, Target

COLUMNS = ("what", "load", "asked, 1/s", "in time, 1/s", "of the best", "target", "met")
COLUMNS += ("503, 1/s", "neither, 1/s", "p50, ms", "p99, ms", "p50 of 503", "p99 of 503")
NOTES = """\
Open loop: requests come at times drawn beforehand (a Poisson process), whatever becomes of those
before them, on as many connections as that takes, up to 900; the clock of each runs from when it
was due. The load is in multiples of what a closed loop reaches, which is what the server can carry.
In time is within a second; neither is a request that was answered later, or not, or by a 503
without Retry-After or without an error as JSON. All loads in turns; of each the best round.
`likely serve` with the default model and one worker; FastAPI, if it is there, for comparison."""

_LATE = 1.0
_LOADS = (0.8, 0.9, 1.0, 1.1, 2.0, 3.0)
_TARGET = Target(0.9)
_ROUNDS = {"likely": 5, "FastAPI": 2}


def rows(run: Run) -> Iterator[Row]:
    texts = scene.reviews(run)
    with TemporaryDirectory() as name:
        folder = Path(name)
        asked = {size: scene.requests(texts, size, folder) for size in CONNECTIONS}
        with servers.likely(scene.default(texts, folder / "ours")) as server:
            for size, requests in asked.items():
                yield from _rows(run, server, str(requests), size, "likely")
        with servers.fastapi(scene.bigrams(texts, folder / "theirs")) as server:
            for size, requests in asked.items():
                yield from _rows(run, server, str(requests), size, "FastAPI")


def _rows(run: Run, server: servers.Server, requests: str, size: int, name: str) -> Iterator[Row]:
    warm, seconds = scene.seconds(run, 2)
    rounds = 1 if run.quick else _ROUNDS[name]

    def carried(_: float) -> dict[str, Any]:
        return call(load.closed, server.port, requests, CONNECTIONS[size], warm, seconds)

    (closed,) = _best(carried, (1.0,), rounds).values()

    def at(times: float) -> dict[str, Any]:
        rate = times * max(closed["good"], 1.0)
        return call(load.opened, server.port, requests, rate, 2 * warm, seconds, _LATE)

    found = _best(at, (1.0, 2.0) if run.quick else _LOADS, rounds)
    best = max(one["good"] for one in found.values())
    for times, one in found.items():
        judged = name == "likely" and times == 2
        yield _row(f"{name}, {'1 row' if size == 1 else f'{size} rows'}", times, one, best, judged)


def _best(
    measured: Callable[[float], dict[str, Any]], loads: tuple[float, ...], rounds: int
) -> dict[float, dict[str, Any]]:
    """The best round of each load."""
    found: dict[float, dict[str, Any]] = {}
    for _ in range(rounds):
        for times in loads:
            one = measured(times)
            if times not in found or one["good"] > found[times]["good"]:
                found[times] = one
    return found


def _row(what: str, times: float, found: dict[str, Any], best: float, judged: bool) -> Row:
    share = found["good"] / max(best, 1e-9)
    return {
        "what": what,
        "load": Cell(times, f"{times:g}"),
        "asked, 1/s": found["asked"],
        "in time, 1/s": found["good"],
        "of the best": share,
        **(_TARGET.judge(share) if judged else {}),
        "503, 1/s": found["refused"],
        "neither, 1/s": found["lost"],
        "p50, ms": found.get("p50 200"),
        "p99, ms": found.get("p99 200"),
        "p50 of 503": found.get("p50 503"),
        "p99 of 503": found.get("p99 503"),
        "client": found["client"],
        "statuses": found["statuses"],
    }
