"""Blocks of a page, sentences and tables, written for a terminal or for a browser."""

import html
import textwrap
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from likely.evaluation.intervals import Figure
from likely.labels import Label

WIDTH = 80
_LABEL = 24


@dataclass(frozen=True)
class Table:
    """Cells in rows; the first column leans left, the others right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        return sum(self._widths()) + 2 * (len(self.header) - 1)

    def _widths(self) -> list[int]:
        columns = zip(*([self.header] if self.header else []), *self.rows, strict=True)
        return [max(map(_cells, column)) for column in columns]

    def text(self, left: int = 1) -> str:
        """The table for a terminal; as many columns as `left` says lean left."""
        widths = self._widths()
        lines = [self.header, *self.rows] if any(self.header) else self.rows
        return "\n".join("  ".join(_padded(line, widths, left)).rstrip() for line in lines)

    def html(self) -> str:
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in self.header)
        body = "".join(
            f'<tr><th style="text-align: left">{html.escape(first)}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
            + "</tr>"
            for first, *cells in self.rows
        )
        top = f"<thead><tr>{head}</tr></thead>" if any(self.header) else ""
        return f"<table>{top}<tbody>{body}</tbody></table>"


Block = str | Table


def text(blocks: Iterable[Block]) -> str:
    """The blocks for a terminal, with an empty line between them."""
    return "\n\n".join(
        block.text() if isinstance(block, Table) else _wrapped(block) for block in blocks
    )


def page(blocks: Iterable[Block]) -> str:
    """The blocks as HTML; whatever a label holds, it stays text."""
    inner = "".join(
        block.html() if isinstance(block, Table) else f"<p>{html.escape(block)}</p>"
        for block in blocks
    )
    return f"<div>{inner}</div>"


def number(value: float) -> str:
    """A figure with four decimals, which are never all lost to rounding.

    >>> number(0.99999), number(1.0), number(0.00001), number(0.25)
    ('>0.9999', '1.0000', '<0.0001', '0.2500')
    """
    shown = f"{value:.4f}"
    if shown == "1.0000" and value < 1:
        return ">0.9999"
    if shown in ("0.0000", "-0.0000") and value:
        return "<0.0001" if value > 0 else ">-0.0001"
    return shown


def signed(value: float) -> str:
    """A difference with four decimals, and its sign."""
    return f"{value + 0.0:+.4f}".replace("-", "−")


def interval(figure: Figure, spelled: Callable[[float], str] = number) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"{spelled(figure.low)} – {spelled(figure.high)}"


def percent(share: float) -> str:
    """A share in per cent, never rounded up to all.

    >>> percent(0.9999), percent(0.5), percent(0.999999)
    ('99.99 %', '50 %', 'over 99.99 %')
    """
    shown = f"{share * 100:.4g} %"
    return "over 99.99 %" if shown == "100 %" and share < 1 else shown


def count(rows: float) -> str:
    """A number of rows, which need not be whole where rows have weights."""
    return f"{rows:,.0f}" if rows == int(rows) else f"{rows:,.2f}"


def name(label: Label) -> str:
    """A label on one line, and not too long for it."""
    shown = "".join(c if c.isprintable() else "·" for c in str(label))
    return shown if len(shown) <= _LABEL else f"{shown[: _LABEL - 1]}…"


def _cells(shown: str) -> int:
    """How many columns of a terminal it takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in shown)
    return len(shown) + wide - sum(unicodedata.combining(c) > 0 for c in shown)


def _padded(line: tuple[str, ...], widths: list[int], left: int) -> list[str]:
    padded = [
        (cell, " " * (width - _cells(cell))) for cell, width in zip(line, widths, strict=True)
    ]
    return [
        cell + space if place < left else space + cell for place, (cell, space) in enumerate(padded)
    ]


def _wrapped(paragraph: str) -> str:
    return textwrap.fill(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)
