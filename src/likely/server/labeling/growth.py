"""How accuracy grew with the answers, and what twice as many would bring.

Each point is a model that knew only the first so many answers, tuned as it was then. All points are
judged by the random rows of now, so that they differ by their models alone.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from likely.classifier import Classifier
from likely.errors import LikelyError
from likely.evaluation.intervals import shares
from likely.model import learning
from likely.server.labeling.answers import Said
from likely.server.labeling.progress import FEWEST, LEVEL, interval, random_rows, rightness
from likely.server.labeling.session import FIRST_TUNED, Session
from likely.server.living import labeled, nothing_learned

# Each point has so many times the answers of the one before.
_FIRST, _TIMES = 10, 1.5
# The forecast wants more random rows, and goes by the points of this last part of the answers.
_FORECAST_FROM, _PART = 40, 0.25

Point = dict[str, Any]


class Growth:
    """The learning curve of a session; models of former answers are kept."""

    def __init__(self) -> None:
        self._models: dict[int, tuple[object, Classifier | None]] = {}

    def curve(self, session: Session) -> list[Point]:
        """The accuracy of former models and of the one that is, with intervals."""
        sample = random_rows(session)
        if len(sample) < FEWEST:
            return []
        learned = sorted(session.seen.agreed, key=session.learned_at)
        found = []
        for n in _sizes(len(learned)):
            model = self._of(session, learned[:n])
            if model is not None and (point := _judged(session, model, learned[:n], sample)):
                found.append(point)
        now = _judged(session, session.model.served.classifier, learned, sample)
        return [*found, now] if now is not None else found

    def _of(self, session: Session, items: list[int]) -> Classifier | None:
        """The model of the first answers; None where they do not make one."""
        said = tuple((item, session.seen.agreed[item]) for item in items)
        before, model = self._models.get(len(items), (None, None))
        if before != said:
            model = _taught(session, said)
            self._models[len(items)] = said, model
        return model


def forecast(points: Sequence[Point], rows: int) -> dict[str, Any] | None:
    """What twice as many answers would bring: errors are taken to fall like a power of the answers.

    >>> points = [{"answers": n, "value": 1 - 4 / n} for n in (20, 40, 80)]
    >>> found = forecast(points, rows=10**6)
    >>> found["answers"], round(found["accuracy"], 4)
    (160, 0.975)
    """
    if rows < _FORECAST_FROM or not points:
        return None
    n = points[-1]["answers"]
    last = [one for one in points if one["answers"] >= _PART * n]
    if len(last) < 3:
        return None
    # One mistake more than there were, so that none at all has a logarithm.
    errors = [math.log((1 - one["value"]) * rows + 1) for one in last]
    slope = np.polyfit([math.log(one["answers"]) for one in last], errors, 1)[0]
    after = 1 - (math.exp(errors[-1] + min(float(slope), 0.0) * math.log(2)) - 1) / rows
    return {"answers": 2 * n, "accuracy": min(max(after, last[-1]["value"]), 1.0)}


def _sizes(answers: int) -> list[int]:
    """How many answers the former models know: the same numbers however many there are by now."""
    found, size = [], float(_FIRST)
    while round(size) < answers:
        found.append(round(size))
        size *= _TIMES
    return found


def _taught(session: Session, said: Sequence[tuple[int, Said]]) -> Classifier | None:
    """A model of some answers, tuned if it would have been."""
    fitted = nothing_learned(session.model.served.classifier.fitted.plan).fitted
    columns = session.pool.columns
    cells = [{name: columns[name][item] for name in fitted.columns} for item, _ in said]
    rows = labeled(fitted, cells, [session.label(labels) for _, labels in said])
    try:
        fitted = learning.updated(fitted, rows, 1)
        if len(said) >= FIRST_TUNED and len(fitted.classes) > 1:
            fitted = learning.retuned(fitted, rows, 1)
    except LikelyError:
        return None
    return Classifier.of(fitted.spec, fitted)


def _judged(
    session: Session, model: Classifier, known: Sequence[int], sample: Sequence[int]
) -> Point | None:
    """The accuracy of a model on random rows; those that it knows are left out in turn."""
    agreed, table, knows = session.seen.agreed, session.pool.table, set(known)
    inside = [item for item in sample if item in knows]
    outside = [item for item in sample if item not in knows]
    right = 0.0
    try:
        if inside:
            labels = [session.label(agreed[item]) for item in inside]
            right += float(rightness(model.leave_one_out(table(inside), labels)).sum())
        if outside:
            said = model.predict(table(outside))
            right += sum(_same(one, agreed[item]) for one, item in zip(said, outside, strict=True))
    except LikelyError:
        # One class alone, or somebody answered in between.
        return None
    (share,) = shares(np.array([right]), np.array([float(len(sample))]), LEVEL)
    return {"answers": len(known), **interval(share)}


def _same(predicted: Any, said: Said) -> bool:
    found = predicted if isinstance(predicted, list) else [str(predicted)]
    return tuple(sorted(map(str, found))) == said
