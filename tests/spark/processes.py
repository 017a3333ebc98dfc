"""Processes of Spark on loopback, and drivers in processes of their own; all end with the test."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.spark.session import environment

PATIENCE = 300


class Processes:
    """Programs of Spark that were started, and what they have written to a folder."""

    def __init__(self, folder: Path):
        import pyspark

        self.folder = folder
        self.script = Path(pyspark.__file__).parent / "bin" / "spark-class"
        self.environment = {**os.environ, **environment(), "SPARK_DAEMON_MEMORY": "640m"}
        self.running: list[subprocess.Popen[bytes]] = []
        self.started = 0

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()

    def start(self, name: str, *options: str, says: str) -> str:
        """Start a program; what it says when it is ready."""
        self.started += 1
        log = self.folder / f"{self.started}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [self.script, f"org.apache.spark.deploy.{name}", *options],
                stdout=file,
                stderr=file,
                env=self.environment,
                cwd=self.folder,
            )
        self.running.append(process)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if found := re.search(says, log.read_text(errors="replace")):
                return found.group(1)
            assert process.poll() is None, log.read_text(errors="replace")
            time.sleep(0.1)
        raise TimeoutError(log.read_text(errors="replace"))

    def ended(self) -> int:
        """How many processes have ended since this was asked last."""
        gone = [process for process in self.running if process.poll() is not None]
        self.running = [process for process in self.running if process not in gone]
        return len(gone)


def driven(asked: dict[str, Any], meanwhile: Callable[[], None] = lambda: None) -> list[Any]:
    """What a driver in a process of its own has printed."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "tests.spark.elsewhere", json.dumps(asked)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment()},
        cwd=ROOT,
    )
    deadline = time.monotonic() + 10 * PATIENCE
    try:
        while time.monotonic() < deadline:
            meanwhile()
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, errors = process.communicate(timeout=0.2)
                assert process.returncode == 0, errors.decode(errors="replace")[-3000:]
                return [json.loads(line) for line in out.splitlines() if line.startswith(b"[")]
        raise TimeoutError
    finally:
        process.kill()
        process.communicate()
