"""How far to trust each kind of evidence.

Naive Bayes multiplies evidence as if it were independent, so it is too sure of itself, and repeats
of weak evidence shout down the rest. Here each kind of evidence gets an exponent λ ≥ 0, and each
class a bias,

    log P(c | x) = log prior_c + b_c + Σ_g λ_g · s_g(x, c) + const

chosen so that the labels of the training rows are as probable as can be, each row scored by a model
that has not seen it. With few rows λ stays near plain Naive Bayes, tempered.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.copies import Copies
from likely.errors import ModelError
from likely.inputs import Batch
from likely.labels import Label, plain_label
from likely.likelihoods.base import Likelihood, Scores
from likely.likelihoods.opinion import Opinion, SecondOpinion, form, has_opinions
from likely.likelihoods.product import Factor, Product
from likely.likelihoods.views import View, Views, rooted
from likely.likelihoods.weighed import Weighed
from likely.prior import checked_bias
from likely.smoothing import Sample, enough, smoothed
from likely.tally import Classes, Tally, checked_fingerprint
from likely.truth import AnyOf, Truth, joined, truth_of

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


@dataclass(frozen=True)
class Trust:
    """When and on what the weights of a model were found."""

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
        return not self.bias

    @property
    def rank(self) -> tuple[int, float, str]:
        """Of two, the one fit on more rows is believed."""
        return self.rows, self.log_likelihood, repr(sorted(self.bias.items(), key=str))

    def to_json(self) -> dict[str, Any]:
        bias = sorted(self.bias.items(), key=str)
        return {
            "bias": [[label, bias] for label, bias in bias],
            "rows": self.rows,
            "log_likelihood": self.log_likelihood,
            "rows_seen": self.rows_seen,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Trust":
        bias = {plain_label(label): checked_bias(bias) for label, bias in stored["bias"]}
        rows, reached, seen = stored["rows"], stored["log_likelihood"], stored["rows_seen"]
        plain = type(rows) is int and type(reached) is float
        if not plain or not 0 <= rows < 2**63 or not -np.inf < reached < np.inf:
            raise ModelError("on what its evidence was weighed makes no sense")
        return cls(bias, rows, reached, checked_fingerprint(seen))


@dataclass(frozen=True)
class Weighing:
    """What was found: likelihoods with their weights, and a bias for each class."""

    product: Product
    trust: Trust
    copies: dict[int, Copies]
    """Of each text that is seen in views, by the place of its factor."""
    scores: Scores | None
    """The weighed scores of all rows without themselves, if all were kept."""
    of_labels: tuple[Scores, AnyOf] | None = None
    """Those that the weights were fit on, and their labels, where rows have any number of them."""
    opinions: Scores | None = None
    """The part that second opinions have in them, of all rows, if there are any."""
    sample: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Rows that stand for all of them, copies of a text as often as they come."""

    def plain(self, log_likelihood: float) -> "Weighing":
        """All evidence counted fully after all."""
        trust = replace(self.trust, bias={}, log_likelihood=log_likelihood)
        return replace(self, product=plain(self.product), trust=trust, scores=None, opinions=None)


@dataclass(frozen=True)
class Known:
    """What is known of the rows before any is scored."""

    truth: Truth
    hashes: NDArray[np.uint64]
    copies: dict[int, Copies]
    """Of each text that is seen in views, by the place of its factor."""
    texts: dict[int, NDArray[np.uint64]]
    """The hashes of these texts."""
    scored: NDArray[np.bool_]
    """Which rows leave others of their class behind; without themselves the rest have no class."""

    @classmethod
    def of(cls, product: Product, classes: Classes, batches: Batches) -> "Known":
        texts = product.places_of_views
        truths: list[Truth] = []
        rows: list[NDArray[np.uint64]] = []
        hashes: dict[int, list[NDArray[np.uint64]]] = {place: [] for place in texts}
        for batch in batches():
            zero = np.zeros(len(batch), dtype=np.uint64)
            links = zero
            for place, part in enumerate(batch.parts):
                links = part.chain(links)
                if place in hashes:
                    hashes[place].append(part.chain(zero))
            truths.append(truth_of(classes, batch.labels))
            rows.append(links)
        truth = joined(truths)
        linked = {place: np.concatenate(hashes[place]) for place in texts}
        copies = {place: truth.copies(linked[place]) for place in texts}
        leaving = [copies.of_class(truth.places) for copies in copies.values()]
        most = np.maximum.reduce([np.ones(len(truth), dtype=np.uint64), *leaving])
        scored = np.asarray(classes.counted[1][truth.places] > most)
        return cls(truth, np.concatenate(rows), copies, linked, scored)

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
    """A kind of evidence: a factor, a view of one, whole or over the root, or its opinion."""

    factor: int
    view: View | None = None
    over_root: bool = False
    opinion: bool = False


