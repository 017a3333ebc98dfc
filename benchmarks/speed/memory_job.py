"""One training in a process of its own; prints by how many megabytes the memory grew at its peak.

python -m benchmarks.speed.memory_job likely|scikit-learn SHORTEST LONGEST DATA [quick]
"""

import gc
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed import ours, peers
from benchmarks.speed.setting import Setting


def main() -> None:
    who, shortest, longest, data, *quick = sys.argv[1:]
    train: Callable[..., Any] = {"likely": ours.train, "scikit-learn": peers.train}[who]
    words = (int(shortest), int(longest))
    # A first, tiny training imports and sets up what every training needs once.
    train(["red fish", "blue car"], ["animal", "thing"], words)
    corpus = Setting(Path(data), bool(quick)).train
    before = _reset_peak()
    model = train(corpus.texts, corpus.labels, words)
    print(_peak() - before)
    del model


_STATUS = Path("/proc/self/status")


def _reset_peak() -> float:
    """Memory in use now, in megabytes; from here on, the peak is counted anew.

    Reading the texts may have peaked higher than what they take. And `ru_maxrss` alone will not do
    on Linux: a process starts with the peak of the process that started it.
    """
    gc.collect()
    if not _STATUS.exists():
        return _peak()
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> float:
    if _STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _status(name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    if found is None:
        raise OSError(f"{_STATUS} has no {name}")
    return int(found[1]) * 1024 / 1e6


if __name__ == "__main__":
    main()
