"""Categorical columns: how often each value was seen in each class."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.cells import spelled
from likely.data.label_sets import RowLabels
from likely.data.table import Categories, Table
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import (
    AnyLikelihood,
    Columns,
    Draw,
    Judge,
    Likelihood,
    LinearPart,
    Scores,
    TopFeature,
    Unseen,
    amount,
    arguments,
    best_by,
)
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.counted import CountedFactor, Share, exact, is_certain, m_share
from likely.likelihoods.linear_inputs import CategoryInput
from likely.likelihoods.steps import ValueScores
from likely.numbers import is_number
from likely.tally import Arrays, Classes, Slots
from likely.tally.container import of_places

Array = NDArray[np.float64]
Missing = Literal["skip", "value"]
"""What a missing cell is: left out, or one more value."""

# Given probabilities are shown if they take no more room than this.
_LONG = 40

# To the kernel, a category is a text that is read whole.
WHOLE = _kernel.Reading()


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """Counts of the values of several columns, each column by itself."""

    columns: tuple[_kernel.TextCounts, ...]

    @classmethod
    def zero(cls, columns: int, classes: int) -> "CategoryCounts":
        return cls((_kernel.TextCounts.zero(WHOLE, classes),) * columns)

    @classmethod
    def observe(
        cls, columns: tuple[_kernel.Texts, ...], labels: RowLabels, threads: int
    ) -> "CategoryCounts":
        slots, n_slots, observe = labels.slots, len(labels.values), _kernel.TextCounts.observe
        return cls(tuple(observe(WHOLE, one, slots, n_slots, threads) for one in columns))

    @classmethod
    def from_arrays(
        cls, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: int
    ) -> "CategoryCounts":
        found = of_places(arrays, columns)
        restored = _kernel.TextCounts.from_arrays
        counts = cls(tuple(restored(WHOLE, rows, is_multilabel, part) for part in found))
        for column in counts.columns:
            _, _, times, documents = column.cells()
            if (times != documents).any():
                raise ModelError("a row has a category twice")
        counts.check_rows(rows, is_multilabel)
        return counts

    def plus(self, other: "CategoryCounts") -> "CategoryCounts":
        both = zip(self.columns, other.columns, strict=True)
        return CategoryCounts(tuple(ours.plus(theirs) for ours, theirs in both))

    def minus(self, other: "CategoryCounts") -> "CategoryCounts":
        both = zip(self.columns, other.columns, strict=True)
        return CategoryCounts(tuple(ours.minus(theirs) for ours, theirs in both))

    def reclassed(self, class_map: Slots, classes: int) -> "CategoryCounts":
        return CategoryCounts(tuple(one.reclassed(class_map, classes) for one in self.columns))

    def check_rows(self, rows: NDArray[np.uint64], is_multilabel: bool) -> None:
        for column in self.columns:
            column.check_rows(rows, is_multilabel)

    def arrays(self) -> Arrays:
        return {
            f"{place}/{name}": array
            for place, column in enumerate(self.columns)
            for name, array in column.arrays().items()
        }


def counts_of(column: _kernel.TextCounts, classes: Classes) -> Array:
    """How many rows have each value: a row per value, in their order, and a column per class."""
    cells, of, times, _ = column.cells()
    counts = np.zeros((len(cells), len(classes)))
    value = np.repeat(np.arange(len(cells)), cells)
    counts[value, np.flatnonzero(classes.rows)[of]] = times / classes.per_row
    return counts


def m_estimate(counts: Array, totals: Array, m: float, p: Array) -> Array:
    """(n_c + m·p) / (n + m), and p itself where nothing was counted."""
    with np.errstate(invalid="ignore"):
        theta = (counts + m * p) / (totals + m)
    return np.where(totals + m > 0, theta, p)


def presence(there: Array, rows: Array, m: float, own: Any = None) -> tuple[Array, Array]:
    """log P(a cell is there | class), and that it is missing; without a row of class `own`.

    Both are m-estimates, drawn to the share of all classes. Where no row lacks a cell, or all do,
    they say nothing.
    """
    if own is not None:
        one = np.eye(len(rows))[own.astype(np.intp)]
        # A row has its cell or lacks it, so it is left out of one of the two.
        return _log_share(there - one, rows - one, m), _log_share(rows - there - one, rows - one, m)
    return _log_share(there, rows, m), _log_share(rows - there, rows, m)


def said_by_presence(is_missing: NDArray[np.bool_], presence: tuple[Array, Array]) -> Array:
    """What it says of each row that its cell is there, or missing."""
    return np.where(is_missing[:, None], presence[1], presence[0])


def with_gaps(
    cells: list[Any], of_cell: tuple[Array, Array], missing: Missing | None, asked: Draw
) -> list[Any]:
    """Cells that were drawn; where a missing cell is a value, some are missing.

    Of a column without any value, all are.
    """
    if not cells:
        return [None] * asked.rows
    if missing != "value":
        return cells
    is_there = asked.random.random(asked.rows) < np.exp(of_cell[0][asked.place])
    return [cell if there else None for cell, there in zip(cells, is_there, strict=True)]


def _log_share(part: Array, whole: Array, m: float) -> Array:
    """log (n_c + m·p) / (n + m), where p is the share of all classes; nothing where it is zero."""
    part, whole = np.maximum(part, 0.0), np.maximum(whole, 0.0)
    total = whole.sum(axis=-1, keepdims=True)
    p = np.divide(
        part.sum(axis=-1, keepdims=True), total, where=total > 0, out=np.zeros_like(total)
    )
    with np.errstate(divide="ignore"):
        return np.where(p > 0, np.log(m_estimate(part, whole, m, p)), 0.0)


def smoothing_log_prior(log_theta: Array, counts: Array | float) -> float:
    """The log-likelihood of virtual examples, so many of each value."""
    with np.errstate(invalid="ignore"):
        return float(np.where(counts > 0, counts * log_theta, 0.0).sum())


def unseen(
    columns: Columns, codes: Sequence[_kernel.Codes], part: Categories, threads: int
) -> dict[str, Unseen]:
    """Of each column, which rows have a value never seen in training."""
    found = {}
    for name, known, texts in zip(columns, codes, part.columns, strict=True):
        seen = known.of(texts, threads) >= 0
        found[name] = Unseen(seen, ~seen & ~texts.empty())
    return found


@dataclass(frozen=True, eq=False)
class CategoricalEstimates:
    """P(value | class) of each column: the values, and a row of probabilities for each."""

    values: dict[str, tuple[str, ...]]
    probabilities: dict[str, Array]


@dataclass(frozen=True, eq=False)
class CategoricalWeights:
    """Of each column, or whatever is counted, the values and log P(value | class)."""

    columns: Columns
    codes: tuple[_kernel.Codes, ...]
    # A row of logarithms per value, and a last one of zeros, for missing and unseen values.
    tables: tuple[Array, ...]
    presence: tuple[tuple[Array, Array], ...]
    virtual: tuple[Array, ...]
    """How many virtual examples there are of each value."""


class Categorical(Likelihood[Categories, CategoryCounts, CategoricalWeights]):
    """Each class is a spinning wheel per column; a row is one spin of each.

        log P(x | c) = Σ_j log P(x_j | c)        P(v | c) = (n_cv + m·p_v) / (n_c + m)

    The m-estimate with equivalent sample size `m`: `m` virtual examples, distributed over the
    values by the prior `p`, uniform unless given. `p` is a probability per value, or for several
    columns a dictionary of those by column; or `"pooled"`, the share of a value in all classes
    together, so that few rows say little. With `alpha` in place of `m`, smoothing is additive:
    `alpha` virtual examples of each value (Laplace's rule for 1). A value that was never seen in
    training is ignored. One that is missing is left out (`missing="skip"`) or taken for one more
    value ("value"); if that is not given, tuning chooses, and without it missing cells are left
    out.
    """

    name = "categorical"

    @property
    def is_naive(self) -> bool:
        # Probabilities of values are those of one column.
        p = self.p
        return not isinstance(p, dict) or any(isinstance(value, Mapping) for value in p.values())

    def __init__(
        self,
        m: float = 1.0,
        *,
        alpha: float | None = None,
        p: Mapping[str, Any] | Literal["pooled"] | None = None,
        missing: Missing | None = None,
    ):
        self.missing = checked_missing(missing)
        self.m = amount("m", m)
        self.alpha = None if alpha is None else amount("alpha", alpha)
        if alpha is not None and (p is not None or m != 1.0):
            raise OptionError("`alpha` takes the place of `m` and `p`; give one or the other")
        is_pooled = isinstance(p, str) and p == "pooled"
        self.p: dict[str, Any] | str | None = (
            "pooled" if is_pooled else None if p is None else _checked(p)
        )

    def generative(self) -> AnyLikelihood:
        # In EM, missing cells are unknown, not values.
        return self._with_missing(None)

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        return {"kind": "categories"}

    def read(self, table: Table, columns: Columns) -> Categories:
        return table.categories(columns)

    def zero(self, columns: Columns, classes: int) -> CategoryCounts:
        return CategoryCounts.zero(len(self.counted(columns)), classes)

    def observe(self, part: Categories, labels: RowLabels, threads: int) -> CategoryCounts:
        return CategoryCounts.observe(part.columns, labels, threads)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> CategoryCounts:
        return CategoryCounts.from_arrays(arrays, rows, is_multilabel, len(self.counted(columns)))

    # Estimating and scoring

    def estimate(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns
    ) -> CategoricalWeights:
        codes = tuple(column.codes() for column in statistic.columns)
        columns = self.counted(columns)
        tables, virtual = [], []
        for name, known, column in zip(columns, codes, statistic.columns, strict=True):
            counts = counts_of(column, classes)
            m, p = self._virtual_examples(known.names, counts, name, columns)
            theta = m_estimate(counts, counts.sum(axis=0), m, p[:, None])
            with np.errstate(divide="ignore"):
                tables.append(np.vstack([np.log(theta), np.zeros(len(classes))]))
            virtual.append(m * p)
        of_cells = tuple(self._presence(column, classes) for column in statistic.columns)
        return CategoricalWeights(columns, codes, tuple(tables), of_cells, tuple(virtual))

    def _presence(
        self, column: _kernel.TextCounts, classes: Classes, own: Any = None
    ) -> tuple[Array, Array]:
        there = counts_of(column, classes).sum(axis=0)
        return presence(there, classes.weights, self.m, own)

    def _virtual_examples(
        self, values: list[str], counts: Array, column: str, columns: Columns
    ) -> tuple[float, Array]:
        """The equivalent sample size and the prior probability of each value."""
        uniform = np.full(len(values), 1 / max(len(values), 1))
        if self.alpha is not None:
            return self.alpha * len(values), uniform
        if isinstance(self.p, str):
            rows = counts.sum(axis=1)
            return self.m, rows / (rows.sum() or 1.0)
        given = self.p
        if given is not None and self.is_naive:
            strangers = [name for name in given if name not in columns]
            if strangers:
                raise OptionError(f"`p` names `{strangers[0]}`, which is not one of the columns")
            given = given.get(column)
        elif given is not None and len(columns) > 1:
            raise OptionError(
                "`p` has probabilities of values, but there are several columns\n"
                f"hint: `p={{{columns[0]!r}: {{…}}}}` gives them for one"
            )
        if given is None:
            return self.m, uniform
        missing = [value for value in values if value not in given]
        if missing:
            raise OptionError(
                f"`p` says nothing of `{missing[0]}`, a value of `{column}`\n"
                "hint: it has every value that occurs, with 0 for one that is not expected"
            )
        return self.m, np.array([given[value] for value in values], dtype=np.float64)

    def score(self, weights: CategoricalWeights, part: Categories, threads: int) -> Scores:
        scores = np.zeros((len(part), weights.tables[0].shape[1]))
        for codes, table, texts, of_cell in zip(
            weights.codes, weights.tables, part.columns, weights.presence, strict=True
        ):
            scores += table[codes.of(texts, threads)]
            if self.missing == "value":
                scores += said_by_presence(texts.empty(), of_cell)
        return scores

    def smoothing(
        self, weights: CategoricalWeights, classes: Classes, columns: Columns
    ) -> tuple[float, Scores | float]:
        both = zip(weights.tables, weights.virtual, strict=True)
        return sum(smoothing_log_prior(table[:-1], n[:, None]) for table, n in both), 0.0

    def leave_one_out(
        self,
        statistic: CategoryCounts,
        classes: Classes,
        columns: Columns,
        part: Categories,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        weights = self.estimate(statistic, classes, columns)
        scores = np.zeros((len(part), len(classes)))
        for place, column in enumerate(statistic.columns):
            names, known = weights.columns, weights.codes[place]
            counts = counts_of(column, classes)
            m, p = self._virtual_examples(known.names, counts, names[place], names)
            codes = known.of(part.columns[place], threads)
            totals, rows = counts.sum(axis=0), counts.sum(axis=1)
            there = np.flatnonzero(codes >= 0)
            code, own = codes[there], truth[there]
            found, prior = weights.tables[place][code], p[code]
            with np.errstate(divide="ignore"):
                if isinstance(self.p, str):
                    # The row is gone from the share of its value in all classes too.
                    prior = (rows[code] - 1) / (rows.sum() - 1 or 1.0)
                    found = np.log(m_estimate(counts[code], totals, m, prior[:, None]))
                without = m_estimate(counts[code, own] - 1, totals[own] - 1, m, prior)
                found[np.arange(len(there)), own] = np.log(without)
            # A value that only this row has is unknown without it.
            found[rows[code] == 1] = 0.0
            scores[there] += found
            if self.missing == "value":
                is_missing = part.columns[place].empty()
                scores += said_by_presence(is_missing, self._presence(column, classes, truth))
        return scores

    def chosen(
        self,
        statistic: CategoryCounts,
        classes: Classes,
        columns: Columns,
        part: Categories,
        truth: NDArray[np.uint32],
        judge: Judge,
        threads: int,
        **beside: Any,
    ) -> "Categorical":
        counted = sum(counts_of(column, classes).sum() for column in statistic.columns)
        if self.missing is not None or counted == classes.weights.sum() * len(columns):
            return self
        return best_by(
            judge,
            [self._with_missing("skip"), self._with_missing("value")],
            lambda one: one.leave_one_out(statistic, classes, columns, part, truth, threads),
        )

    def _with_missing(self, missing: Missing | None) -> "Categorical":
        other = copy(self)
        other.missing = checked_missing(missing)
        return other

    def tuned_as(self, other: AnyLikelihood) -> AnyLikelihood:
        assert isinstance(other, Categorical)
        return self._with_missing(other.missing)

    def tuned_to_json(self) -> dict[str, Any]:
        return {"missing": self.missing}

    def tuned_from_json(self, stored: dict[str, Any], columns: Columns) -> "Categorical":
        return self._with_missing(stored["missing"])

    def linear_inputs(self, columns: Columns) -> list[CategoryInput[Categories, CategoryCounts]]:
        counted = self.counted(columns)

        def one(place: int, name: str) -> CategoryInput[Categories, CategoryCounts]:
            return CategoryInput(
                (columns[place * len(columns) // len(counted)],),
                lambda part: part.columns[place],
                lambda counts: counts.columns[place],
                WHOLE,
                lambda value: f"{name}={value}",
            )

        return [one(place, name) for place, name in enumerate(counted)]

    def contributions(self, weights: CategoricalWeights, part: Categories) -> list[Contribution]:
        contributions = []
        for place, column in enumerate(weights.columns):
            (code,) = weights.codes[place].of(part.columns[place], 1)
            scores, (is_missing,) = weights.tables[place][code], part.columns[place].empty()
            name = f"{column}={weights.codes[place].names[code]}" if code >= 0 else ""
            if self.missing == "value":
                scores = scores + weights.presence[place][int(is_missing)]
                name = name or f"{column} {'missing' if is_missing else 'not missing'}"
            if name:
                contributions.append(Contribution(name, "categorical", 1, scores, (column,)))
        return contributions

    def unseen(
        self, weights: CategoricalWeights, part: Categories, threads: int
    ) -> dict[str, Unseen]:
        return unseen(weights.columns, weights.codes, part, threads)

    def counted_factors(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, part: Categories
    ) -> list[CountedFactor] | None:
        found = []
        names, both = self.counted(columns), zip(statistic.columns, part.columns, strict=True)
        for name, (column, texts) in zip(names, both, strict=True):
            codes, (is_missing,) = column.codes(), texts.empty()
            (code,) = codes.of(texts, 1).tolist()
            counts = counts_of(column, classes)
            if self.missing == "value":
                what = f"{name} {'missing' if is_missing else 'not missing'}"
                there = counts.sum(axis=0).astype(int).tolist()
                shares = self._shares_of_presence(there, classes.rows.tolist(), is_missing)
                found += [] if is_certain(shares) else [CountedFactor.of(what, shares)]
            if code >= 0:
                shares = self._shares(codes.names, counts, code, name, names)
                found.append(CountedFactor.of(f"{name}={codes.names[code]}", shares))
        return found

    def _shares(
        self, values: list[str], counts: Array, value: int, column: str, columns: Columns
    ) -> list[Share]:
        """P(value | c) of a value, by its place."""
        _, p = self._virtual_examples(values, counts, column, columns)
        virtual, prior = exact(self.m), Fraction(1, len(values))
        if self.alpha is not None:
            virtual = exact(self.alpha) * len(values)
        elif isinstance(self.p, str):
            prior = Fraction(int(counts[value].sum()), int(counts.sum()))
        elif self.p is not None and p[value] != float(prior):
            prior = exact(float(p[value]))
        pairs = zip(counts[value].tolist(), counts.sum(axis=0).tolist(), strict=True)
        return [m_share(int(n_c), int(n), virtual, prior) for n_c, n in pairs]

    def _shares_of_presence(
        self, there: list[int], rows: list[int], is_missing: bool
    ) -> list[Share]:
        """P(missing | c), or that a cell is there; 1 if that is so in no row, or in all."""
        counts = [n - n_c for n_c, n in zip(there, rows, strict=True)] if is_missing else there
        p = Fraction(sum(counts), sum(rows) or 1)
        if not p:
            return [(Fraction(1), Fraction(1)) for _ in rows]
        pairs = zip(counts, rows, strict=True)
        return [m_share(n_c, n, exact(self.m), p) for n_c, n in pairs]

    def sample(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        weights = self.estimate(statistic, classes, columns)
        found: dict[str, list[Any]] = {}
        for name, known, table, of_cell in zip(
            weights.columns, weights.codes, weights.tables, weights.presence, strict=True
        ):
            shares, values = np.exp(table[:-1, asked.place]), known.names
            cells = [values[place] for place in asked.of(shares)] if values else []
            found[name] = with_gaps(cells, of_cell, self.missing, asked)
        return found

    def values(self, statistic: CategoryCounts) -> list[int]:
        """How many values each column has."""
        return [column.features() for column in statistic.columns]

    def parameters(self, statistic: CategoryCounts, n_classes: int) -> tuple[int, int]:
        values = self.values(statistic)
        return sum(values) * n_classes, sum(max(v - 1, 0) for v in values) * n_classes

    def linear(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns
    ) -> LinearPart[Categories]:
        if self.missing == "value":
            raise OptionError("the linear form leaves missing values out: `missing='skip'`")
        weights = self.estimate(statistic, classes, columns)
        features = [
            f"{column}={value}"
            for column, codes in zip(weights.columns, weights.codes, strict=True)
            for value in codes.names
        ]

        def design(part: Categories) -> Scores:
            found = zip(weights.codes, part.columns, strict=True)
            return np.hstack([np.eye(len(c.names) + 1)[c.of(t, 1), :-1] for c, t in found])

        table = np.vstack([table[:-1] for table in weights.tables])
        return LinearPart(features, table, np.zeros(len(classes)), design)

    # Inspection

    def check(self, statistic: CategoryCounts, classes: Classes, columns: Columns) -> None:
        self.estimate(statistic, classes, columns)

    def estimates(self, weights: CategoricalWeights) -> CategoricalEstimates:
        names = {c: tuple(k.names) for c, k in zip(weights.columns, weights.codes, strict=True)}
        tables = zip(weights.columns, weights.tables, strict=True)
        return CategoricalEstimates(names, {column: np.exp(table[:-1]) for column, table in tables})

    def strongest(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        ranked: list[list[TopFeature]] = [[] for _ in classes.labels]
        columns = self.counted(columns)
        for name, column in zip(columns, statistic.columns, strict=True):
            values = column.codes().names
            counts = counts_of(column, classes)
            m, p = self._virtual_examples(values, counts, name, columns)
            shown = [f"{name}={value}" for value in values]
            found = informative(shown, counts, m, p)
            for one, more in zip(ranked, found, strict=True):
                one.extend(more)
        return [sorted(found, key=lambda one: -one.strength)[:n] for found in ranked]

    def value_scores(
        self, statistic: CategoryCounts, classes: Classes, columns: Columns, column: str
    ) -> ValueScores | None:
        weights, place = self.estimate(statistic, classes, columns), columns.index(column)
        rows, scores = counts_of(statistic.columns[place], classes), weights.tables[place][:-1]
        missing = None
        if self.missing == "value":
            there, gone = weights.presence[place]
            scores, missing = scores + there, (gone, classes.weights - rows.sum(axis=0))
        values = weights.codes[place].names
        m, p = self._virtual_examples(values, rows, column, columns)
        return ValueScores(scores, rows, tuple(values), missing=missing, virtual=m * p, m=m)

    # Storage and repr

    @property
    def settings(self) -> dict[str, Any]:
        given = {} if self.missing is None else {"missing": self.missing}
        return {"likelihood": self.name, "m": self.m, "alpha": self.alpha, "p": self.p, **given}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            return cls(
                settings["m"],
                alpha=settings["alpha"],
                p=settings["p"],
                missing=settings.get("missing"),
            )
        except (KeyError, TypeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        shown = arguments(
            ("m", self.m, 1.0),
            ("alpha", self.alpha, None),
            ("p", self.p, None),
            ("missing", self.missing, None),
        )
        if isinstance(self.p, dict) and len(repr(self.p)) > _LONG:
            of = "columns" if self.is_naive else "values"
            shown = shown.replace(repr(self.p), f"{{{len(self.p):,} {of}}}")
        return f"{type(self).__name__}({shown})"


def informative(names: Sequence[str], counts: Array, m: float, p: Array) -> list[list[TopFeature]]:
    """Of each class, the values that it has more of than the rest; `counts` has a row per value.

    The log-odds are those of m-estimates, with the prior `p` of each value.
    """
    found = []
    everywhere = counts.sum(axis=1)
    for here in counts.T:
        there = everywhere - here
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.log(m_estimate(here, here.sum(), m, p))
            odds -= np.log(m_estimate(there, there.sum(), m, p))
        error = np.sqrt(1 / (here + m * p + 0.5) + 1 / (there + m * p + 0.5))
        found.append(
            [
                TopFeature(names[value], float(odds[value]), float(odds[value] / error[value]))
                for value in np.flatnonzero((odds > 0) & (here > 0)).tolist()
            ]
        )
    return found


def checked_missing(given: Any) -> Missing | None:
    if given not in ("skip", "value", None):
        raise OptionError(f'`missing` is "skip" or "value", not {given!r}')
    found: Missing | None = given
    return found


def _checked(p: Any) -> dict[str, Any]:
    """Probabilities of values, or of values by column, as plain numbers."""
    if not isinstance(p, Mapping) or not p:
        raise OptionError(f"`p` is a probability per value, not {p!r}")
    if all(isinstance(value, Mapping) for value in p.values()):
        return {str(column): _checked(values) for column, values in p.items()}
    for value, share in p.items():
        plain = is_number(share)
        if not plain or not 0 <= share <= 1:
            raise OptionError(f"`p` of `{value}` is a probability, not {share!r}")
    total = float(sum(p.values()))
    if abs(total - 1) > 1e-9:
        raise OptionError(f"`p` sums to {total:g}, not to 1")
    found = {spelled(value): float(share) for value, share in p.items()}
    if len(found) < len(p):
        raise OptionError(f"`p` has a value twice: {dict(p)!r}")
    return found
