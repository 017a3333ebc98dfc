"""Estimators and models in Spark's storage: parameters as JSON, a model as its `.likely` bytes.

metadata/    as all of `pyspark.ml` writes it
model/       one row, one cell: the file
"""

from typing import Any

from pyspark.ml.param import Params
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter

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
        given = {param.name: to_json(value) for param, value in instance._paramMap.items()}
        local = getattr(instance, "_classifier", None)
        # `saveMetadata` itself wants a SparkContext before Spark 4.
        metadata = DefaultParamsWriter._get_metadata_to_save(instance, spark, paramMap=given)
        frame = spark.createDataFrame([(metadata,)], "value string")
        frame.coalesce(1).write.text(f"{path}/metadata")
        if local is not None:
            rows = [(bytearray(local.to_bytes()),)]
            frame = spark.createDataFrame(rows, "model binary")
            frame.coalesce(1).write.parquet(f"{path}/model")


class Reader(MLReader[Any]):
    """Reads what `Writer` wrote."""

    def __init__(self, cls: type[Params]):
        super().__init__()
        self._cls = cls

    def load(self, path: str) -> Any:
        spark = self.sparkSession
        (row,) = spark.read.text(f"{path}/metadata").collect()
        metadata = DefaultParamsReader._parseMetaData(row["value"])
        name = f"{self._cls.__module__}.{self._cls.__name__}"
        if metadata["class"] != name:
            raise ModelError(f"`{path}` holds a {metadata['class']}, not a {name}")
        instance: Any = self._cls()
        instance._resetUid(metadata["uid"])
        for param, value in metadata["paramMap"].items():
            instance.set(instance.getParam(param), from_json(value))
        if hasattr(instance, "_classifier"):
            (row,) = spark.read.parquet(f"{path}/model").collect()
            try:
                instance._classifier = from_bytes(bytes(row["model"]))
            except ModelError as error:
                raise ModelError(f"`{path}` cannot be read: {error}") from None
        return instance
