"""The interface of every likelihood."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import ExactDuplicates
from likely.data.label_sets import RowLabels
from likely.data.table import FactorInput, Table
from likely.errors import ModelError, OptionError
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.counted import CountedFactor
from likely.likelihoods.linear_inputs import LinearInput
from likely.likelihoods.steps import ValueScores
from likely.numbers import is_number
from likely.tally import NO_SLOT, Arrays, Classes, Counter, Slots, Statistic

Scores = NDArray[np.float64]
Columns = tuple[str, ...]

Judge = Callable[[list[Scores]], float]
"""How probable the labels of learned rows are, given scores of each left out: the mean log."""

# What a likelihood reads of rows, what it counts of them, and what it estimates.
P = TypeVar("P", bound=FactorInput)
S = TypeVar("S", bound=Statistic)
W = TypeVar("W")

# The largest amount of smoothing, or weight; more would drown out all counts.
_MOST = 1_000_000_000


class TopFeature(NamedTuple):
    """A feature that a class has more of than the rest: its log-odds, and those over their error.

    By the latter they are ranked, so that a word seen twice does not come before one seen a hundred
    times.
    """

    name: str
    log_odds: float
    strength: float


@dataclass(frozen=True, eq=False)
class LinearPart(Generic[P]):
    """A likelihood as a linear form: weights per feature, and how a row becomes features."""

    features: list[str]
    weights: Scores
    intercepts: Scores
    design: Callable[[P], Scores]


class Unseen(NamedTuple):
    """Rows of a categorical column by whether their values were seen in training."""

    seen: NDArray[np.bool_]
    never: NDArray[np.bool_]
    """Those with an unseen value; where a cell is missing, neither holds."""


class Component(NamedTuple):
    """A component of a likelihood, with its weight if it was tuned."""

    name: str
    likelihood: "AnyLikelihood | None"
    """None for a stacked linear model, which is learned, not counted."""
    weight: float | None = None
    weight_over_root: float | None = None
    columns: Columns = ()
    """The columns that it reads, if these are some of those of the whole."""


@dataclass(frozen=True, eq=False)
class Rows(Generic[P]):
    """What a likelihood reads of learned rows: all together, and one by one with their labels."""

    part: P
    truth: NDArray[np.uint32]
    each: Sequence[tuple[P, RowLabels]]


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows to draw at random from one class: its place, how many, and how long a text is."""

    place: int
    rows: int
    random: np.random.Generator
    length: int | None = None
    """The number of words of a text; None if the model says."""

    def of(self, shares: NDArray[np.float64]) -> NDArray[np.intp]:
        """For each row one of several things, drawn by their shares.

        >>> asked = Draw(0, 5, np.random.Generator(np.random.PCG64(0)))
        >>> asked.of(np.array([0.2, 0.0, 0.8])).tolist()
        [2, 2, 0, 0, 2]
        """
        return places_drawn(self.random, shares, self.rows)


def places_drawn(
    random: np.random.Generator, shares: NDArray[np.float64], n: int
) -> NDArray[np.intp]:
    """Places of things, drawn by their shares; one without a share is never drawn."""
    ends = np.cumsum(shares)
    return np.asarray(np.searchsorted(ends[:-1], random.random(n) * ends[-1], side="right"))


class Adding(Generic[P, S]):
    """Counts batch after batch by adding their statistics."""

    def __init__(self, likelihood: "Likelihood[P, S, Any]", columns: Columns):
        self._likelihood, self._columns = likelihood, columns
        self._sum: S | None = None

    def observe(self, part: P, labels: RowLabels, threads: int) -> None:
        more, classes = self._likelihood.observe(part, labels, threads), len(labels.values)
        if self._sum is not None:
            same = np.arange(classes, dtype=np.uint32)
            more = self._sum.reclassed(same, classes).plus(more)
        self._sum = more

    def finish(self, order: Slots, classes: int) -> S:
        if self._sum is None:
            return self._likelihood.zero(self._columns, classes)
        return self._sum.reclassed(order, classes)


