"""Tuning: how far to trust each kind of evidence.

Naive Bayes multiplies evidence as if it were independent, so it is too sure of itself, and repeats
of weak evidence shout down the rest. Here each kind of evidence gets an exponent λ ≥ 0, and each
class a bias,

    log P(c | x) = log prior_c + b_c + Σ_g λ_g · s_g(x, c) + const

chosen so that the labels of the training rows are as probable as can be, each row scored by a model
that has not seen it. With few rows λ stays near plain Naive Bayes, tempered.
"""

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.duplicates import ExactDuplicates
from likely.data.labels import Label, plain_label
from likely.data.table import Batch
from likely.errors import ModelError
from likely.likelihoods.base import Scores, amount
from likely.likelihoods.product import Factor, Product
from likely.likelihoods.stacked_linear import StackedLinear, form
from likely.likelihoods.text_views import TextViews, View, rooted
from likely.model.loo_predictions import rows_leaving
from likely.model.prior import checked_bias
from likely.model.smoothing import Sample, enough, smoothed
from likely.tally import Arrays, Classes, Tally, checked_fingerprint
from likely.tally.container import canonical, of_places
from likely.tally.encoded import Encoded, EncodedLabelSets, encoded, joined

Batches = Callable[[], Iterator[Batch]]

# As in the kernel: what it costs to give a guess up.
_FALL = 10.0

# What it costs to trust Naive Bayes e times less, or more, than its word, in log-probability.
_DOUBT = 2.0

# Of more classes each is too rare to have a bias of its own, and to fit them all takes long.
_MOST_BIASES = 100

# How far beyond the usual a class may fall behind the best. Without a row the rest of its class may
# be so few that it seems impossible, which is no reason to believe nothing any more.
_OUTLIER = 10.0
_LEAST_OUTLIER = 20.0

# From a few times as many rows on, what a row says against the rest is heard in full.
_MANY = 8

# As many scores are kept while λ is fit; of more rows, those whose hashes are smallest are taken.
_MOST_SCORES = 20_000_000
_FEWEST_ROWS = 256

# So many rows tell whether weighing has made things worse.
_COMPARED = 4096


@dataclass(frozen=True, eq=False)
class FactorTuning:
    """What was found for one factor: its weight, or the views of its text that are heard."""

    weight: float | None
    views: tuple[View, ...] = ()
    stacked: StackedLinear | None = None

    def applied(self, factor: Factor) -> Factor:
        likelihood = factor.likelihood
        if isinstance(likelihood, TextViews) and (self.views or self.stacked is not None):
            likelihood = likelihood.with_views(self.views, self.stacked)
        return replace(factor, likelihood=likelihood, weight=self.weight)

    def to_json(self) -> dict[str, Any]:
        if self.weight is not None:
            return {"weight": self.weight}
        stacked = None if self.stacked is None else self.stacked.to_json()
        return {"views": [list(astuple(view)) for view in self.views], "stacked": stacked}

    @classmethod
    def from_json(cls, stored: dict[str, Any], factor: Factor, arrays: Arrays) -> "FactorTuning":
        if "weight" in stored:
            return cls(amount("weight", stored["weight"]))
        views, linear, likelihood = (
            tuple(View(*view) for view in stored["views"]),
            None,
            factor.likelihood,
        )
        if not isinstance(likelihood, TextViews):
            raise ModelError("it has views of what is no text")
        if stored["stacked"] is not None:
            linear = StackedLinear.restored(stored["stacked"], likelihood.text, arrays)
        return cls(None, views, linear)


