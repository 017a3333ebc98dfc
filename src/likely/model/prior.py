"""The prior: how probable each class is before a row is read."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.labels import one_kind, plain_label
from likely.errors import OptionError

Prior = str | Mapping[Any, float]

# The largest bias of a class; exp of it is not finite, so scores are shifted first.
_MOST_BIAS = 1_000_000_000

# A prior may differ from 1 by this much.
_NEAR = 1e-9

_SMOOTHED = re.compile(r"empirical(?:\+([0-9]{1,9}(?:\.[0-9]{1,9})?))?")


def checked(prior: Any) -> Prior:
    """The prior, checked; anything else is refused.

    >>> checked("empirical+1")  # each class has one row more than were seen
    'empirical+1'
    """
    if isinstance(prior, str) and (prior == "uniform" or _SMOOTHED.fullmatch(prior)):
        return prior
    if not isinstance(prior, Mapping):
        raise OptionError(
            'a prior is "empirical", "empirical+1" (or another number), "uniform" '
            f"or a probability per class, not {prior!r}"
        )
    prior = {plain_label(label): value for label, value in prior.items()}
    for label, probability in prior.items():
        if not isinstance(probability, (int, float, np.number)) or not 0 <= probability <= 1:
            raise OptionError(f"the prior of `{label}` is a probability, not {probability!r}")
    if math.fsum(prior.values()) > 1 + _NEAR:
        raise OptionError(f"the prior sums to {math.fsum(prior.values()):g}, more than 1")
    return {label: float(probability) for label, probability in prior.items()}


def known_classes(classes: Iterable[Any], prior: Prior) -> tuple[Any, ...]:
    """The classes that are known before any row is seen: those given, and those with a prior.

    The order in which they are given is kept, since it is that of a matrix of labels.
    """
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        raise OptionError(f"`classes` is a list of labels, not {classes!r}")
    given = [plain_label(label) for label in classes]
    named = list(prior) if isinstance(prior, Mapping) else []
    one_kind([*given, *named])
    return tuple(dict.fromkeys([*given, *sorted(named)]))


def checked_bias(given: Any) -> float:
    """The bias of a class; anything else is refused."""
    if type(given) is not float or not -_MOST_BIAS <= given <= _MOST_BIAS:
        raise OptionError(f"a bias is a number from -{_MOST_BIAS:,} to {_MOST_BIAS:,}")
    return given


def check_cover(prior: Prior, classes: Sequence[Any]) -> None:
    """Refuse a given prior that does not sum to 1 over these classes."""
    if isinstance(prior, str):
        return
    total = math.fsum(prior.values())
    unnamed = [label for label in classes if label not in prior]
    if abs(total - 1) <= _NEAR:
        if unnamed:
            raise OptionError(
                f"the prior says nothing of `{unnamed[0]}`, and leaves nothing for it"
            )
        if not any(prior[label] for label in classes):
            raise OptionError("the prior leaves nothing for the classes that were learned")
    elif not unnamed:
        raise OptionError(f"the prior sums to {total:g}, not to 1")


def log_prior(prior: Prior, classes: Sequence[Any], rows: NDArray[Any]) -> NDArray[np.float64]:
    """log P(c) for each class, given how many rows each has.

    Classes that a given prior does not name share what it leaves, as their rows do.
    """
    if isinstance(prior, str):
        counts = np.ones(len(classes)) if prior == "uniform" else rows + added_rows(prior)
        probabilities = counts / counts.sum()
    else:
        rest = 1.0 - math.fsum(prior.values())
        unnamed = np.array([label not in prior for label in classes], dtype=bool)
        probabilities = np.array([prior.get(label, 0.0) for label in classes], dtype=np.float64)
        if unnamed.any():
            shares = np.where(unnamed, rows.astype(np.float64), 0.0)
            shares = shares if shares.any() else unnamed.astype(np.float64)
            probabilities += max(rest, 0.0) * shares / shares.sum()
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))


def added_rows(prior: Prior) -> float:
    """How many virtual examples of each class the prior adds."""
    smoothed = _SMOOTHED.fullmatch(prior) if isinstance(prior, str) else None
    return float(smoothed[1] or 0) if smoothed else 0.0


def posterior(scores: NDArray[np.float64], log_prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(c | x) of rows of scores; where every class is impossible, the prior decides."""
    best = scores.max(axis=1, keepdims=True, initial=-np.inf)
    hopeless = np.isneginf(best)
    odds = np.exp(scores - np.where(hopeless, 0.0, best))
    # Relative to the best class, since exp of a bias may overflow.
    before = np.exp(log_prior - log_prior.max(axis=-1, keepdims=True, initial=-np.inf))
    odds = np.where(hopeless, before, odds)
    proba: NDArray[np.float64] = odds / odds.sum(axis=1, keepdims=True)
    return proba


def decide(scores: NDArray[np.float64], log_prior: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of the best class of each row; of equals, the first.

    Where every class is impossible, the prior decides.
    """
    best: NDArray[np.intp] = scores.argmax(axis=1)
    # A finite sum has no infinite term.
    if not np.isfinite(scores.sum()):
        hopeless = np.isneginf(scores[np.arange(len(scores)), best])
        best[hopeless] = np.broadcast_to(log_prior, scores.shape)[hopeless].argmax(axis=1)
    return best


def log_sum(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """log Σ_c exp(score_c) of each row; minus infinity if all classes are impossible."""
    best = scores.max(axis=1, keepdims=True, initial=-np.inf)
    shift = np.where(np.isneginf(best), 0.0, best)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(scores - shift).sum(axis=1)) + shift[:, 0]
    return np.asarray(total)
