"""From the shell: how long a command takes that has next to nothing to do."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import likely
from benchmarks.speed.fresh import run_times
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target

_WORDS = 50_000
# What the installed command runs.
_LIKELY = ("-c", "from likely.__main__ import main; main()")


def rows(setting: Setting) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        model, line = Path(folder) / "m.likely", Path(folder) / "line.csv"
        _model().save(model)
        line.write_text("text\nw1 w2 w3\n", encoding="utf-8")
        version, helped, labelled, nothing, numpy = run_times(
            (*_LIKELY, "--version"),
            (*_LIKELY, "--help"),
            (*_LIKELY, "predict", str(model), str(line)),
            ("-c", "pass"),
            ("-c", "import numpy"),
            rounds=setting.rounds(20),
        )
    bare = "python -c pass"
    yield Row("likely --version", version, "s", nothing, bare, Target(3, at_most=True))
    yield Row("likely --help", helped, "s", nothing, bare, Target(6, at_most=True))
    what, peer = f"likely predict, a line, {_WORDS:,} words", "2 × import numpy + 0.2 s"
    yield Row(what, labelled, "s", 2 * numpy + 0.2, peer, Target(1, at_most=True))


def _model() -> likely.Classifier:
    """As many different words, fifty in a text."""
    words = [f"w{place}" for place in range(_WORDS)]
    texts = [" ".join(words[start : start + 50]) for start in range(0, _WORDS, 50)]
    labels = ["even" if place % 2 == 0 else "odd" for place in range(len(texts))]
    return likely.Classifier(likely.Multinomial()).fit({"text": texts}, labels)
