"""Small tables, the models that learn from them, and the same rows as DataFrames of Spark."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from likely import Classifier, Gaussian, Multinomial

WORDS = {
    "sea": ["ferry", "harbour", "fish", "boat", "storm"],
    "town": ["lamp", "street", "bus", "tower", "market"],
    "park": ["tree", "bench", "grass", "pond", "lawn"],
}
COMMON = ["the", "and", "late", "in", "a", "of"]
N = 240

Columns = dict[str, list[Any]]


def mixed() -> Columns:
    """Texts, numbers and categories, some of them missing, of three classes."""
    chosen = random.Random(7)
    labels = [chosen.choice(sorted(WORDS)) for _ in range(N)]
    texts, sizes, kinds = [], [], []
    for label in labels:
        words = chosen.choices(COMMON + WORDS[label] + WORDS["town"][:2], k=chosen.randint(2, 7))
        texts.append(" ".join(words))
        missing = chosen.random() < 0.1
        sizes.append(None if missing else round(chosen.gauss(len(label), 1), 3))
        kinds.append(None if chosen.random() < 0.1 else chosen.choice(["a", "b", label[0]]))
    return {"text": texts, "size": sizes, "kind": kinds, "label": labels}


def texts() -> Columns:
    """Texts alone."""
    return {name: mixed()[name] for name in ("text", "label")}


def several() -> Columns:
    """Multi-label rows; some have no label, some null in place of labels."""
    made, chosen = mixed(), random.Random(8)
    found: list[Any] = []
    for label in made["label"]:
        draw = chosen.random()
        more = sorted({label, "sea"})
        found.append([] if draw < 0.1 else None if draw < 0.2 else [label] if draw < 0.7 else more)
    found[0] = ["sea"]
    return {**made, "label": found}


def separated() -> Columns:
    """The same with a separator between labels."""
    made = several()
    return {**made, "label": [";".join(cell or []) for cell in made["label"]]}


def indicated() -> Columns:
    """The same with a column of 0 and 1 for each label."""
    made = several()
    marks = {one: [int(one in (cell or [])) for cell in made["label"]] for one in WORDS}
    return {**{name: made[name] for name in ("text", "size", "kind")}, **marks}


TYPES = {"size": "double", "label": "string", **dict.fromkeys(WORDS, "int")}


def schema(columns: Columns) -> str:
    """The schema of these columns, as Spark spells it."""
    types = {name: TYPES.get(name, "string") for name in columns}
    if any(isinstance(cell, list) for cell in columns.get("label", ())):
        types["label"] = "array<string>"
    return ", ".join(f"`{name}` {kind}" for name, kind in types.items())


@dataclass(frozen=True)
class Case:
    """A classifier, and the rows that it learns from."""

    rows: Callable[[], Columns]
    options: dict[str, Any]
    """As the parameters of Spark are called."""
    target: str = "label"

    def local(self) -> Classifier:
        """The model of one machine."""
        options = dict(self.options)
        return Classifier(options.pop("likelihood", None), **options).fit(self.rows(), self.target)


CASES = {
    "default": Case(texts, {}),
    "plain": Case(texts, {"likelihood": Multinomial()}),
    "gaussian": Case(mixed, {"likelihood": {"size": Gaussian()}}),
    "mixed": Case(mixed, {}),
    "multi-label": Case(several, {}),
    "separator": Case(separated, {"separator": ";", "tune": False}),
    "indicators": Case(indicated, {"tune": False}, ",".join(WORDS)),
}


def framed(spark: Any, columns: Columns, parts: int, seed: int = 1) -> Any:
    """The rows in any order, in partitions of which some are large and most empty."""
    from pyspark.sql import functions as F

    chosen = random.Random(seed)
    rows = list(zip(*columns.values(), strict=True))
    # Half of the rows are in one partition; there are at most nine with rows.
    rows = [(*row, max(0, chosen.randrange(17) - 8)) for row in rows]
    chosen.shuffle(rows)
    frame = spark.createDataFrame(rows, schema(columns) + ", place int")
    return frame.repartition(parts, F.col("place")).drop("place")


def digest(model: Classifier) -> str:
    """The SHA-256 of the file."""
    import hashlib

    return hashlib.sha256(model.to_bytes()).hexdigest()


def fitted(spark: Any, name: str, parts: int, seed: int = 1) -> str:
    """The SHA-256 of the file of a model fit on Spark."""
    from likely.spark import LikelyClassifier

    case = CASES[name]
    estimator = LikelyClassifier(labelCol=case.target, **case.options)
    return digest(estimator.fit(framed(spark, case.rows(), parts, seed)).toLocal())
