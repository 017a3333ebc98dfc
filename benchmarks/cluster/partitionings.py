"""How many different models come of the same rows in other partitions."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.cluster.mllib import estimators, naive_bayes
from benchmarks.cluster.spark import in_spark, session, write_copies
from benchmarks.run import Run
from benchmarks.table import Row

NOTES = """\
The beginning of a SHA-256: of a `.likely` file, and of the labels, words, priors and
probabilities of MLlib's model. The third column fits MLlib's NaiveBayes on one CountVectorizer's
counts, which are whole numbers; the second fits the whole pipeline. IMDb once."""

_PARTITIONS = (1, 2, 3, 7, 16)
_SHOWN = 12
_NAMES = {
    "pipeline": "MLlib, from texts",
    "counts": "MLlib, from the same counts",
    "plain": "Likely, plain multinomial",
    "default": "Likely, default model",
}
COLUMNS = ("partitions", *_NAMES.values())


def rows(run: Run) -> Iterator[Row]:
    with TemporaryDirectory(prefix="likely-") as scratch:
        train = write_copies(Path(scratch, "train.parquet"), run.train, 1)
        found = in_spark(measured, scratch, train, run.rounds(len(_PARTITIONS)))
    for partitions, sums in found:
        yield {"partitions": partitions} | {
            column: sums[name][:_SHOWN] for name, column in _NAMES.items()
        }
    yield {"partitions": "different models"} | {
        column: len({sums[name] for _, sums in found}) for name, column in _NAMES.items()
    }


def measured(folder: str, train: str, times: int) -> list[tuple[int, dict[str, str]]]:
    """Under so many numbers of partitions, the SHA-256 of each model."""
    spark = session(folder)
    table = spark.read.parquet(train)
    counting = naive_bayes()
    *before, classifier = counting.getStages()
    counting.setStages(before)
    counted = f"{folder}/counts.parquet"
    vocabulary = counting.fit(table)
    vocabulary.transform(table).select("counts", "index").write.parquet(counted)
    found = []
    for partitions in _PARTITIONS[:times]:
        apart = table.repartition(partitions)
        models = {name: each.fit(apart) for name, each in estimators().items()}
        indexer, _, words, bayes = models["MLlib"].stages
        of_counts = classifier.fit(spark.read.parquet(counted).repartition(partitions))
        sums = {
            name: hashlib.sha256(models[name].toLocal().to_bytes()).hexdigest()
            for name in ("plain", "default")
        }
        sums["pipeline"] = _sum(bayes, [*indexer.labels, *words.vocabulary])
        sums["counts"] = _sum(of_counts, [])
        found.append((partitions, sums))
    return found


def _sum(bayes: Any, names: list[str]) -> str:
    found = hashlib.sha256("\n".join(names).encode())
    found.update(bayes.pi.toArray().tobytes())
    found.update(bayes.theta.toArray().tobytes())
    return found.hexdigest()
