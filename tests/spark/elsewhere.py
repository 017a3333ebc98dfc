"""A driver in a process of its own: fits on a cluster or by Spark Connect, and prints digests.

    python -m tests.spark.elsewhere '{"master": "local[2]", "fits": [["mixed", 7]]}'

A line of JSON for each fit: its name, and the SHA-256 of the model's file.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.spark.faults import FAULTS, faulty
from tests.spark.session import CONFIG
from tests.spark.tables import CASES, digest, fitted, framed


def _session(asked: dict[str, Any]) -> Any:
    from pyspark.sql import SparkSession

    if "remote" in asked:
        return SparkSession.builder.remote(asked["remote"]).getOrCreate()
    config = {**CONFIG, **asked.get("config", {})}
    return SparkSession.builder.master(asked["master"]).config(map=config).getOrCreate()


def _with_a_fault(spark: Any, name: str, fault: str, once_from: int | None) -> tuple[str, int]:
    """The digest of a model that met a fault, and how often its partition was begun."""
    from likely.spark import LikelyClassifier

    case = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        frame = faulty(framed(spark, case.rows(), 3), folder, FAULTS[fault], once_from)
        made = LikelyClassifier(labelCol=case.target, **case.options).fit(frame)
        return digest(made.toLocal()), len(list(Path(folder).iterdir()))


def _used(spark: Any, name: str) -> dict[str, Any]:
    """What a model does beside learning: predict, update, forget, and be stored in a pipeline."""
    from pyspark.ml import Pipeline, PipelineModel

    from likely.spark import LikelyClassifier, LikelyModel

    case = CASES[name]
    frame = framed(spark, case.rows(), 2)
    estimator = LikelyClassifier(labelCol=case.target, contributionsCol="why", **case.options)
    with tempfile.TemporaryDirectory() as folder:
        Pipeline(stages=[estimator]).write().overwrite().save(f"{folder}/pipeline")
        made = Pipeline.load(f"{folder}/pipeline").fit(frame)
        made.write().overwrite().save(f"{folder}/made")
        model = PipelineModel.load(f"{folder}/made").stages[0]
        assert isinstance(model, LikelyModel)
    before = digest(model.toLocal())
    predicted = model.transform(frame.orderBy("text", "size", "kind")).collect()
    some = frame.filter("size < 4")
    model.update(some).forget(some)
    return {
        "digest": before,
        "again": digest(model.toLocal()),
        "probability": [list(row["probability"]) for row in predicted],
        "prediction": [row["prediction"] for row in predicted],
        "why": [len(row["why"]) for row in predicted],
    }


def main(asked: dict[str, Any]) -> None:
    """Do what is asked, in this order."""
    spark = _session(asked)
    if "batch" in asked:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", asked["batch"])
    for name, parts in asked.get("fits", ()):
        print(json.dumps([name, fitted(spark, name, parts)]), flush=True)
    for name, fault, once_from in asked.get("faults", ()):
        print(json.dumps([fault, *_with_a_fault(spark, name, fault, once_from)]), flush=True)
    for name in asked.get("used", ()):
        print(json.dumps([name, _used(spark, name)]), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
