"""Which training rows influence a prediction.

When a row is forgotten, predictions change. The change has a closed form, as leave-one-out has: the
counts of the row are subtracted, and another text is scored by the rest. What was tuned or learned
rather than counted, weights and a stacked linear model, stays as it is.
"""

from typing import Any, NamedTuple

import numpy as np

from likely import _kernel
from likely.data.labeled import Labeled
from likely.data.labels import Label
from likely.data.table import Batch
from likely.errors import OptionError
from likely.likelihoods.base import Scores
from likely.likelihoods.text import TextLikelihood
from likely.model import leave_one_out
from likely.model.fitted import Fitted


class Influence(NamedTuple):
    """A training row, and its influence on a prediction."""

    row: int
    label: Label
    change: float
    """The change in log-probability of the predicted class due to the row."""


def influence(fitted: Fitted, row: Any, rows: Labeled, n: int, threads: int) -> list[Influence]:
    """The training rows with the largest influence on a prediction, for or against it."""
    fitted.check_learns()
    fitted.check_fitted()
    fitted.check_single("influence")
    fitted.check_compares_classes("influence")
    query = fitted.parts(fitted.one_row(row))
    probabilities = fitted.posterior(fitted.scores(query, threads), threads)
    (before,), (winner,) = probabilities, fitted.decide(probabilities)
    found: list[Influence] = []
    for batch in fitted.batches(rows):
        fitted.plan.ledger.check(fitted.tally.learned, batch)
        scores = _scores_without_each(fitted, batch, query, threads)
        left = leave_one_out.of_batch(fitted, batch, threads, None, scores)
        with np.errstate(divide="ignore"):
            changes = np.log(before[winner]) - np.log(left.probabilities[:, winner])
        labels = [left.classes[place] for place in left.truth]
        numbers = range(len(found), len(found) + len(batch))
        found += map(Influence, numbers, labels, changes.tolist())
    return sorted(found, key=lambda one: -abs(one.change))[: max(n, 0)]


def _scores_without_each(
    fitted: Fitted, batch: Batch, query: tuple[Any, ...], threads: int
) -> Scores:
    """The scores of one row, `query`, by the tally without each row of the batch in turn."""
    classes, factors = fitted.classes, fitted.product.factors
    truth = classes.places(batch.labels)
    total = np.zeros((len(batch), len(classes)))
    for place, factor in enumerate(factors):
        if not isinstance(factor.likelihood, TextLikelihood):
            raise OptionError(
                f"influence is that of texts; {', '.join(factor.columns)} is read by {factor}"
            )
        (text,) = query[place].tolist()
        total += factor.leave_one_out(
            fitted.counted.statistics[place],
            classes,
            batch.parts[place],
            truth,
            threads,
            scored=_kernel.Texts([text] * len(batch)),
        )
    if fitted.stacked is not None:
        total += fitted.stacked.score(fitted.product, classes, query, threads)
    return total
