"""The figures of some answers, each with a confidence interval."""

import math
from typing import Any

import numpy as np

from likely import render
from likely.evaluation.advice import advice
from likely.evaluation.answers import Answers
from likely.evaluation.counts import Array, Counts, DistinctRows, draws, numbers_of_rows
from likely.evaluation.facts import ClassFigures, Evaluation
from likely.evaluation.intervals import Figure, centred, figures, mean_of, shares, within
from likely.evaluation.metrics import Metric, f_beta, metrics, ratio
from likely.evaluation.probabilities import PredictedProbabilities, checked
from likely.evaluation.ranking import Ranking, label_ranking

# Where probabilities matter, rows are drawn one by one: about so many numbers in all,
_MOST_NUMBERS = 300_000_000
# and so many are kept for the intervals of classes,
_MOST_KEPT = 5_000_000
# but never fewer resamples than these.
_FEWEST_RESAMPLES = 100

OF_PROBABILITIES = ("log_loss", "brier", "ece", "roc_auc", "average_precision")
OF_SCORES = ("label_ranking",)


def measured(
    answers: Answers,
    proba: Any,
    weights: Array | None,
    beta: float,
    resamples: int,
    level: float,
    seed: int,
) -> Evaluation:
    """The evaluation of one system's answers; without resamples, figures have no intervals."""
    kinds = DistinctRows(answers, weights)
    counts = kinds.counts(kinds.all())
    found, kept = _headlines(
        kinds, answers.is_multilabel, metrics(answers.is_multilabel, beta), resamples, level, seed
    )
    judged = orders = None
    if proba is not None:
        row_weights = np.ones(len(answers)) if weights is None else weights
        scores = checked(proba, len(answers), answers.classes, not answers.is_multilabel)
        if answers.is_multilabel:
            found |= _of_scores(answers, scores, row_weights, resamples, level, seed)
        else:
            said = answers.said[0].codes
            judged = PredictedProbabilities.of(scores, answers.truth.codes, said, row_weights)
            of_probabilities, orders = _of_probabilities(judged, resamples, level, seed)
            found |= of_probabilities
    commonest = _spelled(answers, kinds.commonest)
    per_class = _by_class(answers, counts, kept, kinds.rows_each, beta, level, orders)
    if resamples:
        for name in ("precision", "recall", "f1"):
            parts = [getattr(one, name) for one in per_class]
            found[f"macro_{name}"] = mean_of(found[f"macro_{name}"], parts)
        if not answers.is_multilabel:
            parts = [one.recall for one in per_class if one.rows]
            found["balanced_accuracy"] = mean_of(found["balanced_accuracy"], parts)
    return Evaluation(
        rows=len(answers),
        classes=answers.classes,
        is_multilabel=answers.is_multilabel,
        is_weighted=weights is not None,
        beta=beta,
        level=float(level),
        commonest=commonest,
        per_class=per_class,
        cells=() if answers.is_multilabel else _cells(kinds),
        reliability=() if judged is None else judged.reliability(),
        log_loss_clipped=None if judged is None else judged.clipped(),
        warnings=tuple(advice(answers, counts, commonest, judged)),
        **found,
    )


