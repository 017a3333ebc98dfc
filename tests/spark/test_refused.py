"""What cannot be learned is refused in one sentence, which names the partition."""

import pytest

import likely
from likely import Classifier, Gaussian
from likely.errors import (
    DataError,
    DataTypeError,
    LikelyError,
    ModelError,
    OptionError,
    UnlabeledError,
)
from tests.spark.tables import CASES, framed, mixed, several


def one_partition(spark, rows, schema):
    return spark.createDataFrame(rows, schema).coalesce(1)


def refusal(error, kind, start):
    """The message of an error that a user may read: one sentence, perhaps with a hint."""
    found = error.value
    assert type(found) is kind
    message = str(found)
    assert message.startswith(start), message
    sentence, *hint = message.split("\n")
    assert len(hint) <= 1
    assert "Traceback" not in message
    assert "java" not in message
    assert found.__cause__ is None
    return sentence


def test_a_missing_label(spark):
    from likely.spark import LikelyClassifier

    rows = [("a", "x"), ("b", "y"), ("c", None)]
    frame = one_partition(spark, rows, "text string, label string")
    with pytest.raises(UnlabeledError) as error:
        LikelyClassifier().fit(frame)
    start = "partition 0: row 3: the label in `label` is empty"
    assert refusal(error, UnlabeledError, start) == start


def test_a_cell_that_does_not_fit_the_plan(spark):
    from likely.spark import LikelyClassifier

    rows = [("1.5", "x"), ("2", "y"), ("heavy", "x")]
    frame = one_partition(spark, rows, "size string, label string")
    with pytest.raises(DataError) as error:
        LikelyClassifier(likelihood={"size": Gaussian()}).fit(frame)
    refusal(error, DataError, "partition 0: row 3 of `size` is 'heavy', which is no number")


def test_a_cell_that_does_not_fit_in_one_of_many_partitions(spark):
    from likely.spark import LikelyClassifier

    rows = [(str(n), "xy"[n % 2]) for n in range(40)]
    frame = spark.createDataFrame(rows, "size string, label string").repartition(10)
    frame = frame.selectExpr("if(size = '7', 'heavy', size) AS size", "label")
    with pytest.raises(DataError) as error:
        LikelyClassifier(likelihood={"size": Gaussian()}, tune=False).fit(frame)
    message = refusal(error, DataError, "partition ")
    assert message.count("partition") == 1


def test_files_of_which_one_has_other_types(spark, tmp_path):
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    from likely.spark import LikelyClassifier, LikelyModel

    given = mixed()
    odd = {**given, "size": ["heavy"] * len(given["size"])}
    for name, rows in (("0", given), ("1", odd)):
        (tmp_path / "csv").mkdir(exist_ok=True)
        (tmp_path / "parquet").mkdir(exist_ok=True)
        pa.csv.write_csv(pa.table(rows), tmp_path / "csv" / f"{name}.csv")
        pa.parquet.write_table(pa.table(rows), tmp_path / "parquet" / f"{name}.parquet")
    reader = spark.read.schema("text string, size double, kind string, label string")
    parquet = reader.parquet(str(tmp_path / "parquet"))
    csv = reader.option("header", True).option("mode", "FAILFAST").csv(str(tmp_path / "csv"))
    model = LikelyModel.fromLocal(CASES["gaussian"].local())
    before = model.digest
    for learn in (LikelyClassifier().fit, model.update):
        with pytest.raises(DataError) as error:
            learn(parquet)
        file = (tmp_path / "parquet" / "1.parquet").as_uri()
        sentence = refusal(error, DataError, f"Spark cannot read the partition from `{file}`: ")
        assert "[size]" in sentence
        with pytest.raises(DataError) as error:
            learn(csv)
        file = (tmp_path / "csv" / "1.csv").as_uri()
        sentence = refusal(error, DataError, f"Spark cannot read the partition from `{file}`: ")
        assert sentence.endswith('"heavy"')
    assert model.digest == before


def test_rows_that_are_no_dataframe_of_spark(spark):
    import pandas as pd

    from likely.spark import LikelyClassifier, LikelyModel

    model, rows = LikelyModel.fromLocal(CASES["plain"].local()), pd.DataFrame(mixed())
    for verb in (LikelyClassifier().fit, model.update, model.forget, model.tune, model.transform):
        with pytest.raises(DataTypeError) as error:
            verb(rows)
        start = "the rows are a DataFrame of Spark, not a DataFrame of pandas"
        refusal(error, DataTypeError, start)


def test_an_executor_with_another_version(spark, monkeypatch):
    from likely.spark import LikelyClassifier, LikelyModel

    frame = framed(spark, mixed(), 2)
    model = LikelyModel.fromLocal(CASES["mixed"].local())
    here = likely.__version__
    monkeypatch.setattr(likely, "__version__", "0.0.9")
    with pytest.raises(ModelError) as error:
        LikelyClassifier().fit(frame)
    message = refusal(error, ModelError, "partition ")
    assert message.endswith(f"Likely is {here} here, and 0.0.9 at the driver")
    with pytest.raises(Exception, match=f"Likely is {here} here, and 0.0.9 at the driver"):
        model.transform(frame).collect()


