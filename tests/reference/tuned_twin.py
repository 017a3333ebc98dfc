"""The tuned default model in plain Python, slowly.

Nothing of the package is used here. Every question is answered by counting anew: to leave a row out
is to count the others. Lists of scores have a place for each class, in the order of the classes.
"""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache

from . import numbers_twin

Scores = list[float]
Left = tuple[int, ...]
"""The places of the rows that are counted."""


# Reading


@dataclass(frozen=True)
class Reading:
    """Runs of up to so many words, every sign being one, and runs of characters within a word."""

    words: int
    chars: tuple[int, int] | None = None


SHORT, LONG, LONG_AND_MANY = Reading(2, (3, 5)), Reading(3, (3, 5)), Reading(3)

# Of ASCII: letters and digits with an apostrophe between letters, a point or comma between digits;
# or a sign.
_WORD = re.compile(
    r"[a-z0-9_]+(?:(?<=[a-z])'(?=[a-z])[a-z0-9_]+|(?<=[0-9])[.,](?=[0-9])[a-z0-9_]+)*"
    r"|[^\sa-z0-9_]"
)


@cache
def read(text: str, reading: Reading) -> dict[str, Counter]:
    """How often each feature is there, by the kind of features."""
    found = {}
    words = _WORD.findall(text.lower())
    for n in range(1, reading.words + 1):
        runs = zip(*(words[start:] for start in range(n)), strict=False)
        found[("word", "bigram", "trigram")[n - 1]] = Counter(runs)
    if reading.chars is not None:
        padded = [f" {word} " for word in text.lower().split()]
        found["char n-gram"] = Counter(
            word[start : start + n]
            for word in padded
            for n in range(reading.chars[0], reading.chars[1] + 1)
            for start in range(len(word) - n + 1)
        )
    return found


# The model


@dataclass(frozen=True)
class View:
    """One kind of features under one model."""

    features: str
    model: str
    alpha: float = 1.0
    min_documents: int = 1
    whole: float = 0.0
    rooted: float = 0.0

    @property
    def once(self) -> bool:
        return self.model.startswith("binary")

    def factor(self, length: int) -> float:
        return self.whole + self.rooted / math.sqrt(max(length, 1))


@dataclass(frozen=True)
class NumberView:
    """Numeric columns in bins (`bins`), or all of them under LDA (`shared`) or QDA (`full`)."""

    kind: str
    columns: tuple[str, ...]
    m: float | None = None
    missing: str | None = None
    weight: float = 0.0

    @property
    def is_of(self) -> tuple[str, tuple[str, ...]]:
        """What it is a view of, whatever was chosen for it."""
        return self.kind, self.columns


@dataclass(frozen=True)
class Category:
    """A categorical column: whether a missing cell is left out (`skip`) or a `value`."""

    column: str
    missing: str = "skip"
    weight: float = 0.0


@dataclass(frozen=True)
class Tuning:
    """The numbers that are tuned."""

    views: Mapping[str, Sequence[View]] = field(default_factory=dict)
    """Those of each text, by its column."""
    numbers: Sequence[NumberView] = ()
    categories: Sequence[Category] = ()
    bias: Mapping[Hashable, float] = field(default_factory=dict)
    own: float = 1.0
    others: float = 0.0
    offsets: Mapping[Hashable, float] = field(default_factory=dict)


Kind = Reading | str
"""How a text is read, or that a column is `numeric` or `categorical`."""


@dataclass(frozen=True)
class Urns:
    """Features drawn in all rows, and in those of each class; how many kinds of them there are."""

    everything: Counter
    of_class: list[Counter]

    @cached_property
    def sizes(self) -> list[int]:
        return [urn.total() for urn in self.of_class]

    @cached_property
    def size(self) -> int:
        return self.everything.total()


