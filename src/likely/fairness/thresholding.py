"""Group thresholds with equal selection rates: demographic parity."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from likely.classifier import Classifier
from likely.data.labels import label_array
from likely.fairness.mitigation import PairedPredictions, Shifted
from likely.fairness.rows import GroupedPredictions, grouped_predictions
from likely.fairness.scores import one_audited
from likely.model.adjust.group_thresholds import GroupThresholds


def with_equal_rates(
    model: Classifier, x: Any, y: Any, group: str, score: Any = None
) -> tuple[Classifier, str, PairedPredictions, tuple[Shifted, ...]]:
    """The same model with a threshold for each group, so that all have the same selection rate.

    That rate is the one of all rows before. For rows that were learned predictions are
    leave-one-out; the thresholds themselves have seen all of them. They shift probabilities, which
    is returned last, group by group.
    """
    label = one_audited(model, score, "thresholds")
    found = grouped_predictions(model.with_group_thresholds(None), x, y, group)
    place = model.classes.index(label)
    rivals = np.delete(found.probabilities, place, axis=1).max(axis=1)
    own = found.probabilities[:, place]
    # The probability against the best other class, which one half decides by.
    against = own / np.maximum(own + rivals, 1e-300)
    rate = float((found.predicted == place).mean())
    names = np.array(found.groups)
    thresholds = {}
    for name in np.unique(names):
        ranked = np.sort(against[names == name])[::-1]
        selected = round(rate * len(ranked))
        # Between the last row that is selected and the first that is not.
        above = ranked[selected - 1] if selected else 1.0
        below = ranked[selected] if selected < len(ranked) else 0.0
        thresholds[str(name)] = float(np.clip((above + below) / 2, 1e-6, 1 - 1e-6))
    chosen = GroupThresholds(group, label, thresholds)
    after = model.with_group_thresholds(chosen)
    limits = np.array([thresholds[name] for name in found.groups])
    others = found.probabilities.copy()
    others[:, place] = -1.0
    predicted = np.where(against >= limits, place, others.argmax(axis=1))
    classes = label_array(model.classes)
    how = f"A threshold for each `{group}`: selection rate {rate:.1%} of `{label}` in every group"
    method = "leave-one-out" if found.left_out else "predicted by the model as it is"
    before = classes[found.predicted]
    compared = np.array(found.truth), before, classes[predicted], method
    return after, how, compared, tuple(_shifted(found, chosen, place))


def _shifted(found: GroupedPredictions, chosen: GroupThresholds, place: int) -> Iterator[Shifted]:
    """The mean probability of the label in each group, before and after."""
    before = found.probabilities[:, place]
    raised = before * np.exp(chosen.biases(found.groups))
    after = raised / (raised + 1 - before)
    names, labeled = np.array(found.groups), np.array(found.truth) == chosen.label
    for name in np.unique(names):
        here = names == name
        means = (float(each[here].mean()) for each in (labeled, before, after))
        yield Shifted(str(name), int(here.sum()), *means)
