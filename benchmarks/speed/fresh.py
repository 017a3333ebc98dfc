"""What must be measured in a process of its own: imports and peak memory."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.speed.measure import Contender, race

_ROOT = Path(__file__).resolve().parents[2]


def python(*arguments: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=_ROOT,
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def import_times(*statements: str, rounds: int) -> list[float]:
    """Seconds to run some imports in fresh interpreters, whose own start does not count.

    What is installed from a wheel comes compiled, a checkout perhaps not. So all bytecode is kept
    in one new place, and a first round that fills it is not counted.
    """
    with tempfile.TemporaryDirectory() as bytecode:
        contenders = [_importing(imports, bytecode) for imports in statements]
        race(*contenders, rounds=1)
        return race(*contenders, rounds=rounds)


def _importing(imports: str, bytecode: str) -> Contender:
    program = f"import time; t = time.perf_counter(); {imports}; print(time.perf_counter() - t)"
    environment = {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    return lambda: float(python("-c", program, **environment))


def memory_of_training(who: str, words: tuple[int, int], data: Path, quick: bool) -> float:
    """By how many megabytes training exceeds what the loaded texts already took."""
    shortest, longest = words
    arguments = [who, str(shortest), str(longest), str(data.absolute()), *["quick"] * quick]
    return float(python("-m", "benchmarks.speed.memory_job", *arguments))