def weigh(
    product: Product,
    tally: Tally,
    classes: Classes,
    log_prior: NDArray[np.float64],
    batches: Batches,
    threads: int,
) -> Weighing:
    """Fit λ and biases on the left-out scores of the rows of `batches`, all of them in `tally`."""
    product = plain(product)
    known = Known.of(product, classes, batches)
    views = {
        place: smoothed(
            product.factors[place].likelihood,  # type: ignore[arg-type]
            tally.statistics[place],  # type: ignore[arg-type]
            classes,
            log_prior,
            _sample(known, place, batches, enough(classes)),
            threads,
        )
        for place in known.copies
    }
    opinions = _formed(product, tally, classes, known, batches, threads)
    kinds = list(_kinds(product, views, list(opinions)))
    fitted = known.smallest(max(_MOST_SCORES // (len(classes) * len(kinds)), _FEWEST_ROWS))
    keeps_all = bool((fitted == known.scored).all())
    kept = np.ones_like(fitted) if keeps_all else fitted
    scores = _left_out(product, views, tally, classes, known, kept, batches, threads)
    scores += [of_rows[kept] for _, of_rows in opinions.values()]
    here = fitted[kept]
    given = [_tamed(each[here]) for each in scores]
    # Labels are not rivals, so none falls behind another.
    patience = np.inf if classes.several else _patience(len(given[0]))
    truth = known.truth.take(np.flatnonzero(fitted))
    # Plain Naive Bayes is where it starts: of every factor what speaks by itself, tempered as one.
    firsts = (None, *_firsts(views))
    speaks = [not (k.over_root or k.opinion) and k.view in firsts for k in kinds]
    joint = np.sum([each for each, said in zip(given, speaks, strict=True) if said], axis=0)
    few = np.flatnonzero(known.smallest(enough(classes))[fitted])
    temper = _temper(joint[few], truth.take(few), log_prior, patience, threads)
    start = [temper if said else 0.0 for said in speaks]
    if temper:
        most = patience / min(temper, 1.0)
        given = [
            _tamed(each, most) if said else each for each, said in zip(given, speaks, strict=True)
        ]
    has_bias = classes.several or len(classes) <= _MOST_BIASES
    begin = None
    if 2 * len(few) <= len(truth):
        of_few = [each[few] for each in given]
        begin = truth.take(few).weigh(of_few, log_prior, start, has_bias, threads)[:2]
    weights, bias, reached = truth.weigh(given, log_prior, start, has_bias, threads, begin)
    weighed = _weighed(product, kinds, weights, {p: found for p, (found, _) in opinions.items()})
    total = _total(kinds, weights, scores) if keeps_all or classes.several else None
    biases = dict(zip(classes.labels, bias, strict=True))
    parts = [
        weight * opinions[kind.factor][1]
        for kind, weight in zip(kinds, weights, strict=True)
        if kind.opinion
    ]
    return Weighing(
        weighed,
        Trust(biases, len(truth), reached, tally.fingerprint),
        known.copies,
        total if keeps_all else None,
        (total[here], truth) if total is not None and isinstance(truth, AnyOf) else None,
        np.sum(parts, axis=0) if parts else None,
        _smallest(known.hashes, np.ones_like(known.scored), _COMPARED),
    )


def apart(
    product: Product, tally: Tally, classes: Classes, batches: Batches, threads: int
) -> dict[int, Scores]:
    """What second opinions say of rows, by the place of their factor, formed without each's fold.

    They are formed anew, from these rows, and weighed as those of the product are.
    """
    if not has_opinions(product):
        return {}
    known = Known.of(product, classes, batches)
    formed = _formed(product, tally, classes, known, batches, threads)
    heard = {place: product.factors[place].likelihood.opinion for place in formed}  # type: ignore[attr-defined]
    return {
        place: heard[place].weight * scores
        for place, (_, scores) in formed.items()
        if heard[place] is not None
    }


def _formed(
    product: Product,
    tally: Tally,
    classes: Classes,
    known: Known,
    batches: Batches,
    threads: int,
) -> dict[int, tuple[Opinion, Scores]]:
    """The second opinions that are asked for, by the place of their factor."""
    found = {}
    for place, texts in known.texts.items():
        likelihood = product.factors[place].likelihood
        if isinstance(likelihood, SecondOpinion):
            parts: Any = (batch.parts[place] for batch in batches())
            statistic: Any = tally.statistics[place]
            shown = map(likelihood.shown, parts)
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


def plain(product: Product) -> Product:
    """A product as it was before it was weighed."""
    return replace(
        product,
        factors=tuple(Factor(f.columns, _plain(f.likelihood)) for f in product.factors),
    )


def weightless(product: Product) -> Iterator[str]:
    """What has weight 0 in a weighed product: columns, and what texts are read for."""
    for factor in product.factors:
        likelihood, names = factor.likelihood, ", ".join(f"`{name}`" for name in factor.columns)
        if isinstance(likelihood, Weighed) and not likelihood.weight:
            yield f"{names} has weight 0: left out, rows were predicted no better with it"
        if isinstance(likelihood, Views):
            heard = {view.features for view in likelihood.views if view.speaks}
            silent = [features for features in likelihood.text.blocks if features not in heard]
            if silent:
                yield f"of {names}, these have weight 0: {', '.join(silent)}"


def _plain(likelihood: Likelihood) -> Likelihood:
    if isinstance(likelihood, Weighed):
        return likelihood.likelihood
    if isinstance(likelihood, Views):
        return type(likelihood)(text=likelihood.text, neutral=likelihood.neutral)
    return likelihood


def _sample(known: Known, place: int, batches: Batches, rows: int) -> Sample:
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
        known.copies[place].take(places),
    )


def _kinds(product: Product, views: dict[int, list[View]], opinions: list[int]) -> Iterator[_Kind]:
    for place in range(len(product.factors)):
        if place not in views:
            yield _Kind(place)
        for view in views.get(place, ()):
            yield _Kind(place, view)
            yield _Kind(place, view, over_root=True)
    for place in opinions:
        yield _Kind(place, opinion=True)


def _firsts(views: dict[int, list[View]]) -> list[View]:
    """The view of each text that is plain Naive Bayes."""
    return [of_text[0] for of_text in views.values()]


def _left_out(
    product: Product,
    views: dict[int, list[View]],
    tally: Tally,
    classes: Classes,
    known: Known,
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
            if isinstance(likelihood, Views):
                asked = [(view, [view.alpha]) for view in views[place]]
                if len(wanted) < len(part):
                    part = _kernel.Texts(part.take(wanted))
                copies = known.copies[place].take(wanted + rows.start)
                for (scores,), lengths in likelihood.each_left_out(
                    statistic, classes, asked, part, truth[wanted], copies, threads
                ):
                    here += [scores, rooted(scores, lengths)]
            else:
                beside: Any = {}
                if classes.several:
                    own = known.truth.take(np.arange(rows.start, rows.stop))
                    beside["copies"] = own.copies(np.arange(len(own), dtype=np.uint64))
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
    truth: Truth,
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
        (weight,), _, reached = truth.weigh(given, log_prior, [guess], False, threads)
        cost = _FALL * (weight / guess - 1) ** 2 + _DOUBT * abs(np.log(guess))
        ends.append((reached * len(truth) - cost, weight))
    return max(ends)[1]


def _weighed(
    product: Product, kinds: list[_Kind], weights: list[float], opinions: dict[int, Opinion]
) -> Product:
    """The product with the weights that were found; views without any are dropped."""
    alone: dict[int, float] = {}
    views: dict[int, dict[View, View]] = {}
    heard: dict[int, Opinion] = {}
    for kind, weight in zip(kinds, weights, strict=True):
        if kind.opinion and weight:
            heard[kind.factor] = replace(opinions[kind.factor], weight=weight)
        if kind.opinion:
            continue
        if kind.view is None:
            alone[kind.factor] = weight
            continue
        known = views.setdefault(kind.factor, {})
        view = known.setdefault(kind.view, kind.view)
        known[kind.view] = (
            replace(view, rooted=weight) if kind.over_root else replace(view, whole=weight)
        )
    factors = []
    for place, factor in enumerate(product.factors):
        likelihood = factor.likelihood
        if isinstance(likelihood, Views):
            speaking = tuple(view for view in views[place].values() if view.speaks)
            text, neutral = likelihood.text, likelihood.neutral
            if isinstance(likelihood, SecondOpinion) and (speaking or place in heard):
                opinion = heard.get(place)
                likelihood = SecondOpinion(speaking, text=text, neutral=neutral, opinion=opinion)
            elif speaking:
                likelihood = Views(speaking, text=text, neutral=neutral)
            else:
                likelihood = Weighed(likelihood, 0.0)
        else:
            likelihood = Weighed(likelihood, alone[place])
        factors.append(Factor(factor.columns, likelihood))
    return replace(product, factors=tuple(factors))
