"""Closing a gap, and what that costs: the same measurements before and after.

Each way makes another model of one that was learned, which stays as it was. Neutral terms
(`Classifier.with_neutral`), thresholds (`with_group_thresholds`) and reweighing
(`with_group_weights`) are views of the same tally: `with_reweighing` gives rows of some groups a
larger weight, so that all groups have their labels in the same shares. `balanced` forgets rows
until they do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.classifier import Classifier
from likely.data.labels import Label, label_array
from likely.errors import DataError
from likely.evaluation.compare import Comparison, compare
from likely.evaluation.intervals import Figure, difference, flat
from likely.evaluation.model_predictions import left_out
from likely.fairness.facts import Facts
from likely.fairness.groups import of_rows
from likely.fairness.identity_terms import terms
from likely.fairness.persons import persons
from likely.fairness.rows import GroupedPredictions, grouped_rows, groups_of_rows
from likely.fairness.scores import Array, one_audited
from likely.fairness.sentences import PersonSentences, Sentences
from likely.model.adjust.group_weights import GroupWeights

_SHOWN = 12
# The largest weight of a row.
_LARGEST_WEIGHT = 8


# The labels of rows, the predictions before and after, and the method of evaluation.
PairedPredictions = tuple[NDArray[Any], NDArray[Any], NDArray[Any], str]


@dataclass(frozen=True)
class Change:
    """A gap before and after."""

    what: str
    before: Figure
    after: Figure

    def to_json(self) -> dict[str, Any]:
        return flat(vars(self))


@dataclass(frozen=True)
class Shifted:
    """What thresholds do to the mean probability of a group, beside its base rate."""

    group: str
    rows: int
    labeled: float
    """The share of its rows that have the label; a calibrated mean is near it."""
    before: float
    """The mean probability of the label before,"""
    after: float
    """and after."""


@dataclass(frozen=True, eq=False)
class Mitigation(Facts):
    """What was done to a model, what it did to the gaps, and what it cost."""

    how: str
    gaps: tuple[Change, ...]
    accuracy: Comparison | None
    method: str
    """How rows were evaluated: by leave-one-out, or by the model as it is."""
    shifted: tuple[Shifted, ...] = ()
    """Where thresholds moved probabilities, the groups."""

    kind = "mitigation"

    def to_json(self) -> dict[str, Any]:
        return {
            "how": self.how,
            "gaps": [one.to_json() for one in self.gaps],
            "accuracy": None if self.accuracy is None else self.accuracy.to_json(),
            "method": self.method,
            "shifted": [vars(one) for one in self.shifted],
        }

    def blocks(self) -> list[render.Block]:
        return [f"{self.how}.", *self._gaps(), *self._cost(), *self._shifted()]

    def sections(self) -> list[render.Section]:
        """The same for a page of its own."""
        return [
            render.Section("gaps", "Gaps before and after", [f"{self.how}.", *self._gaps()]),
            render.Section("cost", "Accuracy before and after", [*self._cost(), *self._shifted()]),
        ]

    def _gaps(self) -> list[render.Block]:
        if not self.gaps:
            return ["No gap was measured: it needs sentences (--templates) or groups (--group)."]
        shown = sorted(self.gaps, key=lambda one: -abs(one.before))[:_SHOWN]
        rows = [
            (
                one.what,
                render.gap(one.before),
                render.gap(one.after),
                render.interval(one.before, render.gap),
                render.interval(one.after, render.gap),
            )
            for one in shown
        ]
        blocks: list[render.Block] = [
            render.Table(("gap", "before", "after", "95 % before", "95 % after"), rows)
        ]
        if len(self.gaps) > len(shown):
            blocks.append(f"{len(self.gaps) - len(shown)} smaller gaps are in the JSON.")
        return blocks

    def _cost(self) -> list[render.Block]:
        if self.accuracy is None:
            return ["The change in accuracy was not measured: it needs labeled rows (DATA)."]
        before, after = self.accuracy.systems.values()
        (cost,) = self.accuracy.differences
        return [
            render.Table(
                ("accuracy", "", "95 % interval"),
                [
                    ("before", render.number(before), render.interval(before)),
                    ("after", render.number(after), render.interval(after)),
                    (
                        "difference",
                        render.signed(cost.effect),
                        render.interval(cost.effect, render.signed),
                    ),
                ],
            ),
            f"{self.accuracy.rows:,} rows, {self.method}; {len(cost.gained):,} are right only "
            f"after, {len(cost.lost):,} only before (McNemar's test, p "
            f"{render.number(cost.p_value)}).",
        ]

    def _shifted(self) -> list[render.Block]:
        if not self.shifted:
            return []
        return [
            "Group thresholds shift probabilities, so that one half decides in every group; the "
            "probabilities are then no longer calibrated. Calibration by group:",
            render.Table(
                ("group", "rows", "base rate", "mean P before", "mean P after"),
                [
                    (
                        one.group,
                        f"{one.rows:,}",
                        *map(render.number, (one.labeled, one.before, one.after)),
                    )
                    for one in self.shifted
                ],
            ),
        ]


def measured(
    before: Classifier,
    after: Classifier,
    how: str,
    *,
    sentences: Sequence[Sentences] = (),
    x: Any = None,
    y: Any = None,
    group_columns: Sequence[str] = (),
    score: Any = None,
    judged: PairedPredictions | None = None,
    shifted: tuple[Shifted, ...] = (),
) -> Mitigation:
    """Measure two models alike: their gaps, and their accuracy on the same rows.

    `judged` are the labels of rows, the predictions of both models, and the method of evaluation,
    where that takes more than calling `predict`.
    """
    gaps = list(_changes(before, after, sentences, score))
    if judged is None and x is not None:
        judged = _predictions(before, after, x, y)
    found = None
    if judged is not None:
        for column in group_columns:
            label = one_audited(before, score, "rates by group")
            names = groups_of_rows(before, x, y, column)
            gaps += _between_groups(judged, names, before.classes, label, column)
        truth, one, other, _ = judged
        found = compare(truth, one, other, names=["before", "after"])
    return Mitigation(how, tuple(gaps), found, "" if judged is None else judged[3], shifted)


def _changes(
    before: Classifier, after: Classifier, sentences: Sequence[Sentences], score: Any
) -> Iterator[Change]:
    for each in sentences:
        if isinstance(each, PersonSentences):
            one, other = (persons(model, each, score).contrasts for model in (before, after))
            for a, b in zip(one, other, strict=True):
                name = f"P({render.name(a.label)}), {a.attribute}: {a.group} − {a.other}"
                yield Change(name, a.gap, b.gap)
        else:
            named, then = (terms(model, each, score).terms for model in (before, after))
            for c, d in zip(named, then, strict=True):
                yield Change(
                    f"false positives, {c.term}", c.false_positive_gap, d.false_positive_gap
                )


def _between_groups(
    compared: PairedPredictions,
    names: list[str],
    classes: tuple[Label, ...],
    label: Label,
    column: str,
) -> Iterator[Change]:
    """The rates of the two groups that were furthest apart before, before and after."""
    truth, *predicted, _ = compared
    certain = [(lines[:, None] == label_array(classes)) * 1.0 for lines in predicted]
    measured = [
        of_rows(
            GroupedPredictions(names, list(truth), lines, lines.argmax(axis=1), True, ()),
            classes,
            label,
            column,
        )
        for lines in certain
    ]
    rates = [{one.group: one.rates for one in each.groups} for each in measured]
    for gap in measured[0].gaps:
        if gap.rate != "base_rate":
            spelled = f"{gap.rate.replace('_', ' ')}, {column}: {gap.highest} − {gap.lowest}"
            yield Change(
                spelled,
                *(
                    difference(each[gap.highest][gap.rate], each[gap.lowest][gap.rate])
                    for each in rates
                ),
            )


def _predictions(before: Classifier, after: Classifier, x: Any, y: Any) -> PairedPredictions:
    """The predictions of two models; leave-one-out if the rows were learned."""
    rows = before.labeled(x, y)
    one, other = left_out(before, rows), left_out(after, rows)
    if one is not None and other is not None:
        return one.labels, one.predictions, other.predictions, "leave-one-out"
    truth: list[Label] = []
    predicted: list[list[Label]] = [[], []]
    for table, labels in rows.batches(after.columns):
        truth.extend(labels.lists)
        for lines, model in zip(predicted, (before, after), strict=True):
            lines.extend(model.predict(table).tolist())
    if not truth:
        raise DataError("there are no rows to evaluate the models on")
    return (
        np.array(truth),
        np.array(predicted[0]),
        np.array(predicted[1]),
        "predicted by the model as it is",
    )


# Ways that need the training rows


def balanced(
    model: Classifier, x: Any, y: Any, group: str
) -> tuple[Classifier, str, PairedPredictions]:
    """Forget rows until each group has its labels in the shares of all rows."""
    rows = grouped_rows(model, x, y, group)
    shares = rows.counts.sum(axis=0) / rows.counts.sum()
    # As many rows of a group as its scarcest label allows.
    most = np.floor((rows.counts / shares).min(axis=1) + 1e-9)
    kept = np.minimum(np.round(most[:, None] * shares), rows.counts).astype(int)
    chance, stays = np.random.default_rng(0), np.zeros(len(rows.cell), dtype=bool)
    for cell, n in enumerate(kept.ravel()):
        here = np.flatnonzero(rows.cell == cell)
        stays[chance.permutation(here)[:n]] = True
    if not stays.any() or len(set(rows.labels[stays])) < 2:
        raise DataError(f"balancing by `{group}` would leave nothing to learn from")
    after = model.with_prior(model.prior)
    after.forget(rows.table.at(np.flatnonzero(~stays)), list(rows.labels[~stays]))
    left = rows.table.at(np.flatnonzero(stays)), list(rows.labels[stays])
    if model.tuning is not None:
        after.tune(*left)
    predicted = np.empty(len(stays), dtype=object)
    predicted[stays] = after.leave_one_out(*left).predictions
    predicted[~stays] = after.predict(rows.table.at(np.flatnonzero(~stays)))
    before = model.leave_one_out(rows.table, list(rows.labels)).predictions
    how = f"Balanced by `{group}`: {int((~stays).sum()):,} of {len(stays):,} rows were forgotten"
    method = "each row predicted by models without it"
    return after, how, (rows.labels, before, np.array(predicted.tolist()), method)


def with_reweighing(
    model: Classifier, x: Any, y: Any, group: str
) -> tuple[Classifier, str, PairedPredictions]:
    """Weight rows of a group and label the more, the rarer they are together.

    The weight is that under which group and label are independent (Kamiran and Calders 2012),
    n_g · n_c / (n · n_gc), as a whole number. The tally stays as it is.
    """
    rows = grouped_rows(model, x, y, group)
    n, of_group, of_label = rows.counts.sum(), rows.counts.sum(axis=1), rows.counts.sum(axis=0)
    wanted = of_group[:, None] * of_label / n / np.maximum(rows.counts, 1)
    count = _whole(wanted, rows.counts)
    weights = {
        name: {label: int(n) for label, n in zip(rows.names, each, strict=True) if n > 1}
        for name, each in zip(rows.groups, count, strict=True)
        if each.max() > 1
    }
    given = rows.table, list(rows.labels)
    after = model.with_group_weights(GroupWeights(group, weights), *given)
    if model.tuning is not None:
        after.tune(*given)
    # Each row once, so that both are evaluated in the same folds.
    before = model.with_group_weights(GroupWeights(group, {}), *given)
    predicted = (each.leave_one_out(*given).predictions for each in (before, after))
    there = count[rows.counts > 0]
    how = f"Reweighing by `{group}`: rows have weights from {there.min()} to {there.max()}"
    return after, how, (rows.labels, *predicted, "each row predicted by models without its fold")


def _whole(weights: Array, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole numbers in about these proportions, as small as comes close; rows have them."""
    best, least = np.ones(weights.shape, dtype=np.int64), np.inf
    for scale in (1, 2, 3, 4):
        rounded = np.clip(np.round(scale * weights), 1, _LARGEST_WEIGHT).astype(np.int64)
        shares = (each / np.average(each, weights=counts) for each in (rounded, weights))
        off = float(np.average(np.abs(np.subtract(*shares)), weights=counts))
        if off < 0.8 * least:
            best, least = rounded, off
    return np.where(counts > 0, best, 1)
