"""What speaks for each class, as `likely train` shows it."""

from typing import Any

import click

from likely import render
from likely.cli.options import terminal_width

_MOST_LINES = 16
_ONE = {"classes": "class", "labels": "label"}


def speaking(top: list[list[Any]], what: str) -> list[str]:
    """A line for each class with the features that speak for it, as far as there is room."""
    top = [top[place] for place in render.in_order(label for label, _ in top)]
    shown, more = top[:_MOST_LINES], top[_MOST_LINES:]
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
    return ["What speaks for each", "", *words, ""]


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
    """A name as people can read it: spaces at its ends or signs that do not print would be lost."""
    return feature if feature == feature.strip() and feature.isprintable() else repr(feature)
