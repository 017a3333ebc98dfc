"""The sections of a report that say what a model goes by."""

import unicodedata
from collections.abc import Iterator

from likely import render
from likely.data.labels import Label
from likely.evaluation import shown
from likely.explain.column_importance import ColumnImportance
from likely.explain.dependence import MOST_CATEGORIES, MOST_NUMBERS
from likely.render import Bar, Block, Cell, Name, Table
from likely.report.facts import Calibration, Report

_TOP_IN_COLUMNS = 12
_TOP_IN_LINES = 40
_WORDS_IN_LINES = 8
# Signs that are drawn as nothing although Unicode calls them letters or symbols.
_BLANK = "\N{BRAILLE PATTERN BLANK}\N{HANGUL FILLER}"
# Of weights, three decimals are shown.
_LEAST_WEIGHT = 0.0005
# Below this, what two columns have in common is hardly worth a thought.
_WEAK = 0.1


def evidence(found: Report) -> Iterator[Block]:
    """What speaks most for each class; of many classes, for those with the most rows."""
    sizes = {one.label: one.rows for one in found.evaluation.per_class}
    ranked = sorted(
        (label for label, best in found.top.items() if best), key=lambda one: -sizes.get(one, 0)
    )
    if not ranked:
        return
    one = shown.named(found.evaluation)[0]
    yield (
        f"What speaks most for each {one}, in log-odds of the {one} against all "
        f"{'rows without it' if found.evaluation.is_multilabel else 'others'}; what is surest comes "
        "first."
    )
    if len(ranked) <= _TOP_IN_COLUMNS:
        largest = max(odds for label in ranked for _, odds in found.top[label]) or 1.0
        yield render.SideBySide(
            [
                render.Subsection(
                    f"`{render.full_name(label)}`", [_speaking(found, label, largest)]
                )
                for label in ranked
            ]
        )
        return
    lines = [
        (
            Name(label),
            render.Phrase(
                "  ".join(f"`{_feature(name)}`" for name, _ in found.top[label][:_WORDS_IN_LINES])
            ),
        )
        for label in ranked[:_TOP_IN_LINES]
    ]
    yield Table((one, "what speaks for it"), lines, left=2)
    if len(ranked) > len(lines):
        yield shown.fewer(found.evaluation, len(ranked) - len(lines))


def _speaking(found: Report, label: Label, largest: float) -> Table:
    lines: list[tuple[Cell, ...]] = [
        (_feature(name), f"{odds:+.2f}".replace("-", "−"), Bar(odds / largest))
        for name, odds in found.top[label]
    ]
    return Table(("", "log-odds", ""), lines)


def columns(found: Report) -> Iterator[Block]:
    kinds, whole = found.column_importance, found.calibration
    if len(kinds) < 2 or whole is None:
        for columns, likelihood in found.likelihoods:
            yield f"{', '.join(f'`{render.name(name)}`' for name in columns)}: {likelihood}"
        return
    yield (
        "What each kind of evidence contributes: how much worse the rest would do without it. "
        f"All together, {render.tenth(whole.accuracy)} of the rows looked at are right, at a "
        f"log-loss of {whole.log_loss:.3f}. What others say as well can be spared, however much it "
        "says."
    )
    wholes = [one for one in kinds if not one.is_part]
    if len(wholes) > 1:
        yield _worth(found, wholes, whole)
    views = [one for one in kinds if one.is_part]
    if views:
        yield _worth(found, views, whole)


def _worth(found: Report, kinds: list[ColumnImportance], whole: Calibration) -> Table:
    """Kinds of evidence, those that would be missed most first."""
    losses = [one.log_loss - whole.log_loss for one in kinds]
    largest = max(map(abs, losses)) or 1.0
    both_ways = min(losses) < -0.02 * largest
    named, tuned = len(found.likelihoods) > 1, any(one.weight is not None for one in kinds)
    rows: list[tuple[Cell, ...]] = []
    for one, loss in sorted(zip(kinds, losses, strict=True), key=lambda pair: -pair[1]):
        trust = _weight(one.weight, one.weight_over_root)
        rows.append(
            (
                *([", ".join(render.name(name) for name in one.columns)] if named else []),
                one.view,
                *([trust] if tuned else []),
                render.number(one.accuracy),
                render.signed(round(loss, 4)),
                Bar(loss / largest, both_ways=both_ways),
            )
        )
    head = [*(["column"] if named else []), "evidence", *(["weight"] if tuned else [])]
    right = "all right without it" if found.evaluation.is_multilabel else "accuracy without it"
    return Table((*head, right, "log-loss rises by", ""), rows, left=2 if named else 1)


def _weight(weight: float | None, over_root: float | None) -> str:
    if weight is None:
        return ""
    parts = [f"{weight:.3f}"] if weight >= _LEAST_WEIGHT else []
    if over_root and over_root >= _LEAST_WEIGHT:
        parts.append(f"{over_root:.3f} / √length")
    return " + ".join(parts) or ("<0.001" if weight or over_root else "0")


def dependence(found: Report) -> Iterator[Block]:
    pairs = [one for one in found.dependences if one.within >= _WEAK]
    if not found.dependences:
        return
    yield (
        "Naive Bayes takes columns and words to be independent within a class. From 0, which they "
        "are, to 1, where one follows from the other; the strongest first. Of a wide table, the "
        f"first {MOST_NUMBERS:,} numeric and {MOST_CATEGORIES:,} categorical columns are compared."
    )
    if not pairs:
        yield "No two of them have much to do with each other within the classes."
        return
    lines: list[tuple[Cell, ...]] = [
        (
            _feature(one.first),
            _feature(one.second),
            render.number(one.within),
            Bar(one.within),
            render.number(one.overall),
        )
        for one in pairs
    ]
    yield Table(("", "and", "within classes", "", "overall"), lines, left=2)


def _feature(name: str) -> str:
    """A feature as people can read it: spaces at its ends would be lost, marks alone not seen."""
    if all(unicodedata.category(sign)[0] in "CMZ" or sign in _BLANK for sign in name):
        return render.name(ascii(name), 60)
    return render.name(name if name == name.strip() else repr(name), 60)
