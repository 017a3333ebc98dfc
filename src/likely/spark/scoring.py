"""Predictions as columns of a Spark DataFrame."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from likely.classifier import Classifier, from_bytes
from likely.data.label_sets import label_lists
from likely.data.table import Table
from likely.errors import LikelyError, OptionError
from likely.model.adjust.rules import overruled
from likely.spark.partitions import Batches, check_version, partition, tables


@dataclass(frozen=True)
class OutputColumns:
    """The names of the columns that predictions come in; an empty one is left out."""

    prediction: str
    probability: str
    raw_prediction: str
    contributions: str

    def __post_init__(self) -> None:
        names = [name for name in self._names if name]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise OptionError(f"two columns of predictions are to be called `{twice}`")

    @property
    def _names(self) -> tuple[str, str, str, str]:
        return self.prediction, self.probability, self.raw_prediction, self.contributions

    def types(self, classifier: Classifier) -> dict[str, DataType]:
        """The columns that are there, and their types."""
        label, is_multilabel = label_type(classifier), classifier.is_multilabel
        numbers = ArrayType(DoubleType())
        odds = MapType(StringType(), DoubleType()) if is_multilabel else DoubleType()
        contribution = StructType(
            [
                StructField("name", StringType()),
                StructField("kind", StringType()),
                StructField("log_odds", odds),
            ]
        )
        prediction = ArrayType(label) if is_multilabel else label
        kinds = (prediction, numbers, numbers, ArrayType(contribution))
        return {name: kind for name, kind in zip(self._names, kinds, strict=True) if name}


def label_type(classifier: Classifier) -> DataType:
    """Predictions are labels; numbers are doubles, since Spark's evaluators want these."""
    first = classifier.classes[0]
    if isinstance(first, bool):
        return BooleanType()
    return StringType() if isinstance(first, str) else DoubleType()


@dataclass(frozen=True)
class Scoring:
    """Batches of rows with their predictions added as columns."""

    model: bytes
    reads: tuple[tuple[str, int], ...]
    """The columns that the model reads, and their positions in a batch."""
    columns: OutputColumns
    version: str

    def __call__(self, batches: Batches) -> Iterator[Any]:
        try:
            check_version(self.version)
            yield from self._batches(_read(self.model), batches)
        except LikelyError as error:
            raise error.within(f"partition {partition()}: ") from None

    def _batches(self, classifier: Classifier, batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        names, places = [name for name, _ in self.reads], [place for _, place in self.reads]
        label = {"string": pa.string(), "boolean": pa.bool_(), "double": pa.float64()}
        one = label[label_type(classifier).simpleString()]
        each = pa.map_(pa.string(), pa.float64()) if classifier.is_multilabel else pa.float64()
        contribution = pa.struct({"name": pa.string(), "kind": pa.string(), "log_odds": each})
        kinds = {
            self.columns.prediction: pa.list_(one) if classifier.is_multilabel else one,
            self.columns.probability: pa.list_(pa.float64()),
            self.columns.raw_prediction: pa.list_(pa.float64()),
            self.columns.contributions: pa.list_(contribution),
        }
        start = 1
        for batch in batches:
            (table,) = tables([batch.select(places)], names)
            table.offset, start = start, start + len(table)
            for name, cells in self._scored(classifier, table).items():
                batch = batch.append_column(name, pa.array(cells, kinds[name]))
            yield batch

    def _scored(self, classifier: Classifier, table: Table) -> dict[str, Any]:
        """The cells of the columns that are wanted."""
        found: dict[str, Any] = dict.fromkeys(self.columns.types(classifier), ())
        if not len(table):
            return found
        fitted = classifier.fitted
        scores, ruled = fitted.judged(table, 1)
        probabilities = overruled(fitted.posterior(scores, 1), ruled)
        if classifier.is_multilabel:
            reached = probabilities >= np.array(list(classifier.thresholds.values()))
            predicted = label_lists(fitted.labels, reached)
        else:
            predicted = [fitted.labels[place] for place in fitted.decide(probabilities)]
        found |= {self.columns.prediction: predicted} if self.columns.prediction else {}
        for name, values in (
            (self.columns.probability, probabilities),
            (self.columns.raw_prediction, _raw(classifier, scores)),
        ):
            found |= {name: values.tolist()} if name else {}
        if self.columns.contributions:
            rows = (table.at(np.array([row])) for row in range(len(table)))
            found[self.columns.contributions] = [_contributions(classifier, row) for row in rows]
        return found


def _raw(classifier: Classifier, scores: Any) -> Any:
    """Scores that can be compared from row to row, as Spark's evaluators do."""
    if classifier.is_multilabel or classifier.fitted.is_one_vs_rest:
        return scores
    top = scores.max(axis=1, keepdims=True)
    scores = scores - np.where(np.isfinite(top), top, 0)
    total = np.exp(scores).sum(axis=1, keepdims=True)
    return scores - np.log(np.where(total > 0, total, 1))


def _contributions(classifier: Classifier, row: Table) -> list[dict[str, Any]]:
    """What each feature adds to the log-odds of the prediction, or of each label."""
    found = []
    for each in classifier.explain(row).to_json()["contributions"]:
        odds = each["log_odds"]
        odds = list(odds.items()) if isinstance(odds, dict) else float(odds)
        found.append({"name": each["name"], "kind": each["kind"], "log_odds": odds})
    return found


@lru_cache(maxsize=2)
def _read(model: bytes) -> Classifier:
    """The model; Spark asks one process for many partitions."""
    return from_bytes(model)
