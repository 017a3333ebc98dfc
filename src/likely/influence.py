"""Which learned rows a prediction rests on.

When a row is forgotten, predictions change. By how much has a closed form, as leave-one-out has:
the row's own counts are taken back, and another text is scored by what is left. What was learned
rather than counted, weights and second opinions, stays as it is.
"""

from typing import Any, NamedTuple

import numpy as np

from likely import _kernel
from likely.errors import OptionError
from likely.inputs import Batch
from likely.labels import Label
from likely.likelihoods.base import Scores
from likely.likelihoods.opinion import SecondOpinion
from likely.likelihoods.product import Product
from likely.likelihoods.text import TextLikelihood
from likely.tally import Classes, Tally


class Influence(NamedTuple):
    """A learned row, and what a prediction owes to it."""

    row: int
    label: Label
    change: float
    """By how much more probable it makes the predicted class, in log-probability."""


def scores_without_each(
    product: Product,
    tally: Tally,
    classes: Classes,
    batch: Batch,
    asked: tuple[Any, ...],
    threads: int,
) -> Scores:
    """The scores of one row, `asked`, by the tally without each row of the batch in turn."""
    truth = classes.places(batch.labels)
    total = np.zeros((len(batch), len(classes)))
    for place, factor in enumerate(product.factors):
        likelihood: Any = factor.likelihood
        if not isinstance(getattr(likelihood, "likelihood", likelihood), TextLikelihood):
            raise OptionError(
                f"influence is that of texts; {', '.join(factor.columns)} is read by {likelihood!r}"
            )
        (text,) = asked[place].tolist()
        total += likelihood.leave_one_out(
            tally.statistics[place],
            classes,
            factor.columns,
            batch.parts[place],
            truth,
            threads,
            scored=_kernel.Texts([text] * len(batch)),
        )
        if isinstance(likelihood, SecondOpinion):
            total += likelihood.said(classes, asked[place], threads)
    return total
