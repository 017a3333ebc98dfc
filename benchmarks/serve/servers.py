"""Servers in processes of their own, on free ports, and what they take of the machine."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.data import MissingError
from benchmarks.processes import LIKELY, ROOT

_BEGINS_SECONDS = 60
_ENDS_SECONDS = 30
_PROC = Path("/proc")


class Server:
    """A running server: its port, its memory, the processor time that it took."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int):
        self._process, self.port = process, port

    @property
    def megabytes(self) -> float:
        """The memory of its processes; what they share counts once for each."""
        return sum(_megabytes(process) for process in self._processes())

    @property
    def processor_seconds(self) -> float:
        ticks = 0
        for process in self._processes():
            # The name of a program may hold anything, up to the last bracket.
            fields = (_PROC / f"{process}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _processes(self) -> list[int]:
        own = self._process.pid
        path = _PROC / f"{own}/task/{own}/children"
        if not path.exists():
            raise MissingError("this system has no /proc that tells what a process takes")
        return [own, *map(int, path.read_text().split())]


def _megabytes(process: int) -> float:
    for line in (_PROC / f"{process}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "VmRSS":
            return int(value.split()[0]) * 1024 / 1e6
    return 0.0


@contextmanager
def likely(model: Path) -> Iterator[Server]:
    """`likely serve`, with one worker."""
    import uvicorn  # noqa: F401  # Without it, the table is skipped.

    with _running((*LIKELY, "serve", str(model)), {}) as server:
        yield server


@contextmanager
def fastapi(model: Path) -> Iterator[Server]:
    """FastAPI in uvicorn, with one worker, uvloop and httptools, as `likely serve` has."""
    import fastapi  # noqa: F401  # Without it, the table is skipped.

    command = ("-m", "uvicorn", "benchmarks.serve.fastapi_app:app", "--no-access-log")
    more = ("--log-level", "warning", "--loop", "uvloop", "--http", "httptools")
    with _running((*command, *more), {"BENCHMARKS_MODEL": str(model)}) as server:
        yield server


@contextmanager
def _running(arguments: tuple[str, ...], environment: dict[str, str]) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, *arguments, "--port", str(port)],
        cwd=ROOT,
        # A worker computes in one thread, whatever library it is.
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, port)
        yield Server(process, port)
    finally:
        process.terminate()
        try:
            process.wait(_ENDS_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: "subprocess.Popen[bytes]", port: int) -> None:
    until = time.monotonic() + _BEGINS_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise ChildProcessError(f"a server ended with {process.returncode} as it began")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=60) as asking:
            asking.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            # It may listen before it has read its model.
            if asking.recv(1):
                return
        time.sleep(0.05)
    raise TimeoutError("a server did not begin")
