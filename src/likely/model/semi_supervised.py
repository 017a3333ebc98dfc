"""Semi-supervised learning: unlabeled rows beside labeled ones.

EM (Nigam, McCallum, Thrun and Mitchell 2000): the labeled rows give initial estimates, which give
the responsibilities of the unlabeled rows; all rows together give new estimates, and so on. An
unlabeled row counts λ of a labeled one.

The gain in accuracy is measured by cross-validation on the labeled rows. The responsibilities of
unlabeled rows depend on all labeled rows, so leave-one-out has no closed form. Each fold is
predicted by EM without it, for several λ, and by the model of the other labeled rows alone, tuned
if it is to be. Unlabeled rows are used if the best λ gains more than a standard error. Where labels
are so few that no gain exceeds its error, they are used if several λ gain on average.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
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
from likely.numbers import is_number
from likely.tally import Tally

Weight = float | Literal["auto"]

_WEIGHTS = (0.03, 0.1, 0.3)

# With fewer labels per class, these are tried, and their mean gain decides. The first is so small
# that it says how good the start is, and is not used.
_FEW = 10
_PROBE = 0.003
_WEIGHTS_OF_FEW = (_PROBE, 0.03, 0.1)

# EM of texts is done long before its objective, of hundreds of nats per row, stands still.
_TOLERANCE = 1e-4
_STEPS = 30

# A λ that is worse by so many standard errors is dropped.
_HOPELESS = 2.0

# The smallest gain that is worth it: a model after EM can neither be updated nor forget.
_WORTH = 0.01

Gain = tuple[float, float]
"""The mean gain over the labeled rows alone, and its standard error."""


@dataclass(frozen=True, eq=False)
class Learned:
    """The result of learning from unlabeled rows, by cross-validation."""

    rows: int
    weight: float
    """The weight λ of an unlabeled row; 0 if they are not used."""
    gains: dict[float, Gain] = field(default_factory=dict)
    """For every λ that was tried, the gain over the model of the labeled rows alone.

    It is the gain in accuracy.
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
    """Compares several λ with the labeled rows alone, fold by fold; bad ones are dropped."""

    predict: Callable[[float, NDArray[np.intp]], LeaveOneOutPredictions]
    """Predictions of some labeled rows under a λ, by a model that has not seen them."""
    folds: list[NDArray[np.intp]]
    comparable: NDArray[np.bool_]
    """Which rows have a class that is also in other folds."""

    def run(
        self, weights: Iterable[float]
    ) -> tuple[dict[float, Gain], dict[float, LeaveOneOutPredictions]]:
        """The gain of each λ, and the predictions of those that were not dropped, by row."""
        running, gains = list(weights), dict[float, Gain]()
        found: dict[float, list[LeaveOneOutPredictions]] = {
            weight: [] for weight in (0.0, *running)
        }
        for place, here in enumerate(self.folds):
            for weight in (0.0, *running):
                found[weight].append(self.predict(weight, here))
            so_far = self.comparable[np.concatenate(self.folds[: place + 1])]
            reached = {
                weight: LeaveOneOutPredictions.joined(found[weight]).rightness[so_far]
                for weight in (0.0, *running)
            }
            gains |= {weight: paired(reached[weight] - reached[0.0]) for weight in running}
            running = [w for w in running if gains[w][0] >= -_HOPELESS * gains[w][1]]
            if not running:
                break
        by_row = np.argsort(np.concatenate(self.folds))
        return gains, {w: LeaveOneOutPredictions.joined(found[w]).take(by_row) for w in running}


@dataclass(frozen=True)
class Chooser:
    """Which λ are tried, and which of them is used."""

    few: bool
    """Whether there are so few labels that what their folds say is mostly chance."""

    @classmethod
    def of(cls, labels: int, classes: int) -> "Chooser":
        return cls(labels < _FEW * classes)

    @property
    def weights(self) -> tuple[float, ...]:
        return _WEIGHTS_OF_FEW if self.few else _WEIGHTS

    def chosen(self, gains: dict[float, Gain]) -> float:
        """The λ with the largest gain, if it is large enough; otherwise 0."""
        weight = max(gains, key=lambda each: (each != _PROBE, gains[each][0], -each))
        mean, error = gains[weight]
        if self.few:
            is_enough = math.fsum(gain for gain, _ in gains.values()) / len(gains) > _WORTH
        else:
            is_enough = mean > max(error, _WORTH)
        return weight if is_enough else 0.0


def checked_weight(given: Any) -> Weight:
    """A weight of unlabeled rows; anything else is refused."""
    if isinstance(given, str) and given == "auto":
        return "auto"
    plain = is_number(given)
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
    """Assign the unlabeled rows softly to the classes of the labeled ones, by EM."""
    assert isinstance(labeled.labels, Labels)
    labels = labeled.labels.there
    values = tuple(sorted(labels.values))
    whole = Batch(labeled.parts, Shares.whole(labels, values))
    em = EM(product, prior, values, unlabeled, (whole,), weight, threads)
    # The smallest share of every class in every row: so their words are known, and nothing else is.
    hardly = [np.ones((len(parts[0]), len(values)), dtype=np.uint64) for parts in unlabeled]
    start: list[Responsibilities] = [
        _kernel.soft_assign(scores, em.whole, threads)[0] for scores in em.scores(em.tally(hardly))
    ]
    return replace(em, drops_rare=True).run(start, _TOLERANCE, _STEPS).tally
