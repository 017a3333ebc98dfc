"""Numeric columns: three Gaussian likelihoods of the same exact sums.

The tally keeps, per class and column, how many numbers there were, their sum and the sum of their
squares; where columns are taken together, also the sums of the products of all pairs.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import LabelSets, RowLabels, lengths_of
from likely.data.labels import Shares
from likely.data.table import Numbers, Table, named
from likely.errors import ModelError, OptionError, SingularError
from likely.likelihoods.base import (
    Columns,
    Draw,
    Likelihood,
    LinearPart,
    Scores,
    amount,
    arguments,
    not_linear,
)
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.linear_inputs import NumberInput, Spread
from likely.likelihoods.steps import MOST_STEPS, ValueScores, round_edges
from likely.numbers import is_number
from likely.tally import Arrays, Classes

_FLOOR = 1e-9
# What is added to variances in a mixture, as scikit-learn's `GaussianMixture` does.
_REG_COVAR = 1e-6
# A class to which variances are added that make up so large a share of its own has no spread.
_MOST_LENT = 0.5
# A correlation that leaves less than this to a column leaves nothing.
_NO_SPREAD = 1e-12
Covariance = Literal["diagonal", "shared", "full"]
_NAMES: dict[Covariance, str] = {"diagonal": "gaussian", "shared": "lda", "full": "qda"}


@dataclass(frozen=True, eq=False)
class GaussianEstimates:
    """Means and spreads, a row per class; correlations where columns are taken together.

    `correlations` is one matrix if the classes share it, and one for each if they do not.
    `shrinkage` says how far each was drawn to independence, `borrowed` which classes had too few
    rows for one of their own and took what all classes share.
    """

    columns: Columns
    means: NDArray[np.float64]
    deviations: NDArray[np.float64]
    correlations: NDArray[np.float64] | None
    shrinkage: tuple[float, ...]
    borrowed: tuple[bool, ...]

    @property
    def covariances(self) -> NDArray[np.float64]:
        """A matrix per class: correlations times deviations."""
        n = len(self.columns)
        correlations = np.eye(n)[None] if self.correlations is None else self.correlations
        with np.errstate(over="ignore", invalid="ignore"):
            spread = self.deviations[:, :, None] * self.deviations[:, None, :]
            return np.asarray(correlations * spread)


@dataclass(frozen=True, eq=False)
class GaussianWeights:
    columns: Columns
    kernel: _kernel.GaussianWeights


class Gaussian(Likelihood[Numbers, _kernel.Moments, GaussianWeights]):
    """A Gaussian per class: independent columns, or a covariance matrix over all of them.

        diagonal   log P(x | c) = − ½ Σ_j [ log 2πσ²_cj + (x_j − μ_cj)² / σ²_cj ]     Gaussian NB
        shared     log P(x | c) = − ½ [ log |2πΣ| + (x − μ_c)ᵀ Σ⁻¹ (x − μ_c) ]          LDA
        full       the same with a Σ_c for each class                                   QDA

    σ² divides by n, Σ by n − K, Σ_c by n_c − 1. To each σ² is added `floor` times the largest
    variance of a column, so that a constant column does no harm. A singular covariance (collinear
    columns, or too few rows) is shrunk as far as necessary, or always by `shrinkage`, a number from
    0 to 1; `info` reports it. With an equivalent sample size `m`, covariances are estimated as if
    there were `m` more rows, whose columns are independent: Σ = (S + m·V) / (dof + m), where V has
    the variances within the classes. To each variance, that of its column in all rows times
    `reg_covar` is added: 0, or in a mixture 1e-6. A missing number is marginalized; a row with one
    is left out of a covariance, but its other columns count in a diagonal. If the standard
    `deviation` is known, one for all columns or one by column name, only means are estimated.
    """

    reads_numbers = True

    def __init__(
        self,
        covariance: Covariance = "diagonal",
        *,
        floor: float = _FLOOR,
        shrinkage: float | Literal["auto"] = "auto",
        m: float = 0.0,
        reg_covar: float = 0.0,
        deviation: float | Mapping[str, float] | None = None,
    ):
        if not isinstance(covariance, str) or covariance not in _NAMES:
            raise OptionError(f'`covariance` is "diagonal", "shared" or "full", not {covariance!r}')
        if not _is_share(floor):
            raise OptionError(f"`floor` is a number from 0 to 1, not {floor!r}")
        automatic = isinstance(shrinkage, str) and shrinkage == "auto"
        if not automatic and not _is_share(shrinkage):
            raise OptionError(f'`shrinkage` is "auto" or a number from 0 to 1, not {shrinkage!r}')
        if covariance == "diagonal" and not automatic:
            raise OptionError("a diagonal covariance has nothing to shrink; `floor` is its guard")
        self.m = amount("m", m)
        if self.m and (covariance == "diagonal" or not automatic):
            raise OptionError(
                "`m` takes the place of `shrinkage`, where columns share a covariance"
            )
        if not _is_share(reg_covar):
            raise OptionError(f"`reg_covar` is a number from 0 to 1, not {reg_covar!r}")
        if reg_covar and (self.m or not automatic or deviation is not None):
            raise OptionError("`reg_covar` takes the place of `shrinkage`, `m` and `deviation`")
        if deviation is not None and covariance != "diagonal":
            raise OptionError("a known `deviation` is for a diagonal covariance")
        self.covariance = covariance
        self.floor, self.reg_covar = float(floor), float(reg_covar)
        self.shrinkage: float | Literal["auto"] = "auto" if automatic else float(shrinkage)
        self.deviation = _deviations(deviation)

    @property
    def is_naive(self) -> bool:
        return not self._together

    def in_mixture(self) -> Self:
        is_said = self.reg_covar or self.m or self.shrinkage != "auto" or self.floor != _FLOOR
        if is_said or self.deviation is not None or not self.reads_numbers:
            return self
        other = copy(self)
        other.reg_covar = _REG_COVAR
        return other

    @property
    def _together(self) -> bool:
        """Whether products of columns are counted too."""
        return self.covariance != "diagonal"

    @property
    def name(self) -> str:
        return _NAMES[self.covariance]

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        return {"kind": "numbers", "together": self._together}

    def read(self, table: Table, columns: Columns) -> Numbers:
        return table.numbers(columns)

    def zero(self, columns: Columns, classes: int) -> _kernel.Moments:
        return _kernel.Moments.zero(len(columns), self._together, classes)

    def observe(self, part: Numbers, labels: RowLabels, threads: int) -> _kernel.Moments:
        if isinstance(labels, Shares):
            blocks = part.blocks(together=self._together)
            return blocks.observe(part.values, labels.slots, threads)
        n_slots, values = len(labels.values), part.values
        if isinstance(labels, LabelSets):
            # Each row counts under each of its labels.
            values = np.ascontiguousarray(np.repeat(values, lengths_of(labels.slots), axis=0))
        slots = labels.slots[1] if isinstance(labels, LabelSets) else labels.slots
        return _kernel.Moments.observe(self._together, values, slots, n_slots, threads)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> _kernel.Moments:
        return _kernel.Moments.from_arrays(len(columns), self._together, rows, arrays)

    # Estimating and scoring

    def _view(self, columns: Columns, classes: Classes) -> Any:
        shrinkage, m = (
            None if self.shrinkage == "auto" else self.shrinkage,
            self.m * classes.per_row,
        )
        known = self.known_variances(columns)
        return self.covariance, self.floor, shrinkage, m, self.reg_covar, known

    def known_variances(self, columns: Columns) -> list[float] | None:
        """The variances of the columns, if they are known."""
        if self.deviation is None:
            return None
        if isinstance(self.deviation, float):
            return [self.deviation**2] * len(columns)
        wrong = set(columns) ^ set(self.deviation)
        if wrong:
            name = min(wrong)
            raise OptionError(
                f"`deviation` says nothing of `{name}`"
                if name in columns
                else f"`deviation` names `{name}`, which is not one of the columns"
            )
        return [self.deviation[name] ** 2 for name in columns]

    def estimate(
        self, statistic: _kernel.Moments, classes: Classes, columns: Columns
    ) -> GaussianWeights:
        try:
            return GaussianWeights(
                columns, statistic.estimate(self._view(columns, classes), classes.slots)
            )
        except SingularError as error:
            raise self._without_spread(str(error), classes, columns) from None

    def _without_spread(self, place: str, classes: Classes, columns: Columns) -> SingularError:
        listed = named(columns)
        who = f"`{classes.labels[int(place)]}`" if place else "the classes"
        lent, default = ("floor", "1e-9") if self.floor == 0 else ("shrinkage", '"auto"')
        return SingularError(
            f"the rows of {who} have no spread of their own in some direction of {listed}, "
            f"and `{lent}=0` lends them none\nhint: `{lent}={default}` does"
        )

    def score(self, weights: GaussianWeights, part: Numbers, threads: int) -> Scores:
        return weights.kernel.score(part.values, threads)

    def smoothing(
        self, weights: GaussianWeights, classes: Classes, columns: Columns
    ) -> tuple[float, Scores | float]:
        # S/n + D is the best covariance of rows that each lose ½ tr Σ⁻¹D.
        return 0.0, -0.5 * weights.kernel.lent

    def is_singular(self, weights: GaussianWeights) -> bool:
        kernel = weights.kernel
        has_rows = kernel.counts.sum(axis=1) > 0
        is_shrunk = self.shrinkage == "auto" and any(kernel.shrinkage)
        return is_shrunk or any(kernel.borrowed) or bool((kernel.lent[has_rows] > _MOST_LENT).any())

    def leave_one_out(
        self,
        statistic: _kernel.Moments,
        classes: Classes,
        columns: Columns,
        part: Numbers,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        try:
            return statistic.leave_one_out(
                self._view(columns, classes),
                classes.slots,
                part.values,
                truth,
                classes.per_row,
                threads,
            )
        except SingularError as error:
            raise self._without_spread(str(error), classes, columns) from None

    def linear_inputs(self, columns: Columns) -> list[NumberInput[Numbers, _kernel.Moments]]:
        def one(place: int, name: str) -> NumberInput[Numbers, _kernel.Moments]:
            def spread(statistic: _kernel.Moments, classes: Classes) -> Spread:
                found = self.estimate(statistic, classes, columns).kernel
                rows = found.counts[:, place].astype(np.float64)
                return Spread.of_moments(rows, found.means[:, place], found.deviations[:, place])

            return NumberInput((name,), lambda part: part.values[:, place], spread, name)

        return [one(place, name) for place, name in enumerate(columns)]

    def contributions(self, weights: GaussianWeights, part: Numbers) -> list[Contribution]:
        row = part.values[0]
        said = [
            f"{name}={value:.12g}"
            for name, value in zip(weights.columns, row, strict=True)
            if not np.isnan(value)
        ]
        scores = [np.array(scores) for scores in weights.kernel.contributions(part.values)]
        if not self._together:
            there = np.flatnonzero(~np.isnan(row))
            return [
                Contribution(name, "numeric", 1, scores[place], (weights.columns[place],))
                for name, place in zip(said, there, strict=True)
            ]
        whole = Contribution(", ".join(said), "numbers", 1, scores[0], weights.columns)
        return [whole] if said else []

    def sample(
        self, statistic: _kernel.Moments, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        """Numbers drawn from the Gaussian of the class: μ + σ·Lz, where L Lᵀ are correlations."""
        # The polarity of a text is not a value of its column.
        if not self.reads_numbers:
            return super().sample(statistic, classes, columns, asked)
        found = self.estimates(self.estimate(statistic, classes, columns))
        means, deviations = found.means[asked.place], found.deviations[asked.place]
        z = asked.random.standard_normal((len(columns), asked.rows))
        if found.correlations is not None:
            several = len(found.correlations) > 1
            root = _root(found.correlations[asked.place if several else 0])
            z = np.array([_sum_of_products(row, z) for row in root])
        drawn = dict(zip(columns, means[:, None] + deviations[:, None] * z, strict=True))
        return {
            name: [None] * asked.rows if np.isnan(values).any() else values.tolist()
            for name, values in drawn.items()
        }

    def parameters(self, statistic: _kernel.Moments, n_classes: int) -> tuple[int, int]:
        columns = statistic.columns
        triangle = columns * (columns + 1) // 2
        spread = {"diagonal": columns * n_classes, "shared": triangle, "full": triangle * n_classes}
        means = columns * n_classes
        return means + spread[self.covariance], means + self._free(spread[self.covariance])

    def _free(self, spread: int) -> int:
        """How many of the variance parameters are estimated rather than given."""
        return 0 if self.deviation is not None else spread

    def linear(
        self, statistic: _kernel.Moments, classes: Classes, columns: Columns
    ) -> LinearPart[Numbers]:
        if self.covariance != "shared":
            raise not_linear(f"`{self!r}` is not linear: its log-odds are quadratic in the numbers")
        found = self.estimates(self.estimate(statistic, classes, columns))
        # Σ⁻¹ μ, by way of the correlations; a column that never varies has no weight.
        deviations, correlations = found.deviations[0], found.correlations
        assert correlations is not None
        per_deviation = np.divide(
            1, deviations, where=deviations > 0, out=np.zeros_like(deviations)
        )
        inverse = np.linalg.inv(correlations[0]) * per_deviation[:, None] * per_deviation
        weights = inverse @ found.means.T
        intercepts = -0.5 * np.einsum("cj,jc->c", found.means, weights)
        return LinearPart(list(columns), weights, intercepts, lambda part: part.values)

    # Inspection

    def check(self, statistic: _kernel.Moments, classes: Classes, columns: Columns) -> None:
        self.estimate(statistic, classes, columns)

    def estimates(self, weights: GaussianWeights) -> GaussianEstimates:
        kernel, n = weights.kernel, len(weights.columns)
        correlations = None if self.is_naive else kernel.correlations.reshape(-1, n, n)
        return GaussianEstimates(
            weights.columns,
            kernel.means,
            kernel.deviations,
            correlations,
            tuple(kernel.shrinkage),
            tuple(kernel.borrowed),
        )

    def value_scores(
        self, statistic: _kernel.Moments, classes: Classes, columns: Columns, column: str
    ) -> ValueScores | None:
        """Equal parts of the line, about three deviations to both sides of the means.

        The variance of log P(x | c), by the delta method, is z²/n + (z² − 1)²/2n, where z is the
        distance from the mean in deviations and n the number of rows; without the second term if
        the deviation is known.
        """
        # The polarity of a text is not a value of its column.
        if self._together or not self.reads_numbers:
            return None
        place, weights = columns.index(column), self.estimate(statistic, classes, columns)
        means, deviations = weights.kernel.means[:, place], weights.kernel.deviations[:, place]
        rows = weights.kernel.counts[:, place] / classes.per_row
        is_known = np.isfinite(means) & np.isfinite(deviations) & (rows > 0)
        if not is_known.any():
            return ValueScores(np.zeros((0, len(rows))), np.zeros((0, len(rows))))
        near, reach = means[is_known], 3 * deviations[is_known]
        ends = round_edges(float((near - reach).min()), float((near + reach).max()), MOST_STEPS)
        middles = np.full((len(ends) - 1, len(columns)), np.nan)
        middles[:, place] = (ends[:-1] + ends[1:]) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (middles[:, place, None] - means) / deviations
            spread = 0.0 if self.deviation is not None else (z**2 - 1) ** 2 / 2
            variances = np.where(is_known, (z**2 + spread) / rows, np.inf)
            below = [
                [NormalDist(mean, sd).cdf(end) if sd > 0 else end > mean for end in ends]
                for mean, sd in zip(np.nan_to_num(means), np.nan_to_num(deviations), strict=True)
            ]
        return ValueScores(
            self.score(weights, Numbers(middles), 1),
            np.diff(np.array(below, dtype=np.float64), axis=1).T * rows,
            ranges=np.column_stack([ends[:-1], ends[1:]]),
            variances=variances,
        )

    def notes(self, weights: GaussianWeights, classes: Classes, columns: Columns) -> list[str]:
        kernel = weights.kernel
        listed = named(columns)
        unseen = [name for name, n in zip(columns, kernel.counts.sum(axis=0), strict=True) if not n]
        if unseen and self._together:
            return [f"every row has a gap in {listed}; they say nothing"]
        notes = [f"no row has a number in `{name}`; it says nothing" for name in unseen]
        whose = (
            ["all classes"] if len(kernel.shrinkage) == 1 else [f"`{c}`" for c in classes.labels]
        )
        found = zip(whose, kernel.shrinkage, kernel.borrowed, strict=False)
        for place, (who, shrunk, borrowed) in enumerate(found):
            if borrowed:
                rows = round(kernel.counts[place].max() / classes.per_row)
                why = "too few rows for" if rows <= 1 else f"{rows:,} rows, all alike, and not"
                notes.append(
                    f"{who} has {why} a covariance of {listed} of its own; "
                    "it takes the one that all classes share"
                )
            elif shrunk and self.shrinkage == "auto":
                notes.append(
                    f"the covariance of {listed} of {who} is singular; "
                    f"it was shrunk by {shrunk:.3g}"
                )
            elif shrunk:
                notes.append(f"the covariance of {listed} of {who} was shrunk by {shrunk:.3g}")
        return notes

    # Storage and repr

    @property
    def settings(self) -> dict[str, Any]:
        known: dict[str, Any] = {} if self.deviation is None else {"deviation": self.deviation}
        if self.m:
            known["m"] = self.m
        if self.reg_covar:
            known["reg_covar"] = self.reg_covar
        return {"likelihood": self.name, "floor": self.floor, "shrinkage": self.shrinkage, **known}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        covariance = next(c for c, name in _NAMES.items() if name == settings["likelihood"])
        try:
            options = {n: value for n, value in settings.items() if n != "likelihood"}
            gaussian = cls(covariance, **options)
        except (KeyError, TypeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error
        if gaussian.schema["together"] is not schema.get("together"):
            raise ModelError("the model's sums are not those its likelihood needs")
        return gaussian

    def __repr__(self) -> str:
        shown = arguments(
            ("covariance", self.covariance, "diagonal"),
            ("floor", self.floor, _FLOOR),
            ("shrinkage", self.shrinkage, "auto"),
            ("m", self.m, 0.0),
            ("reg_covar", self.reg_covar, 0.0),
            ("deviation", self.deviation, None),
        )
        return f"Gaussian({shown})"


def _root(correlations: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Cholesky root L of correlations, L Lᵀ; in a direction without spread it is zero.

    Written out, as no two linear algebra libraries agree to the last bit.
    """
    left, root = correlations.copy(), np.zeros_like(correlations)
    for place in range(len(left)):
        pivot = left[place, place]
        if pivot > _NO_SPREAD:
            root[place:, place] = left[place:, place] / np.sqrt(pivot)
            left -= root[:, place, None] * root[:, place]
    return root


def _sum_of_products(
    factors: NDArray[np.float64], rows: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A weighted sum of rows, in their order, so that it has the same bits everywhere."""
    total = np.zeros(rows.shape[1])
    for factor, row in zip(factors, rows, strict=True):
        total = total + factor * row
    return total


def _deviations(given: Any) -> float | dict[str, float] | None:
    """A standard deviation, or one per column, as plain numbers."""
    if given is None:
        return None
    if isinstance(given, Mapping) and given:
        found = {str(name): _deviations(each) for name, each in given.items()}
        return {name: each for name, each in found.items() if isinstance(each, float)}
    plain = is_number(given)
    if not plain or not 1e-100 <= given <= 1e100:
        raise OptionError(f"a standard deviation is a number from 1e-100 to 1e100, not {given!r}")
    return float(given)


def _is_share(given: Any) -> bool:
    """Whether something is a plain number from 0 to 1."""
    plain = is_number(given)
    return plain and bool(0 <= given <= 1)
