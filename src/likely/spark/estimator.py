"""An Estimator and a Model of `pyspark.ml`."""

import os
import re
from typing import Any, Self

from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.util import MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

import likely
from likely.classifier import Classifier, Receipt
from likely.data.labels import Label
from likely.errors import DataError, NotFittedError
from likely.model import partitions
from likely.model.fitted import Fitted
from likely.spark.params import OPTIONS, ClassifierParams, OutputParams
from likely.spark.partitions import (
    SparkPartitions,
    check_frame,
    check_names,
    named,
    numbered,
    spelled,
)
from likely.spark.scoring import Scoring
from likely.spark.storing import Reader, Writer

# The column by which Spark's validators draw the rows of their folds.
_OF_FOLDS = re.compile("(CrossValidator|TrainValidationSplit)_[0-9a-f]+_rand")


class LikelyClassifier(ClassifierParams, Estimator["LikelyModel"], MLReadable["Any"], MLWritable):
    """A Naive Bayes classifier for the texts, numbers and categories of a DataFrame.

    Its options are those of `likely.Classifier`. `featureCols` names the columns to learn from; by
    default all but `labelCol`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._setDefault(labelCol="label")
        self.setParams(**options)

    def setParams(self, **options: Any) -> Self:
        """Set parameters by name; None leaves one as it is."""
        for name in options:
            if not self.hasParam(name):
                known = ", ".join(param.name for param in self.params)
                raise TypeError(f"there is no parameter `{name}`; there are {known}")
        self._set(**{name: value for name, value in options.items() if value is not None})
        return self

    def classifier(self) -> Classifier:
        """The classifier of these options that has learned nothing."""
        given = {OPTIONS[n]: self.getOrDefault(n) for n in OPTIONS if self.isSet(n)}
        likelihood = self.getOrDefault(self.likelihood) if self.isSet(self.likelihood) else None
        return Classifier(likelihood, **given)

    def _fit(self, dataset: DataFrame) -> "LikelyModel":
        check_frame(dataset)
        classifier = self.classifier()
        target = self.getOrDefault(self.labelCol)
        if self.isSet(self.featureCols):
            _, own = partitions.target_in(dataset.columns, target)
            dataset = named(dataset, [*self.getOrDefault(self.featureCols), *own])
        else:
            kept = [name for name in dataset.columns if not _OF_FOLDS.fullmatch(name)]
            dataset = named(dataset, kept) if len(kept) < len(dataset.columns) else dataset
        fitted = partitions.fit(
            classifier.spec,
            SparkPartitions(dataset),
            target,
            asks_for_ledger=self.isSet(self.ledger),
            threads=os.cpu_count() or 1,
        )
        model = LikelyModel(Classifier.of(fitted.spec, fitted))
        return self._copyValues(model)

    def write(self) -> MLWriter:
        return Writer(self)

    @classmethod
    def read(cls) -> MLReader["Any"]:
        return Reader(cls)


class LikelyModel(OutputParams, Model, MLReadable["Any"], MLWritable):
    """A classifier that predicts, learns and forgets rows of DataFrames."""

    def __init__(self, classifier: Classifier | None = None) -> None:
        super().__init__()
        self._classifier = classifier

    @classmethod
    def fromLocal(cls, classifier: Classifier, **columns: str) -> Self:
        """The model of a local classifier; `columns` names those that predictions come in."""
        model = cls(Classifier.of(classifier.spec, classifier.fitted))
        for name, column in columns.items():
            model.set(model.getParam(name), column)
        return model

    def toLocal(self) -> Classifier:
        """The same model for one machine, a `likely.Classifier`."""
        return Classifier.of(self._local.spec, self._local.fitted)

    @property
    def _local(self) -> Classifier:
        if self._classifier is None:
            raise NotFittedError.of("not-fitted")
        return self._classifier

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels, sorted: the order of probabilities."""
        return self._local.classes

    @property
    def digest(self) -> str:
        """A SHA-256 that every tally of the same rows shares, however it came about."""
        return self._local.digest

    @property
    def isStale(self) -> bool:
        """Whether the model was tuned on other rows than it has learned now."""
        return self._local.is_stale

    def update(self, dataset: DataFrame) -> Self:
        """Learn from more rows, as if they had been there from the start; the model is changed."""
        fitted = partitions.updated(self._local.fitted, SparkPartitions(dataset), None)
        return self._with(fitted)

    def forget(self, dataset: DataFrame) -> Receipt:
        """Take rows back, as if they had never been there; the model is changed.

        Rows that were never learned are refused, and one of them is named by its partition.
        """
        fitted, receipt = partitions.forgotten(self._local.fitted, SparkPartitions(dataset), None)
        self._with(fitted)
        return receipt

    def tune(self, dataset: DataFrame) -> Self:
        """Tune the model again, on all rows that it has learned."""
        threads = os.cpu_count() or 1
        found = partitions.retuned(self._local.fitted, SparkPartitions(dataset), None, threads)
        return self._with(found)

    def _with(self, fitted: Fitted) -> Self:
        self._classifier = Classifier.of(fitted.spec, fitted)
        return self

    def _transform(self, dataset: DataFrame) -> DataFrame:
        local, columns = self._local, self.outputColumns
        check_frame(dataset)
        check_names(dataset.columns)
        partitions.check_columns(local.fitted, dataset.columns)
        more = columns.types(local)
        for name in more:
            if name in dataset.columns:
                raise DataError(
                    f"the table has a column `{name}` already\n"
                    "hint: `predictionCol`, `probabilityCol`, `rawPredictionCol` name others"
                )
        reads = tuple((name, dataset.columns.index(name)) for name in local.columns)
        scoring = Scoring(local.to_bytes(), reads, columns, likely.__version__)
        added = [StructField(name, kind) for name, kind in more.items()]
        schema = StructType([*dataset.schema.fields, *added])
        scored = numbered(dataset).mapInArrow(scoring, schema)
        vectors = {columns.probability, columns.raw_prediction} - {""}
        return scored.select(
            [
                array_to_vector(F.col(spelled(name))).alias(name)
                if name in vectors
                else F.col(spelled(name))
                for name in scored.columns
            ]
        )

    def write(self) -> MLWriter:
        return Writer(self)

    @classmethod
    def read(cls) -> MLReader["Any"]:
        return Reader(cls)