@dataclass(frozen=True, eq=False)
class Tuning:
    """All that was chosen on left-out scores of training rows, and on which rows.

    Without factors, plain Naive Bayes was kept, since weights made things worse.
    """

    factors: tuple[FactorTuning, ...]
    bias: dict[Label, float]
    rows: int
    """How many rows the weights were fit on."""
    log_likelihood: float
    """The mean log-probability of their labels, each row left out."""
    rows_seen: str
    """The fingerprint of all rows the model had learned then."""

    @property
    def is_plain(self) -> bool:
        """Whether all evidence counts fully, since weights made things worse."""
        return not self.factors

    @property
    def stacked(self) -> dict[int, StackedLinear]:
        """The linear models that are heard, by the place of their factor."""
        found = enumerate(factor.stacked for factor in self.factors)
        return {place: linear for place, linear in found if linear is not None}

    @property
    def rank(self) -> tuple[int, float, str]:
        """Of two, the one fit on more rows is believed."""
        return self.rows, self.log_likelihood, canonical(self.to_json())

    def applied(self, product: Product) -> Product:
        """A plain product with the weights that were found."""
        if self.is_plain:
            return product
        both = zip(product.factors, self.factors, strict=True)
        return replace(product, factors=tuple(tuned.applied(factor) for factor, tuned in both))

    def plain(self, log_likelihood: float) -> "Tuning":
        """All evidence counted fully after all."""
        return replace(self, factors=(), bias={}, log_likelihood=log_likelihood)

    def labels(self) -> Iterator[Label]:
        """All labels it speaks of."""
        yield from self.bias
        for linear in self.stacked.values():
            yield from linear.labels

    def to_json(self) -> dict[str, Any]:
        bias = sorted(self.bias.items(), key=str)
        return {
            "factors": [factor.to_json() for factor in self.factors],
            "bias": [[label, bias] for label, bias in bias],
            "rows": self.rows,
            "log_likelihood": self.log_likelihood,
            "rows_seen": self.rows_seen,
        }

    def arrays(self) -> Arrays:
        """What the linear models have learned."""
        return {
            f"{place}/{name}": array
            for place, linear in self.stacked.items()
            for name, array in linear.model.arrays().items()
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any], product: Product, arrays: Arrays) -> "Tuning":
        """The tuning of a product that a model file describes; `arrays` are those of `arrays`."""
        parts = of_places(arrays, len(product.factors))
        pairs = zip(product.factors, parts, strict=True)
        factors = [
            FactorTuning.from_json(one, *pair)
            for one, pair in zip(stored["factors"], pairs, strict=bool(stored["factors"]))
        ]
        bias = {plain_label(label): checked_bias(bias) for label, bias in stored["bias"]}
        rows, reached, seen = stored["rows"], stored["log_likelihood"], stored["rows_seen"]
        plain = type(rows) is int and type(reached) is float
        if not plain or not 0 <= rows < 2**63 or not -np.inf < reached < np.inf:
            raise ModelError("on what it was tuned makes no sense")
        found = cls(tuple(factors), bias, rows, reached, checked_fingerprint(seen))
        found.applied(product)
        stacked = found.stacked
        if any(bool(part) != (place in stacked) for place, part in enumerate(parts)):
            raise ModelError("it holds arrays that nobody reads")
        return found


