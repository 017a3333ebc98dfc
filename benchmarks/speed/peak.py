"""How much memory this process has held at most."""

import gc
import re
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def reset_peak() -> float:
    """Memory in use now, in megabytes; from here on, the peak is counted anew.

    Reading the texts may have peaked higher than what they take. And `ru_maxrss` alone will not do
    on Linux: a process starts with the peak of the process that started it.
    """
    gc.collect()
    if not _STATUS.exists():
        return peak()
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak() -> float:
    """In megabytes."""
    if _STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _status(name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    if found is None:
        raise OSError(f"{_STATUS} has no {name}")
    return int(found[1]) * 1024 / 1e6
