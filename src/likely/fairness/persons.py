"""Whether the score changes with the person alone, as Kiritchenko and Mohammad (2018) ask.

Sentences of one frame differ in the person. A person's effect is how far their sentences lie above
the mean of their frames; a gap is the difference between the mean effects of two groups. Frames are
the same for all, but names are a few out of many, each with a score of its own. So chance is in
the persons: the test asks how often persons assigned to the groups at random would make a gap as
large, and intervals come of drawing persons again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.classifier import Classifier
from likely.data.labels import Label
from likely.errors import DataError
from likely.evaluation.intervals import Figure, flat
from likely.evaluation.significance import holm
from likely.fairness.effects import Effects
from likely.fairness.facts import Gaps, gap_bar, scale_of
from likely.fairness.scores import Array, audited, probabilities
from likely.fairness.sentences import Codes, PersonSentences, codes_of, spelled

REST = "rest"
# A frame whose two groups differ by less has not shifted.
SHIFT = 0.01
ALPHA = 0.05

_WORST = 5
# An attribute that is not compared: names are like names, and relations like relations.
_ALIKE = "kind"

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Pair:
    """Two sentences of one frame, and their scores."""

    one: str
    one_score: float
    other: str
    other_score: float


@dataclass(frozen=True, eq=False)
class Contrast:
    """Two groups of persons, and how far apart their sentences score."""

    attribute: str
    group: str
    other: str
    label: Label
    """Whose probability is the score."""
    persons: int
    others: int
    frames: int
    gap: Figure
    """The mean score of the group minus that of the other."""
    p_value: float
    adjusted_p: float
    higher: float
    """The share of frames in which the group scores higher by at least `SHIFT`,"""
    lower: float
    """and lower."""
    worst: tuple[Pair, ...]

    @property
    def is_found(self) -> bool:
        """Whether chance is an unlikely reason for the gap."""
        return self.adjusted_p < ALPHA

    def to_json(self) -> dict[str, Any]:
        return flat(vars(self)) | {"worst": [vars(pair) for pair in self.worst]}


@dataclass(frozen=True, eq=False)
class Persons(Gaps):
    """What an audit with sentences about persons found."""

    source: str
    sentences: int
    persons: int
    frames: int
    contrasts: tuple[Contrast, ...]
    warnings: tuple[str, ...]

    kind = "persons"

    @property
    def largest_gap(self) -> tuple[float, str]:
        one = max(self.contrasts, key=lambda contrast: abs(contrast.gap))
        return abs(one.gap), f"P({one.label}) of {one.attribute} `{one.group}`, `{one.other}`"

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"contrasts": [one.to_json() for one in self.contrasts]}

    def blocks(self) -> list[render.Block]:
        scale = scale_of(one.gap for one in self.contrasts)
        many_classes = len({one.label for one in self.contrasts}) > 1
        rows: list[tuple[render.Cell, ...]] = [
            (
                f"{one.attribute}: {one.group} − {one.other}",
                *([render.Name(one.label)] if many_classes else []),
                render.gap(one.gap),
                gap_bar(one.gap, scale),
                render.interval(one.gap, render.gap),
                render.number(one.adjusted_p),
                render.tenth(one.higher),
                render.tenth(one.lower),
            )
            for one in self.contrasts
        ]
        score = "" if many_classes else f"P({render.name(self.contrasts[0].label)})"
        header = (
            "groups",
            *(["score"] if many_classes else []),
            f"gap in {score}" if score else "gap",
            "",
            "95 % interval",
            "p (Holm)",
            "higher",
            "lower",
        )
        blocks: list[render.Block] = [
            f"{self.sentences:,} sentences of {spelled(self.source)}: {self.persons} persons in "
            f"{self.frames:,} frames. Within a frame only the person changes.",
            *self._found(),
            render.Table(header, rows),
            f"higher, lower: the share of frames whose groups differ by {SHIFT} or more. p: how "
            "often persons assigned to groups at random would make such a gap (permutation test), "
            "corrected for the number of comparisons; intervals are not corrected.",
            *(render.Caution(warning) for warning in self.warnings),
        ]
        worst = [one for one in self.contrasts if one.is_found and one.worst]
        for one in sorted(worst, key=lambda each: -abs(each.gap))[:3]:
            blocks += [
                f"Furthest apart, {one.attribute} `{one.group}` and `{one.other}`:",
                _SideBySide(one),
            ]
        return blocks

    def _found(self) -> list[str]:
        found = [one for one in self.contrasts if one.is_found]
        if not any(one.gap or one.higher or one.lower for one in self.contrasts):
            return [
                "Sentences of a frame all score alike: the model has met nothing of these persons, "
                "or is neutral about them. This does not hold for other wordings and names."
            ]
        if not found:
            widest = max((max(map(abs, _ends(one.gap)[1:])) for one in self.contrasts), default=0.0)
            return [
                "No gap was found at this sample size. There may still be one: "
                f"gaps of up to {widest:.3f} are within the intervals."
            ]
        return [
            f"A gap was found for {len(found)} of {len(self.contrasts)} comparisons: more than the "
            "choice of persons would make by chance. Sentences like these say nothing of "
            "other wordings, other names, or other groups."
        ]


@dataclass(frozen=True)
class _SideBySide:
    """Pairs of sentences; a terminal has them one below the other."""

    contrast: Contrast

    def text(self) -> str:
        return "\n\n".join(
            f"  {pair.one_score:.3f}  {pair.one}\n  {pair.other_score:.3f}  {pair.other}"
            for pair in self.contrast.worst
        )

    def html(self) -> str:
        score = f"P({render.name(self.contrast.label)})"
        header = render.name(self.contrast.group), score, render.name(self.contrast.other), score
        rows = [
            (
                render.Name(pair.one),
                render.rate(pair.one_score),
                render.Name(pair.other),
                render.rate(pair.other_score),
            )
            for pair in self.contrast.worst
        ]
        return render.Table(header, rows).html()


def persons(model: Classifier, sentences: PersonSentences, score: Any = None) -> Persons:
    """Compare the scores of groups of persons."""
    labels = audited(model, score)
    found = probabilities(model, sentences.texts)
    warnings: list[str] = []
    contrasts: list[Contrast] = []
    for label in labels:
        scores = found[:, model.classes.index(label)]
        for attribute, group, other, sides in _sides(sentences, warnings):
            contrasts.append(_contrast(sentences, scores, label, attribute, (group, other), sides))
    if not contrasts:
        raise DataError(f"{sentences.source} has no two groups of persons to compare")
    adjusted = holm([one.p_value for one in contrasts])
    return Persons(
        sentences.source,
        len(sentences.texts),
        len(sentences.names),
        int(sentences.frames.max()) + 1,
        tuple(replace(one, adjusted_p=p) for one, p in zip(contrasts, adjusted, strict=True)),
        tuple(dict.fromkeys(warnings)),
    )


def _sides(
    sentences: PersonSentences, warnings: list[str]
) -> Iterator[tuple[str, str, str, Codes]]:
    """Each contrast, and each person's side: 1 of the group, 0 of the other, −1 of neither."""
    for attribute, given in sentences.attributes.items():
        groups = sorted({group for group in given if group})
        for group in groups:
            if given.count(group) == 1:
                warnings.append(
                    f"`{group}` is one person, so the gap of the group is that of this person"
                )
        if attribute == _ALIKE or len(groups) < 2:
            continue
        compared = groups[:1] if len(groups) == 2 else groups
        for group in compared:
            sides = [-1 if not one else int(one == group) for one in given]
            yield attribute, group, groups[1] if len(groups) == 2 else REST, np.array(sides)


