"""Several processes that answer on one socket and share the memory of one model.

The first process reads the model, then forks: what nobody changes is in memory once. It answers
nothing itself; it starts workers that ended, passes signals on, and when the model's file changes
it reads it and starts workers with the new model before it ends the old ones.
"""

import gc
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType

from likely.errors import LikelyError
from likely.server.fixed import FixedModel

_LOOK_SECONDS = 0.5
# A worker that ends sooner than this was not well; the next one waits.
_SOON = 2.0
_log = logging.getLogger("likely.serve")


def run(
    model: FixedModel, workers: int, listening: socket.socket, answer: Callable[[int], None]
) -> None:
    """Keep so many workers going until SIGTERM or SIGINT; `answer` is what each does."""
    Supervisor(model, workers, listening, answer).run()


class Supervisor:
    """The process that looks after the workers."""

    def __init__(
        self,
        model: FixedModel,
        workers: int,
        listening: socket.socket,
        answer: Callable[[int], None],
    ):
        self._model, self._workers, self._answer = model, workers, answer
        self._listening = listening
        self._running: dict[int, tuple[int, float]] = {}
        """The number of each worker and when it began, by process."""
        self._ends = self._reloads = False

    def run(self) -> None:
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, self._end)
        signal.signal(signal.SIGHUP, self._reload)
        try:
            for number in range(self._workers):
                self._start(number)
            while not self._ends:
                time.sleep(_LOOK_SECONDS)
                self._revive()
                if self._reloads or self._model.has_changed:
                    self._reloads = False
                    self._renew()
        finally:
            self._stop(list(self._running))

    def _start(self, number: int) -> None:
        gc.collect()
        # What is there now is not looked at again, so that its pages stay shared.
        gc.freeze()
        signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        # A signal that comes while a worker begins ends it, and is not lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        process = os.fork()
        if process:
            self._running[process] = number, time.monotonic()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            return
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        code = 1
        try:
            self._answer(number)
            code = 0
        except Exception:
            _log.exception("worker %d failed", number)
        finally:
            os._exit(code)

    def _revive(self) -> None:
        """Start workers anew that have ended."""
        for process in self._ended(list(self._running)):
            number, began = self._running.pop(process)
            _log.error("worker %d ended, and is started again", number)
            if time.monotonic() - began < _SOON:
                time.sleep(_SOON)
            self._start(number)

    def _renew(self) -> None:
        """Read the model again, and let new workers answer with it."""
        try:
            self._model.reload()
        except LikelyError as error:
            _log.error("the changed file is not used: %s", error)
            return
        old = list(self._running)
        for number in range(self._workers):
            self._start(number)
        self._stop(old)
        _log.info("%s was read again", self._model.path)

    def _stop(self, processes: list[int]) -> None:
        for process in processes:
            os.kill(process, signal.SIGTERM)
        for process in processes:
            os.waitpid(process, 0)
            self._running.pop(process, None)

    def _ended(self, processes: list[int]) -> list[int]:
        return [process for process in processes if os.waitpid(process, os.WNOHANG)[0]]

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._ends = True

    def _reload(self, number: int, frame: FrameType | None) -> None:
        self._reloads = True
