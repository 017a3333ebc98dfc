"""Learning from rows without labels, beside those that have one.

EM (Nigam, McCallum, Thrun and Mitchell 2000): the labelled rows give first estimates, by which the
unlabelled ones are shared out among the classes; from all of them together come new estimates, and
so on. An unlabelled row counts λ of a labelled one. How much that should be, the labelled rows
tell: each is judged by the tally without it, under every λ, and the λ that judges most of them
right is taken. λ = 0, which ignores the unlabelled rows, is one of them, so by that estimate
nothing is lost.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from likely import _kernel
from likely.em import Hidden, Parts, check_generative
from likely.errors import DataError, OptionError
from likely.inputs import Batch, Part
from likely.label_sets import LabelSets, RowLabels
from likely.labels import Label, Shares
from likely.leave_one_out import LeaveOneOut, leave_one_out
from likely.likelihoods import Multinomial, Views
from likely.likelihoods.product import Factor, Product
from likely.prior import Prior
from likely.tally import Tally

Weight = float | Literal["auto"]

WEIGHTS = (0.01, 0.03, 0.1, 0.3, 1.0)

# Labels are few where this is used; more smoothing would drown what they say.
_ALPHA = 0.01

_TOLERANCE = 1e-4
_STEPS = 50


@dataclass(frozen=True, eq=False)
class Learned:
    """What came of it: the tally, the weight of an unlabelled row, and what the choice rests on.

    `accuracies` are the shares of labelled rows judged right without themselves, by λ.
    """

    tally: Tally
    weight: float
    rows: int
    accuracies: dict[float, float]
    weighed: float | None = None
    """The same of the model that weighs its evidence, and learns from labelled rows alone."""

    @property
    def is_left_out(self) -> bool:
        """Whether weighing the evidence of labelled rows does as well as sharing out the others."""
        return self.weighed is not None and self.weighed >= self.accuracies[self.weight]

    def __str__(self) -> str:
        said = f"{self.rows:,} unlabelled rows "
        helps = self.weight and not self.is_left_out
        said += f"count {self.weight:g} each" if helps else "do not help, and are left out"
        tried = ", ".join(f"{each:.1%} at {w:g}" for w, each in self.accuracies.items())
        if self.weighed is not None:
            tried += f"; {self.weighed:.1%} without them, by weighing the evidence"
        return f"{said} (labelled rows judged right without themselves: {tried})"


def generative(product: Product) -> Product:
    """The same columns under likelihoods that give rows a probability: texts as words."""
    factors = []
    for factor in product.factors:
        likelihood = factor.likelihood
        if isinstance(likelihood, Views):
            words = replace(likelihood.text, words=1, chars=None, punctuation=False)
            likelihood = Multinomial(_ALPHA, text=words)
        factors.append(Factor(factor.columns, likelihood))
    return replace(product, factors=tuple(factors))


def checked_weight(given: Any) -> Weight:
    """A weight of unlabelled rows; anything else is refused."""
    if isinstance(given, str) and given == "auto":
        return "auto"
    plain = isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
    if not plain or not 0 <= given <= 1:
        raise OptionError(f'`unlabelled_weight` is "auto" or a number from 0 to 1, not {given!r}')
    return float(given)


def learn(
    product: Product,
    prior: Prior,
    known: Iterable[Label],
    labelled: list[Batch],
    unlabelled: list[tuple[Part, ...]],
    weight: Weight,
    threads: int,
) -> Learned:
    """Share the unlabelled rows out among the classes of the labelled ones."""
    check_generative(product)
    rows = sum(len(parts[0]) for parts in unlabelled)
    if not rows:
        raise DataError("there are no unlabelled rows to learn from")
    values = tuple(sorted({label for batch in labelled for label in batch.labels.values}))
    missing = [label for label in known if label not in values]
    if missing:
        raise DataError(
            f"class `{missing[0]}` has no labelled row, so nothing says what its rows look like\n"
            "hint: label a few of them, or find groups without labels: `likely.Mixture`"
        )
    whole = [Batch(batch.parts, _whole(batch.labels, values)) for batch in labelled]
    found: dict[float, tuple[float, Tally]] = {}
    for each in (0.0, *WEIGHTS) if weight == "auto" else (weight,):
        hidden = Hidden(product, prior, values, tuple(unlabelled), tuple(whole), each, threads)
        tally = _ascended(hidden)
        found[each] = _accuracy(product, prior, tally, labelled, threads), tally
    # Of equals the smallest, which is nearest to what labels say.
    best = max(found, key=lambda each: (found[each][0], -each))
    accuracies = {each: accuracy for each, (accuracy, _) in found.items()}
    return Learned(found[best][1], best, rows, accuracies)


def _whole(labels: RowLabels, values: tuple[Label, ...]) -> Shares:
    assert not isinstance(labels, LabelSets)
    return labels if isinstance(labels, Shares) else Shares.whole(labels, values)


def _ascended(hidden: Hidden) -> Tally:
    """EM from what the labelled rows say of the others."""
    nobody = [
        np.zeros((len(parts[0]), len(hidden.labels)), dtype=np.uint64) for parts in hidden.batches
    ]
    labelled = hidden.tally(nobody)
    if not hidden.whole:
        return labelled
    start: list[Parts] = [
        _kernel.share_out(scores, hidden.whole, hidden.threads)[0]
        for scores in hidden.scores(labelled)
    ]
    return hidden.ascend(start, _TOLERANCE, _STEPS).tally


def _accuracy(
    product: Product, prior: Prior, tally: Tally, labelled: list[Batch], threads: int
) -> float:
    """How many labelled rows the tally judges right without them.

    The unlabelled rows stay where all labelled ones together have put them.
    """
    judged = [leave_one_out(product, prior, tally, batch, (), threads) for batch in labelled]
    return LeaveOneOut.joined(judged).accuracy
