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
        line = Path(folder) / "line.csv"
        line.write_text("text\nw1 w2 w3\n", encoding="utf-8")
        models = {
            "plain": likely.Classifier(likely.Multinomial()),
            "weighed": likely.Classifier(columns={"text": "text"}),
        }
        for name, model in models.items():
            _learned(model).save(Path(folder) / name)
        version, helped, plain, weighed, nothing, numpy = run_times(
            (*_LIKELY, "--version"),
            (*_LIKELY, "--help"),
            *((*_LIKELY, "predict", str(Path(folder) / name), str(line)) for name in models),
            ("-c", "pass"),
            ("-c", "import numpy"),
            rounds=setting.rounds(20),
        )
    bare = "python -c pass"
    yield Row("likely --version", version, "s", nothing, bare, Target(3, at_most=True))
    yield Row("likely --help", helped, "s", nothing, bare, Target(6, at_most=True))
    peer = "2 × import numpy + 0.2 s"
    for name, seconds in zip(models, (plain, weighed), strict=True):
        what = f"likely predict, a line, {_WORDS:,} words, {name}"
        yield Row(what, seconds, "s", 2 * numpy + 0.2, peer, Target(1, at_most=True))


def _learned(model: likely.Classifier) -> likely.Classifier:
    """As many different words, fifty in a text."""
    words = [f"w{place}" for place in range(_WORDS)]
    texts = [" ".join(words[start : start + 50]) for start in range(0, _WORDS, 50)]
    labels = ["even" if place % 2 == 0 else "odd" for place in range(len(texts))]
    return model.fit({"text": texts}, labels)
