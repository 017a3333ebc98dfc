"""One training in a process of its own; prints by how many megabytes the memory grew at its peak.

python -m benchmarks.speed.memory_job likely|scikit-learn SHORTEST LONGEST DATA [quick]
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed import ours, peers
from benchmarks.speed.peak import peak, reset_peak
from benchmarks.speed.setting import Setting


def main() -> None:
    who, shortest, longest, data, *quick = sys.argv[1:]
    train: Callable[..., Any] = {"likely": ours.train, "scikit-learn": peers.train}[who]
    words = (int(shortest), int(longest))
    # A first, tiny training imports and sets up what every training needs once.
    train(["red fish", "blue car"], ["animal", "thing"], words)
    corpus = Setting(Path(data), bool(quick)).train
    before = reset_peak()
    model = train(corpus.texts, corpus.labels, words)
    print(peak() - before)
    del model


if __name__ == "__main__":
    main()
