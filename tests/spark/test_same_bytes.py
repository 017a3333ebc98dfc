"""Spark makes the file of one machine, byte for byte, whatever its partitions are."""

import pytest

from likely import Classifier
from likely.errors import DataError
from tests.spark.faults import Shrinking
from tests.spark.tables import CASES, digest, fitted, framed, mixed


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("parts", [1, 7])
def test_partitions_do_not_show(spark, name, parts):
    assert fitted(spark, name, parts, seed=parts) == digest(CASES[name].local())


@pytest.mark.parametrize("name", ["default", "plain", "gaussian", "mixed", "multi-label"])
def test_most_of_64_partitions_are_empty(spark, name):
    assert fitted(spark, name, 64) == digest(CASES[name].local())


def test_tallies_of_many_partitions_are_added_in_a_tree(spark):
    from likely.spark import LikelyClassifier

    estimator = LikelyClassifier(tune=False)
    frame = framed(spark, mixed(), 1).repartition(20)
    assert digest(estimator.fit(frame).toLocal()) == digest(
        Classifier(tune=False).fit(mixed(), "label")
    )


def test_every_type_of_cells_is_read_as_arrow_spells_it(spark):
    import datetime
    import decimal

    day = datetime.date(2024, 2, 1)
    rows = [
        (
            day + datetime.timedelta(days=n),
            datetime.datetime(2024, 1, 1, n % 24, tzinfo=datetime.UTC),
            decimal.Decimal(n) / 4,
            n * 0.5,
            bool(n % 3),
            n % 5,
            [float(n % 2), 1.0, n * 0.1],
            "ab"[n % 2],
        )
        for n in range(60)
    ]
    schema = (
        "day date, time timestamp, price decimal(10, 2), ratio float, flag boolean, "
        "few bigint, vector array<double>, label string"
    )
    frame = spark.createDataFrame(rows, schema)
    from likely.spark import LikelyClassifier

    made = LikelyClassifier().fit(frame.repartition(3)).toLocal()
    assert made.to_bytes() == Classifier().fit(frame.toArrow(), "label").to_bytes()


def test_columns_are_named_as_the_user_likes(spark):
    from likely.spark import LikelyClassifier

    given = mixed()
    rows = {"the.text": given["text"], "a `size`": given["size"], "kind of, 1": given["kind"]}
    rows["what it is"] = given["label"]
    frame = framed(spark, given, 3).toDF(*rows)
    made = LikelyClassifier(labelCol="what it is").fit(frame)
    assert digest(made.toLocal()) == digest(Classifier().fit(rows, "what it is"))
    columns = made.transform(frame).columns
    assert columns == [*rows, "prediction", "probability", "rawPrediction"]


@pytest.mark.parametrize("target", ["sea,town,park", "sea, town, park"])
def test_features_are_chosen_beside_indicator_columns(spark, target):
    from likely.spark import LikelyClassifier

    case = CASES["indicators"]
    rows = {name: cells for name, cells in case.rows().items() if name != "size"}
    made = LikelyClassifier(labelCol=target, featureCols=["text", "kind"], tune=False)
    found = made.fit(framed(spark, case.rows(), 2)).toLocal()
    assert digest(found) == digest(Classifier(tune=False).fit(rows, target))


def test_a_label_column_may_have_a_comma_in_its_name(spark):
    from likely.spark import LikelyClassifier

    given = mixed()
    rows = {"text": given["text"], "sea,or,town": given["label"]}
    frame = framed(spark, given, 2).select("text", "label").toDF(*rows)
    made = LikelyClassifier(labelCol="sea,or,town", tune=False).fit(frame).toLocal()
    assert digest(made) == digest(Classifier(tune=False).fit(rows, "sea,or,town"))


def test_an_order_that_changes_between_passes_does_no_harm(spark):
    from pyspark.sql import functions as F

    from likely.spark import LikelyClassifier

    shuffled = framed(spark, mixed(), 5).orderBy(F.rand())
    assert digest(LikelyClassifier().fit(shuffled).toLocal()) == digest(CASES["mixed"].local())


def test_rows_that_differ_each_time_are_refused(spark, tmp_path):
    from likely.spark import LikelyClassifier

    frame = framed(spark, mixed(), 1)
    drawn = frame.mapInArrow(Shrinking(str(tmp_path)), frame.schema)
    with pytest.raises(DataError, match=r"rows when they were counted first, and .* second time"):
        LikelyClassifier(tune=False).fit(drawn)