def _headlines(
    kinds: DistinctRows,
    is_multilabel: bool,
    wanted: dict[str, Metric],
    resamples: int,
    level: float,
    seed: int,
) -> tuple[dict[str, Figure], list[Counts]]:
    """The figures made of counts, and those counts, as many as memory bears."""

    def measured(counts: Counts) -> Array:
        return np.column_stack([metric(counts) for metric in wanted.values()])

    room = max(_FEWEST_RESAMPLES, _MOST_KEPT // kinds.n_classes)
    lines: list[Array] = []
    kept: list[Counts] = []
    for drawn in kinds.draws(resamples, [seed, 0]):
        counts = kinds.counts(drawn)
        lines.append(measured(counts))
        if room > 0:
            kept.append(counts)
            room -= len(drawn)
    all_rows = kinds.counts(kinds.all())
    values = measured(all_rows)[0]
    spread = figures(values, centred(values, lines), level)
    found = {
        name: within(figure, -1.0 if name == "mcc" else 0.0)
        for name, figure in zip(wanted, spread, strict=True)
    }
    if resamples:
        found |= _shares(all_rows, kinds.rows_each, level)
        # With one label per row, all micro averages equal the accuracy.
        same = () if is_multilabel else ("micro_", "weighted_recall")
        found |= {name: found["accuracy"] for name in found if name.startswith(same)}
    return found, kept


def _shares(counts: Counts, rows_each: float, level: float) -> dict[str, Figure]:
    """The figures that are shares of the rows."""
    parts = np.concatenate([counts.whole, counts.common]) * rows_each
    wholes = np.repeat(counts.rows, 2) * rows_each
    return dict(zip(("accuracy", "majority_baseline"), shares(parts, wholes, level), strict=True))


def _by_class(
    answers: Answers,
    counts: Counts,
    resampled: list[Counts],
    rows_each: float,
    beta: float,
    level: float,
    orders: Array | None,
) -> tuple[ClassFigures, ...]:
    """The figures of each class; `orders` has its ROC-AUC and average precision.

    `rows_each` is how many rows a unit of weight stands for.
    """

    def drawn(metric: Metric) -> list[Figure]:
        # Where a class is not drawn at all, it has no figures.
        lines = [np.where(one.gold + one.predicted, metric(one), np.nan) for one in resampled]
        values = metric(counts)[0]
        return [within(one, 0.0) for one in figures(values, centred(values, lines), level)]

    def shared(wholes: Array) -> list[Figure]:
        """The right ones as a share of some rows; of none, 0 without an interval."""
        found = shares(counts.right[0] * rows_each, wholes[0] * rows_each, level)
        return [one if resampled else Figure(one) for one in map(_or_zero, found)]

    none = [None] * len(answers.classes)
    return tuple(
        ClassFigures(*facts)
        for facts in zip(
            answers.classes,
            numbers_of_rows(counts.gold[0]),
            numbers_of_rows(counts.predicted[0]),
            numbers_of_rows(counts.right[0]),
            shared(counts.predicted),
            shared(counts.gold),
            [_f1_of(one) for one in shared(counts.gold + counts.predicted - counts.right)],
            none if beta == 1 else drawn(f_beta(beta)),
            *((none, none) if orders is None else map(_known, orders)),
            strict=True,
        )
    )


def _or_zero(share: Figure) -> Figure:
    """0/0 is 0, of which nothing is known."""
    return Figure(0.0) if math.isnan(share) else share


def _f1_of(share: Figure) -> Figure:
    """F1, given the share j of right ones among rows that have the class or are given it.

    F1 = 2j / (1 + j), which rises with j, so the interval of the one is that of the other.
    """
    low, high = (None if end is None else 2 * end / (1 + end) for end in (share.low, share.high))
    return Figure(2 * share / (1 + share), low, high)


def _of_probabilities(
    judged: PredictedProbabilities, resamples: int, level: float, seed: int
) -> tuple[dict[str, Figure], Array]:
    """The figures made of probabilities; also ROC-AUC and average precision by class."""
    n_rows, n_classes = judged.probabilities.shape
    losses = judged.losses()
    names = list(OF_PROBABILITIES)
    values, (gaps, bins) = (
        np.column_stack([*losses.values()]),
        judged.gaps(),
    )
    rankings = [Ranking(judged.probabilities[:, k], judged.truth == k) for k in range(n_classes)]
    # One of two classes is the other turned around.
    headline = rankings[1:] if n_classes == 2 else rankings

    def measured(weights: Array) -> Array:
        total = weights.sum(axis=1)
        off = np.abs(np.add.reduceat(weights * gaps, bins, axis=1)).sum(axis=1)
        orders = [ranking.figures(weights) for ranking in headline]
        return np.column_stack(
            [
                ratio(np.einsum("ij,jk->ik", weights, values), total[:, None]),
                ratio(off, total),
                *(_mean_of_known(np.array(order)) for order in zip(*orders, strict=True)),
            ]
        )

    every = judged.weights[None]
    found = measured(every)[0]
    work = n_rows * (2 + len(headline))
    resamples = min(resamples, max(_FEWEST_RESAMPLES, _MOST_NUMBERS // work))
    ones = np.ones(n_rows, dtype=np.intp)
    lines = [measured(drawn * judged.weights) for drawn in draws(ones, resamples, [seed, 1])]
    if lines:
        # Drawing rows again adds noise to every bin, so resampled calibration errors lie too high;
        # what they tell is how far they spread.
        lines, place = [np.concatenate(lines)], names.index("ece")
        moved = lines[0][:, place] - lines[0][:, place].mean() + found[place]
        lines[0][:, place] = np.maximum(moved, 0.0)
    by_name = dict(zip(names, figures(found, lines, level), strict=True))
    orders = np.array([ranking.figures(every) for ranking in rankings])[:, :, 0].T
    return {name: one for name, one in by_name.items() if not math.isnan(one)}, orders


def _of_scores(
    answers: Answers, scores: Array, weights: Array, resamples: int, level: float, seed: int
) -> dict[str, Figure]:
    """Ranking figures of multi-label rows, by their scores."""
    values = label_ranking(scores, *answers.truth.pairs(answers.truth.codes))
    # The order of the rows shall not matter.
    order = np.lexsort((weights, values))
    values, weights = values[order], weights[order]

    def measured(weights: Array) -> Array:
        return ratio((weights * values).sum(axis=1), weights.sum(axis=1))[:, None]

    resamples = min(resamples, max(_FEWEST_RESAMPLES, _MOST_NUMBERS // len(values)))
    ones = np.ones(len(values), dtype=np.intp)
    lines = [measured(drawn * weights) for drawn in draws(ones, resamples, [seed, 1])]
    (figure,) = figures(measured(weights[None])[0], lines, level)
    return dict(zip(OF_SCORES, [figure], strict=True))


def _cells(kinds: DistinctRows) -> tuple[tuple[int, int, float], ...]:
    """The confusions that occur, and how often."""
    (said,) = kinds.said
    keys, cell = np.unique(kinds.truth * kinds.n_classes + said, return_inverse=True)
    rows = np.bincount(cell, weights=kinds.sizes * kinds.weight)
    gold, predicted = np.divmod(keys, kinds.n_classes)
    return tuple(zip(gold.tolist(), predicted.tolist(), numbers_of_rows(rows), strict=True))


def _spelled(answers: Answers, answer: int) -> str:
    """An answer in the words of a sentence."""
    _, places = answers.truth.pairs(np.array([answer]))
    names = [f"`{render.name(answers.classes[place])}`" for place in places]
    if len(names) > 3:
        names = [*names[:2], f"{len(names) - 2} more"]
    return " and ".join(names) or "no label"


def _mean_of_known(orders: Array) -> Array:
    """The mean over classes, a line each, of those that have a value; NaN if none has."""
    known = ~np.isnan(orders)
    mean = ratio(np.where(known, orders, 0.0).sum(axis=0), known.sum(axis=0))
    return np.where(known.any(axis=0), mean, np.nan)


def _known(values: Array) -> list[float | None]:
    return [None if math.isnan(value) else float(value) for value in values]
