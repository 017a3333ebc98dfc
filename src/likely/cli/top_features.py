"""The most informative features, as `likely train` prints them."""

from typing import Any

import click

from likely import render
from likely.cli.options import terminal_width

_MOST_LINES = 16
_ONE = {"classes": "class", "labels": "label"}


def top_feature_lines(top: list[list[Any]], what: str) -> list[str]:
    """A line for each of the largest classes, which come first, with as many features as fit."""
    shown, more = sorted(top[:_MOST_LINES], key=lambda one: str(one[0])), top[_MOST_LINES:]
    shown = [shown[place] for place in render.in_order(label for label, _ in shown)]
    if not any(features for _, features in shown):
        return []
    names = [_shown(str(label)) for label, _ in shown]
    width = min(max(map(len, names)), 24)
    room = terminal_width() - 4 - width
    bold = [click.style(name[:width].ljust(width), bold=True) for name in names]
    words = [
        f"  {name}  {_fitting(features, room)}".rstrip()
        for name, (_, features) in zip(bold, shown, strict=True)
    ]
    if more:
        words.append(f"  and {len(more)} more {what if more[1:] else _ONE[what]}")
    return ["Most informative features", "", *words, ""]


def _fitting(top: list[tuple[str, float]], width: int) -> str:
    """As many features as a line has room for."""
    line = ""
    for name, _ in top:
        longer = f"{line} · {_shown(name)}" if line else _shown(name)
        if len(longer) > width:
            break
        line = longer
    return line


def _shown(feature: str) -> str:
    """A feature; in quotes if it is punctuation or has spaces at its ends."""
    is_clear = feature == feature.strip() and feature.isprintable()
    return feature if is_clear and any(map(str.isalnum, feature)) else repr(feature)
