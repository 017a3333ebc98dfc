"""Likely on Spark: an Estimator and a Model of `pyspark.ml` with the file of one machine.

    from likely.spark import LikelyClassifier

    model = LikelyClassifier(labelCol="label").fit(frame)
    model.transform(frame).select("prediction", "probability")
    model.toLocal().save("m.likely")

Rows are counted where they lie, by `DataFrame.mapInArrow`; counts are exact, so any number of
partitions, in any order, also those that ran twice, give the same bytes as `likely.Classifier` on
one machine. `docs/cluster.md` tells the rest.

Each pass reads the DataFrame anew, so one that was costly to make is better stored or cached first.
`fit` takes three passes: rows are counted (without their columns), sampled for the plan, which a
given plan makes needless, and tallied. A tuned model takes a fourth for the rows that tuning looks
at, and where there are texts and more rows than these, a fifth for the copies of their texts.
`update` and `forget` take two, `tune` three or four.
"""

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        "`likely.spark` needs PySpark\nhint: `pip install 'likely[spark]'`"
    ) from error

from likely.spark.estimator import LikelyClassifier, LikelyModel

__all__ = ["LikelyClassifier", "LikelyModel"]
