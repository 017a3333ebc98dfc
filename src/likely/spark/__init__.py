"""Likely on Spark: an Estimator and a Model of `pyspark.ml` with the file of one machine.

    from likely.spark import LikelyClassifier

    model = LikelyClassifier(labelCol="label").fit(frame)
    model.transform(frame).select("prediction", "probability")
    model.toLocal().save("m.likely")

Rows are counted where they lie, by `DataFrame.mapInArrow`; counts are exact, so any number of
partitions, in any order, also those that ran twice, give the same bytes as `likely.Classifier` on
one machine. `docs/cluster.md` tells the rest.
"""

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        "`likely.spark` needs PySpark\nhint: `pip install 'likely[spark]'`"
    ) from error

from likely.spark.estimator import LikelyClassifier, LikelyModel

__all__ = ["LikelyClassifier", "LikelyModel"]
