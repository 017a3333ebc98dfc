"""Learning from rows without labels, beside those that have one.

EM (Nigam, McCallum, Thrun and Mitchell 2000): the labeled rows give first estimates, by which the
unlabeled ones are shared out among the classes; from all of them together come new estimates, and
so on. An unlabeled row counts λ of a labeled one.

What that is worth, folds of the labeled rows tell. An unlabeled row lies where the labels have
put it, so a labeled row cannot be left out of a tally that EM has made: what it said of others
stays. Each fold is therefore predicted by EM without it, under several λ, and by the model of the
other labeled rows alone. Unlabeled rows are taken if the best λ is better than that, by more than
a standard error.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import Label, Labels, Shares
from likely.data.table import Batch, FactorInput
from likely.errors import DataError, OptionError
from likely.likelihoods.product import Product
from likely.model.em import EM, Responsibilities
from likely.model.loo_predictions import LeaveOneOutPredictions, paired
from likely.model.prior import Prior
from likely.tally import Tally

Weight = float | Literal["auto"]

WEIGHTS = (0.01, 0.03, 0.1, 0.3, 1.0)

_TOLERANCE = 1e-4
_STEPS = 50


# A λ that has fallen behind by so many standard errors is tried no further.
_HOPELESS = 2.0

# A model of rows in parts can neither be updated nor made to forget; less than that is no reason.
_WORTH = 0.01

Gain = tuple[float, float]
"""How much better labeled rows were predicted than by the labeled rows alone, and its error."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What unlabeled rows were worth, as folds of the labeled rows tell."""

    rows: int
    weight: float
    """What an unlabeled row counts of a labeled one; 0 if they are left out."""
    gains: dict[float, Gain] = field(default_factory=dict)
    """For every λ that was tried, the gain over the model of the labeled rows alone.

    It is one of mean log-probability, or, where the evidence is not weighed, of accuracy.
    """

    def __str__(self) -> str:
        said = f"{self.rows:,} unlabeled rows "
        said += f"count {self.weight:g} each" if self.weight else "do not help, and are left out"
        if not self.gains:
            return said
        tried = ", ".join(
            f"{mean:+.2f} ± {error:.2f} at {weight:g}"
            for weight, (mean, error) in self.gains.items()
        )
        return f"{said} (gain on folds of the labeled rows: {tried})"


@dataclass(frozen=True)
class WeightSearch:
    """Several λ against the labeled rows alone, fold by fold; those that fall behind give up."""

    judged: Callable[[float, NDArray[np.intp]], LeaveOneOutPredictions]
    """What is said of some labeled rows under a λ, by a model that has not seen them."""
    by_probability: bool
    """Whether labels are to be more probable, or only right more often."""
    folds: list[NDArray[np.intp]]
    comparable: NDArray[np.bool_]
    """Which rows have a class that the other folds know."""

    def run(
        self, weights: Iterable[float]
    ) -> tuple[dict[float, Gain], dict[float, LeaveOneOutPredictions]]:
        """The gain of each, and the predictions of those that did not give up, by row."""
        running, gains = list(weights), dict[float, Gain]()
        found: dict[float, list[LeaveOneOutPredictions]] = {
            weight: [] for weight in (0.0, *running)
        }
        for place, here in enumerate(self.folds):
            for weight in (0.0, *running):
                found[weight].append(self.judged(weight, here))
            so_far = self.comparable[np.concatenate(self.folds[: place + 1])]
            reached = {
                weight: self._reached(LeaveOneOutPredictions.joined(found[weight]))[so_far]
                for weight in (0.0, *running)
            }
            gains |= {weight: paired(reached[weight] - reached[0.0]) for weight in running}
            running = [w for w in running if gains[w][0] >= -_HOPELESS * gains[w][1]]
            if not running:
                break
        by_row = np.argsort(np.concatenate(self.folds))
        return gains, {w: LeaveOneOutPredictions.joined(found[w]).take(by_row) for w in running}

    def _reached(self, judged: LeaveOneOutPredictions) -> NDArray[np.float64]:
        return judged.log_probability if self.by_probability else judged.rightness


def best(gains: dict[float, Gain]) -> float:
    """The λ that gains most, if that is worth it and more than its standard error; or else 0."""
    weight = max(gains, key=lambda each: (gains[each][0], -each))
    mean, error = gains[weight]
    return weight if mean > max(error, _WORTH) else 0.0


def checked_weight(given: Any) -> Weight:
    """A weight of unlabeled rows; anything else is refused."""
    if isinstance(given, str) and given == "auto":
        return "auto"
    plain = isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
    if not plain or not 0 <= given <= 1:
        raise OptionError(f'`unlabeled_weight` is "auto" or a number from 0 to 1, not {given!r}')
    return float(given)


def check_labels(labels: Labels, known: Iterable[Label]) -> None:
    """Refuse classes that no labeled row has."""
    missing = [label for label in known if label not in labels.values]
    if missing:
        raise DataError(
            f"class `{missing[0]}` has no labeled row, so nothing says what its rows look like\n"
            "hint: label a few of them, or find groups without labels: `likely.Mixture`"
        )


def learn(
    product: Product,
    prior: Prior,
    labeled: Batch,
    unlabeled: tuple[tuple[FactorInput, ...], ...],
    weight: float,
    threads: int,
) -> Tally:
    """Share the unlabeled rows out among the classes of the labeled ones, by EM."""
    assert isinstance(labeled.labels, Labels)
    labels = labeled.labels.there
    values = tuple(sorted(labels.values))
    whole = Batch(labeled.parts, Shares.whole(labels, values))
    em = EM(product, prior, values, unlabeled, (whole,), weight, threads)
    nobody = [np.zeros((len(parts[0]), len(values)), dtype=np.uint64) for parts in unlabeled]
    alone = em.tally(nobody)
    start: list[Responsibilities] = [
        _kernel.soft_assign(scores, em.whole, threads)[0] for scores in em.scores(alone)
    ]
    return em.run(start, _TOLERANCE, _STEPS).tally
