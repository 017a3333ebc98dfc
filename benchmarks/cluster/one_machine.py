"""What Spark costs: the same file on the same two processors, without it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import likely
from benchmarks.cluster.mllib import NAMES, estimators
from benchmarks.cluster.spark import COPIES, CORES, in_spark, session, write_copies
from benchmarks.measure import race, timed
from benchmarks.run import Run
from benchmarks.table import Row, comparison

NOTES = """\
`likely.spark` on Spark `local[2]` beside `likely.Classifier(threads=2)`, both from the same Parquet
file, IMDb ten times over, to the same model, byte for byte; scored are the test reviews, ten times
over."""

_ALONE = "two threads, no Spark"


def rows(run: Run) -> Iterator[Row]:
    copies = 2 if run.quick else COPIES
    with TemporaryDirectory(prefix="likely-") as scratch:
        folder = Path(scratch)
        train = write_copies(folder / "train.parquet", run.train, copies)
        test = write_copies(folder / "test.parquet", run.test, copies)
        found = in_spark(measured, scratch, train, test, run.rounds(3))
    for what, spark, alone in found:
        yield comparison(what, spark, "s", alone, _ALONE)


def measured(folder: str, train: str, test: str, rounds: int) -> list[tuple[str, float, float]]:
    """Seconds with Spark and without."""
    from pyspark.sql import functions as F  # noqa: N812

    spark = session(folder)
    learned, asked = spark.read.parquet(train), spark.read.parquet(test)
    models, found = dict[str, Any](), list[tuple[str, float, float]]()

    def fit(name: str, is_spark: bool) -> None:
        estimator = estimators()[name]
        if is_spark:
            models[name] = estimator.fit(learned)
            return
        given = estimator.classifier()
        local = likely.Classifier(given.likelihood, threads=CORES)
        models[f"{name}, alone"] = local.fit(likely.open_table(train), "label")

    def score(name: str, is_spark: bool) -> None:
        if is_spark:
            right = F.avg((F.col("prediction") == F.col("label")).cast("double"))
            models[name].transform(asked).agg(right).first()
            return
        local = models[f"{name}, alone"]
        for batch in likely.open_table(test).batches(["text"]):
            local.decide(local.predict_proba(batch))

    for what, work in (("fit", fit), ("score", score)):
        for name, title in NAMES.items():
            both = (timed(partial(work, name, is_spark)) for is_spark in (True, False))
            found.append((f"{what}, {title}", *race(*both, rounds=rounds)))
    for name in NAMES:
        if models[name].toLocal().to_bytes() != models[f"{name}, alone"].to_bytes():
            raise AssertionError(f"the {name} model is another one")
    return found
