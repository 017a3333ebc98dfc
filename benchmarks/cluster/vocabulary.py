"""How the features of real text grow with the text (Heaps' law)."""

from collections.abc import Iterator
from math import log

import likely
from benchmarks.cluster.mllib import NAMES
from benchmarks.data import take
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row

NOTES = """\
Reviews and diaries in turns, as far as they go. After twice the text there are 2^β times the
features. The tally is without its ledger, which has eight bytes for each row."""
COLUMNS = ("model", "MB", "rows", "features", "β", "tally, MB", "bytes per feature")

_SIZES = (2, 4, 8, 16, 32, 64)


def rows(run: Run) -> Iterator[Row]:
    sizes = (0.05, 0.1) if run.quick else _SIZES
    corpus = run.data.diverse(megabytes=sizes[-1])
    likelihoods = {"plain": ours.model().likelihood, "default": None}
    for name, title in NAMES.items():
        before: tuple[float, int] | None = None
        # One plan for all: of few texts, and of short ones, other n-grams are counted.
        counting = likely.Classifier(likelihoods[name], ledger=False)
        plan = counting.plan({"text": corpus.texts}, corpus.labels)
        for size in sizes:
            part = take("part", corpus.pairs, size)
            tally = likely.Classifier(plan).observe({"text": part.texts}, part.labels)
            features = sum(each.features() for each in tally.statistics)
            row = {"model": title, "MB": part.megabytes, "rows": tally.n_rows}
            if before is not None:
                grown = log(features / before[1])
                row["β"] = grown / log(part.megabytes / before[0])
            taken = len(tally.to_bytes())
            row |= {"features": features, "tally, MB": taken / 1e6}
            yield row | {"bytes per feature": taken / features}
            before = part.megabytes, features
