"""A standalone cluster on loopback: a master, and two workers that may be killed.

`LIKELY_SOAK=600 python -m pytest tests/spark` kills ten workers.
"""

import os
from pathlib import Path

import pytest

from tests.spark.processes import Processes, driven
from tests.spark.tables import CASES, digest

TIMES = 10 if "LIKELY_SOAK" in os.environ else 1
NAMES = ["default", "plain", "gaussian", "mixed", "multi-label"]

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="workers are found in /proc, and there is none"
)

CONFIG = {
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    # A task that takes longer than most runs a second time, and the first to end counts.
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.minTaskRuntime": "500ms",
}


def test_a_standalone_cluster_makes_the_same_files(tmp_path):
    # In the second pass over the table, the third, and the first, in turn.
    kills = [["mixed", "kill machine", (1 + time) % 3] for time in range(TIMES)]
    asked = {
        "config": CONFIG,
        "batch": "40",
        "fits": [[name, 5] for name in NAMES],
        "faults": [["mixed", "slow", None]] * TIMES + kills,
    }
    ports = ["--port", "0", "--webui-port", "0"]
    size = ["--cores", "1", "--memory", "600m", "--work-dir", str(tmp_path / "work")]
    killed = 0
    with Processes(tmp_path) as processes:
        said = r"Starting Spark master at (spark://\S+)"
        master = processes.start("master.Master", *ports, "--host", "127.0.0.1", says=said)

        def start_worker():
            # A task runs a second time on another host, and all of 127.0.0.0/8 is this machine.
            options = [*ports, *size, "--host", f"127.0.0.{processes.started + 1}"]
            said = "(Successfully registered with master)"
            processes.start("worker.Worker", *options, master, says=said)

        def replace_workers():
            nonlocal killed
            for _ in range(processes.ended()):
                killed += 1
                start_worker()

        start_worker()
        start_worker()
        found = driven({"master": master, **asked}, replace_workers)
    fits, slow, after_kill = found[:5], found[5 : 5 + TIMES], found[5 + TIMES :]
    assert fits == [[name, digest(CASES[name].local())] for name in NAMES]
    wanted = digest(CASES["mixed"].local())
    assert {made for _, made, _ in slow + after_kill} == {wanted}
    # There are four passes, so some slow task ran a second time.
    assert all(attempts > 4 for _, _, attempts in slow)
    assert len(after_kill) == TIMES == killed
