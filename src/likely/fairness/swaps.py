"""Which decisions flip when paired words change places in the user's own rows.

In each row every word of a pair becomes the other; rows without such words are left alone. Where a
row had words of one side only, it and its swapped form are the same row about one side and about
the other, so their scores can be compared.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.classifier import Classifier
from likely.data.files import Source
from likely.data.labels import Label
from likely.data.table import Table
from likely.errors import DataError, OptionError
from likely.evaluation.counts import draws
from likely.evaluation.intervals import Figure, figures, flat
from likely.evaluation.significance import holm, mcnemar
from likely.fairness.facts import Gaps
from likely.fairness.scores import audited
from likely.fairness.sentences import cells_of_text

_RESAMPLES, _SHOWN = 1_000, 8
_NUMBERS = 50_000_000
# Characters of a row that are shown.
_WIDTH = 120


@dataclass(frozen=True)
class Flip:
    """A row that is decided otherwise once its words are swapped."""

    row: int
    text: str
    swapped: str
    before: Label
    after: Label


@dataclass(frozen=True, eq=False)
class Swap:
    """What swapping does to one score."""

    label: Label
    rows: int
    """Rows that had words of one side only."""
    gap: Figure
    """The mean score of rows as they are about the first side, minus about the second."""
    gained: int
    """Rows that are predicted so only about the first side,"""
    lost: int
    """and only about the second."""
    p_value: float
    """McNemar's test: how often so uneven a number of flips would come up by chance."""
    adjusted_p: float

    @property
    def is_apart(self) -> bool:
        """Whether other rows like these would hardly have made the gap vanish."""
        return self.gap.low is not None and not self.gap.low <= 0.0 <= (self.gap.high or 0.0)

    def to_json(self) -> dict[str, Any]:
        return flat(vars(self))


@dataclass(frozen=True, eq=False)
class Swaps(Gaps):
    """What an audit by swapping words found."""

    pairs: tuple[tuple[str, str], ...]
    rows: int
    touched: int
    flipped: int
    scores: tuple[Swap, ...]
    flips: tuple[Flip, ...]
    """The rows whose scores moved furthest come first."""
    learned: int = 0
    """How many of all rows the model had learned, as far as that is known."""

    kind = "swaps"

    @property
    def apart(self) -> Swap | None:
        """The score by which the sides are furthest apart, if any is by more than chance."""
        found = [one for one in self.scores if one.is_apart]
        return max(found, key=lambda one: abs(one.gap), default=None)

    @property
    def largest_gap(self) -> tuple[float, str]:
        one = max(self.scores, key=lambda each: abs(each.gap))
        first, second = self.pairs[0]
        return abs(one.gap), f"P({one.label}) of rows with words like `{first}`, like `{second}`"

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {
            "scores": [one.to_json() for one in self.scores],
            "flips": [vars(flip) for flip in self.flips],
        }

    def blocks(self) -> list[render.Block]:
        first, second = self.pairs[0]
        rows = [
            (
                f"P({render.name(one.label)})",
                f"{one.rows:,}",
                render.gap(one.gap),
                render.interval(one.gap, render.gap),
                f"{one.gained:,}",
                f"{one.lost:,}",
                render.number(one.adjusted_p),
            )
            for one in self.scores
        ]
        header = (
            "score",
            "rows",
            "gap",
            "95 % interval",
            f"only {first}",
            f"only {second}",
            "p (Holm)",
        )
        flipped = render.tenth(self.flipped / max(self.touched, 1))
        return [
            f"{self.touched:,} of {self.rows:,} rows hold words of {_pairs(self.pairs)}, such as "
            f"`{first}` and `{second}`. Swapped, {self.flipped:,} of them ({flipped}) change "
            "their prediction.",
            render.Table(header, rows),
            f"gap: the mean score about the side of `{first}` minus about the side of `{second}`, "
            f"of rows with words of one side only. only `{first}`: rows predicted so about that "
            "side alone. p: McNemar's test of the two numbers.",
            *(
                [
                    render.Caution(
                        f"{self.learned:,} of the rows were learned by the model, which favors "
                        "their own labels before the swap; other rows are a fairer test"
                    )
                ]
                if self.learned
                else []
            ),
            *(
                [
                    render.Cards(
                        [
                            (
                                f"Row {flip.row + 1:,}: `{flip.before}` becomes `{flip.after}`",
                                _both_forms(flip),
                            )
                            for flip in self.flips[:_SHOWN]
                        ]
                    )
                ]
                if self.flips
                else ["No prediction changed. Other words than these pairs were not tried."]
            ),
        ]


