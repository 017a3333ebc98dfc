"""What a model says, as JSON has it."""

from typing import Any

import numpy as np

from likely.classifier import Classifier
from likely.data.files import Source
from likely.data.table import Table


def predictions(classifier: Classifier, x: Any, reject_below: float) -> list[dict[str, Any]]:
    """The label or labels of each row, with the probability of each class.

    A label that is less probable than `reject_below` is null.
    """
    probabilities = classifier.predict_proba(x)
    names = [str(label) for label in classifier.classes]
    shown = [dict(zip(names, row, strict=True)) for row in probabilities.tolist()]
    labels = classifier.classes
    if classifier.is_multilabel:
        limits = np.array(list(classifier.thresholds.values()))
        return [
            {"labels": [labels[place] for place in np.flatnonzero(reached)], "probabilities": each}
            for reached, each in zip(probabilities >= limits, shown, strict=True)
        ]
    places = classifier.decide(probabilities).tolist()
    return [
        {"label": labels[c] if row[c] >= reject_below else None, "probabilities": each}
        for c, row, each in zip(places, probabilities, shown, strict=True)
    ]


def explanations(classifier: Classifier, x: Any) -> list[dict[str, Any]]:
    """Why each row is predicted as it is."""
    tables = x.batches() if isinstance(x, Source) else [Table.of(x)]
    return [
        classifier.explain(table.at(np.array([place]))).to_json()
        for table in tables
        for place in range(len(table))
    ]


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
