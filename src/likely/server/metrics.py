"""What a server counts about itself, in the text format of Prometheus.

Workers count in memory that all of them share, each in a line of its own, so that whichever is
asked can tell of all.
"""

import math
import mmap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

# The path of requests to which no path belongs, or that were refused before theirs was looked at.
OTHER = "other"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, math.inf)
# Names that come later than the server has room for.
_LATER = 256

_HELP = {
    "likely_requests_total": ("counter", "Requests by path and status."),
    "likely_request_seconds": ("histogram", "How long requests took, by path."),
    "likely_predictions_total": ("counter", "Predicted labels."),
    "likely_rejected_total": ("counter", "Predictions less probable than the reject option asks."),
    "likely_words_total": ("counter", "Features of a sample of rows, known to the model or not."),
    "likely_rows": ("gauge", "Rows that the model has learned."),
    "likely_sequence": ("gauge", "The number of the last event in the journal."),
    "likely_waiting": ("gauge", "Changes that wait to be written."),
    "likely_model": ("gauge", "The digest of the newest snapshot."),
}

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters by name and labels."""

    def __init__(self, workers: int = 1, known: Iterable[tuple[str, Labels]] = ()):
        self._places: dict[tuple[str, Labels], int] = {}
        for key in known:
            self._places.setdefault(key, len(self._places))
        self._room = len(self._places) + _LATER
        shared = mmap.mmap(-1, workers * self._room * 8)
        self._counts = np.frombuffer(shared, dtype=np.float64).reshape(workers, self._room)
        self._own = self._counts[0]

    def of_worker(self, worker: int) -> None:
        """Count in the line of this worker from now on."""
        self._own = self._counts[worker]

    def add(self, name: str, labels: Labels = (), n: float = 1.0) -> None:
        key = (name, labels)
        place = self._places.get(key)
        if place is None:
            # Workers would not know of each other's new names; only a single process learns.
            if len(self._counts) > 1 or len(self._places) >= self._room:
                return
            place = self._places.setdefault(key, len(self._places))
        self._own[place] += n

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.add("likely_requests_total", (("path", path), ("status", str(status))))
        self.add("likely_request_seconds_sum", (("path", path),), seconds)
        bucket = next(bound for bound in _BUCKETS if seconds <= bound)
        self.add("likely_request_seconds_bucket", (("path", path), ("le", _bound(bucket))))

    def text(self, gauges: Sequence[tuple[str, Labels, float]]) -> bytes:
        """All counts of all workers, and what is measured now."""
        counts = self._counts.sum(axis=0)
        found = {key: float(counts[place]) for key, place in self._places.items()}
        lines: dict[str, list[str]] = {name: [] for name in _HELP}
        for (name, labels), value in sorted(found.items()):
            if value and not name.startswith("likely_request_seconds"):
                lines[name].append(_line(name, labels, value))
        lines["likely_request_seconds"] = list(_histograms(found))
        for name, labels, value in gauges:
            lines[name].append(_line(name, labels, value))
        written = [
            line
            for name, (kind, about) in _HELP.items()
            if lines[name]
            for line in (f"# HELP {name} {about}", f"# TYPE {name} {kind}", *lines[name])
        ]
        return ("\n".join(written) + "\n").encode()


def names_for(paths: Iterable[str], statuses: Iterable[int], labels: Iterable[Any]) -> list[Any]:
    """The counters of a server whose paths and classes are known when it starts."""
    found: list[Any] = [("likely_rejected_total", ())]
    for path in paths:
        found += [("likely_requests_total", (("path", path), ("status", str(s)))) for s in statuses]
        found.append(("likely_request_seconds_sum", (("path", path),)))
        found += [
            ("likely_request_seconds_bucket", (("path", path), ("le", _bound(bound))))
            for bound in _BUCKETS
        ]
    found += [("likely_predictions_total", (("label", str(label)),)) for label in labels]
    found += [("likely_words_total", (("state", state),)) for state in ("known", "unknown")]
    return found


def _histograms(found: dict[tuple[str, Labels], float]) -> Iterable[str]:
    """The buckets of each path, each with what is in those before it."""
    name = "likely_request_seconds"
    for path in sorted({dict(labels)["path"] for n, labels in found if n == f"{name}_sum"}):
        of_path = ("path", path)
        total = 0.0
        lines = []
        for bound in _BUCKETS:
            total += found.get((f"{name}_bucket", (of_path, ("le", _bound(bound)))), 0.0)
            lines.append(_line(f"{name}_bucket", (of_path, ("le", _bound(bound))), total))
        if total:
            yield from lines
            yield _line(f"{name}_sum", (of_path,), found[f"{name}_sum", (of_path,)])
            yield _line(f"{name}_count", (of_path,), total)


def _bound(bound: float) -> str:
    return "+Inf" if math.isinf(bound) else f"{bound:g}"


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    shown = f"{value:.0f}" if value == int(value) else repr(value)
    return f"{name}{{{inside}}} {shown}" if inside else f"{name} {shown}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
