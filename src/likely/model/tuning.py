"""Tuning: weighted Naive Bayes, with weights fit by leave-one-out likelihood.

Naive Bayes multiplies probabilities as if features were independent, so it is overconfident, and
many weak features drown out the rest. Here each factor or view g gets an exponent λ ≥ 0, and each
class a bias,

    log P(c | x) = log prior_c + b_c + Σ_g λ_g · s_g(x, c) + const

which maximize the probability of the labels of the training rows, each row scored by a model that
has not seen it. With few rows λ stays near plain Naive Bayes, tempered.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import Copies, ExactDuplicates
from likely.data.labels import Label, plain_label
from likely.data.table import Batch, concatenated, row_hashes, rows_at
from likely.errors import ModelError
from likely.likelihoods.base import AnyLikelihood, Scores, amount
from likely.likelihoods.product import Factor, Product
from likely.likelihoods.stacked_linear import StackedLinear, form
from likely.model.loo_predictions import rows_leaving
from likely.model.prior import checked_bias
from likely.tally import Arrays, Classes, Tally, checked_fingerprint
from likely.tally.container import canonical
from likely.tally.encoded import Encoded, EncodedLabelSets, Fit, encoded, joined

Batches = Callable[[], Iterator[Batch]]

# As in the kernel: the penalty on leaving the initial weights.
_WEIGHT_PENALTY = 10.0

# The penalty, in log-probability, on scaling all scores by a factor of e or 1/e.
_SCALE_PENALTY = 2.0

# With more classes, each is too rare for a bias of its own, and fitting them all takes long.
_MOST_BIASES = 100

# How far, relative to the usual, a class may fall behind the best. Without the row, its class may
# have so few rows that it seems impossible, which must not drive all weights to 0.
_OUTLIER = 10.0
_LEAST_OUTLIER = 20.0

# With a few times as many rows, the scores of a row are no longer clipped.
_ROWS_PER_NAT = 8

# The most scores that are kept while λ is fit; of more rows, those with the smallest hashes.
_MOST_SCORES = 20_000_000
_FEWEST_ROWS = 256

# How many rows smoothing is chosen on, and how many scores if there are many classes.
_SAMPLED_ROWS = 1024
_SAMPLED_SCORES = 100_000

# How many rows are used to test whether tuning has made predictions worse.
_COMPARED = 4096


@dataclass(frozen=True, eq=False)
class FactorTuning:
    """The tuning of one factor: what was chosen for its likelihood, and its weight.

    A likelihood of several views has the weights of its views, and none of its own.
    """

    likelihood: AnyLikelihood
    weight: float | None

    def applied(self, factor: Factor) -> Factor:
        likelihood = factor.likelihood.tuned_as(self.likelihood)
        return replace(factor, likelihood=likelihood, weight=self.weight)

    def to_json(self) -> dict[str, Any]:
        return {"weight": self.weight, **self.likelihood.tuned_to_json()}

    @classmethod
    def from_json(cls, stored: dict[str, Any], factor: Factor) -> "FactorTuning":
        weight, rest = stored["weight"], {n: v for n, v in stored.items() if n != "weight"}
        found = factor.likelihood.tuned_from_json(rest, factor.columns)
        return cls(found, None if weight is None else amount("weight", weight))


@dataclass(frozen=True, eq=False)
class Tuning:
    """All that was chosen on leave-one-out scores of training rows, and on which rows.

    Without factors, plain Naive Bayes was kept, since weights made predictions worse.
    """

    factors: tuple[FactorTuning, ...]
    bias: dict[Label, float]
    rows: int
    """How many rows the weights were fit on."""
    log_likelihood: float
    """The mean log-probability of their labels, each row left out."""
    rows_seen: str
    """The fingerprint of all rows the model had learned then."""
    stacked: StackedLinear | None = None
    """The linear model that is added to the scores, if it has a weight."""

    @property
    def is_plain(self) -> bool:
        """Whether plain Naive Bayes was kept, since weights made predictions worse."""
        return not self.factors

    @property
    def rank(self) -> tuple[int, float, str]:
        """The sort key for merging: the tuning on more rows is kept."""
        return self.rows, self.log_likelihood, canonical(self.to_json())

    def applied(self, product: Product) -> Product:
        """A plain product with the tuned weights."""
        if self.is_plain:
            return product
        both = zip(product.factors, self.factors, strict=True)
        return replace(product, factors=tuple(tuned.applied(factor) for factor, tuned in both))

    def plain(self, log_likelihood: float) -> "Tuning":
        """The same, with plain Naive Bayes kept."""
        return replace(self, factors=(), bias={}, log_likelihood=log_likelihood, stacked=None)

    def labels(self) -> Iterator[Label]:
        """All labels in it."""
        yield from self.bias
        if self.stacked is not None:
            yield from self.stacked.labels

    def to_json(self) -> dict[str, Any]:
        bias = sorted(self.bias.items(), key=str)
        return {
            "factors": [factor.to_json() for factor in self.factors],
            "bias": [[label, bias] for label, bias in bias],
            "rows": self.rows,
            "log_likelihood": self.log_likelihood,
            "rows_seen": self.rows_seen,
            "stacked": None if self.stacked is None else self.stacked.to_json(),
        }

    def arrays(self) -> Arrays:
        """What the linear model has learned."""
        return {} if self.stacked is None else self.stacked.arrays()

    @classmethod
    def from_json(cls, stored: dict[str, Any], product: Product, arrays: Arrays) -> "Tuning":
        """The tuning of a product that a model file describes; `arrays` are those of `arrays`."""
        both = zip(stored["factors"], product.factors, strict=bool(stored["factors"]))
        factors = [FactorTuning.from_json(one, factor) for one, factor in both]
        bias = {plain_label(label): checked_bias(bias) for label, bias in stored["bias"]}
        rows, reached, seen = stored["rows"], stored["log_likelihood"], stored["rows_seen"]
        plain = type(rows) is int and type(reached) is float
        if not plain or not 0 <= rows < 2**63 or not -np.inf < reached < np.inf:
            raise ModelError("the rows that it was tuned on make no sense")
        linear = stored["stacked"]
        if arrays and linear is None:
            raise ModelError("it has arrays that do not belong to a model")
        if linear is not None and not factors:
            raise ModelError("plain Naive Bayes was kept, and yet a linear model is stacked on it")
        stacked = None if linear is None else StackedLinear.restored(linear, product, arrays)
        found = cls(tuple(factors), bias, rows, reached, checked_fingerprint(seen), stacked)
        found.applied(product)
        return found


@dataclass(frozen=True)
class TuningResult:
    """The tuning, and intermediate results that can be reused."""

    tuning: Tuning
    duplicates: dict[int, ExactDuplicates]
    """For each text with views, by the position of its factor."""
    scores: Scores | None
    """The weighted leave-one-out scores of all rows, if all were kept."""
    of_labels: tuple[Scores, EncodedLabelSets] | None = None
    """For multi-label rows, the scores that the weights were fit on, and the labels."""
    stacked: Scores | None = None
    """The part of the stacked linear model in the scores, if there is one."""
    sample: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """A sample of the rows, with duplicates as often as they occur."""

    def plain(self, log_likelihood: float) -> "TuningResult":
        """The same, with plain Naive Bayes kept."""
        return replace(self, tuning=self.tuning.plain(log_likelihood), scores=None, stacked=None)


@dataclass(frozen=True)
class TrainingRows:
    """Labels, hashes and duplicates of the training rows."""

    truth: Encoded
    hashes: NDArray[np.uint64]
    duplicates: dict[int, ExactDuplicates]
    """For each text with views, by the position of its factor."""
    groups: NDArray[np.uint64]
    """The hashes of all texts with views of a row, or without any those of rows.

    Rows that share them are left out together by a linear model.
    """
    scored: NDArray[np.bool_]
    """Which rows are scored: those whose class has other rows."""

    @classmethod
    def of(
        cls,
        product: Product,
        classes: Classes,
        batches: Batches,
        copies: Mapping[int, Copies] | None = None,
    ) -> "TrainingRows":
        """These rows; `copies` says how often their texts occur, if there are more rows."""
        texts = product.places_of_views
        truths: list[Encoded] = []
        rows: list[NDArray[np.uint64]] = []
        groups: list[NDArray[np.uint64]] = []
        hashes: dict[int, list[NDArray[np.uint64]]] = {place: [] for place in texts}
        for batch in batches():
            for place, of_text in hashes.items():
                of_text.append(row_hashes([batch.parts[place]]))
            truths.append(encoded(classes, batch.labels))
            rows.append(row_hashes(batch.parts))
            groups.append(
                row_hashes([batch.parts[place] for place in texts or range(len(batch.parts))])
            )
        truth = joined(truths)
        linked = {place: np.concatenate(hashes[place]) for place in texts}
        known = {} if copies is None else copies
        duplicates = {place: truth.duplicates(linked[place], known.get(place)) for place in texts}
        leaving = rows_leaving(product, duplicates, truth.places)
        scored = np.asarray(classes.counted[1][truth.places] > leaving)
        return cls(truth, np.concatenate(rows), duplicates, np.concatenate(groups), scored)

    def leaving(self, place: int, rows: NDArray[np.intp], truth: Encoded) -> dict[str, Any]:
        """What is left out with some rows of a factor, beside the rows themselves."""
        if place in self.duplicates:
            return {"duplicates": self.duplicates[place].take(rows)}
        if isinstance(truth, EncodedLabelSets):
            return {"duplicates": truth.duplicates(np.arange(len(truth), dtype=np.uint64))}
        return {}

    def smallest(self, rows: int) -> NDArray[np.bool_]:
        """A sample of about so many scored rows, independent of their order."""
        return _smallest(self.hashes, self.scored, rows)


def _smallest(hashes: NDArray[np.uint64], among: NDArray[np.bool_], rows: int) -> NDArray[np.bool_]:
    """About so many of some rows: those with the smallest hashes."""
    given = hashes[among]
    if len(given) <= rows:
        return among
    return np.asarray(among & (hashes <= np.partition(given, rows - 1)[rows - 1]))


def sample_size(product: Product, classes: Classes) -> int:
    """How many rows tuning looks at, of many: those with the smallest hashes."""
    terms = sum(factor.likelihood.n_terms(factor.columns) for factor in product.factors)
    return max(_rows_fitted(classes, terms), _COMPARED)


def _rows_fitted(classes: Classes, terms: int) -> int:
    """How many rows the weights of so many terms are fit on."""
    return max(_MOST_SCORES // (len(classes) * terms), _FEWEST_ROWS)


def tune(
    product: Product,
    tally: Tally,
    classes: Classes,
    log_prior: NDArray[np.float64],
    known: TrainingRows,
    batches: Batches,
    stack_linear: bool,
    threads: int,
) -> TuningResult:
    """Fit λ and biases on leave-one-out scores of the rows of `batches`, all of them in `tally`.

    These are all rows, or at least the `sample_size` of them that have the smallest hashes.
    """
    factors = _chosen(product, tally, classes, log_prior, known, batches, threads)
    linear = _fit_linear(product, tally, classes, known, batches, threads) if stack_linear else None
    is_plain = [term for factor in factors for term in factor.likelihood.plain_terms]
    is_plain += [] if linear is None else [False]
    fitted = known.smallest(_rows_fitted(classes, len(is_plain)))
    keeps_all = bool((fitted == known.scored).all())
    kept = np.ones_like(fitted) if keeps_all else fitted
    scores = _left_out(factors, tally, classes, known, kept, batches, threads)
    scores += [] if linear is None else [linear[1][kept]]
    here = fitted[kept]
    given = [_clipped(each[here]) for each in scores]
    # Labels of multi-label rows do not compete, so none falls behind another.
    most_apart = np.inf if classes.is_multilabel else _most_apart(len(given[0]))
    truth = known.truth.take(np.flatnonzero(fitted))
    # Texts start from plain Naive Bayes, tempered as a whole, all else from nothing.
    few = np.flatnonzero(known.smallest(_enough(classes))[fitted])
    of_factor = [at for at, factor in enumerate(factors) for _ in factor.likelihood.plain_terms]
    whose = [at if plain else None for at, plain in zip(of_factor, is_plain, strict=False)]
    whose += [] if linear is None else [None]

    def temper(scores: Scores) -> float:
        return _temper(scores, truth.take(few), log_prior, most_apart, threads)

    start = _tempered([each[few] for each in given], whose, temper)
    if any(is_plain):
        given = [
            _clipped(each, most_apart / min(weight, 1.0)) if plain and weight else each
            for each, plain, weight in zip(given, is_plain, start, strict=True)
        ]
    has_bias = classes.is_multilabel or len(classes) <= _MOST_BIASES
    begin = None
    if 2 * len(few) <= len(truth):
        of_few = [each[few] for each in given]
        begun = truth.take(few).fit_weights(of_few, log_prior, start, has_bias, threads)
        begin = begun.weights, begun.bias
    fit = truth.fit_weights(given, log_prior, start, has_bias, threads, begin)
    if not any(is_plain) and len(truth):
        fit = better_than_prior(fit, truth, log_prior)
    weights = fit.weights
    # The terms of each factor, in the order in which a model adds them up.
    terms, place = list[list[int]](), 0
    for factor in factors:
        terms.append(list(range(place, place := place + len(factor.likelihood.plain_terms))))
    tuned = [
        FactorTuning(*factor.likelihood.weighted([weights[term] for term in own]))
        for factor, own in zip(factors, terms, strict=True)
    ]
    stacked, beside = None, None
    if linear is not None and weights[place]:
        terms.append([place])
        stacked = replace(linear[0], weight=weights[place])
        beside = weights[place] * linear[1]
    total = None
    if keeps_all or classes.is_multilabel:
        total = _total(terms, weights, scores)
    biases = dict(zip(classes.labels, fit.bias, strict=True))
    return TuningResult(
        Tuning(tuple(tuned), biases, len(truth), fit.log_likelihood, tally.fingerprint, stacked),
        known.duplicates,
        total if keeps_all else None,
        (total[here], truth) if total is not None and isinstance(truth, EncodedLabelSets) else None,
        beside,
        _smallest(known.hashes, np.ones_like(known.scored), _COMPARED),
    )


def _total(terms: list[list[int]], weights: list[float], scores: list[Scores]) -> Scores:
    """The weighted scores, added up factor by factor."""
    total = np.zeros_like(scores[0])
    for own in terms:
        of_factor = np.zeros_like(total)
        for term in own:
            if weights[term]:
                of_factor += weights[term] * scores[term]
        total += of_factor
    return total


def better_than_prior(fit: Fit, truth: Encoded, log_prior: NDArray[np.float64]) -> Fit:
    """The fit, or if the labels are more probable without any weight, the prior alone.

    The evidence of a fit is the probability of the labels, with the weights integrated out. So
    weights that fit chance lose to no weights.
    """
    alone = truth.log_likelihood(log_prior)
    if fit.evidence > alone:
        return fit
    nothing = [0.0] * len(fit.weights)
    return Fit(nothing, [0.0] * len(fit.bias), alone / len(truth), alone)


def _enough(classes: Classes) -> int:
    """How many rows are enough to choose smoothing; for multi-label rows, half as many."""
    scores = _SAMPLED_SCORES // 2 if classes.is_multilabel else _SAMPLED_SCORES
    return min(_SAMPLED_ROWS, max(scores // len(classes), _FEWEST_ROWS))


def _chosen(
    product: Product,
    tally: Tally,
    classes: Classes,
    log_prior: NDArray[np.float64],
    known: TrainingRows,
    batches: Batches,
    threads: int,
) -> list[Factor]:
    """The factors with what is left to choose, such as smoothing, chosen on a sample of the rows.

    Each is judged by itself, by how probable it makes the labels with the best weights.
    """
    taken = known.smallest(_enough(classes))
    rows = np.flatnonzero(taken)
    truth = known.truth.take(rows)
    parts: list[list[Any]] = [[] for _ in product.factors]
    start = 0
    for batch in batches():
        here = np.flatnonzero(taken[start : start + len(batch)])
        start += len(batch)
        for of_factor, part in zip(parts, batch.parts, strict=True):
            of_factor.append(rows_at(part, here))

    def judge(scores: list[Scores]) -> float:
        nowhere = [0.0] * len(scores)
        return truth.fit_weights(scores, log_prior, nowhere, False, threads).log_likelihood

    found = []
    for place, factor in enumerate(product.factors):
        beside = known.leaving(place, rows, truth)
        likelihood = factor.likelihood.chosen(
            tally.statistics[place],
            classes,
            factor.columns,
            concatenated(parts[place]),
            truth.places,
            judge,
            threads,
            **beside,
        )
        found.append(replace(factor, likelihood=likelihood))
    return found


def linear_scores_by_fold(
    product: Product,
    tuning: Tuning | None,
    tally: Tally,
    classes: Classes,
    batches: Batches,
    threads: int,
) -> Scores | None:
    """The cross-validated scores of the stacked linear model, if there is one.

    It is formed again from these rows, and weighted as in the tuning.
    """
    if tuning is None or tuning.stacked is None:
        return None
    known = TrainingRows.of(product, classes, batches)
    _, scores = _fit_linear(product, tally, classes, known, batches, threads)
    return np.asarray(tuning.stacked.weight * scores)


def _fit_linear(
    product: Product,
    tally: Tally,
    classes: Classes,
    known: TrainingRows,
    batches: Batches,
    threads: int,
) -> tuple[StackedLinear, Scores]:
    """The linear model of the rows, and their cross-validated scores."""
    parts = (batch.parts for batch in batches())
    given = product, tally.statistics, classes, parts, known.truth, known.groups, known.hashes
    return form(*given, threads)


def weightless(product: Product, stacked: StackedLinear | None) -> Iterator[str]:
    """What has weight 0 in a tuned product: columns, and kinds of text features.

    To a stacked linear model, everything counts.
    """
    if stacked is not None:
        return
    if all(factor.weight == 0 for factor in product.factors):
        yield (
            "no column tells the classes apart better than chance would, so predictions are the "
            "class frequencies; a plain model (`--plain`, `tune=False`) uses all columns"
        )
        return
    for factor in product.factors:
        names = ", ".join(f"`{name}`" for name in factor.columns)
        if factor.weight == 0:
            yield f"{names} has weight 0: left out, rows were predicted no better with it"
        elif silent := ", ".join(factor.likelihood.silent(factor.columns)):
            yield f"of {names}, these have weight 0: {silent}"


def _left_out(
    factors: list[Factor],
    tally: Tally,
    classes: Classes,
    known: TrainingRows,
    kept: NDArray[np.bool_],
    batches: Batches,
    threads: int,
) -> list[Scores]:
    """The leave-one-out scores of the kept rows by each term that gets a weight."""
    found: list[list[Scores]] = []
    start = 0
    for batch in batches():
        wanted = np.flatnonzero(kept[start : start + len(batch)])
        rows = wanted + start
        start += len(batch)
        truth = known.truth.take(rows)
        here: list[Scores] = []
        for place, factor in enumerate(factors):
            beside = known.leaving(place, rows, truth)
            here += factor.likelihood.terms_left_out(
                tally.statistics[place],
                classes,
                factor.columns,
                rows_at(batch.parts[place], wanted),
                truth.places,
                threads,
                **beside,
            )
        found.append(here)
    return [np.concatenate(of_term) for of_term in zip(*found, strict=True)]


def _most_apart(rows: int) -> float:
    """The clipping bound of the scores of a row, in log-probability.

    Few rows cannot estimate rare events, and leave-one-out scores are biased against the row, since
    its class has one row less. So extreme scores of few rows are clipped.
    """
    return float(np.log1p(rows)) + rows / _ROWS_PER_NAT


def _clipped(scores: Scores, most: float = np.inf) -> Scores:
    """Scores clipped so that no class is behind the best by far more than usual, or by `most`."""
    if not len(scores):
        return scores
    best = scores.max(axis=1)
    with np.errstate(invalid="ignore"):
        usual = np.median(best - scores.min(axis=1))
    if not np.isfinite(usual):
        usual = 0.0
    floor = best - min(max(_OUTLIER * usual, _LEAST_OUTLIER), most)
    return np.asarray(np.maximum(scores, floor[:, None]))


def _tempered(
    scores: list[Scores], whose: list[int | None], temper: Callable[[Scores], float]
) -> list[float]:
    """The weights that a fit starts from: plain Naive Bayes tempered, and nothing of other terms.

    `whose` has the factor of each plain term. Several factors are tempered each by itself, since
    their scores may be of different size, and then together.
    """
    joint = {
        factor: np.sum(
            [each for each, of in zip(scores, whose, strict=True) if of == factor], axis=0
        )
        for factor in dict.fromkeys(of for of in whose if of is not None)
    }
    own = {factor: 1.0 if len(joint) == 1 else temper(each) for factor, each in joint.items()}
    if not joint:
        return [0.0] * len(scores)
    together = temper(np.sum([own[factor] * each for factor, each in joint.items()], axis=0))
    return [0.0 if factor is None else together * own[factor] for factor in whose]


def _temper(
    scores: Scores,
    truth: Encoded,
    log_prior: NDArray[np.float64],
    most_apart: float,
    threads: int,
) -> float:
    """The weight (temperature) of plain Naive Bayes as a whole.

    The search starts from several values: 1, and those by which classes differ by half a unit of
    log-odds up to eight. The best penalized result is taken. Starting values are rounded, so that
    the order of summation has no effect.
    """
    if not len(truth):
        return 1.0
    one = float(f"{1 / np.sqrt(max(np.median(scores.var(axis=1)), 1e-12)):.6g}")
    ends = []
    for guess in (1.0, 0.5 * one, one, 2 * one, 4 * one, 8 * one):
        given = [_clipped(scores, most_apart / min(guess, 1.0))]
        fit = truth.fit_weights(given, log_prior, [guess], False, threads)
        (weight,), reached = fit.weights, fit.log_likelihood
        cost = _WEIGHT_PENALTY * (weight / guess - 1) ** 2 + _SCALE_PENALTY * abs(np.log(guess))
        ends.append((reached * len(truth) - cost, weight))
    return max(ends)[1]
