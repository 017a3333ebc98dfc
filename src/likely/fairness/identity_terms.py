"""Whether sentences are predicted hostile for the identity they name, after Dixon et al. (2018).

For each term: how often its sentences are wrongly predicted hostile, or wrongly not, against all
other sentences; and whether scores put the hostile above the others, within the sentences of the
term and across (Borkan et al. 2019). Chance is in the frames, which are drawn again, each with the
sentences of every term in it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.classifier import Classifier
from likely.data.labels import Label
from likely.errors import DataError
from likely.evaluation.counts import draws
from likely.evaluation.intervals import Figure, figures, shares
from likely.evaluation.metrics import ratio
from likely.evaluation.significance import holm, paired_bootstrap
from likely.fairness.facts import Gaps, gap_bar, plain, scale_of
from likely.fairness.persons import ALPHA
from likely.fairness.scores import Array, one_audited, probabilities
from likely.fairness.sentences import Codes, TermSentences, spelled

_RESAMPLES = 4_000
# Of figures that are made of an order, which take longer.
_ORDERED = 200
_FEW = 20
_SHOWN = 20

Flags = NDArray[np.bool_]
# Scores, rising; the weights of their sentences; and these added up, from nothing on.
_Side = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class TermRates:
    """Error rates on the sentences that name one identity."""

    term: str
    kind: str
    sentences: int
    false_positives: Figure
    """The share of its sentences that are not hostile but are predicted so."""
    false_negatives: Figure
    """The share of its hostile sentences that are not predicted so."""
    false_positive_gap: Figure
    """The former minus that of all other sentences,"""
    false_negative_gap: Figure
    """and the latter."""
    p_value: float
    """Of the gap in false positives: how often chance in the frames would make it as large."""
    adjusted_p: float
    subgroup_auc: Figure
    """How often a hostile sentence of the term scores above another of the term that is not."""
    bpsn_auc: Figure
    """The same of hostile sentences without the term, others with it; false positives lower it,"""
    bnsp_auc: Figure
    """and of hostile ones with it, others without; false negatives lower it."""

    @property
    def is_found(self) -> bool:
        return self.adjusted_p < ALPHA

    def to_json(self) -> dict[str, Any]:
        return plain(vars(self))


@dataclass(frozen=True, eq=False)
class Terms(Gaps):
    """What an audit with sentences that name identities found."""

    source: str
    label: Label
    """Whose probability is the score: the class that means hostile."""
    sentences: int
    hostile: int
    frames: int
    auc: float
    false_positives: float
    false_negatives: float
    terms: tuple[TermRates, ...]
    warnings: tuple[str, ...]

    kind = "terms"

    @property
    def largest_gap(self) -> tuple[float, str]:
        one = max(self.terms, key=lambda term: abs(term.false_positive_gap))
        return abs(one.false_positive_gap), f"false positives of `{one.term}` against the rest"

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"terms": [one.to_json() for one in self.terms]}

    def blocks(self) -> list[render.Block]:
        ranked = sorted(self.terms, key=lambda one: -one.false_positive_gap)
        shown = ranked
        if len(ranked) > _SHOWN:
            shown = [*ranked[: _SHOWN // 2], *ranked[-_SHOWN // 2 :]]
        scale = scale_of(one.false_positive_gap for one in self.terms)
        rates = [
            (
                one.term,
                render.rate(one.false_positives),
                render.gap(one.false_positive_gap),
                gap_bar(one.false_positive_gap, scale),
                render.interval(one.false_positive_gap, render.gap),
                render.number(one.adjusted_p),
                render.rate(one.false_negatives),
                render.gap(one.false_negative_gap),
            )
            for one in shown
        ]
        orders = [
            (
                one.term,
                *(
                    cell
                    for auc in (one.subgroup_auc, one.bpsn_auc, one.bnsp_auc)
                    for cell in (render.rate(auc), render.interval(auc, render.rate))
                ),
            )
            for one in sorted(self.terms, key=lambda one: one.bpsn_auc)[:_SHOWN]
        ]
        found = [one for one in self.terms if one.is_found]
        left, name = len(ranked) - len(shown), render.name(self.label)
        summary = (
            f"{self.sentences:,} sentences of {spelled(self.source)}, {self.hostile:,} of them "
            f"hostile, in {self.frames:,} frames; {len(self.terms)} terms. The score is P({name}); "
            f"over all sentences its AUC is {self.auc:.3f}, {render.tenth(self.false_positives)} "
            f"of the others are wrongly predicted `{name}`, and "
            f"{render.tenth(self.false_negatives)} of the hostile are not."
        )
        warned = [render.Caution(warning) for warning in self.warnings]
        if self._are_alike:
            return [
                summary,
                "These figures are the same for every term: the model has met nothing of them, or "
                "is neutral about them. This does not hold for other terms and wordings.",
                *warned,
            ]
        return [
            summary,
            self._verdict(found),
            render.Table(
                ("term", "FPR", "− rest", "", "95 % interval", "p (Holm)", "FNR", "− rest"),
                rates,
            ),
            *([f"{left} terms between these are in the JSON."] if left else []),
            render.Table(
                ("term", "AUC", "interval", "BPSN", "interval", "BNSP", "interval"),
                orders,
                caption="Whether scores put the hostile first; the lowest BPSN come first.",
            ),
            "AUC: within the sentences of the term. BPSN: hostile sentences without the term "
            "against others with it, low where the term is taken for hostility. BNSP: hostile ones "
            "with it against others without, low where the term hides hostility.",
            *warned,
        ]

    @property
    def _are_alike(self) -> bool:
        """Whether no figure tells one term from another."""
        names = ("false_positives", "false_negatives", "subgroup_auc", "bpsn_auc", "bnsp_auc")
        figures = {tuple(round(getattr(one, n), 9) for n in names) for one in self.terms}
        return len(self.terms) > 1 and len(figures) == 1

    def _verdict(self, found: list[TermRates]) -> str:
        if not found:
            return (
                "No gap in false positives was found at this sample size. There may still be one."
            )
        over = sorted(
            (one for one in found if one.false_positive_gap > 0),
            key=lambda one: -one.false_positive_gap,
        )
        most = ", ".join(f"`{one.term}`" for one in over[:5])
        return (
            f"False positives differ from the rest for {len(found)} of {len(self.terms)} terms, "
            "beyond chance"
            + (f"; most above it are {most}." if most else "; all of them lie below it.")
        )


def terms(model: Classifier, sentences: TermSentences, score: Any = None) -> Terms:
    """Compare the errors on sentences that name an identity with those on all others."""
    label = one_audited(model, score, "sentences that name identities")
    found = probabilities(model, sentences.texts)
    place = model.classes.index(label)
    scores, predicted = found[:, place], model.decide(found) == place
    if not (sentences.terms >= 0).any():
        raise DataError(f"{sentences.source} names no identity")
    frames, numbers = np.unique(sentences.frames, return_inverse=True)
    draw = _Draws(len(frames), numbers)
    wrong = {
        "false_positives": _Rate(sentences, ~sentences.hostile, predicted, draw),
        "false_negatives": _Rate(sentences, sentences.hostile, ~predicted, draw),
    }
    ordered = _Orders(scores, sentences, draw)
    p_values = [
        paired_bootstrap(float(gap), line)
        for gap, line in zip(
            wrong["false_positives"].gaps, wrong["false_positives"].drawn.T, strict=True
        )
    ]
    adjusted = holm([1.0 if np.isnan(p) else p for p in p_values])
    every, warnings = [], []
    for at, term in enumerate(sentences.names):
        here = sentences.terms == at
        if here.sum() < _FEW:
            warnings.append(
                f"only {int(here.sum())} sentences name `{term}`; its figures are rough"
            )
        every.append(
            TermRates(
                term,
                sentences.kinds[at],
                int(here.sum()),
                wrong["false_positives"].rates[at],
                wrong["false_negatives"].rates[at],
                wrong["false_positives"].figures[at],
                wrong["false_negatives"].figures[at],
                p_values[at],
                adjusted[at],
                *ordered.of(here),
            )
        )
    return Terms(
        sentences.source,
        label,
        len(scores),
        int(sentences.hostile.sum()),
        len(frames),
        ordered.overall,
        float(
            ratio(
                np.array(predicted[~sentences.hostile].sum()), np.array((~sentences.hostile).sum())
            )
        ),
        float(
            ratio(
                np.array((~predicted)[sentences.hostile].sum()), np.array(sentences.hostile.sum())
            )
        ),
        tuple(every),
        tuple(warnings),
    )


class _Draws:
    """Frames drawn again and again; a sentence counts as often as its frame."""

    def __init__(self, frames: int, of_sentence: Codes):
        ones = np.ones(frames, dtype=np.intp)
        drawn = np.concatenate(list(draws(ones, _RESAMPLES, [0, 2])))
        self.frames = drawn.astype(np.float64)
        self.of_sentence = of_sentence


class _Rate:
    """How often sentences are wrong, by term, and how far that is from the rest."""

    def __init__(self, sentences: TermSentences, chosen: Flags, wrong: Flags, draw: _Draws):
        n_terms, n_frames = len(sentences.names), draw.frames.shape[1]
        # Sentences and errors by frame and term; the last column is for sentences without one.
        place = draw.of_sentence[chosen] * (n_terms + 1) + sentences.terms[chosen] % (n_terms + 1)
        shape, size = (n_frames, n_terms + 1), n_frames * (n_terms + 1)
        rows = np.bincount(place, minlength=size).reshape(shape).astype(np.float64)
        errors = np.bincount(place, wrong[chosen], minlength=size).reshape(shape).astype(np.float64)
        one = np.ones((1, n_frames))
        (rates,), (gaps,) = self._of(one, rows, errors)
        _, self.drawn = self._of(draw.frames, rows, errors)
        self.gaps = gaps
        # A frame holds a term once, so a rate is a share of frames.
        frames_of = np.count_nonzero(rows, axis=0)[:-1]
        self.rates = [
            Figure(rate, share.low, share.high)
            for rate, share in zip(rates, shares(rates * frames_of, frames_of, 0.95), strict=True)
        ]
        self.figures = figures(gaps, [self.drawn], 0.95)

    @staticmethod
    def _of(weights: Array, rows: Array, errors: Array) -> tuple[Array, Array]:
        n, wrong = weights @ rows, weights @ errors
        rates = ratio(wrong, n)[:, :-1]
        rest = ratio(
            wrong.sum(axis=1, keepdims=True) - wrong[:, :-1],
            n.sum(axis=1, keepdims=True) - n[:, :-1],
        )
        return rates, rates - rest


class _Orders:
    """Whether hostile sentences score above others, by sentences of a term and the rest."""

    def __init__(self, scores: Array, sentences: TermSentences, draw: _Draws):
        self.scores, self.hostile, self.draw = scores, sentences.hostile, draw
        # A column as it is, and one for each time that frames were drawn.
        self.lines = np.vstack([np.ones(draw.frames.shape[1]), draw.frames[:_ORDERED]]).T.copy()
        self.all = {hostile: self._side(sentences.hostile == hostile) for hostile in (True, False)}

    def _side(self, chosen: Flags) -> _Side:
        """The scores of some sentences, rising, their weights, and those added up before each."""
        places = np.flatnonzero(chosen)
        places = places[np.argsort(self.scores[places], kind="stable")]
        weights = self.lines[self.draw.of_sentence[places]]
        running = np.zeros((len(places) + 1, weights.shape[1]))
        np.cumsum(weights, axis=0, out=running[1:])
        return self.scores[places], weights, running

    def of(self, here: Flags) -> list[Figure]:
        """AUC within the sentences chosen, BPSN and BNSP."""
        own = {hostile: self._side(here & (self.hostile == hostile)) for hostile in (True, False)}
        within = self._below(own[True], own[False])
        all_hostile, all_others = self.all[True], self.all[False]
        # Those without the term: all, less those with it.
        bpsn = self._below(all_hostile, own[False]) - within
        bnsp = self._below(own[True], all_others) - within
        n_own = {hostile: side[2][-1] for hostile, side in own.items()}
        n_rest = {hostile: self.all[hostile][2][-1] - n_own[hostile] for hostile in own}
        pairs = (
            (within, n_own[True] * n_own[False]),
            (bpsn, n_rest[True] * n_own[False]),
            (bnsp, n_own[True] * n_rest[False]),
        )
        found = []
        for won, of in pairs:
            with np.errstate(invalid="ignore", divide="ignore"):
                auc = np.where(of > 0, won / of, np.nan)
            found.append(figures(auc[:1], [auc[1:, None]], 0.95)[0])
        return found

    @staticmethod
    def _below(high: _Side, low: _Side) -> Array:
        """Σ over pairs of their weights where the first scores higher, ties counting half."""
        if len(high[0]) > len(low[0]):
            # Count from the smaller side: pairs in all, less those the other way around.
            return np.asarray(high[2][-1] * low[2][-1] - _Orders._below(low, high))
        first = np.searchsorted(low[0], high[0], side="left")
        last = np.searchsorted(low[0], high[0], side="right")
        under = (low[2][first] + low[2][last]) / 2
        return np.asarray(np.einsum("ij,ij->j", high[1], under))

    @property
    def overall(self) -> float:
        """AUC of all sentences."""
        won = self._below(self.all[True], self.all[False])[0]
        return float(won / (self.all[True][2][-1, 0] * self.all[False][2][-1, 0]))
