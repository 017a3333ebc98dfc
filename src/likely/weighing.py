"""How far to trust each kind of evidence.

Naive Bayes multiplies evidence as if it were independent, so it is too sure of itself, and repeats
of weak evidence shout down the rest. Here each kind of evidence gets an exponent λ ≥ 0, and each
class a bias,

    log P(c | x) = log prior_c + b_c + Σ_g λ_g · s_g(x, c) + const

chosen so that the labels of the training rows are as probable as can be, each row scored by a model
that has not seen it. With few rows λ stays near plain Naive Bayes, tempered.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.inputs import Batch
from likely.likelihoods.base import Likelihood, Scores
from likely.likelihoods.product import Factor, Product
from likely.likelihoods.views import Copies, View, Views, rooted
from likely.likelihoods.weighed import Weighed
from likely.tally import Classes, Tally

ALPHAS = (0.01, 0.05, 0.2, 1.0)

# As in the kernel: what it costs to give a guess up.
_FALL = 10.0

# What a class that could not have made a row is given in place of −∞, so that sums stay finite.
_IMPOSSIBLE = -1e6


@dataclass(frozen=True)
class Weighing:
    """What was found: likelihoods with their weights, and a bias for each class."""

    product: Product
    bias: tuple[float, ...]
    rows: int
    """How many rows were scored without themselves."""
    log_likelihood: float
    """The mean log-probability of their labels, then."""


@dataclass
class _Kind:
    """The left-out scores of one kind of evidence."""

    factor: int
    view: View | None
    over_root: bool
    scores: Scores


def weigh(
    product: Product,
    tally: Tally,
    classes: Classes,
    log_prior: NDArray[np.float64],
    batches: Iterable[Batch],
    threads: int,
) -> Weighing:
    """Fit λ and biases on the left-out scores of the rows of `batches`, all of them in `tally`."""
    plain = [_plain(factor.likelihood) for factor in product.factors]
    every = list(batches)
    truth = np.concatenate([_truth(classes, batch) for batch in every])
    copies = [
        _copies([batch.parts[place] for batch in every], truth)
        if isinstance(likelihood, Views)
        else None
        for place, likelihood in enumerate(plain)
    ]
    fits = _remains(classes, truth, copies)
    kinds: list[_Kind] = []
    for place, (factor, likelihood) in enumerate(zip(product.factors, plain, strict=True)):
        statistic = tally.statistics[place]
        parts = [batch.parts[place] for batch in every]
        if isinstance(likelihood, Views):
            kinds.extend(
                _views(
                    place,
                    likelihood,
                    statistic,
                    classes,
                    parts,
                    truth,
                    copies[place],
                    fits,
                    log_prior,
                    threads,
                )
            )
        else:
            found = _in_turn(
                parts,
                truth,
                lambda part, own, likelihood=likelihood, statistic=statistic, factor=factor: (
                    likelihood.leave_one_out(statistic, classes, factor.columns, part, own, threads)
                ),
            )
            kinds.append(_Kind(place, None, False, _finite(found[fits])))
    own = np.ascontiguousarray(truth[fits])
    # Plain Naive Bayes is where it starts: of every factor what speaks by itself, tempered as one.
    speaks = [kind.view is None or kind.view.whole > 0 for kind in kinds]
    speaks = [a and not kind.over_root for a, kind in zip(speaks, kinds, strict=True)]
    joint = np.sum([k.scores for k, a in zip(kinds, speaks, strict=True) if a], axis=0)
    temper = _temper(joint, own, log_prior, threads)
    start = [temper if a else 0.0 for a in speaks]
    weights, bias, likelihood_found = _kernel.weigh(
        [kind.scores for kind in kinds], own, log_prior, start, True, threads
    )
    factors = []
    for place, (factor, likelihood) in enumerate(zip(product.factors, plain, strict=True)):
        mine = [(k, w) for k, w in zip(kinds, weights, strict=True) if k.factor == place]
        factors.append(Factor(factor.columns, _weighed(likelihood, mine)))
    weighed = replace(product, factors=tuple(factors))
    return Weighing(weighed, tuple(bias), len(own), likelihood_found)


def _temper(
    scores: Scores, truth: NDArray[np.uint32], log_prior: NDArray[np.float64], threads: int
) -> float:
    """How far to trust plain Naive Bayes as a whole.

    The search starts from several guesses, under which the classes differ by half a unit of
    log-odds up to eight; the best end wins. Guesses are rounded, so that the order in which rows
    were summed does not show.
    """
    apart = scores - scores.mean(axis=1, keepdims=True)
    one = float(f"{1 / np.sqrt(max(np.mean(apart * apart), 1e-12)):.6g}")
    ends = []
    for guess in (0.5 * one, one, 2 * one, 4 * one, 8 * one):
        (weight,), _, reached = _kernel.weigh([scores], truth, log_prior, [guess], False, threads)
        ends.append((reached * len(truth) - _FALL * (weight / guess - 1) ** 2, weight))
    return max(ends)[1]


def _plain(likelihood: Likelihood) -> Likelihood:
    """A likelihood as it was before it was weighed; all views are candidates again."""
    if isinstance(likelihood, Weighed):
        return likelihood.likelihood
    if isinstance(likelihood, Views):
        return Views(text=likelihood.text)
    return likelihood


def _weighed(likelihood: Likelihood, found: list[tuple[_Kind, float]]) -> Likelihood:
    if not isinstance(likelihood, Views):
        ((_, weight),) = found
        return Weighed(likelihood, weight)
    views: dict[View, View] = {}
    for kind, weight in found:
        if kind.view is not None:
            known = views.get(kind.view, replace(kind.view, whole=0.0, rooted=0.0))
            views[kind.view] = (
                replace(known, rooted=weight) if kind.over_root else replace(known, whole=weight)
            )
    speaking = [view for view in views.values() if view.whole or view.rooted]
    return likelihood.weighed(speaking or list(views.values())[:1])


def _views(
    place: int,
    likelihood: Views,
    statistic: Any,
    classes: Classes,
    parts: list[Any],
    truth: NDArray[np.uint32],
    copies: Copies | None,
    fits: NDArray[np.bool_],
    log_prior: NDArray[np.float64],
    threads: int,
) -> list[_Kind]:
    """Each view under the α that suits it, whole and over the root of the length."""
    found: list[Any] = []
    start = 0
    for part in parts:
        rows = slice(start, start + len(part))
        own, mine = truth[rows], None if copies is None else _part_of(copies, rows)
        found.append(
            likelihood.each_left_out(
                statistic, classes, list(likelihood.views), list(ALPHAS), part, own, mine, threads
            )
        )
        start += len(part)
    own = np.ascontiguousarray(truth[fits])
    kinds = []
    for index, view in enumerate(likelihood.views):
        lengths = np.concatenate([batch[index][1] for batch in found])[fits]
        best: tuple[float, float, Scores, Scores] | None = None
        for which, alpha in enumerate(ALPHAS):
            scores = np.concatenate([batch[index][0][which] for batch in found])[fits]
            over = rooted(scores, lengths)
            _, _, reached = _kernel.weigh(
                [scores, over], own, log_prior, [0.0, 0.0], False, threads
            )
            if best is None or reached > best[0]:
                best = (reached, alpha, scores, over)
        if best is not None:
            chosen = replace(view, alpha=best[1])
            kinds.append(_Kind(place, chosen, False, best[2]))
            kinds.append(_Kind(place, chosen, True, best[3]))
    return kinds


def _truth(classes: Classes, batch: Batch) -> NDArray[np.uint32]:
    """The position of each row's class."""
    places = {label: place for place, label in enumerate(classes.labels)}
    order = np.array([places[label] for label in batch.labels.values], dtype=np.uint32)
    return np.asarray(order[batch.labels.slots], dtype=np.uint32)


