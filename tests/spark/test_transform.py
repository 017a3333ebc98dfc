"""Predictions come as columns beside those that are there, with the numbers of the local model."""

import datetime
import decimal

import numpy as np
import pytest

from likely import Classifier, Multinomial, Rule, Rules
from likely.errors import DataError, OptionError
from tests.spark.tables import CASES, framed, mixed, texts


def predicted(spark, local, rows, **columns):
    """What the model says of each row, in their order."""
    from likely.spark import LikelyModel

    frame = framed(spark, {**rows, "place of": list(range(len(rows["text"])))}, 3)
    frame = frame.withColumn("order", frame["`place of`"].cast("int"))
    out = LikelyModel.fromLocal(local, **columns).transform(frame)
    return out.orderBy("order").collect()


RULES = Rules([Rule("ferries", "sea", words=["ferry"], column="text")])
MODELS = {
    **{name: CASES[name].local for name in ("default", "mixed", "gaussian", "multi-label")},
    "rules": lambda: Classifier(rules=RULES).fit(mixed(), "label"),
    "costs": lambda: Classifier(costs={("sea", "town"): 9}).fit(mixed(), "label"),
    "threshold": lambda: Classifier(thresholds={"sea": 0.2}).fit(mixed(), "label"),
}


@pytest.mark.parametrize("name", MODELS)
def test_numbers_are_those_of_the_local_model(spark, name):
    local, rows = MODELS[name](), mixed()
    found = predicted(spark, local, rows, contributionsCol="why")
    given = {column: rows[column] for column in local.columns}
    probabilities = np.array([list(row["probability"]) for row in found])
    assert np.array_equal(probabilities, local.predict_proba(given))
    said = local.predict(given)
    assert [row["prediction"] for row in found] == (
        said if name == "multi-label" else said.tolist()
    )
    raw = np.array([list(row["rawPrediction"]) for row in found])
    assert raw.shape == probabilities.shape
    if name == "multi-label":
        for label, order in enumerate(np.argsort(raw, axis=0).T):
            assert (np.diff(probabilities[order, label]) >= 0).all()
    elif name != "rules":
        assert np.allclose(np.exp(raw), probabilities)
    for row in range(0, len(found), 40):
        explained = local.explain({column: cells[row] for column, cells in given.items()})
        wanted = explained.to_json()["contributions"]
        assert [each.asDict() for each in found[row]["why"]] == [
            {key: each[key] for key in ("name", "kind", "log_odds")} for each in wanted
        ]


@pytest.mark.parametrize(
    ("labels", "kind"), [((1, 0, 2), "double"), ((True, False), "boolean"), (("a", "b"), "string")]
)
def test_predictions_have_the_type_of_labels(spark, labels, kind):
    rows = texts()
    rows["label"] = [labels[len(one) % len(labels)] for one in rows["label"]]
    from likely.spark import LikelyModel

    local = Classifier(Multinomial()).fit(rows, "label")
    frame = spark.createDataFrame([(one,) for one in rows["text"]], "text string")
    out = LikelyModel.fromLocal(local).transform(frame)
    assert dict(out.dtypes)["prediction"] == kind
    assert [row["prediction"] for row in out.collect()] == local.predict(rows["text"]).tolist()


def test_columns_of_any_type_are_kept(spark):
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import Row

    from likely.spark import LikelyModel

    moment = datetime.datetime(2024, 5, 6, 7, 8, 9, 10)
    given = Row(
        **{
            "text": "a ferry",
            "dense": Vectors.dense(1.0, 2.0),
            "sparse": Vectors.sparse(5, {3: 1.0}),
            "list": [[1, 2], None],
            "some struct": Row(**{"a.b": 1, "c d": "x"}),
            "map": {"k": 1.5},
            "time": moment,
            "day": moment.date(),
            "price": decimal.Decimal("1.50"),
            "bytes": bytearray(b"\x00\xff"),
            "dots.and spaces `quoted`": True,
            "nothing": None,
        }
    )
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql import types as T

    names = list(given.asDict())
    kinds = [
        T.StringType(), VectorUDT(), VectorUDT(), T.ArrayType(T.ArrayType(T.LongType())),
        T.StructType([T.StructField("a.b", T.LongType()), T.StructField("c d", T.StringType())]),
        T.MapType(T.StringType(), T.DoubleType()), T.TimestampType(), T.DateType(),
        T.DecimalType(10, 2), T.BinaryType(), T.BooleanType(), T.StringType(),
    ]  # fmt: skip
    fields = [T.StructField(*pair) for pair in zip(names, kinds, strict=True)]
    fields[0] = T.StructField("text", T.StringType(), False, {"said": "by the user"})
    frame = spark.createDataFrame([given, given], T.StructType(fields))
    out = LikelyModel.fromLocal(CASES["plain"].local()).transform(frame)
    assert out.schema.fields[: len(fields)] == frame.schema.fields
    assert out.schema["text"].metadata == {"said": "by the user"}
    assert out.columns == [*names, "prediction", "probability", "rawPrediction"]
    assert out.select([f"`{n.replace('`', '``')}`" for n in names]).collect() == frame.collect()


def test_no_rows_give_no_rows(spark):
    from likely.spark import LikelyModel

    frame = framed(spark, texts(), 2).limit(0)
    out = LikelyModel.fromLocal(CASES["default"].local(), contributionsCol="why").transform(frame)
    assert out.collect() == []
    assert out.columns[-4:] == ["prediction", "probability", "rawPrediction", "why"]


def test_columns_that_are_not_wanted_are_left_out(spark):
    from likely.spark import LikelyModel

    columns = {"predictionCol": "said", "probabilityCol": "", "rawPredictionCol": ""}
    model = LikelyModel.fromLocal(CASES["default"].local(), **columns)
    assert model.transform(framed(spark, texts(), 2)).columns == ["text", "label", "said"]


def test_a_column_that_is_there_is_not_overwritten(spark):
    from likely.spark import LikelyModel

    frame = framed(spark, texts(), 2).withColumnRenamed("label", "probability")
    model = LikelyModel.fromLocal(CASES["default"].local())
    with pytest.raises(DataError, match="the table has a column `probability` already"):
        model.transform(frame)


def test_two_outputs_have_two_names(spark):
    from likely.spark import LikelyModel

    model = LikelyModel.fromLocal(CASES["default"].local(), probabilityCol="prediction")
    with pytest.raises(OptionError, match=r"two columns of predictions .* called `prediction`"):
        model.transform(framed(spark, texts(), 2))


def test_a_column_that_the_model_reads_has_to_be_there(spark):
    from likely.spark import LikelyModel

    model = LikelyModel.fromLocal(CASES["mixed"].local())
    with pytest.raises(DataError, match="the table has no column `size`, which the model reads"):
        model.transform(framed(spark, mixed(), 2).drop("size"))


def test_a_cell_that_does_not_fit_is_named_by_partition_and_row(spark):
    from pyspark.errors import PythonException

    from likely.spark import LikelyModel

    rows = [("a", "1.5"), ("b", "2.5"), ("c", "heavy")]
    frame = spark.createDataFrame(rows, "kind string, size string").coalesce(1)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "2")
    try:
        with pytest.raises(PythonException, match="partition 0: row 3 of `size` is 'heavy'"):
            LikelyModel.fromLocal(CASES["gaussian"].local()).transform(frame).collect()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
