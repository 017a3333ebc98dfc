"""How many parameters a model has, and how many others of the same columns would have.

K · ∏ q_j                     the full table of categorical columns with q_j values each
K · Σ q_j                     naive: each column by itself
K · D + K · D (D + 1) / 2     QDA of D numeric columns
K · D + D (D + 1) / 2         LDA
2 · K · D                     Gaussian Naive Bayes
K · |V|                       naive, of the words of a text
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from likely import render
from likely.explain.blackboard import scientific
from likely.likelihoods.base import AnyLikelihood, Columns
from likely.likelihoods.categorical import Categorical
from likely.likelihoods.dates import Dates
from likely.likelihoods.gaussian import Gaussian
from likely.likelihoods.joint_table import JointTable
from likely.likelihoods.one_vs_rest import OneVsRest
from likely.likelihoods.product import Product
from likely.likelihoods.text import TextLikelihood
from likely.tally import Tally

# Columns are listed if that takes no more room than this.
_MOST_LISTED = 30
_NAMES = {
    "categorical": "naive", "joint": "full table", "binned": "bins", "views": "text views",
}  # fmt: skip
_ONE_BY_ONE = ("naive", "Gaussian NB", "bins")
# From here on, a number is shown by its power of ten.
_LARGE = 10**9
_OF_COVARIANCE = {"diagonal": "Gaussian NB", "shared": "LDA", "full": "QDA"}


@dataclass(frozen=True)
class Parameters:
    """How many parameters a model has: of its likelihoods, of its prior, and how many are free."""

    likelihood: int
    prior: int
    free: int

    @classmethod
    def of(cls, product: Product, tally: Tally, classes: int) -> "Parameters":
        numbers = free = 0
        for factor, statistic in zip(product.factors, tally.statistics, strict=True):
            here, here_free = factor.likelihood.parameters(statistic, classes)
            numbers, free = numbers + here, free + here_free
        return cls(numbers, classes, free + max(classes - 1, 0))


@dataclass(frozen=True)
class ModelSize:
    """How many parameters a model of some columns has, beside the prior of each class."""

    columns: Columns
    kind: str
    """What the columns are: categorical, numeric or text."""
    model: str
    parameters: int
    is_own: bool
    """Whether it is the model at hand."""

    @property
    def listed(self) -> str:
        """The columns, by name or by number."""
        if self.kind == "text":
            return render.name(self.columns[0])
        names = ", ".join(map(render.name, self.columns))
        return names if len(names) <= _MOST_LISTED else f"{len(self.columns):,} {self.kind} columns"

    def to_json(self) -> dict[str, Any]:
        """The same with a logarithm, since some numbers are too large for most readers."""
        return {
            "columns": list(self.columns),
            "model": self.model,
            "parameters": self.parameters if self.parameters < 2**53 else None,
            "log10_parameters": math.log10(self.parameters) if self.parameters else None,
            "is_own": self.is_own,
        }


def model_sizes(product: Product, tally: Tally, classes: int) -> tuple[ModelSize, ...]:
    """What the columns would take as a full table, as naive models, as Gaussians."""
    parts = [
        _Part(factor.columns, _single_label(factor.likelihood), statistic, classes)
        for factor, statistic in zip(product.factors, tally.statistics, strict=True)
    ]
    found: list[ModelSize] = []
    categorical = [part for part in parts if part.values]
    if categorical:
        values = [q for part in categorical for q in part.values]
        # A single column is its own full table.
        models = _tables(values, classes) if len(values) > 1 else {}
        found += _compared("categorical", categorical, models)
    numeric = [part for part in parts if part.likelihood.reads_numbers]
    if numeric:
        columns = sum(len(part.columns) for part in numeric)
        found += _compared("numeric", numeric, _gaussians(columns, classes))
    for part in parts:
        if isinstance(part.likelihood, TextLikelihood):
            found += _compared("text", [part], {})
    return tuple(found)


@dataclass(frozen=True)
class _Part:
    """A likelihood of single-label rows, its columns, and what it has counted in them."""

    columns: Columns
    likelihood: AnyLikelihood
    statistic: Any
    classes: int

    @property
    def values(self) -> list[int]:
        """How many values each column has, if they are categories."""
        one = self.likelihood
        if isinstance(one, (Categorical, JointTable)) and not isinstance(one, Dates):
            return one.values(self.statistic)
        return []

    @property
    def parameters(self) -> int:
        return self.likelihood.parameters(self.statistic, self.classes)[0]

    @property
    def name(self) -> str:
        """What it is called among other models of its columns."""
        if isinstance(self.likelihood, Gaussian):
            return _OF_COVARIANCE[self.likelihood.covariance]
        if isinstance(self.likelihood, TextLikelihood):
            features = render.counted(self.statistic.features(), "feature", "features")
            return f"{_NAMES.get(self.likelihood.name, self.likelihood.name)}, {features}"
        return _NAMES.get(self.likelihood.name, self.likelihood.name)


def _single_label(likelihood: AnyLikelihood) -> AnyLikelihood:
    return likelihood.likelihood if isinstance(likelihood, OneVsRest) else likelihood


def _tables(values: Sequence[int], classes: int) -> dict[str, int]:
    """The models of categorical columns that have so many values each."""
    return {"full table": classes * math.prod(values), "naive": classes * sum(values)}


def _gaussians(columns: int, classes: int) -> dict[str, int]:
    """The Gaussian models of so many numeric columns."""
    means, triangle = columns * classes, columns * (columns + 1) // 2
    return {
        "QDA": means + triangle * classes,
        "Gaussian NB": 2 * means,
        "LDA": means + triangle,
    }


def _compared(kind: str, parts: Sequence[_Part], models: dict[str, int]) -> Iterator[ModelSize]:
    """The models of some columns, with the one at hand among them or after them."""
    columns = tuple(name for part in parts for name in part.columns)
    own = sum(part.parameters for part in parts)
    # Columns that are taken one by one make one model; several covariances or tables do not.
    times = Counter(part.name for part in parts)
    name = " and ".join(
        one if n == 1 or one in _ONE_BY_ONE else f"{n} × {one}" for one, n in times.items()
    )
    for model, parameters in {**models, name: own}.items():
        yield ModelSize(columns, kind, model, parameters, model == name)


def _spelled(parameters: int) -> str:
    """A number of parameters; from a billion on, by its power of ten.

    >>> _spelled(1234), _spelled(3**80), _spelled(2 * 10**400)
    ('1,234', '1.48·10³⁸', '2·10⁴⁰⁰')
    """
    return f"{parameters:,}" if parameters < _LARGE else scientific(math.log(parameters))


def as_table(found: Sequence[ModelSize]) -> render.Table:
    """A line for each model; the columns once."""
    lines: list[tuple[render.Cell, ...]] = []
    before: tuple[str, Columns] | None = None
    for one in found:
        here = one.kind, one.columns
        what = "" if here == before else one.listed
        own = "this model" if one.is_own else ""
        lines.append((what, one.model, _spelled(one.parameters), own))
        before = here
    return render.Table(("columns", "model", "parameters", ""), lines, left=2)