def read_pairs(path: str | None = None) -> list[tuple[str, str]]:
    """Pairs of words from a file with two columns; ours if none is given."""
    if path is None:
        text = (files("likely.fairness") / "words/pairs.csv").read_text("utf-8")
    else:
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: byte {error.start:,} is not UTF-8") from None
    pairs = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        words = [word.strip().lower() for word in re.split(r"[,\t;]", line)]
        if len(words) != 2 or not all(words) or words[0] == words[1]:
            raise DataError(
                f"{path}, line {number}: a pair is two different words, as in `she,he`, "
                f"not {line!r}"
            )
        if number > 1 or words != ["one", "other"]:
            pairs.append((words[0], words[1]))
    if not pairs:
        raise DataError(f"{path} has no pairs of words")
    return pairs


def swaps(
    model: Classifier,
    x: Any,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    score: Any = None,
    y: Any = None,
) -> Swaps:
    """Predict rows as they are and with paired words swapped.

    If they have labels too, in the column `y` or in that of the model, the result has how many of
    them the model had learned.
    """
    pairs = read_pairs() if pairs is None else list(pairs)
    labels = audited(model, score)
    texts: list[tuple[str, str]] = []
    before, after, sides, numbers = [], [], [], []
    total = 0
    for each in swapped_rows(model, x, pairs):
        total += each.rows
        if len(each.places):
            before.append(model.predict_proba(each.here))
            after.append(model.predict_proba(each.swapped))
            shown = model.text_columns[0]
            texts += zip(each.here.columns[shown], each.swapped.columns[shown], strict=True)
            sides.append(each.sides)
            numbers.append(each.places)
    if not sides:
        raise DataError(f"none of the {total:,} rows has a word of {_pairs(pairs)}")
    old_scores, new_scores = np.concatenate(before), np.concatenate(after)
    old_predicted, new_predicted = model.decide(old_scores), model.decide(new_scores)
    side, number = np.concatenate(sides), np.concatenate(numbers)
    flipped = np.flatnonzero(old_predicted != new_predicted)
    moved = abs(old_scores - new_scores).max(axis=1)
    order = flipped[np.argsort(-moved[flipped], kind="stable")]
    pure = side != BOTH
    is_first = (side == FIRST)[pure]
    found = []
    for label in labels:
        place = model.classes.index(label)
        pair = np.column_stack([old_scores[pure, place], new_scores[pure, place]])
        predicted = np.column_stack([old_predicted[pure] == place, new_predicted[pure] == place])
        rows = np.arange(len(pair))
        first, second = np.where(is_first, 0, 1), np.where(is_first, 1, 0)
        gaps = pair[rows, first] - pair[rows, second]
        gained = int((predicted[rows, first] & ~predicted[rows, second]).sum())
        lost = int((predicted[rows, second] & ~predicted[rows, first]).sum())
        found.append((label, len(gaps), _mean(gaps), gained, lost, mcnemar(gained, lost)))
    adjusted = holm([one[-1] for one in found])
    return Swaps(
        tuple(pairs),
        total,
        len(side),
        len(flipped),
        tuple(Swap(*one, p) for one, p in zip(found, adjusted, strict=True)),
        tuple(
            Flip(
                int(number[row]),
                texts[row][0],
                texts[row][1],
                model.classes[old_predicted[row]],
                model.classes[new_predicted[row]],
            )
            for row in order
        ),
        _learned(model, x, y),
    )


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return render.counted(len(pairs), "pair", "pairs")


