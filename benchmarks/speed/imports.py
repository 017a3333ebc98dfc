"""Starting up: `import likely`, and all that one needs to train, against `import numpy`."""

from collections.abc import Iterator

from benchmarks.processes import import_times, python
from benchmarks.run import Run
from benchmarks.table import Row, Target, comparison

# What a text classifier can do without.
_HEAVY = {"pandas", "pyarrow", "sklearn", "scipy", "starlette", "click"}


def rows(run: Run) -> Iterator[Row]:
    statements = ("import likely", "import likely; likely.Classifier")
    *ours, numpy = import_times(*statements, "import numpy", rounds=run.rounds(10))
    for what, seconds in zip(statements, ours, strict=True):
        yield comparison(what, seconds, "s", numpy, "import numpy", Target(1.5, at_most=True))

    program = f"import sys, likely; likely.Classifier; print(*{_HEAVY} & sys.modules.keys())"
    heavy = python("-c", program).split()
    what = "heavy modules imported" + (f": {', '.join(heavy)}" if heavy else "")
    yield comparison(what, len(heavy), "modules", target=Target(0, at_most=True))
