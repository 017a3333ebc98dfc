"""A stage among others of `pyspark.ml`."""

import numpy as np
import pytest

from likely import Classifier, Multinomial
from tests.spark.tables import digest, framed, mixed


def numbered(spark, parts=2):
    """Texts with numbers as labels, as Spark's evaluators want them."""
    from pyspark.sql import functions as F

    frame = framed(spark, mixed(), parts)
    return frame.select("text", F.ascii("label").cast("double").alias("label"))


def test_a_pipeline_is_stored_before_and_after_fitting(spark, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import SQLTransformer

    from likely.spark import LikelyClassifier

    lower = SQLTransformer(statement="SELECT lower(text) AS text, label FROM __THIS__")
    Pipeline(stages=[lower, LikelyClassifier()]).save(f"{tmp_path}/pipeline")
    fitted = Pipeline.load(f"{tmp_path}/pipeline").fit(numbered(spark))
    fitted.save(f"{tmp_path}/fitted")
    again = PipelineModel.load(f"{tmp_path}/fitted")
    assert digest(again.stages[1].toLocal()) == digest(fitted.stages[1].toLocal())
    rows = numbered(spark).orderBy("text", "label")
    assert again.transform(rows).collect() == fitted.transform(rows).collect()


def test_cross_validation_chooses_among_likelihoods(spark):
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    from likely.spark import LikelyClassifier

    estimator = LikelyClassifier()
    alphas = [0.5, 5000.0]
    grid = ParamGridBuilder().addGrid(estimator.likelihood, [Multinomial(a) for a in alphas])
    search = CrossValidator(
        estimator=estimator,
        estimatorParamMaps=grid.build(),
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
        numFolds=2,
        seed=1,
    )
    rows = numbered(spark).repartition(1).cache()
    found = search.fit(rows)
    assert found.avgMetrics[0] > found.avgMetrics[1]
    table = rows.toArrow()
    assert digest(found.bestModel.toLocal()) == digest(
        Classifier(Multinomial(0.5)).fit(table, "label")
    )
    rows.unpersist()


@pytest.mark.parametrize("validator", ["CrossValidator", "TrainValidationSplit"])
def test_the_column_that_folds_are_drawn_by_is_no_feature(spark, validator):
    from pyspark.ml import tuning
    from pyspark.sql import functions as F

    from likely.spark import LikelyClassifier

    name = f"{getattr(tuning, validator)().uid}_rand"
    frame = framed(spark, mixed(), 1).withColumn(name, F.rand())
    made = LikelyClassifier(likelihood=Multinomial(), featureCols=None)
    found = made.fit(frame.select("text", "label", name)).toLocal()
    assert found.columns == ("text",)


def test_evaluators_read_what_a_model_predicts(spark):
    from pyspark.ml.evaluation import (
        BinaryClassificationEvaluator,
        MulticlassClassificationEvaluator,
    )

    from likely.spark import LikelyClassifier

    # The classes of Spark's metrics on probabilities are 0, 1, …
    two = numbered(spark).selectExpr("text", "double(label = 115) AS label")
    model = LikelyClassifier(likelihood=Multinomial()).fit(two)
    predicted = model.transform(two).cache()
    local = model.toLocal()
    rows = predicted.collect()
    texts, labels = [row["text"] for row in rows], np.array([row["label"] for row in rows])
    right = (local.predict(texts) == labels).mean()
    evaluated = MulticlassClassificationEvaluator(metricName="accuracy").evaluate(predicted)
    assert evaluated == pytest.approx(right)
    assert BinaryClassificationEvaluator().evaluate(predicted) > 0.8
    loss = MulticlassClassificationEvaluator(metricName="logLoss").evaluate(predicted)
    probability = local.predict_proba(texts)[range(len(labels)), labels.astype(int)]
    assert loss == pytest.approx(-np.log(probability).mean())
    predicted.unpersist()
