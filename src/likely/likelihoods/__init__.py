"""Likelihoods: P(x | c) of what is read. One file per kind of column."""

from collections.abc import Callable
from functools import partial
from typing import Any

from likely.data.columns import Role
from likely.data.table import spellings
from likely.errors import ModelError
from likely.likelihoods.base import AnyLikelihood as AnyLikelihood
from likely.likelihoods.base import Likelihood as Likelihood
from likely.likelihoods.binned import Binned as Binned
from likely.likelihoods.categorical import Categorical as Categorical
from likely.likelihoods.dates import Dates as Dates
from likely.likelihoods.gaussian import Gaussian as Gaussian
from likely.likelihoods.joint_table import JointTable as JointTable
from likely.likelihoods.number_views import NumberViews as NumberViews
from likely.likelihoods.polarity import Polarity as Polarity
from likely.likelihoods.product import Factor, Product, checked
from likely.likelihoods.rules import RuleFeatures as RuleFeatures
from likely.likelihoods.short_text import ShortText as ShortText
from likely.likelihoods.text import Bernoulli as Bernoulli
from likely.likelihoods.text import BinaryMultinomial as BinaryMultinomial
from likely.likelihoods.text import Complement as Complement
from likely.likelihoods.text import Multinomial as Multinomial
from likely.likelihoods.text import TextLikelihood as TextLikelihood
from likely.likelihoods.text import TextView as TextView
from likely.likelihoods.text_views import TextViews as TextViews
from likely.likelihoods.vectors import Vectors as Vectors

TEXT_VIEWS: dict[str, type[TextView]] = {
    "multinomial": Multinomial,
    "binary-multinomial": BinaryMultinomial,
    "bernoulli": Bernoulli,
    "complement": Complement,
}

_KINDS: dict[str, type[AnyLikelihood]] = {
    **TEXT_VIEWS,
    "categorical": Categorical,
    "dates": Dates,
    "binned": Binned,
    "joint": JointTable,
    "gaussian": Gaussian,
    "lda": Gaussian,
    "qda": Gaussian,
    "polarity": Polarity,
    "short text": ShortText,
    "views": TextViews,
    "number views": NumberViews,
    "vectors": Vectors,
    "rules": RuleFeatures,
}


OF_ROLE: dict[Role, Callable[[], AnyLikelihood]] = {
    "text": TextViews,
    "short text": ShortText,
    "numeric": Gaussian,
    "categorical": Categorical,
    "date": Dates,
    "day-first date": partial(Dates, day_first=True),
    "vector": Vectors,
}


def restore(stored: dict[str, Any], settings: list[dict[str, Any]]) -> Product:
    """The product of likelihoods that a model file describes."""
    found = []
    for schema, setting in zip(stored["factors"], settings, strict=True):
        columns = tuple(schema["columns"])
        if not columns or not all(isinstance(column, str) for column in columns):
            raise ModelError("the model's columns have no names")
        found.append(Factor(columns, _of_settings(schema, setting)))
    order = tuple(stored["columns"])
    if len(set(order)) != len(order) or set(order) != {c for f in found for c in f.columns}:
        raise ModelError("the model's columns are not those of its likelihoods")
    checked(Product(tuple(found), order).by_column)
    product = Product(tuple(found), order, spellings(stored["missing"]))
    if stored.get("labels", "any of") != "any of":
        raise ModelError("its rows have labels in a way that is not known here")
    return product.any_of() if "labels" in stored else product


def _of_settings(schema: dict[str, Any], settings: dict[str, Any]) -> AnyLikelihood:
    """The likelihood that a model file describes."""
    kind = settings.get("likelihood")
    if kind not in _KINDS:
        raise ModelError(f"the model has a likelihood called {kind!r}, which is not known here")
    return _KINDS[kind].restored(schema, settings)
