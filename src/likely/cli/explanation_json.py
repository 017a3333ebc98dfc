"""An explanation as JSON."""

from typing import Any

import numpy as np

from likely import Explanation
from likely.explain.explanation import MultiLabelExplanation
from likely.numbers import json_number


def facts(explanation: Explanation | MultiLabelExplanation) -> dict[str, Any]:
    if isinstance(explanation, MultiLabelExplanation):
        return _of_labels(explanation)
    # Where a rule decided, log-odds are those of its class against the one that the counts chose.
    ruled = explanation.prediction != explanation.counted
    against = explanation.counted if ruled else explanation.against
    chosen = explanation.classes.index(explanation.prediction)

    def log_odds(scores: Any) -> float | str:
        # Without a class to be against, they are against the rest already.
        other = 0.0 if against is None else scores[explanation.classes.index(against)]
        with np.errstate(invalid="ignore"):
            return json_number(float(scores[chosen] - other))

    return {
        "prediction": explanation.prediction,
        "rule": None if explanation.rule is None else explanation.rule.name,
        "rules_fired": list(explanation.fired),
        "counted": explanation.counted,
        "reason": explanation.reason,
        "probabilities": dict(
            zip(map(str, explanation.classes), explanation.probabilities.tolist(), strict=True)
        ),
        "against": against,
        "log_odds": log_odds(explanation.scores),
        "impossible": explanation.impossible,
        "unseen": list(explanation.unseen),
        "contributions": [
            {
                "name": contribution.name,
                "kind": contribution.kind,
                "count": contribution.count,
                "log_odds": log_odds(contribution.scores),
            }
            for contribution in explanation.contributions
        ],
    }


def _of_labels(explanation: MultiLabelExplanation) -> dict[str, Any]:
    labels = [str(label) for label in explanation.classes]
    return {
        "prediction": explanation.prediction,
        "probabilities": dict(zip(labels, explanation.probabilities.tolist(), strict=True)),
        "thresholds": dict(zip(labels, explanation.thresholds.tolist(), strict=True)),
        "log_odds": dict(zip(labels, explanation.log_odds.tolist(), strict=True)),
        "contributions": [
            {
                "name": contribution.name,
                "kind": contribution.kind,
                "count": contribution.count,
                "log_odds": dict(zip(labels, contribution.scores.tolist(), strict=True)),
            }
            for contribution in explanation.contributions
        ],
    }
