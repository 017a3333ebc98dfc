"""Coroutines are run in a thread of their own: a browser of other tests may have a loop in this."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run(coroutine):
    """What it returns, or raises."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