def _copies(parts: list[Any], truth: NDArray[np.uint32]) -> Copies | None:
    """Of each row, how often its text stands in each class: a text is left out with its copies."""
    hashes = np.concatenate([part.chain(np.zeros(len(part), dtype=np.uint64)) for part in parts])
    _, group, size = np.unique(hashes, return_inverse=True, return_counts=True)
    if (size == 1).all():
        return None
    pairs, count = np.unique(np.stack([group, truth]), axis=1, return_counts=True)
    first = np.searchsorted(pairs[0], np.arange(len(size) + 1))
    alone = size[group] == 1
    lengths = np.where(alone, 0, first[group + 1] - first[group])
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    rows = np.flatnonzero(~alone)
    listed = [np.arange(first[group[row]], first[group[row] + 1]) for row in rows]
    places = np.concatenate(listed) if listed else np.zeros(0, dtype=np.intp)
    return starts, pairs[1][places].astype(np.uint32), count[places].astype(np.uint64)


def _part_of(copies: Copies, rows: slice) -> Copies:
    starts, classes, counts = copies
    here = starts[rows.start : rows.stop + 1]
    within = slice(int(here[0]), int(here[-1]))
    return (here - here[0]).astype(np.uint32), classes[within].copy(), counts[within].copy()


def _remains(
    classes: Classes, truth: NDArray[np.uint32], copies: list[Copies | None]
) -> NDArray[np.bool_]:
    """Which rows leave others of their class behind; the rest cannot be scored."""
    out = np.ones(len(truth), dtype=np.uint64)
    for given in copies:
        if given is not None:
            starts, places, counts = given
            rows = np.repeat(np.arange(len(truth)), (starts[1:] - starts[:-1]).astype(np.int64))
            mine = places == truth[rows]
            out[rows[mine]] = np.maximum(out[rows[mine]], counts[mine])
    return np.asarray(classes.rows[truth] > out)


def _in_turn(parts: list[Any], truth: NDArray[np.uint32], score: Any) -> Scores:
    """Scores batch by batch, one after another."""
    found, start = [], 0
    for part in parts:
        found.append(score(part, truth[start : start + len(part)]))
        start += len(part)
    return np.concatenate(found)


def _finite(scores: Scores) -> Scores:
    return np.ascontiguousarray(np.maximum(scores, _IMPOSSIBLE))