class Likelihood(ABC, Generic[P, S, W]):
    """How likely a row's columns are, given its class: counted, estimated, scored.

    A likelihood is a value without state. What it counts is a statistic, what it estimates are
    weights; both are passed back to it. `schema` is what tallies must agree on to be added,
    `settings` what only estimates depend on.
    """

    takes_prior: ClassVar[bool] = True
    """Whether the prior is added to the scores."""
    is_beside: ClassVar[bool] = False
    """Whether its columns may have another likelihood too."""
    compares_rows: ClassVar[bool] = True
    """Whether a label can be scored against the rest by this, used for each label by itself."""
    leaves_duplicates: ClassVar[bool] = False
    """Whether exact duplicates are left out together with a row."""
    reads_numbers: ClassVar[bool] = False
    """Whether its columns are numeric."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name in model files."""

    @property
    def is_naive(self) -> bool:
        """Whether columns are independent given the class."""
        return True

    @property
    def is_joint(self) -> bool:
        """Whether scores are log P(x | c), so that rows have a probability."""
        return True

    @property
    def takes_multilabel(self) -> bool:
        """Whether it supports multi-label rows: a label against all rows without it."""
        return False

    @property
    def replaces_invalid(self) -> bool:
        """Whether invalid Unicode is read as U+FFFD."""
        return False

    @property
    def is_settled(self) -> bool:
        """Whether all is known that has to be known of rows before any is counted."""
        return True

    def settled(self, sample: Table, columns: Columns) -> "AnyLikelihood":
        """The same with what is left to be known of rows, by a sample of them."""
        return self

    def counted_as(self, schema: dict[str, Any]) -> "AnyLikelihood":
        """The same with the schema of counted rows."""
        return self.restored(schema, self.settings)

    def generative(self) -> "AnyLikelihood":
        """A likelihood of the same columns under which rows have a probability, if there is one."""
        return self

    def in_mixture(self) -> Self:
        """The same for rows without labels, with what it takes there unless that was said."""
        return self

    def components(self) -> "list[Component]":
        """Its components, each as a likelihood of its own."""
        return [Component(repr(self), self)]

    def silent(self, columns: Columns) -> tuple[str, ...]:
        """The columns, or the kinds of features, that are counted and have no weight."""
        return ()

    def with_neutral(self, terms: Iterable[str]) -> Self:
        """The same, ignoring these words and phrases; a likelihood without texts stays as it is."""
        return self

    # Counting

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any]: ...

    def counted(self, columns: Columns) -> Columns:
        """The names of what is counted in some columns: the columns, or parts of their cells."""
        return columns

    @abstractmethod
    def read(self, table: Table, columns: Columns) -> P:
        """The columns as this likelihood reads them."""

    @abstractmethod
    def observe(self, part: P, labels: RowLabels, threads: int) -> S:
        """The statistic of some rows, each counted under the number of its label."""

    @abstractmethod
    def zero(self, columns: Columns, classes: int) -> S:
        """The statistic of no rows."""

    def counter(self, columns: Columns) -> Counter:
        """What counts batch after batch."""
        return Adding(self, columns)

    @abstractmethod
    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> S: ...

    def without_rare(self, statistic: S, least: int) -> S:
        """The statistic without features of texts that fewer documents hold."""
        return statistic

    def reduced(self, statistic: S, classes: Classes) -> S:
        """The smallest part of a statistic that gives the same scores."""
        return statistic

    # Estimating and scoring

    @abstractmethod
    def estimate(self, statistic: S, classes: Classes, columns: Columns) -> W: ...

    @abstractmethod
    def score(self, weights: W, part: P, threads: int) -> Scores: ...

    @abstractmethod
    def leave_one_out(
        self,
        statistic: S,
        classes: Classes,
        columns: Columns,
        part: P,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        """`score` of each learned row, under the statistic without it."""

    # Tuning

    def chosen(
        self,
        statistic: S,
        classes: Classes,
        columns: Columns,
        part: P,
        truth: NDArray[np.uint32],
        judge: Judge,
        threads: int,
        **beside: Any,
    ) -> "AnyLikelihood":
        """The same with what is left to choose, such as smoothing, chosen on some learned rows.

        It counts the same as this one does.
        """
        return self

    @property
    def plain_terms(self) -> tuple[bool, ...]:
        """Of each term that gets a weight, whether it is the plain model, from which a fit starts.

        A fit of the others starts from zero.
        """
        return (False,)

    def n_terms(self, columns: Columns) -> int:
        """How many terms it has once what is left to choose is chosen."""
        return len(self.plain_terms)

    def terms_left_out(
        self,
        statistic: S,
        classes: Classes,
        columns: Columns,
        part: P,
        truth: NDArray[np.uint32],
        threads: int,
        **beside: Any,
    ) -> list[Scores]:
        """The leave-one-out scores of each term that gets a weight."""
        return [self.leave_one_out(statistic, classes, columns, part, truth, threads, **beside)]

    def weighted(self, weights: Sequence[float]) -> "tuple[AnyLikelihood, float | None]":
        """The same with a weight for each term; or with one for all, beside it."""
        (weight,) = weights
        return self, weight

    def tuned_as(self, other: "AnyLikelihood") -> "AnyLikelihood":
        """The same with all that tuning chose for another one of its kind."""
        return other

    def tuned_to_json(self) -> dict[str, Any]:
        """What tuning chose."""
        return {}

    def tuned_from_json(self, stored: dict[str, Any], columns: Columns) -> "AnyLikelihood":
        """The same with what tuning chose."""
        if stored:
            raise ModelError("the tuning is of another likelihood")
        return self

    def linear_inputs(self, columns: Columns) -> Sequence[LinearInput[P, S, Any]]:
        """What a stacked linear model reads of the rows; by default nothing."""
        return ()

    @abstractmethod
    def contributions(self, weights: W, part: P) -> list[Contribution]:
        """The contributions of one row; they add up to its score."""

    def by_word(self, contributions: list[Contribution]) -> list[Contribution]:
        """The same, with the contributions of character n-grams added to their words."""
        return contributions

    def named(self, contributions: list[Contribution], columns: Columns) -> list[Contribution]:
        """Contributions as they are shown, where their names alone do not say what they are."""
        return contributions

    def contributions_left_out(
        self,
        statistic: S,
        classes: Classes,
        columns: Columns,
        rows: "Rows[P]",
        duplicates: ExactDuplicates | None,
    ) -> list[list[Contribution]]:
        """`contributions` of each learned row, under the statistic without it.

        This is for statistics that are small enough to be estimated anew for every row.
        """
        return [self._contributions_without(statistic, classes, columns, *one) for one in rows.each]

    def _contributions_without(
        self, statistic: S, classes: Classes, columns: Columns, part: P, labels: RowLabels
    ) -> list[Contribution]:
        rows, slots = classes.rows.copy(), classes.slots.copy()
        (place,) = classes.places(labels)
        here = np.full(len(labels.values), slots[place], dtype=np.uint32)
        fewer = self.observe(part, labels, 1).reclassed(here, len(classes.seen))
        left = statistic.minus(fewer)
        rows[place] -= classes.per_row
        if not rows[place]:
            slots[place] = NO_SLOT
        without = replace(classes, rows=rows, slots=slots)
        return self.contributions(self.estimate(left, without, columns), part)

    def sample(
        self, statistic: S, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        """Rows drawn from P(x | c): cells by column, None where one is missing."""
        raise OptionError.of("not-drawn", likelihood=repr(self), column=columns[0])

    def unseen(self, weights: W, part: P, threads: int) -> dict[str, Unseen]:
        """For each categorical column, which rows have a value never seen in training."""
        return {}

    def counted_factors(
        self, statistic: S, classes: Classes, columns: Columns, part: P
    ) -> list[CountedFactor] | None:
        """P(x | c) of one row as ratios of counts that are multiplied, if it is that."""
        return None

    @abstractmethod
    def parameters(self, statistic: S, n_classes: int) -> tuple[int, int]:
        """The number of parameters, and how many of them are free."""

    def linear(self, statistic: S, classes: Classes, columns: Columns) -> LinearPart[P]:
        """The scores as a linear form, up to a constant per row."""
        raise not_linear(
            f"`{self!r}` is not linear: its log-odds are no weighted sum of the numbers"
        )

    def is_singular(self, weights: W) -> bool:
        """Whether a class has no spread of its own, so that its density is what it was lent."""
        return False

    def smoothing(
        self, weights: W, classes: Classes, columns: Columns
    ) -> tuple[float, Scores | float]:
        """The smoothing as a prior on the estimates: its log-density, once and per row.

        Estimates maximize the log-likelihood plus these, which is the objective of EM: the first
        counts once, the second, a number per class, for every row of the class.
        """
        return 0.0, 0.0

    # Inspection

    def check(self, statistic: S, classes: Classes, columns: Columns) -> None:
        """Refuse a statistic that cannot be estimated from."""

    def notes(self, weights: W, classes: Classes, columns: Columns) -> list[str]:
        """What a user should know of the estimates, a sentence each."""
        return []

    def strongest(
        self, statistic: S, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        """The most informative features of each class."""
        return [[] for _ in classes.labels]

    def value_scores(
        self, statistic: S, classes: Classes, columns: Columns, column: str
    ) -> ValueScores | None:
        """What the values of one of its columns say by themselves, if that can be told."""
        return None

    # Storage and repr

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]: ...

    @classmethod
    @abstractmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self: ...

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Likelihood):
            return NotImplemented
        return (self.schema, self.settings) == (other.schema, other.settings)

    def __hash__(self) -> int:
        return hash(repr((self.schema, self.settings)))


AnyLikelihood = Likelihood[Any, Any, Any]
"""Any likelihood, whatever it reads, counts and estimates."""


C = TypeVar("C")


def best_by(judge: Judge, candidates: Sequence[C], left_out: Callable[[C], Scores]) -> C:
    """The candidate whose scores explain the labels best; of equals the first."""
    if len(candidates) == 1:
        return candidates[0]
    return max(candidates, key=lambda one: judge([left_out(one)]))


def amount(name: str, given: Any) -> float:
    """An amount of smoothing, or a weight."""
    plain = is_number(given)
    if not plain or not 0 <= given <= _MOST:
        raise OptionError(f"`{name}` is a number from 0 to {_MOST:,}, not {given!r}")
    return float(given)


def not_linear(why: str) -> OptionError:
    """The error of a model without a linear form, with those that have one."""
    return OptionError(
        f"{why}\n"
        "hint: `--model multinomial`, `bernoulli`, `categorical` and `lda` are linear, and so are "
        "texts with `--plain`"
    )


def arguments(*shown: tuple[str, Any, Any]) -> str:
    """The arguments that differ from their defaults, as one would type them."""
    return ", ".join(f"{name}={given!r}" for name, given, default in shown if given != default)


def one_column(columns: Sequence[str], kind: str) -> None:
    """Refuse several columns for a likelihood that reads one."""
    if len(columns) != 1:
        listed = ", ".join(f"`{name}`" for name in columns[:6])
        raise OptionError(
            f"{kind} reads one column, but there are {len(columns)}: {listed}\n"
            f"hint: `Classifier({{{columns[0]!r}: {kind}()}})` names the one"
        )
