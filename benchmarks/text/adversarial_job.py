"""Read tables of texts in a process of its own; prints what they cost.

python -m benchmarks.text.adversarial_job TABLE…

For each table, `[{"sentiment": seconds, "spam": seconds}, megabytes of memory]`.
"""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.speed.peak import peak, reset_peak
from likely import Classifier, Multinomial, Text

_READINGS = {
    "sentiment": replace(Text.sentiment(), marks=True, invalid="replace"),
    "spam": replace(Text.spam(), invalid="replace"),
}
_ROUNDS = 4


def main() -> None:
    print(json.dumps([_cost(path) for path in map(Path, sys.argv[1:])]))


def _cost(path: Path) -> tuple[dict[str, float], float]:
    before = reset_peak()
    seconds = {
        name: min(_seconds(path, text) for _ in range(_ROUNDS)) for name, text in _READINGS.items()
    }
    return seconds, peak() - before


def _seconds(path: Path, text: Text) -> float:
    """Of the processor: what else the machine does is not counted."""
    start = time.process_time()
    model = Classifier({"text": Multinomial(text=text)}, ledger=False).fit(path, "label")
    model.predict(path)
    return time.process_time() - start


if __name__ == "__main__":
    main()
