"""How long things take."""

import gc
import time
from collections.abc import Callable
from typing import Any

Contender = Callable[[], float]
"""Does its work once and says how many seconds that took."""


def timed(work: Callable[[], Any]) -> Contender:
    def seconds() -> float:
        # Nobody pays for what the one before left behind; what this one leaves is dropped unpaid.
        gc.collect()
        start = time.perf_counter()
        result = work()
        elapsed = time.perf_counter() - start
        del result
        return elapsed

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
