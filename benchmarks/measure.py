"""How long things take: in turns, and the best of several rounds."""

import gc
import time
from collections.abc import Callable
from typing import Any

Contender = Callable[[], float]
"""Does its work once and returns the seconds that it took."""


def clocked(
    work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter
) -> tuple[Any, float]:
    """The result of some work, and the seconds that it took."""
    start = clock()
    result = work()
    return result, clock() - start


def timed(work: Callable[[], Any]) -> Contender:
    def seconds() -> float:
        # Nobody pays for what the one before left behind; what this one leaves is dropped unpaid.
        gc.collect()
        return clocked(work)[1]

    return seconds


def turns(*contenders: Contender, rounds: int) -> list[tuple[float, ...]]:
    """The times of each, in seconds, round by round.

    They take turns, so that a slow minute of the machine is slow for all.
    """
    times = [[contender() for contender in contenders] for _ in range(rounds)]
    return list(zip(*times, strict=True))


def race(*contenders: Contender, rounds: int) -> list[float]:
    """The best time of each, in seconds: that of the round that was disturbed least."""
    return [min(own) for own in turns(*contenders, rounds=rounds)]