@dataclass(frozen=True)
class TuningResult:
    """What tuning found, and what it came by on the way."""

    tuning: Tuning
    duplicates: dict[int, ExactDuplicates]
    """Of each text that is seen in views, by the place of its factor."""
    scores: Scores | None
    """The weighted scores of all rows without themselves, if all were kept."""
    of_labels: tuple[Scores, EncodedLabelSets] | None = None
    """Those that the weights were fit on, and their labels, where rows have any number of them."""
    stacked: Scores | None = None
    """The part that linear models have in them, of all rows, if there are any."""
    sample: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Rows that stand for all of them, duplicates of a text as often as they come."""

    def plain(self, log_likelihood: float) -> "TuningResult":
        """All evidence counted fully after all."""
        return replace(self, tuning=self.tuning.plain(log_likelihood), scores=None, stacked=None)


@dataclass(frozen=True)
class TrainingRows:
    """What is known of the rows before any is scored."""

    truth: Encoded
    hashes: NDArray[np.uint64]
    duplicates: dict[int, ExactDuplicates]
    """Of each text that is seen in views, by the place of its factor."""
    texts: dict[int, NDArray[np.uint64]]
    """The hashes of these texts."""
    scored: NDArray[np.bool_]
    """Which rows leave others of their class behind; without themselves the rest have no class."""

    @classmethod
    def of(cls, product: Product, classes: Classes, batches: Batches) -> "TrainingRows":
        texts = product.places_of_views
        truths: list[Encoded] = []
        rows: list[NDArray[np.uint64]] = []
        hashes: dict[int, list[NDArray[np.uint64]]] = {place: [] for place in texts}
        for batch in batches():
            zero = np.zeros(len(batch), dtype=np.uint64)
            links = zero
            for place, part in enumerate(batch.parts):
                links = part.chain(links)
                if place in hashes:
                    hashes[place].append(part.chain(zero))
            truths.append(encoded(classes, batch.labels))
            rows.append(links)
        truth = joined(truths)
        linked = {place: np.concatenate(hashes[place]) for place in texts}
        duplicates = {place: truth.duplicates(linked[place]) for place in texts}
        leaving = rows_leaving(product, duplicates, truth.places)
        scored = np.asarray(classes.counted[1][truth.places] > leaving)
        return cls(truth, np.concatenate(rows), duplicates, linked, scored)

    def smallest(self, rows: int) -> NDArray[np.bool_]:
        """About so many of the rows that are scored: whichever order they come in, the same."""
        return _smallest(self.hashes, self.scored, rows)


def _smallest(hashes: NDArray[np.uint64], among: NDArray[np.bool_], rows: int) -> NDArray[np.bool_]:
    """Of some rows those of the smallest hashes, about so many."""
    given = hashes[among]
    if len(given) <= rows:
        return among
    return np.asarray(among & (hashes <= np.partition(given, rows - 1)[rows - 1]))


@dataclass(frozen=True)
class _Kind:
    """What has a weight: a factor, a view of one, whole or over the root, or its linear model."""

    factor: int
    view: View | None = None
    over_root: bool = False
    is_linear: bool = False


def tune(
    product: Product,
    tally: Tally,
    classes: Classes,
    log_prior: NDArray[np.float64],
    batches: Batches,
    stack_linear: bool,
    threads: int,
) -> TuningResult:
    """Fit λ and biases on the left-out scores of the rows of `batches`, all of them in `tally`."""
    known = TrainingRows.of(product, classes, batches)
    views = {
        place: smoothed(
            likelihood,
            statistic,
            classes,
            log_prior,
            _sample(known, place, batches, enough(classes)),
            threads,
        )
        for place, likelihood, statistic in product.views(tally)
    }
    linear = _formed(product, tally, classes, known, batches, threads) if stack_linear else {}
    kinds = list(_kinds(product, views, list(linear)))
    fitted = known.smallest(max(_MOST_SCORES // (len(classes) * len(kinds)), _FEWEST_ROWS))
    keeps_all = bool((fitted == known.scored).all())
    kept = np.ones_like(fitted) if keeps_all else fitted
    scores = _left_out(product, views, tally, classes, known, kept, batches, threads)
    scores += [of_rows[kept] for _, of_rows in linear.values()]
    here = fitted[kept]
    given = [_tamed(each[here]) for each in scores]
    # Labels are not rivals, so none falls behind another.
    patience = np.inf if classes.is_multilabel else _patience(len(given[0]))
    truth = known.truth.take(np.flatnonzero(fitted))
    # Plain Naive Bayes is where it starts: of every factor what speaks by itself, tempered as one.
    firsts = (None, *_firsts(views))
    speaks = [not (k.over_root or k.is_linear) and k.view in firsts for k in kinds]
    joint = np.sum([each for each, said in zip(given, speaks, strict=True) if said], axis=0)
    few = np.flatnonzero(known.smallest(enough(classes))[fitted])
    temper = _temper(joint[few], truth.take(few), log_prior, patience, threads)
    start = [temper if said else 0.0 for said in speaks]
    if temper:
        most = patience / min(temper, 1.0)
        given = [
            _tamed(each, most) if said else each for each, said in zip(given, speaks, strict=True)
        ]
    has_bias = classes.is_multilabel or len(classes) <= _MOST_BIASES
    begin = None
    if 2 * len(few) <= len(truth):
        of_few = [each[few] for each in given]
        begin = truth.take(few).fit_weights(of_few, log_prior, start, has_bias, threads)[:2]
    weights, bias, reached = truth.fit_weights(given, log_prior, start, has_bias, threads, begin)
    found = _factors(product, kinds, weights, {place: one for place, (one, _) in linear.items()})
    total = _total(kinds, weights, scores) if keeps_all or classes.is_multilabel else None
    biases = dict(zip(classes.labels, bias, strict=True))
    parts = [
        weight * linear[kind.factor][1]
        for kind, weight in zip(kinds, weights, strict=True)
        if kind.is_linear
    ]
    return TuningResult(
        Tuning(found, biases, len(truth), reached, tally.fingerprint),
        known.duplicates,
        total if keeps_all else None,
        (total[here], truth) if total is not None and isinstance(truth, EncodedLabelSets) else None,
        np.sum(parts, axis=0) if parts else None,
        _smallest(known.hashes, np.ones_like(known.scored), _COMPARED),
    )


def said_apart(
    product: Product,
    tuning: Tuning | None,
    tally: Tally,
    classes: Classes,
    batches: Batches,
    threads: int,
) -> dict[int, Scores]:
    """What linear models say of rows, by the place of their factor, formed without each's fold.

    They are formed anew, from these rows, and weighted as those of the tuning are.
    """
    stacked = {} if tuning is None else tuning.stacked
    if not stacked:
        return {}
    known = TrainingRows.of(product, classes, batches)
    formed = _formed(product, tally, classes, known, batches, threads)
    return {place: stacked[place].weight * formed[place][1] for place in stacked}


def _formed(
    product: Product,
    tally: Tally,
    classes: Classes,
    known: TrainingRows,
    batches: Batches,
    threads: int,
) -> dict[int, tuple[StackedLinear, Scores]]:
    """A linear model of each text that is seen in views, by the place of its factor."""
    found = {}
    for place, likelihood, statistic in product.views(tally):
        parts: Iterator[Any] = (batch.parts[place] for batch in batches())
        shown = map(likelihood.shown, parts)
        texts = known.texts[place]
        found[place] = form(statistic, classes, shown, known.truth, texts, threads)
    return found


def _total(kinds: list[_Kind], weights: list[float], scores: list[Scores]) -> Scores:
    """The weighed scores, added in the order in which the product adds them."""
    total = np.zeros_like(scores[0])
    for place in sorted({kind.factor for kind in kinds}):
        of_factor = np.zeros_like(total)
        for kind, weight, each in zip(kinds, weights, scores, strict=True):
            if kind.factor == place and weight:
                of_factor += weight * each
        total += of_factor
    return total


def weightless(product: Product) -> Iterator[str]:
    """What has weight 0 in a tuned product: columns, and what texts are read for."""
    for factor in product.factors:
        names = ", ".join(f"`{name}`" for name in factor.columns)
        if factor.weight == 0:
            yield f"{names} has weight 0: left out, rows were predicted no better with it"
        elif factor.likelihood.silent:
            silent = ", ".join(factor.likelihood.silent)
            yield f"of {names}, these have weight 0: {silent}"


def _sample(known: TrainingRows, place: int, batches: Batches, rows: int) -> Sample:
    """Some texts of a factor, those of the smallest hashes."""
    taken = known.smallest(rows)
    texts: list[str] = []
    start = 0
    for batch in batches():
        part: Any = batch.parts[place]
        texts.extend(part.take(np.flatnonzero(taken[start : start + len(part)])))
        start += len(part)
    places = np.flatnonzero(taken)
    return Sample(
        _kernel.Texts(texts),
        known.truth.take(places),
        known.duplicates[place].take(places),
    )


def _kinds(product: Product, views: dict[int, list[View]], linear: list[int]) -> Iterator[_Kind]:
    for place in range(len(product.factors)):
        if place not in views:
            yield _Kind(place)
        for view in views.get(place, ()):
            yield _Kind(place, view)
            yield _Kind(place, view, over_root=True)
    for place in linear:
        yield _Kind(place, is_linear=True)


def _firsts(views: dict[int, list[View]]) -> list[View]:
    """The view of each text that is plain Naive Bayes."""
    return [of_text[0] for of_text in views.values()]


def _left_out(
    product: Product,
    views: dict[int, list[View]],
    tally: Tally,
    classes: Classes,
    known: TrainingRows,
    kept: NDArray[np.bool_],
    batches: Batches,
    threads: int,
) -> list[Scores]:
    """The scores of each kind of evidence, of the rows that are kept, each without itself."""
    found: list[list[Scores]] = []
    start = 0
    for batch in batches():
        rows = slice(start, start + len(batch))
        start = rows.stop
        here: list[Scores] = []
        wanted = np.flatnonzero(kept[rows])
        truth = known.truth.places[rows]
        for place, factor in enumerate(product.factors):
            statistic: Any = tally.statistics[place]
            part: Any = batch.parts[place]
            likelihood = factor.likelihood
            if isinstance(likelihood, TextViews):
                asked = [(view, [view.alpha]) for view in views[place]]
                if len(wanted) < len(part):
                    part = _kernel.Texts(part.take(wanted))
                duplicates = known.duplicates[place].take(wanted + rows.start)
                for (scores,), lengths in likelihood.each_left_out(
                    statistic, classes, asked, part, truth[wanted], duplicates, threads
                ):
                    here += [scores, rooted(scores, lengths)]
            else:
                beside: Any = {}
                if classes.is_multilabel:
                    own = known.truth.take(np.arange(rows.start, rows.stop))
                    beside["duplicates"] = own.duplicates(np.arange(len(own), dtype=np.uint64))
                alone = likelihood.leave_one_out(
                    statistic, classes, factor.columns, part, truth, threads, **beside
                )
                here.append(alone[wanted])
        found.append(here)
    return [np.concatenate(of_kind) for of_kind in zip(*found, strict=True)]


def _patience(rows: int) -> float:
    """How far a row may contradict the rest, in log-probability.

    So few rows cannot tell what happens once in more of them than there are. And what they do say
    leans against each row that is left out, since its class is known by fewer yet. Who trusts Naive
    Bayes more than its word gets no more of it.
    """
    return float(np.log1p(rows)) + rows / _MANY


def _tamed(scores: Scores, most: float = np.inf) -> Scores:
    """Scores under which no class falls behind the best by far more than usual, nor by `most`."""
    if not len(scores):
        return scores
    best = scores.max(axis=1)
    usual = np.median(best - scores.min(axis=1))
    if not np.isfinite(usual):
        usual = 0.0
    floor = best - min(max(_OUTLIER * usual, _LEAST_OUTLIER), most)
    return np.asarray(np.maximum(scores, floor[:, None]))


def _temper(
    scores: Scores,
    truth: Encoded,
    log_prior: NDArray[np.float64],
    patience: float,
    threads: int,
) -> float:
    """How far to trust plain Naive Bayes as a whole.

    The search starts from several guesses: that it is right, and that classes differ by half a unit
    of log-odds up to eight. The best end wins, less what it costs to doubt it. Guesses are rounded,
    so that the order in which rows were summed does not show.
    """
    if not len(truth):
        return 1.0
    one = float(f"{1 / np.sqrt(max(np.median(scores.var(axis=1)), 1e-12)):.6g}")
    ends = []
    for guess in (1.0, 0.5 * one, one, 2 * one, 4 * one, 8 * one):
        given = [_tamed(scores, patience / min(guess, 1.0))]
        (weight,), _, reached = truth.fit_weights(given, log_prior, [guess], False, threads)
        cost = _FALL * (weight / guess - 1) ** 2 + _DOUBT * abs(np.log(guess))
        ends.append((reached * len(truth) - cost, weight))
    return max(ends)[1]


def _factors(
    product: Product,
    kinds: list[_Kind],
    weights: list[float],
    linear: dict[int, StackedLinear],
) -> tuple[FactorTuning, ...]:
    """The weights that were found, factor by factor; views without any are dropped."""
    alone: dict[int, float] = {}
    views: dict[int, dict[View, View]] = {}
    stacked: dict[int, StackedLinear] = {}
    for kind, weight in zip(kinds, weights, strict=True):
        if kind.is_linear:
            if weight:
                stacked[kind.factor] = replace(linear[kind.factor], weight=weight)
        elif kind.view is None:
            alone[kind.factor] = weight
        else:
            known = views.setdefault(kind.factor, {})
            view = known.setdefault(kind.view, kind.view)
            known[kind.view] = (
                replace(view, rooted=weight) if kind.over_root else replace(view, whole=weight)
            )
    found = []
    for place in range(len(product.factors)):
        weighted = tuple(view for view in views.get(place, {}).values() if view.has_weight)
        if weighted or place in stacked:
            found.append(FactorTuning(None, weighted, stacked.get(place)))
        else:
            found.append(FactorTuning(alone.get(place, 0.0)))
    return tuple(found)
