"""What must be measured in a process of its own: imports, commands, peak memory."""

import gc
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import Contender, race, timed

# What the installed command runs.
LIKELY = ("-c", "from likely.__main__ import main; main()")

ROOT = Path(__file__).resolve().parents[1]
_STATUS = Path("/proc/self/status")


def python(*arguments: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of some module returns in a fresh interpreter; all of it can be JSON."""
    name = function.__name__
    program = (
        f"import json, sys; from {function.__module__} import {name}\n"
        f"print(json.dumps({name}(*json.loads(sys.argv[1]))))"
    )
    return json.loads(python("-c", program, json.dumps(arguments)).splitlines()[-1])


def import_times(*statements: str, rounds: int) -> list[float]:
    """Seconds to run some imports in fresh interpreters, whose own start does not count."""

    def importing(imports: str, environment: dict[str, str]) -> Contender:
        program = f"import time; t = time.perf_counter(); {imports}; print(time.perf_counter() - t)"
        return lambda: float(python("-c", program, **environment))

    return _compiled(importing, statements, rounds)


def run_times(*programs: tuple[str, ...], rounds: int) -> list[float]:
    """Seconds from the start of fresh interpreters, given these arguments, to their end."""

    def running(arguments: tuple[str, ...], environment: dict[str, str]) -> Contender:
        return timed(lambda: python(*arguments, **environment))

    return _compiled(running, programs, rounds)


def _compiled(
    contender: Callable[[Any, dict[str, str]], Contender], programs: tuple[Any, ...], rounds: int
) -> list[float]:
    """The best times of programs that find all bytecode in place.

    What is installed from a wheel comes compiled, a checkout perhaps not. So all bytecode is kept
    in one new place, and a first round that fills it is not counted.
    """
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
        contenders = [contender(program, environment) for program in programs]
        race(*contenders, rounds=1)
        return race(*contenders, rounds=rounds)


def growth_while(work: Callable[[], Any]) -> float:
    """By how many megabytes the memory of this process grows at its peak."""
    before = reset_peak()
    result = work()
    grown = peak() - before
    del result
    return grown


def reset_peak() -> float:
    """Memory in use now, in megabytes; from here on, the peak is counted anew.

    Reading the texts may have peaked higher than what they take. And `ru_maxrss` alone will not do
    on Linux: a process starts with the peak of the process that started it.
    """
    gc.collect()
    if not _STATUS.exists():
        return peak()
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak() -> float:
    """In megabytes."""
    if _STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _status(name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    if found is None:
        raise OSError(f"{_STATUS} has no {name}")
    return int(found[1]) * 1024 / 1e6
