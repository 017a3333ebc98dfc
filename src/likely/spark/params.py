"""The parameters of the estimator and the model in Spark, and how they are stored."""

import base64
from collections.abc import Mapping
from typing import Any, Self

from pyspark.ml.param import Param, Params, TypeConverters

from likely.errors import LikelyError, OptionError
from likely.likelihoods import restore
from likely.likelihoods.base import AnyLikelihood, Likelihood
from likely.likelihoods.product import Product
from likely.model.plan import Plan
from likely.rules import Rules
from likely.spark.scoring import OutputColumns

# A likelihood without columns is stored as that of a column of this name.
_ALONE = "x"


# Whom a parameter belongs to until an instance has it, as in all of `pyspark.ml`.
_NOBODY = Params()
_NOBODY.uid = "undefined"


def _param(name: str, doc: str, converter: Any = None) -> Param[Any]:
    return Param(_NOBODY, name, doc, converter)


class OutputParams(Params):
    """The columns that predictions come in."""

    predictionCol = _param("predictionCol", "the predicted label", TypeConverters.toString)
    probabilityCol = _param(
        "probabilityCol",
        "P(class | row), a vector in the order of `classes`; empty for none",
        TypeConverters.toString,
    )
    rawPredictionCol = _param(
        "rawPredictionCol",
        "log P(class | row); multi-label and one-vs-rest, the score of each class; empty for none",
        TypeConverters.toString,
    )
    contributionsCol = _param(
        "contributionsCol",
        "what each feature adds to the log-odds of the prediction; empty for none",
        TypeConverters.toString,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(
            predictionCol="prediction",
            probabilityCol="probability",
            rawPredictionCol="rawPrediction",
            contributionsCol="",
        )

    def withUid(self, uid: str) -> Self:
        """The same instance under the name of the one that was stored."""
        self._resetUid(uid)
        return self

    @property
    def outputColumns(self) -> OutputColumns:
        """The names of these columns."""
        names = (self.predictionCol, self.probabilityCol, self.rawPredictionCol)
        return OutputColumns(*(self.getOrDefault(name) for name in (*names, self.contributionsCol)))


class ClassifierParams(OutputParams):
    """The options of `likely.Classifier`, and which columns are learned from."""

    labelCol = _param(
        "labelCol",
        "the column of the labels, or indicator columns, with commas between",
        TypeConverters.toString,
    )
    featureCols = _param(
        "featureCols",
        "the columns to learn from; all others, by default",
        TypeConverters.toListString,
    )
    likelihood = _param(
        "likelihood", "a likelihood, a dictionary of likelihoods by column, or a plan"
    )
    columns = _param("columns", "the roles of columns, by name")
    missing = _param("missing", "the spellings of missing cells")
    prior = _param("prior", 'a probability per class, "empirical" or "uniform"')
    classes = _param("classes", "classes that exist even if no row has them")
    rules = _param("rules", "rules that take precedence over the model")
    tune = _param("tune", "whether the model is tuned")
    thresholds = _param("thresholds", "what thresholds are chosen for, or the threshold of a class")
    costs = _param("costs", "the costs of mistakes, by true and predicted label")
    separator = _param("separator", "what stands between the labels of a multi-label cell")
    stackLinear = _param("stackLinear", "whether a linear model is stacked on the counts")
    oneVsRest = _param("oneVsRest", "whether each class is compared with the rest")
    ledger = _param("ledger", "whether hashes of the rows are kept, so that they can be forgotten")


# The parameters of a classifier by their names in Python.
OPTIONS = {
    "stackLinear": "stack_linear",
    "oneVsRest": "one_vs_rest",
    **{
        name: name
        for name in (
            *("columns", "missing", "prior", "classes", "rules", "tune", "thresholds", "costs"),
            *("separator", "ledger"),
        )
    },
}


def to_json(value: Any) -> Any:
    """The value of a parameter as JSON has it; lists and dictionaries say what they were."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Likelihood):
        product = Product.of({_ALONE: value})
        return {"likelihood": [product.schema, product.settings]}
    if isinstance(value, Rules):
        return {"rules": value.to_json()}
    if isinstance(value, Plan):
        return {"plan": base64.b64encode(value.to_bytes()).decode()}
    if isinstance(value, Mapping):
        return {"items": [[to_json(key), to_json(each)] for key, each in value.items()]}
    if isinstance(value, (list, tuple)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [to_json(each) for each in value]}
    if isinstance(value, (set, frozenset)):
        return {"list": sorted(value)}
    what = "the secret of a ledger" if isinstance(value, bytes) else repr(value)
    raise OptionError(f"{what} cannot be stored with the parameters")


def from_json(stored: Any) -> Any:
    """The value that `to_json` has written."""
    if not isinstance(stored, dict):
        return stored
    ((kind, value),) = stored.items()
    if kind == "likelihood":
        return _likelihood(*value)
    if kind == "rules":
        return Rules.from_json(value)
    if kind == "plan":
        return Plan.from_bytes(base64.b64decode(value))
    if kind == "items":
        return {from_json(key): from_json(each) for key, each in value}
    found = [from_json(each) for each in value]
    return tuple(found) if kind == "tuple" else found


def _likelihood(schema: Any, settings: Any) -> AnyLikelihood:
    try:
        (factor,) = restore(schema, settings).factors
    except LikelyError as error:
        raise OptionError(f"the stored likelihood cannot be read: {error}") from None
    return factor.likelihood
