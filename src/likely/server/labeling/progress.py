"""How good the model is by now, what is still unseen, and how far people agree.

Rows that were picked because the model is unsure of them are harder than others. And a model that
chose its rows knowing a certain row does worse without it than one that never knew it. So only rows
that were set apart tell how good it is: the first of a random order, which no other queue asks
about or goes by. Each is predicted by the model without it.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from likely.evaluation.intervals import Figure, shares
from likely.server.labeling.answers import Said
from likely.server.labeling.left_out import left_out
from likely.server.labeling.session import Session

LEVEL = 0.95

# With fewer random rows, figures would say little.
FEWEST = 10


@dataclass(frozen=True)
class Accuracy:
    """The share of random rows that are predicted as they were answered."""

    share: Figure
    rows: int
    baseline: float
    """That of the most frequent answer."""

    def to_json(self) -> dict[str, Any]:
        return {**interval(self.share), "rows": self.rows, "baseline": self.baseline}


def random_rows(session: Session) -> list[int]:
    """The answered rows that are a random sample: the first of those that check the model.

    Rows that were skipped or are disputed are no part of it, and it goes on after them.
    """
    found: list[int] = []
    answers, agreed = session.seen.answers, session.seen.agreed
    for item in session.check_rows.tolist():
        if item not in answers:
            break
        if item in agreed:
            found.append(item)
    return found


def accuracy(session: Session) -> Accuracy | None:
    """How good the model is by now; None while too few random rows are answered."""
    loo, items = left_out(session, random_rows(session))
    if loo is None or len(items) < FEWEST:
        return None
    said = Counter(session.seen.agreed[item] for item in items)
    (right,) = shares(np.array([rightness(loo).sum()]), np.array([float(len(items))]), LEVEL)
    return Accuracy(right, len(items), said.most_common(1)[0][1] / len(items))


def rightness(loo: Any) -> Any:
    """Which rows are right; a multi-label row has to get all of its labels and no other."""
    if hasattr(loo, "rightness"):
        return loo.rightness
    return np.array([a == b for a, b in zip(loo.predictions, loo.labels, strict=True)], dtype=float)


def unseen(session: Session) -> dict[str, dict[str, Any]]:
    """For each label, how many rows that nobody answered probably have it.

    The random rows tell what share of all rows has it; those that were found are taken off.
    """
    sample, agreed = random_rows(session), session.seen.agreed
    rows, found = len(session.pool), {}
    left = rows - len(session.seen.answers)
    for label in session.labels if sample else ():
        have = sum(label in agreed[item] for item in sample)
        n_found = sum(label in said for said in agreed.values())
        (rate,) = shares(np.array([float(have)]), np.array([float(len(sample))]), LEVEL)
        low, high = rate.low or 0.0, 1.0 if rate.high is None else rate.high
        low, most_likely, high = (
            min(max(share * rows - n_found, 0.0), left) for share in (low, float(rate), high)
        )
        found[label] = {
            "found": n_found,
            "left": most_likely,
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


def interval(figure: Figure) -> dict[str, Any]:
    return {"value": float(figure), "low": figure.low, "high": figure.high}


def progress(session: Session) -> dict[str, Any]:
    """All of it, as JSON has it."""
    now = accuracy(session)
    said = Counter(label for labels in session.seen.agreed.values() for label in labels)
    return {
        "accuracy": None if now is None else now.to_json(),
        "needed": max(FEWEST - len(random_rows(session)), 0),
        "balance": dict(said.most_common()),
        "unseen": unseen(session),
        "agreement": agreement(session),
    }