class Twin:
    """Learned rows, and what follows from them; labels are sets where rows have any number."""

    def __init__(self, columns: Mapping[str, Kind], table: Mapping[str, list], labels: list):
        self.columns, self.table = columns, table
        self.is_multilabel = isinstance(labels[0], frozenset)
        self.labels = labels if self.is_multilabel else [frozenset([label]) for label in labels]
        self.classes = sorted(frozenset().union(*self.labels))
        self.rows = tuple(range(len(labels)))
        self._urns = lru_cache(maxsize=None)(self._count)
        self.truth = [{self.classes.index(one) for one in own} for own in self.labels]
        self.farthest = 0.0
        """The largest log-density of a row so far; floats have that many digits less."""

    @property
    def texts(self) -> list[str]:
        return [name for name, kind in self.columns.items() if isinstance(kind, Reading)]

    @property
    def numeric(self) -> tuple[str, ...]:
        return tuple(name for name, kind in self.columns.items() if kind == "numeric")

    @property
    def categorical(self) -> list[str]:
        return [name for name, kind in self.columns.items() if kind == "categorical"]

    @cached_property
    def bits(self) -> int:
        """To how many significant bits numbers are rounded."""
        return numbers_twin.enough_bits([self.table[name] for name in self.numeric])

    def cells(self, row: int) -> dict[str, object]:
        return {name: cells[row] for name, cells in self.table.items()}

    # What is left

    def without(self, row: int, column: str, alone: bool = False) -> Left:
        """The rows that a column counts without one: of texts its exact duplicates leave too."""
        cells, together = self.table[column], column in self.texts and not alone
        leaves = [n == row or (together and cells[n] == cells[row]) for n in self.rows]
        return tuple(n for n in self.rows if not leaves[n])

    def keeps_class(self, row: int, alone: bool = False) -> bool:
        """Whether some column still knows others of its class; or any rows, of several labels."""
        left = [self.without(row, column, alone) for column in self.columns]
        if self.is_multilabel:
            return any(left)
        return any(self.labels[n] == self.labels[row] for rest in left for n in rest)

    # What is said of a row

    def prior(self, left: Left) -> Scores:
        """log P(c), or the log-odds of each label: none has less than half a row, nor lacks it."""
        counts = [sum(label in self.labels[n] for n in left) for label in self.classes]
        if self.is_multilabel:
            return [math.log(max(n, 0.5) / max(len(left) - n, 0.5)) for n in counts]
        return [math.log(n / len(left)) if n else -math.inf for n in counts]

    def _count(self, column: str, left: Left, features: str, once: bool, least: int) -> Urns:
        read_as, cells = self.columns[column], self.table[column]
        there = {n: read(cells[n], read_as)[features] for n in left}
        documents = Counter(feature for n in left for feature in there[n])
        everything, of_class = Counter(), [Counter() for _ in self.classes]
        for n in left:
            for feature, times in there[n].items():
                if documents[feature] >= least:
                    drawn = 1 if once else times
                    everything[feature] += drawn
                    for place in self.truth[n]:
                        of_class[place][feature] += drawn
        return Urns(everything, of_class)

    def of_view(self, column: str, view: View, left: Left, text: str) -> Scores:
        """What one view makes of a text, unweighed: by the urn of each class, or of all others."""
        urns = self._urns(column, left, view.features, view.once, view.min_documents)
        found = read(text, self.columns[column])[view.features]
        kept = {feature: times for feature, times in found.items() if feature in urns.everything}
        once, alpha, is_complement = view.once, view.alpha, view.model.endswith("complement")
        added = alpha * len(urns.everything)
        scores = []
        for urn, size in zip(urns.of_class, urns.sizes, strict=True):
            terms = []
            for feature, times in kept.items():
                here = urn[feature]
                share = (here + alpha) / (size + added)
                if self.is_multilabel or is_complement:
                    there = urns.everything[feature] - here
                    outside = (there + alpha) / (urns.size - size + added)
                    share = share / outside if self.is_multilabel else 1 / outside
                terms.append((1 if once else times) * math.log(share))
            scores.append(math.fsum(terms))
        return scores

    def _compared(self, left: Left, score: Callable[[list, Sequence[Hashable]], Scores]) -> Scores:
        """What `score` makes of the classes of some rows; of labels, each against its absence."""
        if not self.is_multilabel:
            return score([label for n in left for label in self.labels[n]], self.classes)
        found = []
        for label in self.classes:
            there, absent = score([label in self.labels[n] for n in left], (True, False))
            found.append(there - absent)
        return found

    def of_numbers(self, view: NumberView, left: Left, cells: Mapping[str, object]) -> Scores:
        """What one view makes of the numbers of a row, with doubt, unweighted."""
        columns = [[self.table[name][n] for n in left] for name in view.columns]
        row = [cells[name] for name in view.columns]

        def score(labels: list, classes: Sequence[Hashable]) -> Scores:
            if view.kind == "bins":
                given = view.m, self.bits, view.missing
                of_column = [
                    numbers_twin.binned(others, labels, classes, cell, *given)
                    for others, cell in zip(columns, row, strict=True)
                ]
                scores = [math.fsum(each) for each in zip(*of_column, strict=True)]
            else:
                rows, is_shared = list(zip(*columns, strict=True)), view.kind == "shared"
                scores = numbers_twin.together(rows, labels, classes, row, is_shared)
                self.farthest = max(self.farthest, *map(abs, scores))
            return numbers_twin.doubted(scores, labels, classes)

        return self._compared(left, score)

    def of_categories(self, category: Category, left: Left, cell: str | None) -> Scores:
        """Shares of values, one virtual row spread over all of them; a new value says nothing."""
        others = [self.table[category.column][n] for n in left]
        values = {other for other in others if other is not None}

        def score(labels: list, classes: Sequence[Hashable]) -> Scores:
            scores = [0.0] * len(classes)
            pairs = [pair for pair in zip(others, labels, strict=True) if pair[0] is not None]
            if cell in values:
                for place, label in enumerate(classes):
                    own = [other for other, there in pairs if there == label]
                    share = (own.count(cell) + Fraction(1, len(values))) / (len(own) + 1)
                    scores[place] = math.log(share)
            if category.missing == "value":
                shares = numbers_twin.presence(others, labels, classes, cell is None, 1.0)
                scores = _sum(scores, [math.log(share) for share in shares])
            return scores

        return self._compared(left, score)

    def evidence(
        self, tuning: Tuning, cells: Mapping[str, object], left: Callable[[str], Left]
    ) -> Scores:
        """All evidence, weighed, beside the prior; `left` are the rows that a column counts."""
        parts = [[tuning.bias.get(label, 0.0) for label in self.classes]]
        for view in tuning.numbers:
            said = self.of_numbers(view, left(view.columns[0]), cells)
            parts.append([view.weight * score for score in said])
        for category in tuning.categories:
            name = category.column
            said = self.of_categories(category, left(name), cells[name])
            parts.append([category.weight * score for score in said])
        for column, views in tuning.views.items():
            for view in views:
                found = read(cells[column], self.columns[column])[view.features]
                factor = view.factor(found.total())
                said = self.of_view(column, view, left(column), cells[column])
                parts.append([factor * score for score in said])
        return [math.fsum(each) for each in zip(*parts, strict=True)]

    def scores(self, tuning: Tuning, cells: Mapping[str, object]) -> Scores:
        """Of a new row."""
        evidence = self.evidence(tuning, cells, lambda column: self.rows)
        return _sum(evidence, self.prior(self.rows))

    def scores_left_out(self, tuning: Tuning, row: int, alone: bool = False) -> Scores:
        """Of a learned row by the others. The prior misses that row alone."""
        left = {column: self.without(row, column, alone) for column in self.columns}
        prior = self.prior(tuple(n for n in self.rows if n != row))
        scores = _sum(self.evidence(tuning, self.cells(row), left.__getitem__), prior)
        if not self.is_multilabel and not self.keeps_class(row, alone):
            (own,) = self.truth[row]
            scores[own] = -math.inf
        return scores

    def log_odds(self, tuning: Tuning, scores: Scores) -> Scores:
        """Those of labels that are rivals."""
        found = []
        for place, label in enumerate(self.classes):
            others = [score for n, score in enumerate(scores) if n != place]
            rivals = tuning.others * log_sum(others) if tuning.others and others else 0.0
            found.append(tuning.own * scores[place] - rivals + tuning.offsets.get(label, 0.0))
        return found

    def probabilities(self, tuning: Tuning, scores: Scores) -> Scores:
        if self.is_multilabel:
            return [1 / (1 + math.exp(-odds)) for odds in self.log_odds(tuning, scores)]
        odds = [math.exp(score - max(scores)) for score in scores]
        return [each / math.fsum(odds) for each in odds]


