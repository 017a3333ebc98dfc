"""Whether the memory of a server grows while it answers."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.processes import ROOT
from benchmarks.run import Run
from benchmarks.serve import load, scene, servers
from benchmarks.serve.scene import BATCH
from benchmarks.table import Row, Target, comparison

NOTES = """\
A server is asked without a pause for single rows, batches of 100, explanations and tables as CSV,
now and then for what makes no sense, and for its metrics; every second its memory is noted. The
median of the last tenth of the time is compared with that of the second tenth: by then all is warm.
`--minutes 10` asks for ten minutes."""

_CONNECTIONS = 8
_PROGRAM = """
import json, sys
from benchmarks.serve import load
print(json.dumps(load.closed(*json.loads(sys.argv[1]))))
"""


def rows(run: Run) -> Iterator[Row]:
    texts = scene.reviews(run)
    seconds = 2.0 if run.quick else 60 * run.minutes
    with TemporaryDirectory() as name:
        folder = Path(name)
        requests = load.write(folder / "mixed", _mixed(texts.asked))
        with servers.likely(scene.default(texts, folder / "model")) as server:
            noted, found = _watched(server, requests, seconds)
    statuses = found["statuses"]
    if not statuses.keys() <= {"200", "400", "503"}:
        raise ValueError(f"the server answered {statuses}")
    tenth = max(len(noted) // 10, 1)
    later, early = statistics.median(noted[-tenth:]), statistics.median(noted[tenth : 2 * tenth])
    row = comparison(
        f"memory after {seconds / 60:g} min",
        later,
        "MB",
        early,
        "near the start",
        Target(1.02, at_most=True),
    )
    yield row | {"noted": noted, "statuses": statuses}
    yield comparison("requests in that time", float(sum(statuses.values())), "")


def _mixed(texts: list[str]) -> list[bytes]:
    """Requests of every kind, most of them for a row."""
    found = [load.post("/predict", {"rows": [text]}) for text in texts[:200]]
    found += [load.post("/predict", {"rows": texts[n : n + BATCH]}) for n in range(0, 300, BATCH)]
    found += [load.post("/explain", {"rows": [text]}) for text in texts[:5]]
    found += [load.post("/predict", b"text\nfine\n", "text/csv")] * 10
    found += [load.post("/predict", b"[")] * 5
    found += [b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    return found


def _watched(
    server: servers.Server, requests: Path, seconds: float
) -> tuple[list[float], dict[str, dict[str, int]]]:
    """The memory of each second while the server is asked, and what it answered."""
    arguments = json.dumps([server.port, str(requests), _CONNECTIONS, 0.0, seconds])
    command = [sys.executable, "-c", _PROGRAM, arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as client:
        noted = []
        while client.poll() is None:
            noted.append(server.megabytes)
            time.sleep(min(1.0, seconds / 20))
        assert client.stdout is not None
        return noted, json.loads(client.stdout.read())
