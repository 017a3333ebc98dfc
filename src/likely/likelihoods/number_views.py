"""Several views of the numbers of a row, each with its own weight.

    score_c(x) = Σ_v weight_v · log( ( n · P_v(x | c) + mean_k P_v(x | k) ) / ( n + 1 ) )

Each column in bins is a view. Two more are Gaussians of all columns together: with a covariance
that the classes share (LDA), and with one for each class (QDA). The mean is doubt: beside n rows,
one may have come from any class, so no view rules out a class by itself. The weights come from
tuning.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import RowLabels
from likely.data.table import Numbers, Table, named
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import (
    AnyLikelihood,
    Columns,
    Component,
    Draw,
    Judge,
    Likelihood,
    Scores,
    TopFeature,
    amount,
    arguments,
)
from likely.likelihoods.binned import BITS, Binned, BinnedEstimates, enough_bits
from likely.likelihoods.categorical import CategoryCounts, Missing
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.gaussian import Gaussian, GaussianEstimates
from likely.likelihoods.linear_inputs import NumberInput, Spread
from likely.likelihoods.steps import ValueScores
from likely.tally import Arrays, Classes, Slots

# With more columns than this, sums of all their products take too long, and covariances too much.
MOST_TOGETHER = 64

# With more columns than this, their bins share a weight.
_MOST_APART = 32

# Columns are named one by one if that takes no more room than this.
_MOST_LISTED = 30

Kind = Literal["bins", "shared", "full"]
_NAMES: dict[Kind, str] = {"bins": "bins", "shared": "LDA", "full": "QDA"}


@dataclass(frozen=True)
class NumberView:
    """Some columns in bins, or all columns under a covariance that is shared or full."""

    kind: Kind
    columns: Columns
    m: float | None = None
    missing: Missing | None = None
    weight: float = 1.0

    def likelihood(self, bits: int) -> Binned | Gaussian:
        if self.kind == "bins":
            return Binned(self.m, bits=bits, missing=self.missing)
        return Gaussian(self.kind, m=float(len(self.columns)))


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """How many rows have each number, column by column, and the sums of products of columns."""

    bins: CategoryCounts
    moments: _kernel.Moments | None

    def plus(self, other: "NumberCounts") -> "NumberCounts":
        moments = self.moments and other.moments and self.moments.plus(other.moments)
        return NumberCounts(self.bins.plus(other.bins), moments)

    def minus(self, other: "NumberCounts") -> "NumberCounts":
        moments = self.moments and other.moments and self.moments.minus(other.moments)
        return NumberCounts(self.bins.minus(other.bins), moments)

    def reclassed(self, class_map: Slots, classes: int) -> "NumberCounts":
        moments = self.moments and self.moments.reclassed(class_map, classes)
        return NumberCounts(self.bins.reclassed(class_map, classes), moments)

    def check_rows(self, rows: NDArray[np.uint64], is_multilabel: bool) -> None:
        self.bins.check_rows(rows, is_multilabel)
        if self.moments is not None:
            self.moments.check_rows(rows, is_multilabel)

    def arrays(self) -> Arrays:
        moments = {} if self.moments is None else self.moments.arrays()
        parts = (("bins", self.bins.arrays()), ("moments", moments))
        return {f"{name}/{each}": array for name, part in parts for each, array in part.items()}


class _Part(NamedTuple):
    """A view as a likelihood of its own: what it reads and counts, and where its columns are."""

    view: NumberView
    likelihood: Binned | Gaussian
    statistic: Any
    places: list[int]

    def of(self, part: Numbers) -> Numbers:
        if len(self.places) == part.values.shape[1]:
            return part
        return Numbers(np.ascontiguousarray(part.values[:, self.places]))


@dataclass(frozen=True, eq=False)
class NumberWeights:
    """The estimates of each view, and how many rows of each class they are from."""

    parts: tuple[tuple[_Part, Any], ...]
    rows: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberEstimates:
    """What was estimated for the views that have a weight: of columns in bins, and of Gaussians."""

    bins: BinnedEstimates
    gaussians: dict[str, GaussianEstimates]
    """The means and covariances of all columns: LDA, QDA."""


class NumberViews(Likelihood[Numbers, NumberCounts, NumberWeights]):
    """All numeric columns in several views: each in bins, and all as Gaussians (LDA and QDA).

    Before tuning, only bins have a weight: plain Naive Bayes. `Classifier.tune` fits the weights of
    all views. Numbers are rounded to `bits` significant bits to be put into bins.
    """

    name = "number views"
    reads_numbers = True

    def __init__(self, *, bits: int = BITS):
        self.bits = Binned(bits=bits).bits
        self.views: tuple[NumberView, ...] | None = None

    @classmethod
    def of_numbers(cls, part: Numbers) -> "NumberViews":
        """Views that resolve numbers like these."""
        return cls(bits=enough_bits(part.values))

    @property
    def is_naive(self) -> bool:
        return False

    @property
    def is_joint(self) -> bool:
        return False

    def generative(self) -> AnyLikelihood:
        return Gaussian()

    def _views(self, columns: Columns) -> tuple[NumberView, ...]:
        """The views with a weight; before tuning, bins."""
        if self.views is not None:
            return self.views
        return tuple(NumberView(*kind) for kind in self._kinds(columns) if kind[0] == "bins")

    @staticmethod
    def _kinds(columns: Columns) -> list[tuple[Kind, Columns]]:
        """What may have a weight: columns in bins, and Gaussians of all columns."""
        groups = [(column,) for column in columns] if len(columns) <= _MOST_APART else [columns]
        found: list[tuple[Kind, Columns]] = [("bins", group) for group in groups]
        if len(columns) <= MOST_TOGETHER:
            found += [("shared", columns), ("full", columns)]
        return found

    def with_views(self, views: tuple[NumberView, ...]) -> "NumberViews":
        """The same numbers with these views."""
        other = copy(self)
        other.views = views
        return other

    def components(self) -> list[Component]:
        if self.views is None:
            return super().components()
        return [
            Component(
                _NAMES[view.kind],
                self.with_views((view,)),
                view.weight,
                columns=view.columns,
            )
            for view in self.views
        ]

    def silent(self, columns: Columns) -> tuple[str, ...]:
        weighted = {name for view in self._views(columns) for name in view.columns}
        return tuple(f"`{name}`" for name in columns if name not in weighted)

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        return {"kind": "number views", "bits": self.bits}

    def read(self, table: Table, columns: Columns) -> Numbers:
        return table.numbers(columns)

    @property
    def _binned(self) -> Binned:
        return Binned(bits=self.bits)

    @staticmethod
    def _gaussian(columns: int) -> Gaussian | None:
        return Gaussian("full") if columns <= MOST_TOGETHER else None

    def zero(self, columns: Columns, classes: int) -> NumberCounts:
        gaussian = self._gaussian(len(columns))
        moments = None if gaussian is None else gaussian.zero(columns, classes)
        return NumberCounts(self._binned.zero(columns, classes), moments)

    def observe(self, part: Numbers, labels: RowLabels, threads: int) -> NumberCounts:
        gaussian = self._gaussian(part.values.shape[1])
        moments = None if gaussian is None else gaussian.observe(part, labels, threads)
        return NumberCounts(self._binned.observe(part, labels, threads), moments)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> NumberCounts:
        parts: dict[str, Arrays] = {"bins": {}, "moments": {}}
        for name, array in arrays.items():
            place, _, what = name.partition("/")
            if place not in parts:
                raise ModelError("it has arrays that do not belong to a model")
            parts[place][what] = array
        given, gaussian = (rows, is_multilabel, columns), self._gaussian(len(columns))
        if gaussian is None and parts["moments"]:
            raise ModelError("it has arrays that do not belong to a model")
        moments = None if gaussian is None else gaussian.from_arrays(parts["moments"], *given)
        return NumberCounts(self._binned.from_arrays(parts["bins"], *given), moments)

    # Estimating and scoring

    def _parts(self, statistic: NumberCounts, columns: Columns) -> Iterator[_Part]:
        place = {name: at for at, name in enumerate(columns)}
        for view in self._views(columns):
            places = [place[name] for name in view.columns]
            if view.kind == "bins":
                own: Any = CategoryCounts(tuple(statistic.bins.columns[at] for at in places))
            else:
                own = statistic.moments
            yield _Part(view, view.likelihood(self.bits), own, places)

    def estimate(
        self, statistic: NumberCounts, classes: Classes, columns: Columns
    ) -> NumberWeights:
        parts = tuple(
            (part, part.likelihood.estimate(part.statistic, classes, part.view.columns))
            for part in self._parts(statistic, columns)
        )
        return NumberWeights(parts, classes.weights)

    def score(self, weights: NumberWeights, part: Numbers, threads: int) -> Scores:
        total = np.zeros((len(part), len(weights.rows)))
        for one, estimates in weights.parts:
            scores = one.likelihood.score(estimates, one.of(part), threads)
            total += one.view.weight * _kernel.doubted(scores, weights.rows)
        return total

    def leave_one_out(
        self,
        statistic: NumberCounts,
        classes: Classes,
        columns: Columns,
        part: Numbers,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        total = np.zeros((len(part), len(classes)))
        views = self._views(columns)
        terms = self.terms_left_out(statistic, classes, columns, part, truth, threads)
        for view, scores in zip(views, terms, strict=True):
            total += view.weight * scores
        return total

    # Tuning

    def chosen(
        self,
        statistic: NumberCounts,
        classes: Classes,
        columns: Columns,
        part: Numbers,
        truth: NDArray[np.uint32],
        judge: Judge,
        threads: int,
        **beside: Any,
    ) -> "NumberViews":
        """Every view of the numbers; bins with the m, and the way with gaps, that suit a column."""

        def doubtful(scores: list[Scores]) -> float:
            return judge([_kernel.doubted(each, classes.weights, truth) for each in scores])

        views = []
        plain = copy(self)
        plain.views = None
        for one in plain._parts(statistic, columns):
            assert isinstance(one.likelihood, Binned)
            best = one.likelihood.chosen(
                one.statistic, classes, one.view.columns, one.of(part), truth, doubtful, threads
            )
            views.append(replace(one.view, m=best.m, missing=best.missing))
        views += [NumberView(*kind) for kind in self._kinds(columns) if kind[0] != "bins"]
        return self.with_views(tuple(views))

    @property
    def plain_terms(self) -> tuple[bool, ...]:
        return (False,) * len(self.views or ())

    def n_terms(self, columns: Columns) -> int:
        return len(self._kinds(columns))

    def terms_left_out(
        self,
        statistic: NumberCounts,
        classes: Classes,
        columns: Columns,
        part: Numbers,
        truth: NDArray[np.uint32],
        threads: int,
        **beside: Any,
    ) -> list[Scores]:
        return [
            _kernel.doubted(
                one.likelihood.leave_one_out(
                    one.statistic, classes, one.view.columns, one.of(part), truth, threads
                ),
                classes.weights,
                truth,
            )
            for one in self._parts(statistic, columns)
        ]

    def weighted(self, weights: Sequence[float]) -> tuple[AnyLikelihood, float | None]:
        both = zip(self.views or (), weights, strict=True)
        views = tuple(replace(view, weight=weight) for view, weight in both if weight)
        return self.with_views(views), None if views else 0.0

    def tuned_as(self, other: AnyLikelihood) -> "NumberViews":
        assert isinstance(other, NumberViews)
        return self if other.views is None else self.with_views(other.views)

    def tuned_to_json(self) -> dict[str, Any]:
        return {"views": [list(astuple(view)) for view in self.views or ()]}

    def tuned_from_json(self, stored: dict[str, Any], columns: Columns) -> "NumberViews":
        views = tuple(_view(*one) for one in stored["views"])
        kinds = [(view.kind, view.columns) for view in views]
        if len(set(kinds)) < len(kinds) or not set(kinds) <= set(self._kinds(columns)):
            raise ModelError("the model has a view of numbers that is not known here, or one twice")
        return self.with_views(views)

    def linear_inputs(self, columns: Columns) -> list[NumberInput[Numbers, NumberCounts]]:
        def of_views(
            one: NumberInput[Numbers, CategoryCounts],
        ) -> NumberInput[Numbers, NumberCounts]:
            def spread(statistic: NumberCounts, classes: Classes) -> Spread:
                return one.spread(statistic.bins, classes)

            return NumberInput(one.columns, one.cells, spread, one.name)

        return [of_views(one) for one in self._binned.linear_inputs(columns)]

    # Inspection

    def contributions(self, weights: NumberWeights, part: Numbers) -> list[Contribution]:
        found = []
        for one, estimates in weights.parts:
            own = one.of(part)
            (scores,) = _kernel.doubted(one.likelihood.score(estimates, own, 1), weights.rows)
            shown = one.likelihood.contributions(estimates, own)
            if not shown:
                continue
            if len(shown) > 1:
                name = f"{len(shown)} numbers in bins"
            else:
                name = shown[0].name if one.view.kind == "bins" else _together(one.view)
            scores = one.view.weight * scores
            found.append(Contribution(name, "numeric", 1, scores, one.view.columns))
        return found

    def sample(
        self, statistic: NumberCounts, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        """Before tuning, numbers are drawn from the bins, the only views that have a weight."""
        if self.views is not None:
            return super().sample(statistic, classes, columns, asked)
        return self._binned.sample(statistic.bins, classes, columns, asked)

    def parameters(self, statistic: NumberCounts, n_classes: int) -> tuple[int, int]:
        bins = self._binned.parameters(statistic.bins, n_classes)
        kinds = {view.kind for view in self.views or ()}
        total = np.array(bins)
        for kind in kinds - {"bins"}:
            total += Gaussian(kind).parameters(statistic.moments, n_classes)  # type: ignore[arg-type]
        return int(total[0]), int(total[1])

    def strongest(
        self, statistic: NumberCounts, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        return self._binned.strongest(statistic.bins, classes, columns, n)

    def value_scores(
        self, statistic: NumberCounts, classes: Classes, columns: Columns, column: str
    ) -> ValueScores:
        """What the bins of a column say, under doubt and times their weight."""
        parts = [one for one in self._parts(statistic, columns) if column in one.view.columns]
        beside = tuple(_NAMES[one.view.kind] for one in parts if one.view.kind != "bins")
        bins = next((one for one in parts if one.view.kind == "bins"), None)
        if bins is None:
            silent = self._binned.value_scores(statistic.bins, classes, columns, column)
            nothing = np.zeros_like(silent.scores)
            return replace(silent, scores=nothing, weight=0.0, beside=beside)
        weight = bins.view.weight
        told = bins.likelihood.value_scores(bins.statistic, classes, bins.view.columns, column)
        assert told is not None
        missing = told.missing
        if missing is not None:
            (gone,) = _kernel.doubted(missing[0][None], classes.weights)
            missing = weight * gone, missing[1]
        return replace(
            told,
            scores=weight * _kernel.doubted(told.scores, classes.weights),
            missing=missing,
            weight=weight,
            beside=beside,
        )

    def estimates(self, weights: NumberWeights) -> NumberEstimates:
        values: dict[str, NDArray[np.float64]] = {}
        probabilities: dict[str, NDArray[np.float64]] = {}
        gaussians = {}
        for one, own in weights.parts:
            if isinstance(one.likelihood, Gaussian):
                gaussians[_NAMES[one.view.kind]] = one.likelihood.estimates(own)
            else:
                bins = one.likelihood.estimates(own)
                values |= bins.values
                probabilities |= bins.probabilities
        return NumberEstimates(BinnedEstimates(values, probabilities), gaussians)

    def notes(self, weights: NumberWeights, classes: Classes, columns: Columns) -> list[str]:
        for one, estimates in weights.parts:
            if one.view.kind == "bins":
                continue
            complete = round(estimates.kernel.counts[:, 0].sum() / classes.per_row)
            if complete < (rows := weights.rows.sum()):
                return [
                    f"{complete:,} of {rows:,.0f} rows have a number in each of "
                    f"{named(columns)}; the others are left out of the covariances"
                ]
        return []

    # Storage and repr

    @property
    def settings(self) -> dict[str, Any]:
        return {"likelihood": self.name}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            return cls(bits=schema["bits"])
        except (KeyError, TypeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        return f"NumberViews({arguments(('bits', self.bits, BITS))})"


def _together(view: NumberView) -> str:
    """The columns of a view; where they are many, how many."""
    listed = ", ".join(view.columns)
    if len(listed) > _MOST_LISTED:
        listed = f"{len(view.columns)} numbers"
    return f"{listed} together ({_NAMES[view.kind]})"


def _view(kind: Any, columns: Any, m: Any, missing: Any, weight: Any) -> NumberView:
    """A view from its stored form; one that makes no sense is refused."""
    if kind not in _NAMES:
        raise ModelError(f"the model has a view of numbers called {kind!r}")
    if (kind == "bins") != (m is not None) or (missing is not None and kind != "bins"):
        raise ModelError("a view of numbers has smoothing that it has no use for")
    view = NumberView(kind, tuple(columns), m, missing, amount("weight", weight))
    if not view.weight:
        raise ModelError("a view of numbers has no weight")
    view.likelihood(BITS)
    return view