def _sum(ours: Scores, theirs: Scores) -> Scores:
    return [a + b for a, b in zip(ours, theirs, strict=True)]


def log_sum(scores: Scores) -> float:
    most = max(scores)
    return most + math.log(math.fsum(math.exp(score - most) for score in scores))


# The fit of weights

FALL, RISE, BIAS, DOUBT = 10.0, 2.0, 2.0, 2.0
"""What it costs a weight to fall from its start to zero, to rise from zero by one unit of log-odds,
a bias to be one (half of it), and a guess to be e times less or more than Naive Bayes' word."""

ALPHAS = (0.01, 0.05, 0.2, 1.0)

MS = (8.0, 2.0, 32.0, 128.0)
"""The equivalent sample sizes of bins that are tried, the first one being that of a plain model."""

MOST_APART, MOST_TOGETHER = 32, 64
"""With more numeric columns, their bins share a weight; with more, they have no covariances."""


class Problem:
    """Labels that shall be as probable as can be, less what it costs to leave the start.

    The parameters are a weight λ ≥ 0 for each kind of evidence, then a bias for each class.
    """

    def __init__(
        self,
        kinds: list[list[Scores]],
        truth: list[set[int]],
        prior: Scores,
        start: list[float],
        *,
        has_bias: bool,
        is_multilabel: bool,
    ):
        if not is_multilabel:
            # What all classes share says nothing, and large numbers would cost digits.
            kinds = [[[s - max(row) for s in row] for row in scores] for scores in kinds]
        self.kinds, self.truth, self.prior, self.is_multilabel = kinds, truth, prior, is_multilabel
        biases = len(prior) if has_bias else 0
        self.start = [*start, *[0.0] * biases]
        holds = [
            2 * FALL / begin**2 if begin else 2 * RISE * self._scale(scores)
            for scores, begin in zip(kinds, start, strict=True)
        ]
        self.hold = [*holds, *[BIAS] * biases]

    def _scale(self, scores: list[Scores]) -> float:
        """How far scores differ between classes, or from zero where labels are no rivals."""
        squares = [
            (score - (0.0 if self.is_multilabel else statistics.fmean(row))) ** 2
            for row in scores
            for score in row
        ]
        return max(statistics.fmean(squares), 1e-12)

    def scores(self, at: Sequence[float]) -> list[Scores]:
        """Those of each class or label, row by row."""
        weights, biases = at[: len(self.kinds)], list(at[len(self.kinds) :])
        before = _sum(self.prior, biases or [0.0] * len(self.prior))
        found = []
        for of_row in zip(*self.kinds, strict=True):
            scores = before
            for said, weight in zip(of_row, weights, strict=True):
                if weight:
                    scores = [a + weight * b for a, b in zip(scores, said, strict=True)]
            found.append(scores)
        return found

    def probabilities(self, at: Sequence[float]) -> list[Scores]:
        if self.is_multilabel:
            return [[logistic(score) for score in row] for row in self.scores(at)]
        wholes = [(row, log_sum(row)) for row in self.scores(at)]
        return [[math.exp(score - whole) for score in row] for row, whole in wholes]

    def likelihood(self, at: Sequence[float]) -> float:
        """The log-probability of the labels."""
        pairs = zip(self.scores(at), self.truth, strict=True)
        if not self.is_multilabel:
            return math.fsum(row[own] - log_sum(row) for row, (own,) in pairs)
        return math.fsum(
            log_logistic(score if place in truth else -score)
            for row, truth in pairs
            for place, score in enumerate(row)
        )

    def penalty(self, at: Sequence[float]) -> float:
        parts = zip(self.hold, at, self.start, strict=True)
        return sum(hold * (here - start) ** 2 / 2 for hold, here, start in parts)

    def objective(self, at: Sequence[float]) -> float:
        return self.likelihood(at) - self.penalty(at)

    def _moved(self, row: int, place: int) -> Scores:
        """How the scores of a row change with a parameter."""
        if place < len(self.kinds):
            return self.kinds[place][row]
        return [float(n == place - len(self.kinds)) for n in range(len(self.prior))]

    def slopes(self, at: Sequence[float]) -> Scores:
        """The first derivatives of the objective."""
        parts = zip(self.hold, at, self.start, strict=True)
        found = [-hold * (here - start) for hold, here, start in parts]
        for row, p in enumerate(self.probabilities(at)):
            missing = [(place in self.truth[row]) - share for place, share in enumerate(p)]
            for place in range(len(at)):
                found[place] += _dot(missing, self._moved(row, place))
        return found

    def bends(self, at: Sequence[float], places: Sequence[int]) -> list[Scores]:
        """The second derivatives by some of the parameters, their signs turned."""
        found = [[self.hold[a] if a == b else 0.0 for b in places] for a in places]
        for row, p in enumerate(self.probabilities(at)):
            moved = [self._moved(row, place) for place in places]
            spread = p
            if self.is_multilabel:
                spread = [share * (1 - share) for share in p]
            else:
                means = [_dot(p, each) for each in moved]
                moved = [[m - mean for m in e] for e, mean in zip(moved, means, strict=True)]
            for n, ours in enumerate(moved):
                tuned = [a * b for a, b in zip(spread, ours, strict=True)]
                for other in range(n + 1):
                    found[n][other] += _dot(tuned, moved[other])
        for n in range(len(places)):
            for other in range(n):
                found[other][n] = found[n][other]
        return found

    def movable(self, at: Sequence[float], slopes: Scores) -> list[int]:
        """The parameters that may go the way they would: a λ that is zero does not fall."""
        is_free = [slope > 0 or here > 0 for slope, here in zip(slopes, at, strict=True)]
        return [n for n in range(len(at)) if is_free[n] or n >= len(self.kinds)]

    def best(self) -> list[float]:
        """The best parameters. Whatever finds them, `at_most_above` says how near they are."""
        at = [0.0] * len(self.hold)
        while True:
            slopes = self.slopes(at)
            free = self.movable(at, slopes)
            bends = self.bends(at, free)
            up = [slopes[place] for place in free]
            apart = [slope / bends[n][n] for n, slope in enumerate(up)]
            further = self._further(at, free, solve(bends, up)) or self._further(at, free, apart)
            if further is None:
                return at
            at = further

    def _further(self, at: list[float], free: list[int], step: Scores) -> list[float] | None:
        before = self.objective(at)
        for halved in range(40):
            found = list(at)
            for place, by in zip(free, step, strict=True):
                found[place] += by / 2**halved
                if place < len(self.kinds):
                    found[place] = max(found[place], 0.0)
            if self.objective(found) > before + 1e-12:
                return found
        return None

    def evidence(self, at: Sequence[float]) -> float:
        """The log-probability of the labels with the parameters integrated out, by Laplace.

        The penalties are those of a Gaussian prior, so the integral of a parabola is as much less
        than its height as it is more curved than the prior is.
        """
        free = self.movable(at, self.slopes(at))
        held = math.fsum(math.log(self.hold[place]) for place in free)
        return self.objective(at) - (log_determinant(self.bends(at, free)) - held) / 2

    def at_most_above(self, at: Sequence[float]) -> float:
        """The best objective is above the one here by no more than this.

        Every parameter is held, so along each the objective bends at least as much as its penalty.
        """
        slopes = self.slopes(at)
        return sum(slopes[n] ** 2 / (2 * self.hold[n]) for n in self.movable(at, slopes))

    def gains(self, at: Sequence[float]) -> dict[int, float]:
        """What each parameter would gain by moving alone, were the objective a parabola."""
        slopes = self.slopes(at)
        free = self.movable(at, slopes)
        bends = self.bends(at, free)
        return {place: slopes[place] ** 2 / (2 * bends[n][n]) for n, place in enumerate(free)}


