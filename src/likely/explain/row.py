"""Why a row is labeled as it is: by the model, or by the model without that row."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import ExactDuplicates
from likely.data.labeled import Labeled, whole
from likely.data.labels import Shares
from likely.data.table import Batch, FactorInput, Table
from likely.errors import OptionError
from likely.explain.explanation import (
    Explanation,
    MultiLabelExplanation,
    OneVsRestExplanation,
)
from likely.likelihoods.contribution import Contribution, bias_contribution
from likely.model import leave_one_out
from likely.model.adjust.rules import fired
from likely.model.fitted import Fitted
from likely.model.target import MultiLabel
from likely.tally.encoded import EncodedLabelSets, encoded

Array = NDArray[np.float64]


def prior_contributions(fitted: Fitted, log_prior: Array) -> list[Contribution]:
    """Contributions that do not depend on the row: the prior, and the bias from tuning."""
    prior = Contribution("prior", "prior", 1, log_prior)
    return [prior, bias_contribution(fitted.biases)] if fitted.biases.any() else [prior]


def explain(fitted: Fitted, row: Any, threads: int) -> Explanation | MultiLabelExplanation:
    """The contribution of each feature of a row to the score of each class."""
    table = fitted.one_row(row)
    parts = fitted.parts(table)
    scores = fitted.scores(parts, threads)
    contributions = (
        prior_contributions(fitted, fitted.plain_log_prior) if fitted.product.takes_prior else []
    )
    contributions += itertools.chain.from_iterable(fitted.contributions(parts))
    if not isinstance(fitted.target, MultiLabel):
        scores, contributions = shifted(fitted, table, scores, contributions)
    found = fitted.posterior(scores, threads)[0]
    return explanation(
        fitted, table, contributions, scores, found, threads, unseen_cells(fitted, table, parts)
    )


def shifted(
    fitted: Fitted, row: Table, scores: Array, contributions: list[Contribution]
) -> tuple[Array, list[Contribution]]:
    """The scores and contributions of a row under the threshold of its group."""
    if fitted.group_thresholds is None:
        return scores, contributions
    shift = fitted.group_thresholds.shifts(row, fitted.labels)
    name = f"threshold by {fitted.group_thresholds.column}"
    return scores + shift, [*contributions, Contribution(name, "threshold", 1, shift[0])]


def explanation(
    fitted: Fitted,
    row: Table,
    contributions: list[Contribution],
    scores: Array,
    probabilities: Array,
    threads: int,
    unseen: tuple[str, ...] = (),
) -> Explanation | MultiLabelExplanation:
    """The explanation made of contributions that add up to these scores."""
    if isinstance(fitted.target, MultiLabel):
        contributions = fitted.target.contributions(fitted.labels, contributions, scores, threads)
        thresholds = fitted.target.threshold_array(fitted.labels)
        return MultiLabelExplanation(fitted.labels, tuple(contributions), probabilities, thresholds)
    rules = fired(fitted.spec.rules, fitted.labels, fitted.product, row)
    impossible = bool(np.isneginf(scores).all())
    kind = OneVsRestExplanation if fitted.is_one_vs_rest else Explanation
    return kind(
        fitted.labels,
        tuple(contributions),
        probabilities,
        impossible,
        rules,
        unseen,
        fitted.target.decision,
    )


def unseen_cells(fitted: Fitted, row: Table, parts: tuple[FactorInput, ...]) -> tuple[str, ...]:
    """The cells of a row whose values were never seen in training."""
    found = fitted.product.unseen(fitted.weights, parts, 1)
    unseen = [name for name, one in found.items() if one.never[0]]
    if not unseen:
        return ()
    read = row.called(fitted.columns).reading(fitted.product.missing).categories(unseen)
    cells = (column.tolist()[0] for column in read.columns)
    return tuple(f"{name}={cell}" for name, cell in zip(unseen, cells, strict=True))


def explain_left_out(
    fitted: Fitted,
    rows: Labeled,
    duplicates: Mapping[int, ExactDuplicates] | None,
    probabilities: Array | None,
    threads: int,
) -> list[Explanation | MultiLabelExplanation]:
    """The explanations of training rows, each by the model without the row."""
    fitted.check_learns()
    if fitted.reweighing is not None:
        raise OptionError(
            "rows that count more than once are left out in folds, by no one model to explain"
        )
    classes, product = fitted.classes, fitted.product
    table, labels = whole(rows)
    given = leave_one_out.find_duplicates(fitted, rows) if duplicates is None else duplicates
    if fitted.stacked is not None and probabilities is None:
        probabilities = leave_one_out.joined(
            fitted, list(leave_one_out.of_all(fitted, rows, threads))
        ).probabilities
    batch = fitted.batch(table, labels)
    fitted.plan.ledger.check(fitted.tally.learned, batch)
    judged = leave_one_out.of_batch(fitted, batch, threads, given or None)
    counted = fitted.as_counted(labels)
    truth = encoded(classes, counted)
    leaving = given
    if isinstance(truth, EncodedLabelSets):
        leaving = truth.leaving(given, len(product.factors))
    assert not isinstance(counted, Shares)
    ones = np.arange(len(table))[:, None]
    each = [Batch(fitted.read(table.at(one)), counted.at(one)) for one in ones]
    contributions = product.contributions_left_out(
        fitted.counted, classes, batch, each, truth.places, leaving
    )
    found = []
    for row, (own, scores) in enumerate(zip(contributions, judged.scores, strict=True)):
        said = np.sum(
            [np.zeros(len(classes)), *(contribution.scores for contribution in own)], axis=0
        )
        # If the words of the row are impossible, the prior cannot be separated from the rest.
        with np.errstate(invalid="ignore"):
            before = np.where(np.isneginf(said), fitted.log_prior, scores - said)
        if product.takes_prior or np.isneginf(before).any():
            own[:0] = prior_contributions(fitted, before - fitted.biases)
        stacked = None
        if probabilities is not None and fitted.stacked is not None:
            stacked = probabilities[row]
        one = table.at(np.array([row]))
        found.append(
            _explained(fitted, one, own, scores[None], judged.probabilities[row], stacked, threads)
        )
    return found


def _explained(
    fitted: Fitted,
    row: Table,
    contributions: list[Contribution],
    scores: Array,
    counted: Array,
    stacked: Array | None,
    threads: int,
) -> Explanation | MultiLabelExplanation:
    """The explanation of a left-out row: by the counts, and by the linear model."""
    if not fitted.is_multilabel and fitted.group_thresholds is not None:
        scores, contributions = shifted(fitted, row, scores, contributions)
        counted = fitted.posterior(scores, threads)[0]
    found = explanation(fitted, row, contributions, scores, counted, threads)
    if stacked is None or (isinstance(found, Explanation) and found.rules):
        return found
    with np.errstate(divide="ignore"):
        if isinstance(found, MultiLabelExplanation):
            assert isinstance(fitted.target, MultiLabel)
            (odds,) = fitted.target.log_odds(fitted.labels, scores, threads)
            more = _beyond(np.log(stacked) - np.log1p(-stacked), odds)
        else:
            more = _beyond(np.log(stacked), np.log(counted))
    return replace(found, contributions=(*found.contributions, more), probabilities=stacked)


def _beyond(scores: Array, counted: Array) -> Contribution:
    """What a linear model adds to the counts; 0 where either is infinite."""
    with np.errstate(invalid="ignore"):
        more = scores - counted
    return Contribution(
        "stacked linear model", "opinion", 1, np.where(np.isfinite(more), more, 0.0)
    )
