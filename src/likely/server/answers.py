"""What a model says, as JSON has it."""

from typing import Any

import numpy as np

from likely.classifier import Classifier
from likely.data.table import Table


def predictions(classifier: Classifier, x: Any, reject_below: float) -> list[dict[str, Any]]:
    """The label or labels of each row, with the probability of each class.

    A label that is less probable than `reject_below` is null.
    """
    probabilities = classifier.predict_proba(x)
    labels = classifier.classes
    names = [str(label) for label in labels]
    rows = probabilities.tolist()
    if classifier.is_multilabel:
        reached = probabilities >= np.array(list(classifier.thresholds.values()))
        return [
            {
                "labels": [labels[c] for c in np.flatnonzero(own)],
                "probabilities": dict(zip(names, row, strict=True)),
            }
            for own, row in zip(reached, rows, strict=True)
        ]
    places = classifier.decide(probabilities).tolist()
    return [
        {
            "label": labels[c] if row[c] >= reject_below else None,
            "probabilities": dict(zip(names, row, strict=True)),
        }
        for c, row in zip(places, rows, strict=True)
    ]


def explanations(classifier: Classifier, table: Table) -> list[dict[str, Any]]:
    """Why each row is predicted as it is."""
    rows = (table.at(np.array([place])) for place in range(len(table)))
    return [classifier.explain(row).to_json() for row in rows]


def described(classifier: Classifier) -> dict[str, Any]:
    """What a model is."""
    roles = classifier.column_roles
    return {
        "rows": classifier.tally.n_rows,
        "classes": list(classifier.classes),
        "target": classifier.target,
        "columns": [
            {"name": name, "role": roles[name].role if name in roles else None}
            for name in classifier.columns
        ],
        "is_multilabel": classifier.is_multilabel,
        "is_tuned": classifier.tuning is not None,
        "stale": classifier.is_stale,
    }
