"""Likely on Spark beside MLlib's Naive Bayes, from raw text to labels and probabilities."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.cluster.spark import COPIES, in_spark, session, write_copies
from benchmarks.measure import Contender, race, timed
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, Target, comparison

NOTES = """\
Spark `local[2]`, IMDb ten times over (Parquet, read anew by each pass). MLlib is a pipeline of
StringIndexer, Tokenizer, CountVectorizer and NaiveBayes with their default settings; it reads
words, as our plain model does, and cuts them at white space. What is scored is the test reviews,
ten times over; an aggregate asks for the share of right labels, and for the probabilities."""

_PEER = "MLlib"
_TARGET = Target(5)
NAMES = {"plain": "plain multinomial", "default": "default model"}


def rows(run: Run) -> Iterator[Row]:
    copies = 2 if run.quick else COPIES
    with TemporaryDirectory(prefix="likely-") as scratch:
        folder = Path(scratch)
        train = write_copies(folder / "train.parquet", run.train, copies)
        test = write_copies(folder / "test.parquet", run.test, copies)
        found = in_spark(measured, scratch, train, test, run.rounds(3))
    for what, seconds in found["seconds"].items():
        megabytes = copies * (run.train if what == "fit" else run.test).megabytes
        for name in NAMES:
            own, peer = (megabytes / seconds[who] for who in (name, _PEER))
            label = f"{what}, {NAMES[name]}"
            yield comparison(label, own, "MB/s", peer, _PEER, _TARGET)
    for name in NAMES:
        own, peer = (100 * found["right"][who] for who in (name, _PEER))
        yield comparison(f"right on the test reviews, {NAMES[name]}", own, "%", peer, _PEER)


def measured(folder: str, train: str, test: str, rounds: int) -> dict[str, Any]:
    """Seconds of each system to fit and to score, and how often it is right."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as F  # noqa: N812

    spark = session(folder)
    learned, asked = spark.read.parquet(train), spark.read.parquet(test)
    systems = estimators()
    models, right = dict[str, Any](), dict[str, float]()

    def fit(name: str) -> None:
        models[name] = systems[name].fit(learned)

    def score(name: str, with_probabilities: bool) -> None:
        model, truth = models[name], "index" if name == _PEER else "label"
        if name != _PEER and not with_probabilities:
            model = model.copy({model.probabilityCol: "", model.rawPredictionCol: ""})
        wanted = [F.avg((F.col("prediction") == F.col(truth)).cast("double"))]
        if with_probabilities:
            wanted.append(F.max(F.array_max(vector_to_array(F.col("probability")))))
        right[name] = model.transform(asked).agg(*wanted).first()[0]

    def raced(work: Callable[[str], Any]) -> dict[str, float]:
        contenders: list[Contender] = [timed(partial(work, name)) for name in systems]
        return dict(zip(systems, race(*contenders, rounds=rounds), strict=True))

    seconds = {
        "fit": raced(fit),
        "score, labels and probabilities": raced(partial(score, with_probabilities=True)),
        "score, labels": raced(partial(score, with_probabilities=False)),
    }
    return {"seconds": seconds, "right": right}


def estimators() -> dict[str, Any]:
    """What is fitted to a table of a text and a label."""
    from likely.spark import LikelyClassifier

    plain = ours.model()
    return {
        "plain": LikelyClassifier(likelihood=plain.likelihood),
        "default": LikelyClassifier(),
        _PEER: naive_bayes(),
    }


def naive_bayes() -> Any:
    """MLlib's Naive Bayes of texts."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import CountVectorizer, StringIndexer, Tokenizer

    return Pipeline(
        stages=[
            StringIndexer(inputCol="label", outputCol="index"),
            Tokenizer(inputCol="text", outputCol="words"),
            CountVectorizer(inputCol="words", outputCol="counts"),
            NaiveBayes(featuresCol="counts", labelCol="index"),
        ]
    )