def _dot(ours: Scores, theirs: Scores) -> float:
    return sum(a * b for a, b in zip(ours, theirs, strict=True))


def eliminated(rows: list[Scores]) -> list[Scores]:
    """Rows that begin with a matrix, made diagonal by Gauss's elimination; it needs no pivoting."""
    rows = [list(row) for row in rows]
    for n, pivot in enumerate(rows):
        for other in rows[:n] + rows[n + 1 :]:
            share = other[n] / pivot[n]
            if share:
                other[n:] = [a - share * b for a, b in zip(other[n:], pivot[n:], strict=True)]
    return rows


def solve(matrix: list[Scores], right: Scores) -> Scores:
    rows = eliminated([[*row, last] for row, last in zip(matrix, right, strict=True)])
    return [row[-1] / row[n] for n, row in enumerate(rows)]


def log_determinant(matrix: list[Scores]) -> float:
    return math.fsum(math.log(row[n]) for n, row in enumerate(eliminated(matrix)))


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def log_logistic(x: float) -> float:
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


def rounded(weight: float) -> float:
    """Weights are multiples of 2⁻²⁰."""
    return round(weight * 2**20) / 2**20


def tamed(scores: list[Scores], most: float = math.inf) -> list[Scores]:
    """Scores under which no class falls behind the best by far more than usual, nor by `most`."""
    usual = statistics.median(max(row) - min(row) for row in scores)
    reach = min(max(10 * usual, 20.0), most)
    return [[max(score, max(row) - reach) for score in row] for row in scores]


