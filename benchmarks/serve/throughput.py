"""Requests per second and how long they take, as fast as answers come."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.processes import call
from benchmarks.run import Run
from benchmarks.serve import load, scene, servers
from benchmarks.serve.scene import BATCH, CONNECTIONS, Texts
from benchmarks.table import Row, Target

COLUMNS = ("what", "ours", "the peer", "ours, 1/s", "peer, 1/s", "ratio", "target", "met")
COLUMNS += ("p50, ms", "peer's p50", "p99, ms", "peer's p99", "CPU, ms", "peer's CPU")
NOTES = """\
Closed loop: 16 connections ask for one row, or 8 for 100 rows, and ask again as soon as they are
answered; one client in a process of its own, the same requests for all, one worker each, all in
turns; of each the best round. Ours: `likely serve` with the default model (words, bigrams and
longer, as it chose), or with plain Naive Bayes of words. The peer: FastAPI, its handler `async`,
before TfidfVectorizer and LogisticRegression, of words or of words and bigrams (logarithmic). A
target is met if our p99 is not above the peer's. CPU: processor time of the server, per request."""

_OURS = {"default": scene.default, "words only": scene.plain}
_THEIRS = {"words": scene.words, "bigrams": scene.bigrams}
# Models of like features, and last one that counts less than ours does.
_PAIRS = (("words only", "words"), ("default", "bigrams"), ("default", "words"))
_TARGETS = {1: Target(2.5), BATCH: Target(5)}


def rows(run: Run) -> Iterator[Row]:
    for texts in scene.all_texts(run):
        with TemporaryDirectory() as folder, ExitStack() as stack:
            running = _running(texts, Path(folder), stack)
            for size in CONNECTIONS:
                found = _measured(
                    run, running, str(scene.requests(texts, size, Path(folder))), size
                )
                for ours, theirs in _PAIRS:
                    named = f"{texts.name}, {'1 row' if size == 1 else f'{size} rows'}"
                    yield _row(named, ours, theirs, found, _TARGETS[size])


def _running(texts: Texts, folder: Path, stack: ExitStack) -> dict[str, servers.Server]:
    # First, since the peer may not be there.
    running = {
        name: stack.enter_context(servers.fastapi(learn(texts, folder / name)))
        for name, learn in _THEIRS.items()
    }
    for name, learn in _OURS.items():
        running[name] = stack.enter_context(servers.likely(learn(texts, folder / name)))
    return running


def _measured(
    run: Run, running: dict[str, servers.Server], requests: str, size: int
) -> dict[str, dict[str, Any]]:
    """The best round of each server."""
    best: dict[str, dict[str, Any]] = {}
    warm, seconds = scene.seconds(run, 2)
    for _ in range(1 if run.quick else 5):
        for name, server in running.items():
            before = server.processor_seconds
            found = call(load.closed, server.port, requests, CONNECTIONS[size], warm, seconds)
            taken = server.processor_seconds - before
            found["CPU"] = 1000 * taken / max(found["answered"] * (warm + seconds), 1)
            if found["statuses"].keys() != {"200"}:
                raise ValueError(f"{name} answered {found['statuses']}")
            if name not in best or found["answered"] > best[name]["answered"]:
                best[name] = found
    return best


def _row(
    named: str, ours: str, theirs: str, found: dict[str, dict[str, Any]], target: Target
) -> Row:
    own, peer = found[ours], found[theirs]
    judged = target.judge(ratio := own["answered"] / peer["answered"])
    judged["met"] = judged["met"] and own["p99 200"] <= peer["p99 200"]
    return {
        "what": named,
        "ours": ours,
        "the peer": theirs,
        "ours, 1/s": own["answered"],
        "peer, 1/s": peer["answered"],
        "ratio": ratio,
        **judged,
        "p50, ms": own["p50 200"],
        "peer's p50": peer["p50 200"],
        "p99, ms": own["p99 200"],
        "peer's p99": peer["p99 200"],
        "CPU, ms": own["CPU"],
        "peer's CPU": peer["CPU"],
        "client": own["client"],
        "peer's client": peer["client"],
    }
