"""A Ctrl-C at any call into the kernel, before it or after, as often as one likes.

It comes by way of the profiler, which is told of every call and may raise in its place. Nothing is
patched, so whatever calls the kernel is interrupted where a person would interrupt it.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

KERNEL = "likely._kernel"


def is_kernel(function: Any) -> bool:
    """Whether a function of C is one of the kernel, or a method of its types."""
    owner = getattr(function, "__self__", None)
    modules = (getattr(it, "__module__", None) for it in (function, owner, type(owner)))
    return KERNEL in modules


@contextmanager
def _told(hear: Callable[[], None]) -> Iterator[None]:
    def profile(_frame: Any, event: str, arg: Any) -> None:
        if event in ("c_call", "c_return") and is_kernel(arg):
            hear()

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


def moments(act: Callable[[], Any]) -> int:
    """How many moments there are to interrupt: two for each call into the kernel."""
    heard = []
    with _told(lambda: heard.append(None)):
        act()
    return len(heard)


def interrupted(act: Callable[[], Any], at: int) -> bool:
    """Do something, interrupted at a moment; False if it was over before."""
    left = at

    def hear() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt

    try:
        with _told(hear):
            act()
    except KeyboardInterrupt:
        return True
    return False


def some(count: int, most: int = 24) -> list[int]:
    """The first and the last of so many moments, and others evenly between."""
    return sorted({round(k * (count - 1) / (most - 1)) for k in range(most)})
