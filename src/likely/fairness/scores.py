"""The scores of sentences, and the class whose probability is the score."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.data.labels import Label
from likely.data.table import Table
from likely.errors import OptionError

Array = NDArray[np.float64]


def check_one_label(model: Classifier) -> None:
    """Refuse a multi-label model."""
    if model.is_multilabel:
        raise OptionError(
            "an audit is for rows with one label each, and this is a multi-label model"
        )


def audited(model: Classifier, score: Any = None) -> tuple[Label, ...]:
    """The classes whose probability is audited.

    The one given; of two classes the second, since one is the complement of the other; of more,
    each.
    """
    check_one_label(model)
    if score is None:
        return model.classes[1:] if len(model.classes) == 2 else model.classes
    return (model.class_of(score),)


def one_audited(model: Classifier, score: Any, what: str) -> Label:
    """The one class that is audited, where only one can be."""
    labels = audited(model, score)
    if len(labels) > 1:
        listed = ", ".join(f"`{label}`" for label in labels[:6])
        raise OptionError(
            f"{what} are about one class against the rest, and the model has {listed}\n"
            f"hint: `--score {labels[0]}` chooses one"
        )
    return labels[0]


def of_texts(model: Classifier, texts: Sequence[str]) -> Table:
    """Sentences as rows of a model; columns that are no text have nothing in them."""
    if len(model.text_columns) != 1:
        n = len(model.text_columns)
        raise OptionError(
            f"sentences are scored by a model that reads one text, and this one reads {n or 'none'}"
        )
    columns: dict[str, Any] = {name: [None] * len(texts) for name in model.columns}
    columns[model.text_columns[0]] = list(texts)
    return Table.of(columns)


def probabilities(model: Classifier, texts: Sequence[str]) -> Array:
    """P(class | sentence), a row per sentence."""
    return model.predict_proba(of_texts(model, texts))
