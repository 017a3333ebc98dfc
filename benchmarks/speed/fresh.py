"""What must be measured in a process of its own: imports, commands, peak memory."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.speed.measure import Contender, race, timed

_ROOT = Path(__file__).resolve().parents[2]


def python(*arguments: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=_ROOT,
        env={**os.environ, **environment},
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


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
    contender: Callable[[Any, dict[str, str]], Contender], programs: Iterable[Any], rounds: int
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


def memory_of_training(who: str, words: tuple[int, int], data: Path, quick: bool) -> float:
    """By how many megabytes training exceeds what the loaded texts already took."""
    shortest, longest = words
    arguments = [who, str(shortest), str(longest), str(data.absolute()), *["quick"] * quick]
    return float(python("-m", "benchmarks.speed.memory_job", *arguments))