def _contrast(
    sentences: PersonSentences,
    scores: Array,
    label: Label,
    attribute: str,
    names: tuple[str, str],
    sides: Codes,
) -> Contrast:
    others = [given for name, given in sentences.attributes.items() if name != attribute]
    strata = codes_of(list(zip(*others, strict=True)) if others else [()] * len(sides))
    both = [k for k in np.unique(strata) if {0, 1} <= set(sides[strata == k].tolist())]
    if not both:
        strata, both = np.zeros_like(strata), [0]
    takes_part = (sides >= 0) & np.isin(strata, both)
    rows = takes_part[sentences.persons]
    who, texts = sentences.persons[rows], np.flatnonzero(rows)
    # A frame is compared within its stratum.
    units = sentences.frames[rows] * (int(strata.max()) + 1) + strata[who]
    _, units = np.unique(units, return_inverse=True)
    centred: Array = scores[rows] - (np.bincount(units, scores[rows]) / np.bincount(units))[units]
    size = np.bincount(who, minlength=len(sides)).astype(np.float64)
    sums = np.asarray(np.bincount(who, centred, minlength=len(sides)), dtype=np.float64)
    found = Effects(sums[takes_part], size[takes_part], sides[takes_part] == 1, strata[takes_part])
    gaps, worst = _by_frame(sentences, scores, texts, units, sides[who] == 1)
    if not len(gaps):
        one, other = (name if name == REST else f"`{name}`" for name in names)
        raise DataError(f"no frame of {sentences.source} has persons of both {one} and {other}")
    return Contrast(
        attribute,
        *names,
        label,
        int(found.side.sum()),
        int((~found.side).sum()),
        len(gaps),
        found.figure,
        found.p_value,
        1.0,
        float((gaps >= SHIFT).mean()),
        float((gaps <= -SHIFT).mean()),
        worst,
    )


def _by_frame(
    sentences: PersonSentences, scores: Array, texts: Codes, units: Codes, side: Flags
) -> tuple[Array, tuple[Pair, ...]]:
    """The gap of each frame, and the sentences of a frame that lie furthest apart."""
    found, n = scores[texts], int(units.max()) + 1
    means = [
        np.bincount(units[s], found[s], minlength=n)
        / np.maximum(np.bincount(units[s], minlength=n), 1)
        for s in (side, ~side)
    ]
    known = np.bincount(units[side], minlength=n) * np.bincount(units[~side], minlength=n) > 0
    gaps = (means[0] - means[1])[known]
    sign = 1.0 if gaps.sum() >= 0 else -1.0
    top, bottom = np.full(n, -np.inf), np.full(n, -np.inf)
    np.maximum.at(top, units[side], sign * found[side])
    np.maximum.at(bottom, units[~side], -sign * found[~side])
    apart = np.where(known, top + bottom, -np.inf)
    worst: list[Pair] = []
    shown: set[int] = set()
    for unit in np.argsort(-apart, kind="stable")[: known.sum()]:
        here = units == unit
        one, other = (
            texts[here & s][(way * scores[texts[here & s]]).argmax()]
            for s, way in ((side, sign), (~side, -sign))
        )
        # One pair of persons is shown once.
        people = {int(sentences.persons[one]), int(sentences.persons[other])}
        if people & shown:
            continue
        shown |= people
        worst.append(
            Pair(
                sentences.texts[one],
                float(scores[one]),
                sentences.texts[other],
                float(scores[other]),
            )
        )
        if len(worst) == _WORST:
            break
    return gaps, tuple(worst)


def _ends(figure: Figure) -> tuple[float, float, float]:
    low = figure if figure.low is None else figure.low
    return float(figure), float(low), float(figure if figure.high is None else figure.high)
