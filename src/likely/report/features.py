"""The sections of a report on features and columns."""

import unicodedata
from collections.abc import Iterator, Sequence

from likely import render
from likely.data.labels import Label
from likely.evaluation import shown
from likely.explain.column_importance import ColumnImportance
from likely.explain.dependence import MOST_CATEGORIES, MOST_NUMBERS
from likely.render import Bar, Block, Cell, Name, Table
from likely.report.facts import Calibration, Report

_TOP_IN_COLUMNS = 12
_TOP_IN_LINES = 40
_FEATURES_IN_LINES = 8
# Signs that are drawn as nothing although Unicode calls them letters or symbols.
_BLANK = "\N{BRAILLE PATTERN BLANK}\N{HANGUL FILLER}"
# Columns are named one by one if that takes no more room than this.
_MOST_LISTED = 40
# Of weights, three decimals are shown.
_LEAST_WEIGHT = 0.0005
# So many shapes are shown at once; those that say less than this on average are only named.
_SHAPES, _LEAST_IMPORTANCE, _SILENT = 6, 0.01, 12
# Weaker dependence is not shown.
_WEAK = 0.1


def top(found: Report) -> Iterator[Block]:
    """The most informative features of each class; of many classes, of those with the most rows."""
    sizes = {one.label: one.rows for one in found.evaluation.per_class}
    ranked = sorted(
        (label for label, best in found.top.items() if best), key=lambda one: -sizes.get(one, 0)
    )
    if not ranked:
        return
    one = shown.named(found.evaluation)[0]
    others = "rows without it" if found.evaluation.is_multilabel else "others"
    yield (
        f"The most informative features of each {one}: log-odds of the {one} against all {others}. "
        "Features with the most reliable log-odds come first."
    )
    if len(ranked) <= _TOP_IN_COLUMNS:
        largest = max(odds for label in ranked for _, odds in found.top[label]) or 1.0
        yield render.SideBySide(
            [
                render.Subsection(
                    f"`{render.full_name(label)}`", [_features(found, label, largest)]
                )
                for label in ranked
            ]
        )
        return
    lines = [
        (
            Name(label),
            render.Phrase(
                "  ".join(
                    f"`{_feature(name)}`" for name, _ in found.top[label][:_FEATURES_IN_LINES]
                )
            ),
        )
        for label in ranked[:_TOP_IN_LINES]
    ]
    yield Table((one, "most informative features"), lines, left=2)
    if len(ranked) > len(lines):
        yield shown.fewer(found.evaluation, len(ranked) - len(lines))


def _features(found: Report, label: Label, largest: float) -> Table:
    lines: list[tuple[Cell, ...]] = [
        (_feature(name), render.signed(odds, 2), Bar(odds / largest))
        for name, odds in found.top[label]
    ]
    return Table(("feature", "log-odds", ""), lines)


def shapes(found: Report) -> Iterator[Block]:
    """What the values of the most important columns say; those of the others are folded."""
    telling = [one for one in found.shapes if one.importance >= _LEAST_IMPORTANCE]
    if not telling:
        return
    whose = f"`{render.name(telling[0].curves[0])}`"
    if len(telling[0].curves) > 1:
        whose = "each class, against the mean of the others"
    yield (
        f"What each value of a column adds to the log-odds of {whose}, with 95 % intervals "
        "where there is room; gray bars are training rows. Columns that say most on average come "
        "first."
    )
    yield render.SideBySide([one.chart() for one in telling[:_SHAPES]])
    if more := telling[_SHAPES:]:
        folded = render.SideBySide([one.chart() for one in more])
        yield render.Folded(render.counted(len(more), "more column", "more columns"), [folded])
    silent = [one for one in found.shapes if one not in telling]
    if silent:
        named = ", ".join(f"`{render.name(one.column)}`" for one in silent[:_SILENT])
        others = f" and {len(silent) - _SILENT:,} more" if silent[_SILENT:] else ""
        say = "says" if len(silent) == 1 else "say"
        yield f"{named}{others} {say} next to nothing alone."


def columns(found: Report) -> Iterator[Block]:
    importances, whole = found.column_importance, found.calibration
    if len(importances) < 2 or whole is None:
        for columns, likelihood in found.likelihoods:
            yield f"{', '.join(f'`{render.name(name)}`' for name in columns)}: {likelihood}"
        return
    yield (
        "Column importance: how much the log-loss rises if a column, or a view of a text, is left "
        f"out. With all of them, accuracy is {render.tenth(whole.accuracy)} and log-loss "
        f"{whole.log_loss:.3f} on the rows sampled. A column that repeats others has a low "
        "importance even if it is informative on its own."
    )
    wholes = [one for one in importances if not one.is_part]
    if len(wholes) > 1:
        yield _importance_table(found, wholes, whole)
    views = [one for one in importances if one.is_part]
    if views:
        yield _importance_table(found, views, whole)


def _importance_table(found: Report, parts: list[ColumnImportance], whole: Calibration) -> Table:
    """Columns or views, the most important first."""
    losses = [one.log_loss - whole.log_loss for one in parts]
    largest = max(map(abs, losses)) or 1.0
    both_ways = min(losses) < -0.02 * largest
    named = len(found.likelihoods) > 1 or len({one.columns for one in parts}) > 1
    tuned = any(one.weight is not None for one in parts)
    rows: list[tuple[Cell, ...]] = []
    for one, loss in sorted(zip(parts, losses, strict=True), key=lambda pair: -pair[1]):
        weight = _weight(one.weight, one.weight_over_root)
        rows.append(
            (
                *([_listed(one.columns)] if named else []),
                one.view,
                *([weight] if tuned else []),
                render.number(one.accuracy),
                render.signed(round(loss, 4)),
                Bar(loss / largest, both_ways=both_ways),
            )
        )
    head = [*(["column"] if named else []), "likelihood", *(["weight"] if tuned else [])]
    right = (
        "subset accuracy without it" if found.evaluation.is_multilabel else "accuracy without it"
    )
    return Table((*head, right, "log-loss increase", ""), rows, left=2 if named else 1)


def _listed(columns: Sequence[str]) -> str:
    listed = ", ".join(render.name(name) for name in columns)
    return f"{len(columns)} columns" if len(listed) > _MOST_LISTED else listed


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
        "Naive Bayes assumes that features are independent within a class. Here is where they are "
        "not: 0 is independent, 1 is fully dependent; the strongest pairs come first. Of a wide "
        f"table, the first {MOST_NUMBERS:,} numeric and {MOST_CATEGORIES:,} categorical columns "
        "are compared."
    )
    if not pairs:
        yield "No two features are strongly dependent within the classes."
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
    yield Table(("feature", "and", "within classes", "", "overall"), lines, left=2)


def _feature(name: str) -> str:
    """A feature as people can read it: spaces at its ends and invisible characters show."""
    if all(unicodedata.category(sign)[0] in "CMZ" or sign in _BLANK for sign in name):
        return render.name(ascii(name), 60)
    return render.name(name if name == name.strip() else repr(name), 60)
