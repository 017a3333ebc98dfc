"""What carries a gap: data, labels, resources or the architecture of the model.

Evidence adds up. So the difference between the mean evidence of two sets of rows is, exactly, a sum
over the words and columns they are made of; and over the views of a model, each with its weight. The
training rows, if they are at hand, tell where the counts of those words came from, and whether the
rest of the data bears out their labels.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import page
from likely.audit.persons import REST, Contrast
from likely.audit.scores import Array, of_texts
from likely.audit.sentences import PersonSentences, TermSentences
from likely.audit.spelling import share, signed
from likely.classifier import Classifier
from likely.errors import OptionError
from likely.inputs import Table
from likely.inputs.labelled import labelled
from likely.judging import meant
from likely.labels import Label, plain_list

# Rows are taken apart one by one; so many of each side stand for all.
_TAKEN_APART = 600
_SHOWN, _ROWS = 10, 6
# Of a term so many frames, and for each so many other terms.
_FRAMES, _BESIDE_IT = 60, 10
_BESIDE = ("prior", "absence")
# A label is contradicted if without the row another one is at least so probable.
_SURE = 0.9
# What carries less of the gap than this share of the first carrier is not looked for in rows.
_TELLING = 0.2
_RESOURCES = ("lexicon", "polarity", "rule")


@dataclass(frozen=True)
class Carrier:
    """A piece of evidence, and how much of the gap it carries."""

    name: str
    kind: str
    evidence: float
    """Its mean evidence in the first rows minus that in the second."""
    is_for: bool
    """Whether it speaks for the class."""
    rows: dict[Label, int] | None
    """How many training rows of each class hold it, if that was counted."""


@dataclass(frozen=True)
class ViewGap:
    """A kind of evidence, and how much of the gap goes through it."""

    columns: tuple[str, ...]
    kind: str
    weight: float | None
    weight_over_root: float | None
    evidence: float


@dataclass(frozen=True)
class Row:
    """A training row that holds what carries the gap."""

    row: int
    label: Label
    carriers: tuple[str, ...]
    text: str
    contradicted: bool
    """Whether the other rows make another label likelier."""


@dataclass(frozen=True, eq=False)
class Causes:
    """Where a gap comes from, under four headings."""

    one: str
    other: str
    label: Label
    compared: tuple[int, int]
    """How many rows of each side were taken apart."""
    evidence: float
    """The gap in log-odds of the class against the others; the carriers add up to it."""
    carriers: tuple[Carrier, ...]
    resources: float
    """What word lists, lexicons and rules carry of it,"""
    views: tuple[ViewGap, ...]
    unweighed: float | None
    """and what it would be if the evidence had not been weighed."""
    rows: tuple[Row, ...]
    learned: int
    """How many training rows were at hand,"""
    contradicted: tuple[int, int, int, int] | None
    """how many of those with carriers are contradicted, of how many; and of the others."""

    kind = "causes"

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {
            "label": self.label,
            "carriers": [
                vars(one) | {"rows": one.rows and {str(k): n for k, n in one.rows.items()}}
                for one in self.carriers
            ],
            "views": [vars(one) for one in self.views],
            "rows": [vars(one) for one in self.rows],
        }

    def __str__(self) -> str:
        return page.text(self.blocks())

    def _repr_html_(self) -> str:
        return page.html(self.blocks())

    def blocks(self) -> list[page.Block]:
        scale = max((abs(one.evidence) for one in self.carriers), default=1.0) or 1.0
        shown = self.carriers[:_SHOWN]
        counted = [one for one in shown if one.rows is not None]
        labels = list(counted[0].rows or ()) if counted and len(counted[0].rows or ()) <= 6 else []
        rows: list[tuple[page.Cell, ...]] = [
            (
                repr(one.name) if one.kind == "characters" else one.name,
                one.kind,
                signed(one.evidence),
                page.Bar(one.evidence / scale, both_ways=True),
                *("" if one.rows is None else f"{one.rows[label]:,}" for label in labels),
            )
            for one in shown
        ]
        rest = sum(one.evidence for one in self.carriers[_SHOWN:])
        header = ("carried by", "kind", "evidence", "", *(f"in {page.name(x)}" for x in labels))
        name = page.name(self.label)
        return [
            f"Between {self.one} and {self.other}: the mean evidence for `{name}`, in log-odds, "
            f"differs by {signed(self.evidence)} ({self.compared[0]:,} and {self.compared[1]:,} "
            "rows taken apart).",
            page.Part(
                "Data: what carries it",
                [
                    page.Table(header, rows, left=2),
                    f"{max(len(self.carriers) - _SHOWN, 0):,} more carry {signed(rest)} together. "
                    "The last columns say how many training rows of each class hold the word.",
                    *self._training(),
                ],
            ),
            page.Part("Labels: whether other rows bear them out", self._labels()),
            page.Part("Resources: word lists, lexicons, rules", self._resources()),
            page.Part("Architecture: which view, and how much it is trusted", self._architecture()),
        ]

    def _training(self) -> list[page.Block]:
        if not self.learned:
            return [
                "The training rows are not at hand; given them, those that hold these words are shown."
            ]
        if not self.rows:
            return [
                "No training row holds one of these; what carries the gap are pieces of other words."
            ]
        return [
            "Training rows that hold most of them:",
            page.Cards(
                [
                    (
                        f"Row {one.row}, `{page.name(one.label)}`: {', '.join(f'`{c}`' for c in one.carriers)}"
                        + (" · other rows contradict the label" if one.contradicted else ""),
                        one.text if len(one.text) <= 200 else f"{one.text[:199]}…",
                    )
                    for one in self.rows
                ]
            ),
        ]

    def _labels(self) -> list[page.Block]:
        if self.contradicted is None:
            return ["The training rows are not at hand, so nothing can be said of their labels."]
        here, of, there, of_others = self.contradicted
        if not of:
            return ["No training row holds one of these words."]
        return [
            f"Of {of:,} training rows with one of these words, the rest of the data contradicts the label "
            f"of {here:,} ({share(here / of)}); of the {of_others:,} others, "
            f"{there:,} ({share(there / max(of_others, 1))}). Where the first share is much larger, look "
            "at how these rows were labelled; where it is not, labels still may be unfair throughout."
        ]

    def _resources(self) -> list[page.Block]:
        if not self.resources:
            return ["None carries any of it."]
        return [f"They carry {signed(self.resources)} of {signed(self.evidence)}."]

    def _architecture(self) -> list[page.Block]:
        rows = [
            (
                f"{', '.join(one.columns)}: {one.kind}",
                "" if one.weight is None else f"{one.weight:.3g}",
                "" if one.weight_over_root is None else f"{one.weight_over_root:.3g}",
                signed(one.evidence),
            )
            for one in self.views
        ]
        blocks: list[page.Block] = [
            page.Table(("view", "weight", "over √length", "evidence"), rows)
        ]
        if self.unweighed is not None:
            blocks.append(
                "As plain Naive Bayes, which takes words as independent of one another and at their "
                f"word, the same counts would give {signed(self.unweighed)}."
            )
        return blocks


def causes(
    model: Classifier,
    one: Any,
    other: Any,
    *,
    label: Label,
    names: tuple[str, str] = ("the first", "the second"),
    x: Any = None,
    y: Any = None,
) -> Causes:
    """Take the gap between two sets of rows apart; `x` and `y` are the training rows, if at hand."""
    place = model.classes.index(label)
    tables = [_thinned(Table.of(rows)) for rows in (one, other)]
    sums = [_mean_terms(model, table, place) for table in tables]
    keys = dict.fromkeys([*sums[0], *sums[1]])
    gaps = {key: sums[0].get(key, 0.0) - sums[1].get(key, 0.0) for key in keys}
    found = sorted(
        (key for key in gaps if key[1] not in _BESIDE), key=lambda key: (-abs(gaps[key]), key)
    )
    counts = _documents(model, found[:_SHOWN])
    carriers = tuple(
        Carrier(
            *key,
            gaps[key],
            max((side.get(key, 0.0) for side in sums), key=abs) > 0,
            counts.get(key),
        )
        for key in found
    )
    total = sum(gaps.values())
    if not np.isfinite(total):
        raise OptionError("without smoothing some evidence is infinite, and cannot be taken apart")
    rows, learned, contradicted = _training_rows(model, carriers[:_SHOWN], total, label, x, y)
    unweighed = None
    if model.trust is not None:
        plain = _gaps(model.unweighed(), tables, place)
        unweighed = sum(view.evidence for view in plain)
    return Causes(
        *names,
        label,
        (len(tables[0]), len(tables[1])),
        total,
        carriers,
        sum(gaps[key] for key in gaps if key[1] in _RESOURCES),
        _gaps(model, tables, place),
        unweighed,
        rows,
        learned,
        contradicted,
    )


def of_contrast(
    model: Classifier, sentences: PersonSentences, contrast: Contrast, x: Any = None, y: Any = None
) -> Causes:
    """What carries the gap between two groups of persons."""
    given = np.array(sentences.attributes[contrast.attribute])
    group = given == contrast.group
    sides = (group, (given != "") & ~group if contrast.other == REST else given == contrast.other)
    tables = [of_texts(model, _of_persons(sentences, np.flatnonzero(side))) for side in sides]
    names = (
        f"`{contrast.group}`",
        contrast.other if contrast.other == REST else f"`{contrast.other}`",
    )
    return causes(model, *tables, label=contrast.label, names=names, x=x, y=y)


def of_term(
    model: Classifier,
    sentences: TermSentences,
    term: str,
    label: Label,
    x: Any = None,
    y: Any = None,
) -> Causes:
    """What sets the sentences of one term apart from the same frames with other terms."""
    here = np.flatnonzero(sentences.terms == sentences.names.index(term))
    here = here[np.linspace(0, len(here) - 1, min(len(here), _FRAMES)).astype(int)]
    beside: list[int] = []
    for turn, place in enumerate(here):
        others = np.flatnonzero(
            (sentences.frames == sentences.frames[place]) & (sentences.terms >= 0)
        )
        others = others[others != place]
        # As many of each frame, not always of the same terms.
        beside.extend(np.roll(others, -turn * _BESIDE_IT)[:_BESIDE_IT])
    tables = [of_texts(model, [sentences.texts[n] for n in rows]) for rows in (here, beside)]
    names = (f"`{term}`", "the other terms")
    return causes(model, *tables, label=label, names=names, x=x, y=y)


def _of_persons(sentences: PersonSentences, persons: NDArray[np.intp]) -> list[str]:
    """Some sentences of each person, of frames that are the same for all."""
    frames = np.unique(sentences.frames)
    wanted = max(1, _TAKEN_APART // max(len(persons), 1))
    chosen = frames[np.linspace(0, len(frames) - 1, min(wanted, len(frames))).astype(int)]
    rows = np.isin(sentences.persons, persons) & np.isin(sentences.frames, chosen)
    return [sentences.texts[n] for n in np.flatnonzero(rows)]


def _thinned(table: Table) -> Table:
    if not len(table):
        raise OptionError("there are no rows on one side, so there is nothing to compare")
    if len(table) <= _TAKEN_APART:
        return table
    return table.at(np.linspace(0, len(table) - 1, _TAKEN_APART).astype(int))


def _mean_terms(model: Classifier, table: Table, place: int) -> dict[tuple[str, str], float]:
    """The mean evidence of every word and cell, for a class against the mean of the others."""
    sums: dict[tuple[str, str], float] = {}
    columns = {name: plain_list(cells) for name, cells in table.columns.items()}
    for row in range(len(table)):
        cells = {name: column[row] for name, column in columns.items()}
        for term in model.explain(cells).terms:
            key = term.name, term.kind
            sums[key] = sums.get(key, 0.0) + _against(term.scores, place)
    return {key: value / len(table) for key, value in sums.items()}


def _against(scores: Array, place: int) -> float:
    others = np.delete(scores, place)
    return float(scores[place] - others.mean())


def _gaps(model: Classifier, tables: Sequence[Table], place: int) -> tuple[ViewGap, ...]:
    """The gap through each kind of evidence, the largest first."""
    by_kind = zip(*(model.evidence_by_kind(table) for table in tables), strict=True)
    found = []
    for (kind, one), (_, other) in by_kind:
        means = [np.mean([_against(row, place) for row in scores]) for scores in (one, other)]
        found.append(
            ViewGap(
                kind.columns,
                kind.spelled,
                kind.weight,
                kind.weight_over_root,
                float(means[0] - means[1]),
            )
        )
    return tuple(sorted(found, key=lambda view: -abs(view.evidence)))


def _documents(
    model: Classifier, keys: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[Label, int]]:
    """How many training rows of each class hold each word or run of words."""
    tally, found = model.tally, {}
    classes = tally.view()
    for factor, statistic in zip(tally.schema["factors"], tally.statistics, strict=True):
        if factor["kind"] != "text" or tally.per_row > 1:
            continue
        counts: Any = statistic
        codes, arrays = counts.codes(), counts.arrays(classes.slots)
        starts = np.concatenate([[0], np.cumsum(arrays["cells"])]).astype(int)
        first = np.concatenate([[0], np.cumsum(codes.sizes)]).astype(int)
        # A copy that only scores does not know in how many rows a word was.
        is_copy = (arrays["documents"] == 1).all() and (arrays["times"] > 1).any()
        wanted = {} if is_copy else {key: _block(key[1]) for key in keys}
        names = codes.names if any(block is not None for block in wanted.values()) else []
        for key, block in wanted.items():
            if block is None or block + 1 >= len(first):
                continue
            here = names[first[block] : first[block + 1]]
            if key[0] in here:
                at = first[block] + here.index(key[0])
                cells = slice(starts[at], starts[at + 1])
                held = dict.fromkeys(classes.labels, 0)
                for place, n in zip(
                    arrays["classes"][cells], arrays["documents"][cells], strict=True
                ):
                    held[classes.labels[place]] = int(n)
                found[key] = held
    return found


def _block(kind: str) -> int | None:
    """Where runs of so many words are counted."""
    if kind == "word":
        return 0
    return int(kind.split()[0]) - 1 if kind.endswith(" words") else None


def _training_rows(
    model: Classifier, carriers: Sequence[Carrier], total: float, label: Label, x: Any, y: Any
) -> tuple[tuple[Row, ...], int, tuple[int, int, int, int] | None]:
    """The training rows that hold carriers, and how many labels the others contradict."""
    if x is None or not model.text_columns:
        return (), 0, None
    target = model.target if y is None else y
    if not model.was_learned(x, target).all():
        return (), 0, None
    left = model.leave_one_out(x, target)
    sure = (left.probabilities.max(axis=1) >= _SURE) & (left.predicted != left.truth)
    words = {
        one.name: re.compile(rf"(?<!\w){re.escape(one.name)}(?!\w)", re.IGNORECASE)
        for one in carriers
        if abs(one.evidence) >= _TELLING * abs(carriers[0].evidence)
        and one.evidence * total > 0
        and _block(one.kind) is not None
    }
    for_it = {one.name: one.is_for for one in carriers}
    found: list[Row] = []
    held, row = np.zeros(len(sure), dtype=bool), 0
    for table, labels in labelled(x, target).batches(model.columns):
        columns = [plain_list(table.columns[name]) for name in model.text_columns]
        for own, *texts in zip(meant(model, labels), *columns, strict=True):
            text = " ".join(map(str, texts))
            hits = tuple(word for word, pattern in words.items() if pattern.search(text))
            held[row] = bool(hits)
            leaning = tuple(word for word in hits if for_it[word] == (own == label))
            if leaning:
                found.append(Row(row, own, leaning, text, bool(sure[row])))
            row += 1
    found.sort(key=lambda one: (-len(one.carriers), not one.contradicted, one.row))
    counts = int(sure[held].sum()), int(held.sum()), int(sure[~held].sum()), int((~held).sum())
    return tuple(found[:_ROWS]), len(sure), counts
