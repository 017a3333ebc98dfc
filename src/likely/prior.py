"""How likely each class is before anything is read."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.errors import OptionError
from likely.inputs import plain_label

Prior = str | Mapping[Any, float]


def checked(prior: Any) -> Prior:
    """`"empirical"`, `"uniform"`, or a probability for each class; anything else is refused."""
    if isinstance(prior, str) and prior in ("empirical", "uniform"):
        return prior
    if not isinstance(prior, Mapping):
        raise OptionError(
            f'a prior is "empirical", "uniform" or a probability per class, not {prior!r}'
        )
    prior = {plain_label(label): value for label, value in prior.items()}
    for label, probability in prior.items():
        if not isinstance(probability, (int, float, np.number)) or not 0 <= probability <= 1:
            raise OptionError(f"the prior of `{label}` is a probability, not {probability!r}")
    if not math.isclose(math.fsum(prior.values()), 1.0, abs_tol=1e-9):
        raise OptionError(f"the prior sums to {math.fsum(prior.values()):g}, not to 1")
    return {label: float(probability) for label, probability in prior.items()}


def log_prior(
    prior: Prior, classes: Sequence[Any], rows: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """log P(c) for each class, given how many rows each has."""
    if isinstance(prior, str):
        counts = rows.astype(np.float64) if prior == "empirical" else np.ones(len(classes))
        probabilities = counts / counts.sum()
    else:
        missing = [label for label in classes if label not in prior]
        if missing:
            raise OptionError(f"the prior says nothing of `{missing[0]}`")
        probabilities = np.array([prior[label] for label in classes], dtype=np.float64)
        if not probabilities.any():
            raise OptionError("the prior leaves nothing for the classes that were learned")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))


def posterior(scores: NDArray[np.float64], log_prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(c | x) of rows of scores; where every class is impossible, the prior decides."""
    best = scores.max(axis=1, keepdims=True, initial=-np.inf)
    hopeless = np.isneginf(best)
    odds = np.exp(scores - np.where(hopeless, 0.0, best))
    odds = np.where(hopeless, np.exp(log_prior), odds)
    proba: NDArray[np.float64] = odds / odds.sum(axis=1, keepdims=True)
    return proba
