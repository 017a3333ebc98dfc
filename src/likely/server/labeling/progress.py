"""How good the model is by now, and what more answers would bring.

Rows that were picked because the model is unsure of them are harder than others. And a model that
chose its rows knowing a certain row does worse without it than one that never knew it. So only rows
that were set apart tell how good it is: the first of a random order, which no other queue asks
about or goes by. Each is predicted by the model without it.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from likely.classifier import Classifier
from likely.errors import LikelyError
from likely.evaluation.intervals import Figure, shares
from likely.model import learning
from likely.server.labeling.answers import Said
from likely.server.labeling.left_out import left_out
from likely.server.labeling.session import Session
from likely.server.living import labeled
from likely.tally import Tally

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
    if loo is None or len(items) < _FEWEST:
        return None
    said = Counter(session.seen.agreed[item] for item in items)
    (right,) = shares(np.array([_right(loo).sum()]), np.array([float(len(items))]), LEVEL)
    return Accuracy(right, len(items), said.most_common(1)[0][1] / len(items))


def _right(loo: Any) -> Any:
    """Which rows are right; a multi-label row has to get all of its labels and no other."""
    if hasattr(loo, "rightness"):
        return loo.rightness
    return np.array([a == b for a, b in zip(loo.predictions, loo.labels, strict=True)], dtype=float)


def forecast(session: Session) -> dict[str, Any] | None:
    """What twice as many answers would bring: errors are taken to fall like a power of the answers.

    The curve goes through models of a quarter, half and all of the answers.
    """
    sample = random_rows(session)
    if len(sample) < _FORECAST_FROM:
        return None
    agreed = session.seen.agreed
    everyone = np.random.default_rng(session.seed).permutation(sorted(agreed)).tolist()
    curve: list[tuple[int, float]] = []
    for part in _PARTS:
        chosen = set(everyone[: int(part * len(everyone))])
        right = _with_only(session, chosen, sample)
        if right is None:
            return None
        curve.append((len(chosen), right))
    # One mistake more than there were, so that none at all has a logarithm.
    errors = [math.log((1 - right) * len(sample) + 1) for _, right in curve]
    slope = np.polyfit([math.log(n) for n, _ in curve], errors, 1)[0]
    after = 1 - (math.exp(errors[-1] + min(slope, 0.0) * math.log(2)) - 1) / len(sample)
    return {
        "curve": [{"answers": n, "accuracy": right} for n, right in curve],
        "answers": 2 * len(everyone),
        "accuracy": min(max(after, curve[-1][1]), 1.0),
    }


def _with_only(session: Session, chosen: set[int], sample: list[int]) -> float | None:
    """The accuracy on random rows of the model, tuned as it is, if it knew only some answers."""
    now = session.model.served.classifier.fitted
    fitted = now.with_tally(Tally.zero(now.plan.product, now.plan.ledger))
    agreed = session.seen.agreed
    pool, columns = session.pool, fitted.columns

    def rows(items: list[int]) -> Any:
        cells = [{name: pool.columns[name][item] for name in columns} for item in items]
        return labeled(fitted, cells, [session.label(agreed[item]) for item in items])

    try:
        fitted = learning.updated(fitted, rows(sorted(chosen)), 1)
        model = Classifier.of(fitted.spec, fitted)
        right = 0.0
        if inside := [item for item in sample if item in chosen]:
            labels = [session.label(agreed[item]) for item in inside]
            right += float(_right(model.leave_one_out(pool.table(inside), labels)).sum())
        if outside := [item for item in sample if item not in chosen]:
            said = model.predict(pool.table(outside))
            right += sum(_same(one, agreed[item]) for one, item in zip(said, outside, strict=True))
    except LikelyError:
        # One class alone, or none.
        return None
    return right / len(sample)


def _same(predicted: Any, said: Said) -> bool:
    found = predicted if isinstance(predicted, list) else [str(predicted)]
    return tuple(sorted(map(str, found))) == said


def unseen(session: Session) -> dict[str, dict[str, Any]]:
    """For each label, how many rows that nobody answered probably have it.

    The random rows tell how many of all rows have it, and those that were found are not left. Other
    queues and a search may well have found most of them, so the rest is no random sample.
    """
    sample, agreed = random_rows(session), session.seen.agreed
    left = len(session.pool) - len(session.seen.answers)
    # Rows that were skipped or are disputed are neither found nor left.
    rows = left + len(agreed)
    found = {}
    for label in session.labels:
        have = sum(label in agreed[item] for item in sample)
        n_found = sum(label in said for said in agreed.values())
        if sample:
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
    now = accuracy(session)
    said = Counter(label for labels in session.seen.agreed.values() for label in labels)
    return {
        "accuracy": None if now is None else now.to_json(),
        "needed": max(_FEWEST - len(random_rows(session)), 0),
        "curve": curve(session),
        "forecast": forecast(session),
        "balance": dict(said.most_common()),
        "unseen": unseen(session),
        "agreement": agreement(session),
    }


def curve(session: Session) -> list[dict[str, Any]]:
    """How accuracy grew: the rows that check the model, predicted by what was known at the time."""
    learned = sorted(session.seen.agreed, key=session.learned_at)
    sample = random_rows(session)
    if len(sample) < _FEWEST:
        return []
    found = []
    for step in range(1, _STEPS + 1):
        chosen = set(learned[: len(learned) * step // _STEPS])
        right = _with_only(session, chosen, sample) if len(chosen) > 1 else None
        if right is not None:
            (share,) = shares(
                np.array([right * len(sample)]), np.array([float(len(sample))]), LEVEL
            )
            found.append({"answers": len(chosen), **_interval(share)})
    return found
