"""A standalone cluster on loopback: a master, and two workers that may be killed.

`LIKELY_SOAK=600 python -m pytest tests/spark` kills ten workers.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import ROOT
from tests.spark.session import environment
from tests.spark.tables import CASES, digest

TIMES = 10 if "LIKELY_SOAK" in os.environ else 1
PATIENCE = 300

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


class Cluster:
    """Processes of Spark, and what they have written."""

    def __init__(self, folder: Path):
        import pyspark

        self.folder = folder
        self.script = Path(pyspark.__file__).parent / "bin" / "spark-class"
        self.environment = {**os.environ, **environment(), "SPARK_DAEMON_MEMORY": "256m"}
        self.running: list[subprocess.Popen[bytes]] = []
        self.started = 0

    def start(self, name: str, *options: str, says: str) -> re.Match[str]:
        """Start a process; what it says when it is ready."""
        self.started += 1
        log = self.folder / f"{self.started}.log"
        ports = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        with log.open("wb") as file:
            process = subprocess.Popen(
                [self.script, f"org.apache.spark.deploy.{name}", *ports, *options],
                stdout=file,
                stderr=file,
                env=self.environment,
                cwd=self.folder,
            )
        self.running.append(process)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if found := re.search(says, log.read_text(errors="replace")):
                return found
            assert process.poll() is None, log.read_text(errors="replace")
            time.sleep(0.1)
        raise TimeoutError(log.read_text(errors="replace"))

    def start_worker(self, master: str) -> None:
        options = ["--cores", "1", "--memory", "600m", "--work-dir", str(self.folder / "work")]
        self.start("worker.Worker", *options, master, says="Successfully registered with master")

    def ended_workers(self) -> int:
        """How many processes have ended; they are no longer looked at."""
        gone = [process for process in self.running if process.poll() is not None]
        self.running = [process for process in self.running if process not in gone]
        return len(gone)

    def stop(self) -> None:
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()


def driven(asked, meanwhile=lambda: None, folder=None):
    """What a driver in a process of its own has printed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.spark.elsewhere", json.dumps(asked)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment()},
        cwd=ROOT,
    )
    try:
        deadline = time.monotonic() + 10 * PATIENCE
        while time.monotonic() < deadline:
            meanwhile()
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, errors = process.communicate(timeout=0.2)
                assert process.returncode == 0, errors.decode(errors="replace")[-3000:]
                return [json.loads(line) for line in out.splitlines() if line.startswith(b"[")]
        raise TimeoutError
    finally:
        process.kill()


def test_a_standalone_cluster_makes_the_same_files(tmp_path):
    names = ["default", "plain", "gaussian", "mixed", "multi-label"]
    # In each of the four passes over the table, in turn.
    kills = [["mixed", "kill machine", time % 4] for time in range(TIMES)]
    asked = {
        "config": CONFIG,
        "batch": "40",
        "fits": [[name, 5] for name in names],
        "faults": [["mixed", "slow", None]] * TIMES + kills,
    }
    cluster = Cluster(tmp_path)
    killed = 0

    def replace_workers():
        nonlocal killed
        if gone := cluster.ended_workers():
            killed += gone
            for _ in range(gone):
                cluster.start_worker(master)

    try:
        said = r"Starting Spark master at (spark://\S+)"
        master = cluster.start("master.Master", says=said).group(1)
        cluster.start_worker(master)
        cluster.start_worker(master)
        found = driven({"master": master, **asked}, replace_workers)
    finally:
        cluster.stop()
    fits, slow, after_kill = found[:5], found[5 : 5 + TIMES], found[5 + TIMES :]
    assert fits == [[name, digest(CASES[name].local())] for name in names]
    wanted = digest(CASES["mixed"].local())
    assert {made for _, made, _ in slow + after_kill} == {wanted}
    # Each of the four passes ran its slow task a second time.
    assert all(attempts >= 8 for _, _, attempts in slow)
    assert len(after_kill) == TIMES == killed
