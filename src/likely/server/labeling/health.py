"""What may be wrong with rows and answers: labels, duplicates, leakage, and how far rows differ."""

from collections import Counter
from typing import Any

from likely.data.duplicates import near_duplicates
from likely.server.labeling.left_out import label_issues
from likely.server.labeling.queues import is_disputed
from likely.server.labeling.session import Session

_SHOWN = 50
# Near-duplicates are looked for among so many rows.
_COMPARED = 20_000
_MOVED, _FEWEST = 3.0, 10


def health(session: Session) -> dict[str, Any]:
    """Everything that somebody who looks after the labels should look at."""
    classifier = session.model.served.classifier
    learned = len(session.seen.agreed) and len(classifier.classes) > 1
    return {
        "label_issues": [
            {
                "id": issue.item,
                "cells": session.pool.cells(issue.item),
                "labels": issue.said,
                "likelier": issue.likelier,
                "probability": issue.probability,
            }
            for issue in label_issues(session, _SHOWN)
        ],
        "disputed": [i for i, by in session.seen.answers.items() if is_disputed(by)][:_SHOWN],
        "duplicates": duplicates(session),
        "leakage": [str(leak) for leak in classifier.target_leakage()] if learned else [],
        "drift": drift(session),
    }


def duplicates(session: Session) -> dict[str, Any]:
    """Groups of rows that are nearly the same, and those of them that were answered differently."""
    texts = session.pool.shown[:_COMPARED]
    groups: dict[int, list[int]] = {}
    for item, first in enumerate(near_duplicates(texts).tolist()):
        groups.setdefault(first, []).append(item)
    several = sorted((g for g in groups.values() if len(g) > 1), key=len, reverse=True)
    agreed = session.seen.agreed
    return {
        "compared": len(texts),
        "groups": len(several),
        "rows": sum(map(len, several)),
        "largest": [
            {"id": g[0], "text": texts[g[0]][:300], "rows": len(g)} for g in several[:_SHOWN]
        ],
        "contradicting": [
            g[:_SHOWN] for g in several if len({agreed[item] for item in g if item in agreed}) > 1
        ][:_SHOWN],
    }


def drift(session: Session) -> list[dict[str, Any]]:
    """Words that are much rarer or more frequent among the answered rows than among all of them."""
    pool, answered = session.pool, list(session.seen.answers)
    if len(answered) < _FEWEST:
        return []
    sample = session.order[:_COMPARED].tolist()
    here = Counter(word for item in answered for word in pool.words(item))
    everywhere = Counter(word for item in sample for word in pool.words(item))
    found = []
    for word, n in (everywhere + here).items():
        share, overall = here[word] / len(answered), everywhere[word] / len(sample)
        # How many standard errors the answered rows are away.
        error = (max(overall * (1 - overall), 1 / len(sample)) / len(answered)) ** 0.5
        if n >= _FEWEST and abs(share - overall) > _MOVED * error:
            found.append({"word": word, "answered": share, "all": overall,
                          "errors": (share - overall) / error})  # fmt: skip
    return sorted(found, key=lambda one: -abs(one["errors"]))[:_SHOWN]
