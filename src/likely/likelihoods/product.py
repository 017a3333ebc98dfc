"""The likelihood of a row: the product of those of its columns.

    log P(x | c) = Σ_g log P(x_g | c)

Each factor g is a likelihood with the columns it reads.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import ExactDuplicates
from likely.data.table import MISSING, Batch, FactorInput, Table, repeated
from likely.errors import OptionError
from likely.likelihoods.base import (
    AnyLikelihood,
    Columns,
    Component,
    Likelihood,
    Rows,
    Scores,
    Unseen,
)
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.one_vs_rest import OneVsRest
from likely.likelihoods.short_text import ShortText
from likely.likelihoods.text import TextLikelihood
from likely.likelihoods.text_views import TextViews
from likely.tally import Arrays, Classes, Counter, Statistic, Tally
from likely.tally.container import of_places

Given = AnyLikelihood | Mapping[Any, AnyLikelihood | list[AnyLikelihood]]


@dataclass(frozen=True)
class Factor:
    """A likelihood, the columns it reads, and if it was tuned, its weight (an exponent)."""

    columns: Columns
    likelihood: AnyLikelihood
    weight: float | None = None

    def weighted(self, scores: Scores) -> Scores:
        """What is impossible stays impossible, unless the weight is 0."""
        if self.weight is None:
            return scores
        return np.asarray(self.weight * scores) if self.weight else np.zeros_like(scores)

    def shown(self, contributions: list[Contribution]) -> list[Contribution]:
        """Contributions with their weight, under the names that they are shown by."""
        return self.weighted_contributions(self.likelihood.named(contributions, self.columns))

    def weighted_contributions(self, contributions: list[Contribution]) -> list[Contribution]:
        if self.weight is None:
            return contributions
        return [
            replace(contribution, scores=self.weighted(contribution.scores))
            for contribution in contributions
        ]

    def estimate(self, statistic: Any, classes: Classes) -> Any:
        return self.likelihood.estimate(statistic, classes, self.columns)

    def score(self, weights: Any, part: Any, threads: int) -> Scores:
        return self.weighted(self.likelihood.score(weights, part, threads))

    def leave_one_out(
        self,
        statistic: Any,
        classes: Classes,
        part: Any,
        truth: NDArray[np.uint32],
        threads: int,
        **beside: Any,
    ) -> Scores:
        """`score` of each learned row, under the statistic without it."""
        found = self.likelihood.leave_one_out(
            statistic, classes, self.columns, part, truth, threads, **beside
        )
        return self.weighted(found)

    def components(self) -> list[Component]:
        """Its components, each with its weight if it was tuned."""
        if self.weight is None:
            return self.likelihood.components()
        return [Component(repr(self.likelihood), self.likelihood, self.weight)]

    def __str__(self) -> str:
        return f"{'' if self.weight is None else f'{self.weight:.3g} × '}{self.likelihood!r}"


# With more columns than this, columns of one kind share a weight.
_MOST_APART = 32


@dataclass(frozen=True)
class Product:
    """Likelihoods assigned to named columns."""

    factors: tuple[Factor, ...]
    columns: Columns
    """All columns, in the order in which rows without names have them."""
    missing: frozenset[str] = MISSING
    """The spellings of missing cells in numeric and categorical columns."""
    is_multilabel: bool = False
    """Whether rows are multi-label: each label is scored against all rows without it."""

    def any_of(self, rows: str = "multi-label rows") -> "Product":
        """The same for labels that are each scored against the rest, if all factors support it.

        `rows` says in the error message what needs that.
        """
        factors = []
        for factor in self.factors:
            likelihood = factor.likelihood
            if not likelihood.takes_multilabel and likelihood.compares_rows:
                likelihood = OneVsRest(likelihood)
            if not likelihood.takes_multilabel:
                first = factor.columns[0]
                raise OptionError(
                    f"{likelihood!r} of `{'`, `'.join(factor.columns)}` is not for {rows}; texts "
                    "are learned so by `Classifier()`, `Multinomial` or `BinaryMultinomial`\n"
                    f'hint: `columns={{"{first}": "drop"}}` (`--drop-column {first}`) drops it'
                )
            factors.append(replace(factor, likelihood=likelihood))
        return replace(self, factors=tuple(factors), is_multilabel=True)

    @classmethod
    def settled(
        cls, given: Given, columns: Columns, missing: frozenset[str], apart: bool = False
    ) -> "Product":
        """One likelihood takes all columns of a table; a dictionary assigns them by column."""
        if isinstance(given, Likelihood):
            return cls((Factor(columns, given),), columns, missing)
        return cls.of(given, missing, apart)

    @classmethod
    def of(
        cls,
        given: Mapping[Any, AnyLikelihood | list[AnyLikelihood]],
        missing: frozenset[str] = MISSING,
        apart: bool = False,
    ) -> "Product":
        """The product of likelihoods by column, or by tuples of columns that share one.

        A column may have several. Equal likelihoods that treat columns as independent are merged
        into one factor, unless `apart` keeps them separate so that each has its own weight, and the
        table is not too wide for that.
        """
        apart = apart and len(given) <= _MOST_APART
        found: list[tuple[AnyLikelihood, list[str]]] = []
        order: dict[str, None] = {}
        for key, likelihoods in given.items():
            columns = key if isinstance(key, tuple) else (key,)
            order.update(dict.fromkeys(columns))
            for likelihood in _as_list(likelihoods):
                may_join = likelihood.is_naive and not apart
                same = (names for other, names in found if may_join and other == likelihood)
                names = next(same, None)
                if names is None:
                    found.append((likelihood, list(columns)))
                else:
                    names.extend(columns)
        factors = (Factor(tuple(names), likelihood) for likelihood, names in found)
        return cls(tuple(factors), tuple(order), missing)

    @property
    def is_settled(self) -> bool:
        """Whether all is known that has to be known of rows before any is counted."""
        return all(factor.likelihood.is_settled for factor in self.factors)

    def settled_on(self, sample: Table) -> "Product":
        """The same, with what is left to be known of rows taken from a sample of them."""
        table = sample.called(self.columns)
        factors = (
            replace(f, likelihood=f.likelihood.settled(table, f.columns)) for f in self.factors
        )
        return replace(self, factors=tuple(factors))

    def settled_by(self, schemas: Iterable[Mapping[str, Any]]) -> "Product":
        """The same, with what is left to be known of rows as these were counted."""
        factors = (
            factor
            if factor.likelihood.is_settled
            else replace(factor, likelihood=factor.likelihood.counted_as(dict(schema)))
            for factor, schema in zip(self.factors, schemas, strict=False)
        )
        return self if self.is_settled else replace(self, factors=tuple(factors))

    @property
    def by_column(self) -> dict[Any, AnyLikelihood | list[AnyLikelihood]]:
        """The dictionary that gives this product, columns in their order."""
        place = {column: place for place, column in enumerate(self.columns)}
        found: dict[Any, list[AnyLikelihood]] = {}
        met: set[str] = set()
        # Likelihoods interrupted by others, and the columns that they still need.
        split: list[tuple[list[str], AnyLikelihood]] = []

        def come_next(columns: Iterable[str]) -> bool:
            new = [place[column] for column in columns if column not in met]
            return new == list(range(len(met), len(met) + len(new)))

        def give(columns: Columns, likelihood: AnyLikelihood) -> None:
            found.setdefault(columns if len(columns) > 1 else columns[0], []).append(likelihood)
            met.update(columns)

        def give_one() -> bool:
            """Assign the next column that a likelihood still needs, if it is due."""
            ready = ((names, of) for names, of in split if names and come_next(names[:1]))
            names, likelihood = next(ready, ([], None))
            if likelihood is not None:
                give((names.pop(0),), likelihood)
            return likelihood is not None

        for factor in self.factors:
            while not come_next(factor.columns) and give_one():
                pass
            # The likelihoods of one key follow each other.
            is_whole = come_next(factor.columns) and factor.columns not in list(found)[:-1]
            own = 1 if factor.likelihood.is_naive and not is_whole else None
            give(factor.columns[:own], factor.likelihood)
            split.append((list(factor.columns[len(factor.columns[:own]) :]), factor.likelihood))
        while give_one():
            pass
        return {
            key: is_multilabel if len(is_multilabel) > 1 else is_multilabel[0]
            for key, is_multilabel in found.items()
        }

    @property
    def texts(self) -> Columns:
        """The columns that are read as texts; short texts are cells."""
        return tuple(
            column
            for factor in self.factors
            if isinstance(factor.likelihood, TextLikelihood)
            and not isinstance(factor.likelihood, ShortText)
            for column in factor.columns
        )

    @property
    def numbers(self) -> Columns:
        """The columns that are read as numbers."""
        found = (factor for factor in self.factors if factor.likelihood.reads_numbers)
        return tuple(column for factor in found for column in factor.columns)

    @property
    def places_of_views(self) -> list[int]:
        """The factors with text views."""
        factors = enumerate(self.factors)
        return [place for place, factor in factors if isinstance(factor.likelihood, TextViews)]

    @property
    def is_joint(self) -> bool:
        return all(f.likelihood.is_joint and f.weight is None for f in self.factors)

    @property
    def takes_prior(self) -> bool:
        return all(factor.likelihood.takes_prior for factor in self.factors)

    def with_neutral(self, terms: Iterable[str]) -> "Product":
        """The same product, ignoring these words and phrases in its texts."""
        factors = (
            replace(factor, likelihood=factor.likelihood.with_neutral(terms))
            for factor in self.factors
        )
        return replace(self, factors=tuple(factors))

    def generative(self) -> "Product":
        """The same columns under likelihoods that give rows a probability: texts as words."""
        factors = (Factor(f.columns, f.likelihood.generative()) for f in self.factors)
        return replace(self, factors=tuple(factors))

    def in_mixture(self) -> "Product":
        """The same for rows without labels, with what likelihoods take there."""
        factors = (replace(f, likelihood=f.likelihood.in_mixture()) for f in self.factors)
        return replace(self, factors=tuple(factors))

    def is_singular(self, weights: list[Any]) -> bool:
        """Whether a class has no spread of its own in some columns."""
        both = zip(self.factors, weights, strict=True)
        return any(factor.likelihood.is_singular(weight) for factor, weight in both)

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        factors = [
            {"columns": list(factor.columns), **factor.likelihood.schema} for factor in self.factors
        ]
        missing = sorted(self.missing)
        labels = {"labels": "any of"} if self.is_multilabel else {}
        return {"columns": list(self.columns), "factors": factors, "missing": missing, **labels}

    def read(self, table: Table) -> tuple[FactorInput, ...]:
        """The input of each factor. Columns without names are identified by position."""
        if not table.named and len(self.factors) > 1:
            table = table.called(self.columns)
        table = table.reading(self.missing)
        return tuple(factor.likelihood.read(table, factor.columns) for factor in self.factors)

    def counters(self) -> list[Counter]:
        return [factor.likelihood.counter(factor.columns) for factor in self.factors]

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool
    ) -> list[Statistic]:
        parts = of_places(arrays, len(self.factors), ("labels", "rows", "ledger"))
        return [
            factor.likelihood.from_arrays(part, rows, is_multilabel, factor.columns)
            for factor, part in zip(self.factors, parts, strict=True)
        ]

    def without_rare(self, tally: Tally, least: int) -> Tally:
        """The tally without features of texts that fewer documents hold."""
        both = zip(self.factors, tally.statistics, strict=True)
        statistics = tuple(factor.likelihood.without_rare(one, least) for factor, one in both)
        return replace(tally, statistics=statistics)

    def reduced(self, tally: Tally) -> Tally:
        """The smallest part of a tally that gives the same scores."""
        classes = tally.view()
        both = zip(self.factors, tally.statistics, strict=True)
        statistics = tuple(factor.likelihood.reduced(one, classes) for factor, one in both)
        schema = {**tally.schema, "ledger": "none"}
        return replace(tally, schema=schema, statistics=statistics, hashes=None)

    # Estimating and scoring

    def estimate(self, tally: Tally, classes: Classes) -> list[Any]:
        both = zip(self.factors, tally.statistics, strict=True)
        return [factor.estimate(statistic, classes) for factor, statistic in both]

    def check(self, tally: Tally, classes: Classes) -> None:
        """Refuse a tally that cannot be estimated from."""
        for factor, statistic in zip(self.factors, tally.statistics, strict=True):
            factor.likelihood.check(statistic, classes, factor.columns)

    def score(self, weights: list[Any], parts: tuple[FactorInput, ...], threads: int) -> Scores:
        scores = [
            factor.score(weight, part, threads)
            for factor, weight, part in zip(self.factors, weights, parts, strict=True)
        ]
        total = scores[0]
        for more in scores[1:]:
            total = total + more
        return total

    def smoothing(self, weights: list[Any], classes: Classes) -> tuple[float, Scores]:
        """The log-density of the prior that smoothing is: once, and per row of each class."""
        once, per_row = 0.0, np.zeros(len(classes))
        for factor, weight in zip(self.factors, weights, strict=True):
            more, more_per_row = factor.likelihood.smoothing(weight, classes, factor.columns)
            once, per_row = once + more, per_row + more_per_row
        return once, per_row

    def leave_one_out(
        self,
        tally: Tally,
        classes: Classes,
        batch: Batch,
        truth: NDArray[np.uint32],
        threads: int,
        duplicates: Mapping[int, ExactDuplicates] | None = None,
    ) -> Scores:
        """`score` of each learned row, under the tally without it and duplicates of its texts."""
        total = np.zeros((len(batch), len(classes)))
        parts = zip(self.factors, tally.statistics, batch.parts, strict=True)
        for place, (factor, statistic, part) in enumerate(parts):
            leaves = classes.is_multilabel or factor.likelihood.leaves_duplicates
            beside: Any = {"duplicates": duplicates[place]} if duplicates and leaves else {}
            total += factor.leave_one_out(statistic, classes, part, truth, threads, **beside)
        return total

    def contributions_left_out(
        self,
        tally: Tally,
        classes: Classes,
        batch: Batch,
        each: list[Batch],
        truth: NDArray[np.uint32],
        duplicates: Mapping[int, ExactDuplicates],
    ) -> list[list[Contribution]]:
        """`contributions` of each learned row, without it and duplicates of its texts.

        `each` has the rows of the batch one by one.
        """
        found: list[list[Contribution]] = [[] for _ in each]
        for place, (factor, statistic) in enumerate(
            zip(self.factors, tally.statistics, strict=True)
        ):
            leaves = classes.is_multilabel or factor.likelihood.leaves_duplicates
            rows = Rows(batch.parts[place], truth, [(one.parts[place], one.labels) for one in each])
            more = factor.likelihood.contributions_left_out(
                statistic, classes, factor.columns, rows, duplicates.get(place) if leaves else None
            )
            for contributions, these in zip(found, more, strict=True):
                contributions.extend(factor.shown(these))
        return found

    def contributions(
        self, weights: list[Any], parts: tuple[FactorInput, ...]
    ) -> list[list[Contribution]]:
        """The contributions of one row, those of each factor together."""
        return [
            factor.weighted_contributions(factor.likelihood.contributions(weight, part))
            for factor, weight, part in zip(self.factors, weights, parts, strict=True)
        ]

    def unseen(
        self, weights: list[Any], parts: tuple[FactorInput, ...], threads: int
    ) -> dict[str, Unseen]:
        """For each categorical column, which rows have a value never seen in training."""
        found: dict[str, Unseen] = {}
        for factor, weight, part in zip(self.factors, weights, parts, strict=True):
            found |= factor.likelihood.unseen(weight, part, threads)
        return found

    # Storage

    @property
    def settings(self) -> list[dict[str, Any]]:
        return [factor.likelihood.settings for factor in self.factors]


def checked(given: Any) -> Given:
    """A likelihood, or likelihoods by column; anything else is refused."""
    if isinstance(given, Likelihood):
        return given
    if not isinstance(given, Mapping) or not given:
        raise OptionError(
            f"a likelihood is, for example, `Multinomial()`, or a dictionary of them by column, "
            f"not {given!r}"
        )
    seen: set[str] = set()
    for key, likelihoods in given.items():
        columns = key if isinstance(key, tuple) else (key,)
        if not columns or not all(isinstance(column, str) for column in columns):
            raise OptionError(f"columns are given by name, or by a tuple of names, not {key!r}")
        strangers = [each for each in _as_list(likelihoods) if not isinstance(each, Likelihood)]
        if strangers or not _as_list(likelihoods):
            raise OptionError(f"`{key}` has no likelihood but {likelihoods!r}")
        before = set() if all(each.is_beside for each in _as_list(likelihoods)) else seen
        twice = next((column for column in columns if column in before), repeated(columns))
        if twice is not None:
            raise OptionError(f"column `{twice}` has more than one likelihood")
        before.update(columns)
    likelihoods = every(given)
    lone = [likelihood for likelihood in likelihoods if not likelihood.takes_prior]
    if lone and len(likelihoods) > 1:
        raise OptionError(
            f"{type(lone[0]).__name__} scores are no probabilities, "
            "so they cannot be multiplied with those of other columns"
        )
    return dict(given)


def every(given: Given | None) -> list[AnyLikelihood]:
    """All likelihoods that were given."""
    if not isinstance(given, Mapping):
        return [] if given is None else [given]
    return [likelihood for each in given.values() for likelihood in _as_list(each)]


def _as_list(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]
