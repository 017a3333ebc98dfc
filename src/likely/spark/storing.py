"""Estimators and models in Spark's storage: parameters as JSON, a model as its `.likely` bytes.

metadata/    as all of `pyspark.ml` writes it
model/       one row, one cell: the file
"""

import json
import time
from typing import Any

from pyspark.ml.util import MLReader, MLWriter

from likely.classifier import from_bytes
from likely.errors import ModelError
from likely.spark.params import from_json, to_json


class Writer(MLWriter):
    """Writes an estimator or a model to a folder of any file system that Spark knows."""

    def __init__(self, instance: Any):
        super().__init__()
        self._instance = instance

    def saveImpl(self, path: str) -> None:
        instance, spark = self._instance, self.sparkSession
        # A model that has learned nothing is refused before anything is written.
        local = instance.toLocal() if hasattr(instance, "toLocal") else None
        given = {p.name: instance.getOrDefault(p) for p in instance.params if instance.isSet(p)}
        metadata = {
            "class": _name(type(instance)),
            "timestamp": int(time.time() * 1000),
            "sparkVersion": spark.version,
            "uid": instance.uid,
            "paramMap": {name: to_json(value) for name, value in given.items()},
            "defaultParamMap": {},
        }
        frame = spark.createDataFrame([(json.dumps(metadata),)], "value string")
        frame.coalesce(1).write.text(f"{path}/metadata")
        if local is not None:
            frame = spark.createDataFrame([(bytearray(local.to_bytes()),)], "model binary")
            frame.coalesce(1).write.parquet(f"{path}/model")


class Reader(MLReader[Any]):
    """Reads what `Writer` wrote."""

    def __init__(self, cls: Any):
        super().__init__()
        self._cls = cls

    def load(self, path: str) -> Any:
        spark, cls = self.sparkSession, self._cls
        (row,) = spark.read.text(f"{path}/metadata").collect()
        metadata = json.loads(row["value"])
        if metadata["class"] != _name(cls):
            raise ModelError(f"`{path}` holds a {metadata['class']}, not a {_name(cls)}")
        if hasattr(cls, "fromLocal"):
            (row,) = spark.read.parquet(f"{path}/model").collect()
            try:
                instance = cls.fromLocal(from_bytes(bytes(row["model"])))
            except ModelError as error:
                raise ModelError(f"`{path}` cannot be read: {error}") from None
        else:
            instance = cls()
        instance.withUid(metadata["uid"])
        for name, value in metadata["paramMap"].items():
            instance.set(instance.getParam(name), from_json(value))
        return instance


def _name(cls: Any) -> str:
    return f"{cls.__module__}.{cls.__name__}"