def _learned(model: Classifier, x: Any, y: str | None) -> int:
    target = model.target if y is None else y
    columns = x.columns if isinstance(x, Source) else Table.of(x).names
    return int(model.was_learned(x, target).sum()) if target in columns else 0


FIRST, SECOND, BOTH = 1, 2, 3


@dataclass(frozen=True, eq=False)
class Touched:
    """Those rows of a batch that hold words of pairs, as they are and swapped."""

    here: Table
    swapped: Table
    sides: NDArray[np.intp]
    """The words of which side each row had: FIRST, SECOND or BOTH."""
    places: NDArray[np.intp]
    """Which rows these are, counted from 0 over all batches."""
    rows: int
    """How many rows the batch has, touched or not."""


def swapped_rows(model: Classifier, x: Any, pairs: Sequence[tuple[str, str]]) -> Iterator[Touched]:
    """The rows that hold words of pairs, batch by batch."""
    if not model.text_columns:
        raise OptionError("the model reads no texts, so there are no words to swap")
    swap, start = _Swapper(pairs), 0
    for table in x.batches(model.columns) if isinstance(x, Source) else [Table.of(x)]:
        old = {name: cells_of_text(table.columns[name]) for name in model.text_columns}
        new = {name: [swap(text) for text in column] for name, column in old.items()}
        sides = np.bitwise_or.reduce(
            [[found for _, found in column] for column in new.values()], axis=0
        )
        touched = np.flatnonzero(sides)
        here, swapped = table.at(touched), table.at(touched)
        for name in model.text_columns:
            here.columns[name] = [old[name][row] for row in touched]
            swapped.columns[name] = [new[name][row][0] for row in touched]
        yield Touched(here, swapped, sides[touched], touched + start, len(table))
        start += len(table)


class _Swapper:
    """Swaps words, keeping their case; of a word in many pairs the first counts."""

    def __init__(self, pairs: Sequence[tuple[str, str]]):
        self._other: dict[str, tuple[str, int]] = {}
        for one, other in pairs:
            self._other.setdefault(one.lower(), (other, FIRST))
            self._other.setdefault(other.lower(), (one, SECOND))
        words = sorted(map(re.escape, self._other), key=len, reverse=True)
        self._find = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)

    def __call__(self, text: str) -> tuple[str, int]:
        sides = 0

        def swapped(found: re.Match[str]) -> str:
            nonlocal sides
            word = found[0]
            other, side = self._other[word.lower()]
            sides |= side
            if word.isupper() and len(word) > 1:
                return other.upper()
            return other.capitalize() if word[:1].isupper() else other

        return self._find.sub(swapped, text), sides


def _mean(values: Any) -> Figure:
    if len(values) < 2:
        return Figure(float(values.mean()) if len(values) else 0.0)
    resamples = max(200, min(_RESAMPLES, _NUMBERS // len(values)))
    ones = np.ones(len(values), dtype=np.intp)
    drawn = [
        (weights @ values)[:, None] / len(values) for weights in draws(ones, resamples, [0, 4])
    ]
    return figures(np.array([values.mean()]), drawn, 0.95)[0]


def _both_forms(flip: Flip) -> str:
    """Both forms of a row, around where they first differ."""
    pairs = zip(flip.text, flip.swapped, strict=False)
    first = next((at for at, (one, other) in enumerate(pairs) if one != other), 0)
    return " → ".join(_around(text, first) for text in (flip.text, flip.swapped))


def _around(text: str, place: int) -> str:
    start = max(0, place - _WIDTH // 2) if len(text) > _WIDTH else 0
    shown = text[start : start + _WIDTH]
    return f"{'…' if start else ''}{shown}{'…' if start + _WIDTH < len(text) else ''}"