def test_a_table_without_rows(spark):
    from likely.spark import LikelyClassifier

    with pytest.raises(DataError) as error:
        LikelyClassifier().fit(framed(spark, mixed(), 2).limit(0))
    refusal(error, DataError, "there is nothing to learn from: no rows were given")


@pytest.mark.parametrize(
    ("options", "start"),
    [
        ({"labelCol": "lable"}, "the table has no column `lable`; "),
        ({"labelCol": "kind,lable"}, "the table has no column `lable`; "),
        ({"featureCols": ["txt"]}, "the table has no column `txt`; "),
        ({"featureCols": ["label"]}, "two columns are called `label`"),
        ({"featureCols": []}, "the table has no column beside its labels"),
        ({"columns": {"txt": "text"}}, "there is no column `txt`; "),
    ],
)
def test_columns_that_are_not_there(spark, options, start):
    from likely.spark import LikelyClassifier

    with pytest.raises(LikelyError) as error:
        LikelyClassifier(**options).fit(framed(spark, mixed(), 1))
    refusal(error, type(error.value), start)


def test_two_columns_of_one_name(spark):
    from likely.spark import LikelyClassifier, LikelyModel

    frame = spark.createDataFrame([("a", "b", "x")], "text string, other string, label string")
    frame = frame.toDF("text", "text", "label")
    with pytest.raises(DataError) as error:
        LikelyClassifier().fit(frame)
    refusal(error, DataError, "two columns are called `text`")
    with pytest.raises(DataError) as error:
        LikelyModel.fromLocal(CASES["default"].local()).transform(frame)
    refusal(error, DataError, "two columns are called `text`")


def test_a_single_class(spark):
    from likely.spark import LikelyClassifier

    frame = one_partition(spark, [("a", "x"), ("b", "x")], "text string, label string")
    with pytest.raises(DataError) as error:
        LikelyClassifier().fit(frame)
    refusal(error, DataError, "every row is `x`; a classifier needs at least two classes")


def test_cells_of_a_type_that_nothing_reads(spark):
    from likely.spark import LikelyClassifier

    frame = framed(spark, mixed(), 1).selectExpr("struct(text) AS text", "label")
    with pytest.raises(LikelyError) as error:
        LikelyClassifier().fit(frame)
    assert "Traceback" not in str(error.value)


CHANGED = {
    "a column is gone": ("text", "the table has no column `size`, which the model reads; "),
    "a number is a text": (
        "text, kind, 'heavy' AS size",
        "partition 0: row 1 of `size` is 'heavy'",
    ),
    "a text is a list": ("array(1.5) AS text, kind, size", "partition 0: "),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_schema_that_changes_before_an_update(spark, name):
    from likely.spark import LikelyModel

    columns, start = CHANGED[name]
    local = Classifier(CASES_OF_COLUMNS).fit(mixed(), "label")
    model = LikelyModel.fromLocal(local)
    frame = framed(spark, mixed(), 1).selectExpr(*columns.split(", "), "label")
    with pytest.raises(LikelyError) as error:
        model.update(frame)
    refusal(error, type(error.value), start)
    assert model.digest == local.digest


CASES_OF_COLUMNS = {
    "text": likely.Multinomial(),
    "size": likely.Gaussian(),
    "kind": likely.Categorical(),
}


def test_labels_of_another_type_before_an_update(spark):
    from likely.spark import LikelyModel

    local = Classifier(tune=False).fit({"text": ["a", "b"] * 9, "label": [1, 2] * 9}, "label")
    model = LikelyModel.fromLocal(local)
    frame = one_partition(spark, [("a", "1"), ("b", "two")], "text string, label string")
    with pytest.raises(DataTypeError) as error:
        model.update(frame)
    start = "partition 0: row 2: the label 'two' is not a whole number"
    refusal(error, DataTypeError, start)
    lists = framed(spark, several(), 1).select("text", "label")
    with pytest.raises(LikelyError) as error:
        model.update(lists)
    assert "Traceback" not in str(error.value)


def test_a_ledger_of_too_many_rows(spark, monkeypatch):
    from likely.model import partitions
    from likely.spark import LikelyClassifier

    monkeypatch.setattr(partitions, "MOST_IN_LEDGER", 100)
    frame = framed(spark, CASES["plain"].rows(), 1)
    options = CASES["plain"].options
    with pytest.raises(OptionError) as error:
        LikelyClassifier(**options).fit(frame)
    refusal(error, OptionError, "a ledger has eight bytes for each row, 0.0 GB for 240 rows")
    assert LikelyClassifier(ledger=True, **options).fit(frame).toLocal().tally.n_rows == 240
    assert LikelyClassifier(ledger=False, **options).fit(frame).toLocal().tally.n_rows == 240


def test_what_is_outside_the_promise(spark, monkeypatch):
    from likely.model import tuning
    from likely.spark import LikelyClassifier

    monkeypatch.setattr(tuning, "_MOST_SCORES", 300)
    monkeypatch.setattr(tuning, "_FEWEST_ROWS", 20)
    monkeypatch.setattr(tuning, "_COMPARED", 50)
    with pytest.raises(OptionError) as error:
        LikelyClassifier(stackLinear=True).fit(framed(spark, mixed(), 2))
    refusal(error, OptionError, "the stacked linear model is formed of all rows on one machine")
