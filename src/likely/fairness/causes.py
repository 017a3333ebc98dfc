"""What a gap comes from: data, labels, resources or the architecture of the model.

The difference between the mean probabilities of two sets of rows is attributed, exactly, to the
words and columns they are made of, and to the views of a model, each with its weight (see
`shares`). The training rows, if they are at hand, tell where the counts of those words came from,
and whether the rest of the data bears out their labels.
"""

from dataclasses import dataclass
from typing import Any

from likely import render
from likely.data.labels import Label
from likely.fairness.facts import Facts
from likely.text import WORD_NGRAMS

SHOWN = 10


@dataclass(frozen=True)
class Carrier:
    """A word or a column, and how much of the gap it carries."""

    name: str
    kind: str
    share: float
    """Its share of the gap in mean probability."""
    is_for: bool
    """Whether its contribution to the class is positive."""
    rows: dict[Label, int] | None
    """How many training rows of each class hold it, if that was counted."""


@dataclass(frozen=True)
class ViewGap:
    """A view of a column, and how much of the gap goes through it."""

    columns: tuple[str, ...]
    kind: str
    weight: float | None
    weight_over_root: float | None
    share: float


@dataclass(frozen=True)
class TrainingRow:
    """A training row that holds what carries the gap."""

    row: int
    label: Label
    carriers: tuple[str, ...]
    text: str
    contradicted: bool
    """Whether the other rows make another label likelier."""


@dataclass(frozen=True, eq=False)
class Causes(Facts):
    """Where a gap comes from, under four headings."""

    one: str
    other: str
    label: Label
    compared: tuple[int, int]
    """How many rows of each side were compared."""
    means: tuple[float, float]
    """The mean probability of the class in the rows of each side."""
    gap: float
    """Their difference; the shares of the carriers add up to it, and so do those of the views."""
    carriers: tuple[Carrier, ...]
    resources: float
    """What word lists, lexicons and rules carry of it,"""
    views: tuple[ViewGap, ...]
    plain: float | None
    """and what it would be in plain Naive Bayes."""
    ruled: bool
    """Whether the model has rules, which may decide otherwise than these probabilities."""
    rows: tuple[TrainingRow, ...]
    learned: int
    """How many training rows were at hand,"""
    contradicted: tuple[int, int, int, int] | None
    """how many of those with carriers are contradicted, of how many; and of the others."""

    kind = "causes"

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {
            "measure": "mean probability",
            "carriers": [
                vars(one) | {"rows": one.rows and {str(k): n for k, n in one.rows.items()}}
                for one in self.carriers
            ],
            "views": [vars(one) for one in self.views],
            "rows": [vars(one) for one in self.rows],
        }

    def blocks(self) -> list[render.Block]:
        scale = max((abs(one.share) for one in self.carriers), default=1.0) or 1.0
        shown = self.carriers[:SHOWN]
        counted = [one for one in shown if one.rows is not None]
        labels = list(counted[0].rows or ()) if counted and len(counted[0].rows or ()) <= 6 else []
        rows: list[tuple[render.Cell, ...]] = [
            (
                repr(one.name) if one.kind == "char n-gram" else one.name,
                one.kind,
                render.gap(one.share),
                render.Bar(one.share / scale, both_ways=True),
                *("" if one.rows is None else f"{one.rows[label]:,}" for label in labels),
            )
            for one in shown
        ]
        has_rows = bool(labels)
        rest = sum(one.share for one in self.carriers[SHOWN:])
        header = ("feature", "kind", "share", "", *(f"in {render.name(x)}" for x in labels))
        name = render.name(self.label)
        return [
            f"Between {self.one} and {self.other}: the mean probability of `{name}` is "
            f"{render.rate(self.means[0])} and {render.rate(self.means[1])}, a gap of "
            f"{render.gap(self.gap)} ({self.compared[0]:,} and {self.compared[1]:,} rows compared"
            f"{', without rules' if self.ruled else ''}). The shares below add up to this gap: for "
            "each pair of rows, the difference in probability is attributed to the features that "
            "differ (Aumann–Shapley values). They hold for this model; one trained without a "
            "column may rely more on others.",
            render.Subsection(
                "Data: which features carry the gap",
                [
                    render.Table(header, rows, left=2),
                    f"{max(len(self.carriers) - SHOWN, 0):,} more carry {render.gap(rest)} in all."
                    + (" The last columns count training rows of each class." * has_rows),
                    *self._training(),
                ],
            ),
            *self._labels(),
            render.Subsection("Resources: word lists, lexicons, rules", self._resources()),
            render.Subsection("Architecture: which view, and its weight", self._architecture()),
        ]

    def _training(self) -> list[render.Block]:
        if not self.learned:
            if not any(one.kind in WORD_NGRAMS for one in self.carriers):
                return []
            return [
                "With the training rows as DATA, rows that hold these words are shown here, and "
                "whether other rows agree with their labels."
            ]
        if self.contradicted is None:
            return []
        if not self.rows:
            return ["No training row holds one of these; parts of other words carry the gap."]
        return [
            "Training rows that hold most of them:",
            render.Cards(
                [
                    (
                        f"Row {one.row + 1:,}, `{render.name(one.label)}`: {_listed(one.carriers)}"
                        + (" · other rows contradict the label" if one.contradicted else ""),
                        one.text if len(one.text) <= 200 else f"{one.text[:199]}…",
                    )
                    for one in self.rows
                ]
            ),
        ]

    def _labels(self) -> list[render.Block]:
        if self.contradicted is None:
            return []
        here, of, there, of_others = self.contradicted
        if not of:
            labels = "No training row holds one of these words."
        else:
            share, others = render.tenth(here / of), render.tenth(there / max(of_others, 1))
            labels = (
                f"Of {of:,} training rows with one of these words, other rows contradict the label "
                f"of {here:,} ({share}); of the {of_others:,} others, {there:,} ({others}). If the "
                "first share is much larger, check how these rows were labeled; if not, labels may "
                "still be unfair throughout."
            )
        return [render.Subsection("Labels: whether other rows agree with them", [labels])]

    def _resources(self) -> list[render.Block]:
        if not self.resources:
            return ["None contribute to the gap."]
        return [f"They contribute {render.gap(self.resources)} of {render.gap(self.gap)}."]

    def _architecture(self) -> list[render.Block]:
        # Weights are those of a tuned model; only texts have one over √length.
        weights = {
            name: ["" if weight is None else render.rate(weight) for weight in column]
            for name, column in (
                ("weight", [one.weight for one in self.views]),
                ("over √length", [one.weight_over_root for one in self.views]),
            )
            if any(column)
        }
        rows = [
            (f"{', '.join(one.columns)}: {one.kind}", *spelled, render.gap(one.share))
            for one, *spelled in zip(self.views, *weights.values(), strict=True)
        ]
        blocks: list[render.Block] = [render.Table(("view", *weights, "share"), rows)]
        if self.plain is not None:
            blocks.append(
                "Plain Naive Bayes, without tuned weights, would have a gap of "
                f"{render.gap(self.plain)}."
            )
        return blocks


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
