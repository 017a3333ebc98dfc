"""Thresholds under which every group is called so equally often."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from likely.classifier import Classifier
from likely.data.labels import label_array
from likely.fairness.mitigation import Judged, Shifted
from likely.fairness.rows import Found, judged_rows
from likely.fairness.scores import one_audited
from likely.model.adjust.group_thresholds import GroupThresholds


def with_equal_rates(
    model: Classifier, x: Any, y: Any, group: str, score: Any = None
) -> tuple[Classifier, str, Judged, tuple[Shifted, ...]]:
    """The same model with a threshold for each group, so that all are called so equally often.

    The common rate is that of all rows as they are. Rows that were learned are judged each without
    itself; the thresholds themselves have seen all of them. They shift probabilities, which what is
    returned last tells group by group.
    """
    label = one_audited(model, score, "thresholds")
    found = judged_rows(model.with_group_thresholds(None), x, y, group)
    place = model.classes.index(label)
    rivals = np.delete(found.probabilities, place, axis=1).max(axis=1)
    own = found.probabilities[:, place]
    # The probability against the best other class, which one half decides by.
    against = own / np.maximum(own + rivals, 1e-300)
    rate = float((found.probabilities.argmax(axis=1) == place).mean())
    names = np.array(found.groups)
    thresholds = {}
    for name in np.unique(names):
        ranked = np.sort(against[names == name])[::-1]
        called = round(rate * len(ranked))
        # Between the last row that is called so and the first that is not.
        above = ranked[called - 1] if called else 1.0
        below = ranked[called] if called < len(ranked) else 0.0
        thresholds[str(name)] = float(np.clip((above + below) / 2, 1e-6, 1 - 1e-6))
    chosen = GroupThresholds(group, label, thresholds)
    after = model.with_group_thresholds(chosen)
    limits = np.array([thresholds[name] for name in found.groups])
    others = found.probabilities.copy()
    others[:, place] = -1.0
    said = np.where(against >= limits, place, others.argmax(axis=1))
    classes = label_array(model.classes)
    how = f"A threshold for each `{group}`: {rate:.1%} of every group are called `{label}`"
    how_judged = "each judged without itself" if found.left_out else "judged as they are"
    before = classes[found.probabilities.argmax(axis=1)]
    judged = np.array(found.truth), before, classes[said], how_judged
    return after, how, judged, tuple(_shifted(found, chosen, place))


def _shifted(found: Found, chosen: GroupThresholds, place: int) -> Iterator[Shifted]:
    """The mean probability of the label in each group, before and after."""
    before = found.probabilities[:, place]
    raised = before * np.exp(chosen.biases(found.groups))
    after = raised / (raised + 1 - before)
    names, labeled = np.array(found.groups), np.array(found.truth) == chosen.label
    for name in np.unique(names):
        here = names == name
        means = (float(each[here].mean()) for each in (labeled, before, after))
        yield Shifted(str(name), int(here.sum()), *means)
