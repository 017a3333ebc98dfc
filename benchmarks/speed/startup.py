"""From the shell: how long a command takes that has next to nothing to do."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import likely
from benchmarks.processes import LIKELY, run_times
from benchmarks.run import Run
from benchmarks.table import Row, Target, comparison

_WORDS = 50_000


def rows(run: Run) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        line = Path(folder) / "line.csv"
        line.write_text("text\nw1 w2 w3\n", encoding="utf-8")
        models = {
            "plain": likely.Classifier(likely.Multinomial()),
            "tuned": likely.Classifier(columns={"text": "text"}),
        }
        for name, model in models.items():
            _learned(model).save(Path(folder) / name)
        version, helped, plain, tuned, nothing, numpy = run_times(
            (*LIKELY, "--version"),
            (*LIKELY, "--help"),
            *((*LIKELY, "predict", str(Path(folder) / name), str(line)) for name in models),
            ("-c", "pass"),
            ("-c", "import numpy"),
            rounds=run.rounds(20),
        )
    bare = "python -c pass"
    yield comparison("likely --version", version, "s", nothing, bare, Target(3, at_most=True))
    yield comparison("likely --help", helped, "s", nothing, bare, Target(6, at_most=True))
    peer = "2 × import numpy + 0.2 s"
    for name, seconds in zip(models, (plain, tuned), strict=True):
        what = f"likely predict, a line, {_WORDS:,} words, {name}"
        yield comparison(what, seconds, "s", 2 * numpy + 0.2, peer, Target(1, at_most=True))


def _learned(model: likely.Classifier) -> likely.Classifier:
    """As many different words, fifty in a text."""
    words = [f"w{place}" for place in range(_WORDS)]
    texts = [" ".join(words[start : start + 50]) for start in range(0, _WORDS, 50)]
    labels = ["even" if place % 2 == 0 else "odd" for place in range(len(texts))]
    return model.fit({"text": texts}, labels)
