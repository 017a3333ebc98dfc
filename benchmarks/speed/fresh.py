"""What must be measured in a process of its own: imports and peak memory."""

import subprocess
import sys
from pathlib import Path

from benchmarks.speed.measure import Contender

_ROOT = Path(__file__).resolve().parents[2]


def python(*arguments: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def importing(statements: str) -> Contender:
    """Time to run some imports in a fresh interpreter, whose own start does not count."""
    program = f"import time; t = time.perf_counter(); {statements}; print(time.perf_counter() - t)"
    return lambda: float(python("-c", program))


def memory_of_training(who: str, words: tuple[int, int], data: Path, quick: bool) -> float:
    """By how many megabytes training exceeds what the loaded texts already took."""
    shortest, longest = words
    arguments = [who, str(shortest), str(longest), str(data.absolute()), *["quick"] * quick]
    return float(python("-m", "benchmarks.speed.memory_job", *arguments))