@dataclass(frozen=True)
class Term:
    """What gets a weight: a view of a text, whole or over √length, one of numbers, a category."""

    of: tuple[str, View] | NumberView | Category
    """With a view of a text comes its column."""
    over_root: bool = False
    is_plain: bool = False
    """Whether it is what plain Naive Bayes says of a text, from which the fit starts."""


def plain_numbers(columns: tuple[str, ...]) -> list[NumberView]:
    """Numbers as plain Naive Bayes takes them: each column in bins, or all if there are many."""
    groups = [(name,) for name in columns] if len(columns) <= MOST_APART else [columns]
    return [NumberView("bins", group, MS[0], "skip", 1.0) for group in groups if group]


class Fit:
    """How the weights of a twin's default model are found, step by step.

    `told` has the settings of views that are known already; of all others the best are taken.
    """

    def __init__(self, twin: Twin, told: Tuning):
        self.twin, self._told = twin, told
        self.scored = [row for row in twin.rows if twin.keeps_class(row)]
        self.truth = [twin.truth[row] for row in self.scored]
        self.prior = twin.prior(twin.rows)
        self._alone = lru_cache(maxsize=None)(self._fit_alone)
        self._left_out = lru_cache(maxsize=None)(self._score)

    def problem(self, kinds, start, *, has_bias, prior=None) -> Problem:
        prior = self.prior if prior is None else prior
        is_multilabel = self.twin.is_multilabel
        return Problem(
            kinds, self.truth, prior, start, has_bias=has_bias, is_multilabel=is_multilabel
        )

    # One view of the rows that are scored, each by the others

    def _score(self, of: tuple[str, View] | NumberView | Category) -> list[Scores]:
        twin, found = self.twin, []
        for row in self.scored:
            cells = twin.cells(row)
            if isinstance(of, NumberView):
                found.append(twin.of_numbers(of, twin.without(row, of.columns[0]), cells))
            elif isinstance(of, Category):
                left = twin.without(row, of.column)
                found.append(twin.of_categories(of, left, cells[of.column]))
            else:
                column, view = of
                left = twin.without(row, column)
                found.append(twin.of_view(column, view, left, cells[column]))
        return found

    def _over_root(self, column: str, view: View) -> list[Scores]:
        cells, reading = self.twin.table[column], self.twin.columns[column]
        lengths = [read(cells[row], reading)[view.features].total() for row in self.scored]
        roots = [math.sqrt(max(length, 1)) for length in lengths]
        scores = self._left_out((column, view))
        return [[s / root for s in row] for row, root in zip(scores, roots, strict=True)]

    def _fit_alone(self, of: tuple[str, View] | NumberView | Category) -> float:
        """How probable the labels are, per row, by one view alone."""
        kinds = [self._left_out(of)]
        if isinstance(of, tuple):
            kinds.append(self._over_root(*of))
        problem = self.problem(kinds, [0.0] * len(kinds), has_bias=False)
        return problem.likelihood(problem.best()) / len(self.scored)

    # Smoothing of texts

    @cached_property
    def views(self) -> dict[str, list[View]]:
        """Of each text, all that get a weight."""
        told = self._told.views
        return {name: self._smoothed(name, told.get(name, ())) for name in self.twin.texts}

    def tried(self, column: str, view: View) -> dict[View, float]:
        """A view with each α, and how probable each makes the labels."""
        found = [replace(view, alpha=alpha, whole=0.0, rooted=0.0) for alpha in ALPHAS]
        return {each: self._alone((column, each)) for each in found}

    def _best(self, column: str, view: View) -> tuple[float, float]:
        """How probable a view makes the labels at best, and with which α; of equals the largest."""
        return max((worth, each.alpha) for each, worth in self.tried(column, view).items())

    def _smoothed(self, column: str, told: Sequence[View]) -> list[View]:
        is_multilabel = self.twin.is_multilabel
        kinds = ["multinomial", "binary-multinomial", "complement", "binary complement"]
        models = kinds if len(self.twin.classes) > 2 and not is_multilabel else kinds[:2]
        found = []
        for features in read("", self.twin.columns[column]):
            known = {view.model: view for view in told if view.features == features}
            least = self._least(column, features, list(known.values()))
            views = [View(features, model, min_documents=least) for model in models]
            if is_multilabel:
                best = max(views, key=lambda view: self._best(column, view)[0])
                views = [view for view in views if view.model in known] or [best]
            for view in views:
                settled = view.model in known
                alpha = known[view.model].alpha if settled else self._best(column, view)[1]
                found.append(replace(view, alpha=alpha))
        return found

    def _least(self, column: str, features: str, known: list[View]) -> int:
        """In how many documents a feature must be to take part."""
        if self.twin.is_multilabel:
            return 2
        if known:
            return known[0].min_documents
        of_presence = [View(features, "binary-multinomial", min_documents=n) for n in (1, 2)]
        return max(of_presence, key=lambda view: self._best(column, view)[0]).min_documents

    # Smoothing of numbers, and gaps

    def _ways(self, columns: Sequence[str]) -> tuple[str, ...]:
        """What a missing cell may be; where none is missing, there is no choice."""
        has_gaps = any(cell is None for name in columns for cell in self.twin.table[name])
        return ("skip", "value") if has_gaps else ("skip",)

    def tried_numbers(self, view: NumberView) -> dict[NumberView, float]:
        """Bins with each m and each way with gaps, and how probable each makes the labels."""
        kind, columns = view.is_of
        ways = self._ways(columns)
        return self._tried([NumberView(kind, columns, m, way) for way in ways for m in MS])

    def tried_category(self, column: str) -> dict[Category, float]:
        return self._tried([Category(column, way) for way in self._ways([column])])

    def _tried(self, candidates: list) -> dict:
        """Where rows have sets of labels, the first candidate is taken untried."""
        few = candidates[:1] if self.twin.is_multilabel else candidates
        return {each: self._alone(each) for each in few}

    @cached_property
    def numbers(self) -> list[NumberView]:
        """All views of numbers that get a weight; of equals the first."""
        columns, told = self.twin.numeric, {view.is_of: view for view in self._told.numbers}
        if not columns:
            return []
        found = []
        for view in plain_numbers(columns):
            tried = self.tried_numbers(view)
            best = max(tried, key=lambda each: tried[each])
            known = told.get(view.is_of, best)
            found.append(replace(best, m=known.m, missing=known.missing))
        if len(columns) <= MOST_TOGETHER:
            found += [NumberView("shared", columns), NumberView("full", columns)]
        return found

    @cached_property
    def categories(self) -> list[Category]:
        told = {one.column: one for one in self._told.categories if one.weight}
        found = []
        for column in self.twin.categorical:
            tried = self.tried_category(column)
            best = max(tried, key=lambda each: tried[each])
            found.append(replace(told.get(column, best), weight=0.0))
        return found

    # Weights

    @cached_property
    def terms(self) -> list[Term]:
        found = [Term(one) for one in (*self.numbers, *self.categories)]
        for name, views in self.views.items():
            for n, view in enumerate(views):
                found += [Term((name, view), is_plain=n == 0), Term((name, view), over_root=True)]
        return found

    @cached_property
    def scores(self) -> list[list[Scores]]:
        """Of each term, the rows that are scored."""
        return [
            self._over_root(*term.of) if term.over_root else self._left_out(term.of)
            for term in self.terms
        ]

    @property
    def patience(self) -> float:
        """How far a class may fall behind: where labels are no rivals, any way."""
        rows = len(self.scored)
        return math.inf if self.twin.is_multilabel else math.log1p(rows) + rows / 8

    @cached_property
    def tempers(self) -> dict[Term, float]:
        """How far to trust plain Naive Bayes of each text: by itself, then of all together."""
        pairs = zip(self.terms, self.scores, strict=True)
        plain = {term: tamed(scores) for term, scores in pairs if term.is_plain}
        if not plain:
            return {}
        own = {term: self._temper(said) if len(plain) > 1 else 1.0 for term, said in plain.items()}
        joint = [
            [math.fsum(each) for each in zip(*of_row, strict=True)]
            for of_row in zip(
                *([[own[term] * s for s in row] for row in said] for term, said in plain.items()),
                strict=True,
            )
        ]
        together = self._temper(joint)
        return {term: together * each for term, each in own.items()}

    def _temper(self, joint: list[Scores]) -> float:
        spread = statistics.median(statistics.pvariance(row) for row in joint)
        one = float(f"{1 / math.sqrt(max(spread, 1e-12)):.6g}")
        ends = []
        for guess in (1.0, 0.5 * one, one, 2 * one, 4 * one, 8 * one):
            kind = tamed(joint, self.patience / min(guess, 1.0))
            problem = self.problem([kind], [guess], has_bias=False)
            (weight,) = problem.best()
            cost = FALL * (weight / guess - 1) ** 2 + DOUBT * abs(math.log(guess))
            ends.append((problem.likelihood([weight]) - cost, rounded(weight)))
        return max(ends)[1]

    @cached_property
    def weighing(self) -> Problem:
        """Texts start from plain Naive Bayes, numbers and categories from nothing."""
        given, start = [], []
        for term, scores in zip(self.terms, self.scores, strict=True):
            temper, once = self.tempers.get(term, 0.0), tamed(scores)
            given.append(tamed(once, self.patience / min(temper, 1.0)) if temper else once)
            start.append(temper)
        return self.problem(given, start, has_bias=True)

    @cached_property
    def best(self) -> list[float]:
        return self.weighing.best()

    @property
    def log_prior(self) -> float:
        """The log-probability of the labels by the prior alone."""
        return self.weighing.likelihood([0.0] * len(self.best))

    @property
    def is_by_prior_alone(self) -> bool:
        """Whether, without texts, the labels are as probable without any weight."""
        return not self.twin.texts and self.weighing.evidence(self.best) <= self.log_prior

    def parameters(self, tuning: Tuning) -> list[float]:
        """The numbers that were tuned, as `weighing` has them; what is not heard has weight 0."""
        numbers = {view.is_of: view.weight for view in tuning.numbers}
        categories = {one.column: one.weight for one in tuning.categories}
        found = []
        for term in self.terms:
            if isinstance(term.of, NumberView):
                found.append(numbers.get(term.of.is_of, 0.0))
                continue
            if isinstance(term.of, Category):
                found.append(categories[term.of.column])
                continue
            column, own = term.of
            same = [
                view
                for view in tuning.views.get(column, ())
                if (view.features, view.model) == (own.features, own.model)
            ]
            found.append(sum(view.rooted if term.over_root else view.whole for view in same))
        return [*found, *(tuning.bias.get(label, 0.0) for label in self.twin.classes)]

    def tuning(self, at: Sequence[float]) -> Tuning:
        """The other way round."""
        views, numbers, categories = {}, [], []
        for term, weight in zip(self.terms, at, strict=False):
            if isinstance(term.of, NumberView):
                numbers.append(replace(term.of, weight=weight))
            elif isinstance(term.of, Category):
                categories.append(replace(term.of, weight=weight))
            else:
                column, own = term.of
                known = views.setdefault(column, {})
                which = "rooted" if term.over_root else "whole"
                known[own] = replace(known.get(own, own), **{which: weight})
        bias = dict(zip(self.twin.classes, at[len(self.terms) :], strict=True))
        texts = {name: list(of.values()) for name, of in views.items()}
        return Tuning(texts, numbers, categories, bias)

    def plain(self) -> Tuning:
        """Plain Naive Bayes: every column counts once, of a text the words, of a number its bin."""
        first = [View("word", "multinomial", whole=1.0)]
        return Tuning(
            dict.fromkeys(self.twin.texts, first),
            plain_numbers(self.twin.numeric),
            [Category(name, weight=1.0) for name in self.twin.categorical],
        )

    def is_worse_than_plain(self, tuning: Tuning) -> bool:
        """Whether plain Naive Bayes is right more often, beyond chance, of rows left out alone."""
        if not self.twin.texts:
            return False
        lost = []
        for row, (own,) in zip(self.twin.rows, self.twin.truth, strict=True):
            before, after = (
                self.twin.scores_left_out(each, row, alone=True) for each in (self.plain(), tuning)
            )
            lost.append((_first(before) == own) - (_first(after) == own))
        error = statistics.stdev(lost) / math.sqrt(len(lost))
        return statistics.fmean(lost) > 2 * error

    # Of rows with any number of labels

    def evidence(self, tuning: Tuning) -> list[Scores]:
        """The weighed evidence by which labels become rivals; its prior is that of all rows."""
        at = self.parameters(tuning)
        found = []
        for row in range(len(self.scored)):
            parts = [self.prior, at[len(self.terms) :]]
            for scores, weight in zip(self.scores, at, strict=False):
                parts.append([weight * score for score in scores[row]])
            found.append([math.fsum(each) for each in zip(*parts, strict=True)])
        return found

    def rivalry(self, tuning: Tuning) -> Problem:
        """How far labels are rivals."""
        evidence = self.evidence(tuning)
        against = [
            [-log_sum([*row[:place], *row[place + 1 :]]) for place in range(len(row))]
            for row in evidence
        ]
        nothing = [0.0] * len(self.twin.classes)
        return self.problem([evidence, against], [1.0, 0.0], has_bias=True, prior=nothing)

    def f1_by_threshold(self, tuning: Tuning) -> dict[Hashable, dict[float, float]]:
        """The F1 of each label at each threshold, with two more rows that are like all labels'."""
        found = [self.twin.probabilities(tuning, scores) for scores in self.evidence(tuning)]
        of_label = [
            [(row[place], place in own) for row, own in zip(found, self.truth, strict=True)]
            for place in range(len(self.twin.classes))
        ]
        of_all = [pair for pairs in of_label for pair in pairs]
        imagined = Fraction(2, sum(there for _, there in of_all))

        def f1(pairs: list[tuple[float, bool]], bar: float) -> float:
            counts = zip(_hits_said_there(pairs, bar), _hits_said_there(of_all, bar), strict=True)
            hits, said, there = (own + imagined * more for own, more in counts)
            return float(2 * hits / (said + there))

        pairs = zip(self.twin.classes, of_label, strict=True)
        return {label: {bar: f1(own, bar) for bar in thresholds()} for label, own in pairs}


def _hits_said_there(pairs: list[tuple[float, bool]], bar: float) -> tuple[int, int, int]:
    said = [there for p, there in pairs if p >= bar]
    return sum(said), len(said), sum(there for _, there in pairs)


def _first(scores: Scores) -> int:
    return scores.index(max(scores))


@cache
def thresholds() -> list[float]:
    """A grid of log-odds: by 0.05 up to 8, by 1 up to 36, and all or nothing."""

    def written(odds: float) -> float:
        return float(f"{logistic(odds):.6g}")

    near = [written(n / 20) for n in range(-160, 161)]
    far = [written(-n) for n in range(36, 8, -1)]
    return [0.0, *far, *near, *(1 - bar for bar in reversed(far)), 1.0]
