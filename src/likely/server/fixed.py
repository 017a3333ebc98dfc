"""A model that only predicts, read anew when its file changes."""

import os
from pathlib import Path

import likely
from likely.errors import LikelyError
from likely.server.living import Served


class FixedModel:
    """The model of a file; `reload` reads it beside the one that serves, then swaps."""

    def __init__(self, path: Path):
        self.path = path
        self._stamp = self._stamped()
        self.served = self._read()

    def _read(self) -> Served:
        classifier = likely.load(self.path)
        classifier.fitted.weights  # noqa: B018  # Estimated here, so that no request has to wait.
        return Served(classifier, 0, classifier.digest)

    @property
    def has_changed(self) -> bool:
        """Whether the file is another one than was read."""
        try:
            return self._stamped() != self._stamp
        except OSError:
            return False

    def reload(self) -> None:
        """Read the file again; what is no model is refused, and the old one goes on."""
        try:
            # A file that is refused is not tried again until it changes.
            self._stamp = self._stamped()
            self.served = self._read()
        except OSError as error:
            raise LikelyError(f"{self.path}: {error.strerror}") from None

    def _stamped(self) -> tuple[int, int, int]:
        found = os.stat(self.path)
        return found.st_ino, found.st_mtime_ns, found.st_size

    def close(self) -> None:
        """Nothing is kept open."""
