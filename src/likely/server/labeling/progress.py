"""How good the model is by now, and what more answers would bring.

Rows that were picked because the model is unsure of them are harder than others. And a model that
chose its rows knowing a certain row does worse without it than one that never knew it. So only rows
that were set apart tell how good it is: the first of a random order, which no other queue asks
about or goes by. Each is predicted by the model without it (`checking`).
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from likely.evaluation.intervals import Figure, shares
from likely.server.labeling.answers import Said
from likely.server.labeling.checking import Check
from likely.server.labeling.session import Session

LEVEL = 0.95

# With fewer random rows, figures would say little.
_FEWEST = 10
_FORECAST_FROM = 40
_STEPS = 10
# The forecast's learning curve is drawn through models of these shares of the answers.
_PARTS = (0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Accuracy:
    """The share of random rows that are predicted as they were answered."""

    share: Figure
    rows: int
    baseline: float
    """That of the most frequent answer."""

    def to_json(self) -> dict[str, Any]:
        return {**_interval(self.share), "rows": self.rows, "baseline": self.baseline}


def accuracy(check: Check) -> Accuracy | None:
    """How good the model is by now; None while too few random rows are answered."""
    right = check.right() if len(check.rows) >= _FEWEST else None
    if right is None:
        return None
    said = Counter(check.session.seen.agreed[item] for item in check.rows)
    most = said.most_common(1)[0][1]
    return Accuracy(_share(right, check), len(check.rows), most / len(check.rows))


def _share(right: float, check: Check) -> Figure:
    (share,) = shares(np.array([right]), np.array([float(len(check.rows))]), LEVEL)
    return share


def curve(check: Check) -> list[dict[str, Any]]:
    """How accuracy grew: the rows that check the model, predicted by what was known at the time.

    The weights are those of now, so that the curve ends at the accuracy of now.
    """
    session = check.session
    learned = sorted(session.seen.agreed, key=session.learned_at)
    if len(check.rows) < _FEWEST:
        return []
    found = []
    for step in range(1, _STEPS + 1):
        known = set(learned[: len(learned) * step // _STEPS])
        right = check.right(known) if len(known) > 1 else None
        if right is not None:
            found.append({"answers": len(known), **_interval(_share(right, check))})
    return found


def forecast(check: Check) -> dict[str, Any] | None:
    """What twice as many answers would bring: errors are taken to fall like a power of the answers.

    The curve goes through models of a quarter, half and all of the answers.
    """
    n = len(check.rows)
    if n < _FORECAST_FROM:
        return None
    seen, seed = check.session.seen, check.session.seed
    everyone = np.random.default_rng(seed).permutation(sorted(seen.agreed)).tolist()
    points: list[tuple[int, float]] = []
    for part in _PARTS:
        known = set(everyone[: int(part * len(everyone))])
        right = check.right(known)
        if right is None:
            return None
        points.append((len(known), right / n))
    # One mistake more than there were, so that none at all has a logarithm.
    errors = [math.log((1 - right) * n + 1) for _, right in points]
    slope = np.polyfit([math.log(answers) for answers, _ in points], errors, 1)[0]
    after = 1 - (math.exp(errors[-1] + min(slope, 0.0) * math.log(2)) - 1) / n
    return {
        "curve": [{"answers": answers, "accuracy": right} for answers, right in points],
        "answers": 2 * len(everyone),
        "accuracy": min(max(after, points[-1][1]), 1.0),
    }


def unseen(check: Check) -> dict[str, dict[str, Any]]:
    """For each label, how many rows that nobody answered probably have it; none while few are.

    The random rows tell how many of all rows have it, and those that were found are not left. Other
    queues and a search may well have found most of them, so the rest is no random sample.
    """
    session, sample = check.session, check.rows
    if len(sample) < _FEWEST:
        return {}
    agreed = session.seen.agreed
    left = len(session.pool) - len(session.seen.answers)
    # Rows that were skipped or are disputed are neither found nor left.
    rows = left + len(agreed)
    found = {}
    for label in session.labels:
        have = sum(label in agreed[item] for item in sample)
        n_found = sum(label in said for said in agreed.values())
        (rate,) = shares(np.array([float(have)]), np.array([float(len(sample))]), LEVEL)
        ends = rate.low or 0.0, float(rate), 1.0 if rate.high is None else rate.high
        low, middle, high = (min(max(rows * end - n_found, 0.0), left) for end in ends)
        found[label] = {
            "found": n_found,
            "left": middle,
            "low": low,
            "high": high,
            "rows": len(sample),
        }
    return found


def agreement(session: Session) -> list[dict[str, Any]]:
    """Cohen's κ of each two people, on the rows that both answered.

    κ = (p − p_e) / (1 − p_e), where p is the share of rows on which they agree, and p_e the share
    on which they would by chance, each with their own frequencies of labels.
    """
    by_person: dict[str, dict[int, Said]] = {}
    for item, by in session.seen.answers.items():
        for who, answer in by.items():
            if answer.labels is not None:
                by_person.setdefault(who, {})[item] = answer.labels
    found = []
    for one, other in combinations(sorted(by_person), 2):
        both = sorted(by_person[one].keys() & by_person[other].keys())
        if both:
            pairs = [(by_person[one][item], by_person[other][item]) for item in both]
            found.append({"people": [one, other], "rows": len(both), "kappa": kappa(pairs)})
    return found


def kappa(pairs: list[tuple[Any, Any]]) -> float | None:
    """Cohen's κ of pairs of answers; None where chance alone would agree on all.

    >>> kappa([("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")])
    0.5
    """
    n = len(pairs)
    agreed = sum(a == b for a, b in pairs) / n
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(first[label] * second[label] for label in first) / n**2
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def _interval(figure: Figure) -> dict[str, Any]:
    return {"value": float(figure), "low": figure.low, "high": figure.high}


def progress(session: Session) -> dict[str, Any]:
    """All of it, as JSON has it."""
    check = Check(session)
    now = accuracy(check)
    said = Counter(label for labels in session.seen.agreed.values() for label in labels)
    return {
        "accuracy": None if now is None else now.to_json(),
        "needed": max(_FEWEST - len(check.rows), 0),
        "curve": curve(check),
        "forecast": forecast(check),
        "balance": dict(said.most_common()),
        "unseen": unseen(check),
        "agreement": agreement(session),
    }
