"""Tables, large figures and shaded grids, written for a terminal or for a browser."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from markupsafe import Markup, escape

from likely.data.labels import Label
from likely.render.formatting import WIDTH, columns, count, full_name, name
from likely.render.markup import joined, sentence

_LONG = 24
# How dark the cells of a grid may be, in steps.
_SHADES = 9
# A table of more columns may have to be scrolled, for which a keyboard has to reach it.
_WIDE = 6
_SCROLLED = Markup('<div class="scroll" role="region" tabindex="0" aria-label="{}">{}</div>')


@dataclass(frozen=True)
class Name:
    """A label in a cell: short on a terminal, full_name on a page."""

    label: Label

    def __str__(self) -> str:
        return name(self.label)

    def html(self) -> Markup:
        return escape(full_name(self.label))


@dataclass(frozen=True)
class Bar:
    """A bar in a cell, for a page; a number in the same row of the table says how long it is.

    Values lie between −1 and 1; bars that go `both_ways` start in the middle, others are only of
    another colour below 0. `low` and `high` are where an interval ends.
    """

    value: float
    low: float | None = None
    high: float | None = None
    both_ways: bool = False

    def html(self) -> Markup:
        middle, scale = (60.0, 60.0) if self.both_ways else (0.0, 120.0)
        length = self.value if self.both_ways else abs(self.value)
        end = middle + scale * max(-1.0, min(length, 1.0))
        x, width = min(middle, end), abs(end - middle)
        side = "for" if self.value >= 0 else "against"
        drawn = f'<rect class="{side}" x="{x:.1f}" y="2" width="{width:.1f}" height="10" rx="1"/>'
        if self.low is not None and self.high is not None:
            low, high = middle + scale * self.low, middle + scale * self.high
            drawn += (
                f'<path class="whisker" d="M{low:.1f},7H{high:.1f}M{low:.1f},4v6M{high:.1f},4v6"/>'
            )
        if self.both_ways:
            drawn += '<path class="axis" d="M60,0v14"/>'
        box = 'viewBox="0 0 120 14" preserveAspectRatio="none"'
        return Markup(f'<svg class="bar" {box} aria-hidden="true">{drawn}</svg>')


@dataclass(frozen=True)
class Phrase:
    """Words of ours in a cell, with names in backticks."""

    words: str

    def __str__(self) -> str:
        return self.words

    def html(self) -> Markup:
        return sentence(self.words)


Cell = str | Name | Phrase | Bar


@dataclass(frozen=True)
class Table:
    """Cells in rows; the first columns, as many as `left` says, lean left, the others right."""

    header: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    left: int = 1
    caption: str = ""

    @property
    def width(self) -> int:
        lines = self._lines()
        return sum(_widths(lines)) + 2 * (len(lines[0]) - 1) if lines else 0

    def text(self) -> str:
        """The table for a terminal, where bars are left out; one too wide is broken into parts."""
        lines = self._lines()
        widths = _widths(lines)
        shown = lines if not self.header or any(self.header) else lines[1:]
        padded = [_padded(line, widths, self.left) for line in shown]
        parts = [
            "\n".join("  ".join(line[place] for place in part).rstrip() for line in padded)
            for part in _parts(widths, self.left, lines[0] if self.header else ())
        ]
        return "\n\n".join([_wrapped(self.caption), *parts] if self.caption else parts)

    def _lines(self) -> list[tuple[str, ...]]:
        drawn = {p for row in self.rows for p, cell in enumerate(row) if isinstance(cell, Bar)}
        lines = [self.header, *self.rows] if self.header else self.rows
        return [tuple(str(c) for p, c in enumerate(line) if p not in drawn) for line in lines]

    def html(self) -> Markup:
        head = joined(
            Markup('<th scope="col"{}>{}</th>' if cell else "<td{}>{}</td>").format(
                self._lean(place), cell
            )
            for place, cell in enumerate(self.header)
        )
        table = Markup("<table>{}{}<tbody>{}</tbody></table>").format(
            Markup("<caption>{}</caption>").format(sentence(self.caption)) if self.caption else "",
            Markup("<thead><tr>{}</tr></thead>").format(head) if any(self.header) else "",
            joined(map(self._row, self.rows)),
        )
        if self._ends_in_text:
            return Markup('<div class="scroll texts">{}</div>').format(table)
        if len(self.header) <= _WIDE:
            return Markup('<div class="scroll">{}</div>').format(table)
        return _SCROLLED.format(self.caption or "table", table)

    @property
    def _ends_in_text(self) -> bool:
        """Whether the last column leans left too; a phone then shows a row as a paragraph."""
        return 2 < len(self.header) == self.left

    def _row(self, row: tuple[Cell, ...]) -> Markup:
        heads = [Markup()] * len(row)
        if self._ends_in_text:
            heads = [Markup(' data-head="{}"').format(head) for head in self.header]
        first, *cells = (cell if isinstance(cell, str) else cell.html() for cell in row)
        lead = Markup('<th scope="row"{}{}>{}</th>').format(_left(first), heads[0], first)
        others = joined(
            Markup("<td{}{}>{}</td>").format(self._lean(place), heads[place], cell)
            for place, cell in enumerate(cells, start=1)
        )
        return Markup("<tr>{}{}</tr>").format(lead, others)

    def _lean(self, place: int) -> Markup:
        return Markup(' class="left" dir="auto"' if place < self.left else "")


@dataclass(frozen=True)
class Tiles:
    """A few large figures side by side: what each is, its value, and a note."""

    figures: Sequence[tuple[str, str, str]]

    def text(self) -> str:
        return Table((), self.figures).text()

    def html(self) -> Markup:
        tiles = joined(
            Markup("<div><dt>{}</dt><dd><b>{}</b> <small>{}</small></dd></div>").format(
                sentence(what), value, sentence(note)
            )
            for what, value, note in self.figures
        )
        return Markup('<dl class="tiles">{}</dl>').format(tiles)


@dataclass(frozen=True)
class Grid:
    """Counts of rows by two labels, shaded by their share of a line: right ones and wrong ones."""

    names: Sequence[Label]
    counts: Sequence[Sequence[float]]
    caption: str

    def text(self) -> str:
        """The grid for a terminal, under numbers if the names take too much room."""
        names = [name(label) for label in self.names]
        named, numbered = self._table(names, names), self._table(*_numbered(names))
        shown = named if named.width <= WIDTH else numbered
        return f"{_wrapped(self.caption)}\n\n{shown.text()}"

    @property
    def fits(self) -> bool:
        """Whether a terminal is wide enough."""
        names = [name(label) for label in self.names]
        return 2 * len(names) < WIDTH and self._table(*_numbered(names)).width <= WIDTH

    def _table(self, heads: list[str], stubs: list[str]) -> Table:
        rows = zip(stubs, self.counts, strict=True)
        return Table(("", *heads), [(stub, *map(count, line)) for stub, line in rows])

    def html(self) -> Markup:
        names = [full_name(label) for label in self.names]
        stubs, heads = names, names
        # Long names would make columns wide, or high.
        if max(map(len, names), default=0) > _LONG:
            heads, stubs = _numbered(names)
        top = joined(Markup('<th scope="col" dir="auto">{}</th>').format(head) for head in heads)
        lines = []
        for place, (stub, line) in enumerate(zip(stubs, self.counts, strict=True)):
            total = sum(line) or 1
            cells = joined(
                Markup('<td class="{}{}">{}</td>').format(
                    "right" if at == place else "wrong", _shade(rows / total), count(rows)
                )
                for at, rows in enumerate(line)
            )
            row = Markup('<tr><th scope="row"{}>{}</th>{}</tr>')
            lines.append(row.format(_left(stub), stub, cells))
        table = Markup(
            '<table class="grid"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table>'
        ).format(top, joined(lines))
        caption = Markup("<p>{}</p>").format(sentence(self.caption))
        return caption + _SCROLLED.format(self.caption, table)


@dataclass(frozen=True)
class Cards:
    """Texts of a user, each under a sentence about it."""

    cards: Sequence[tuple[str, str]]

    def text(self) -> str:
        return "\n\n".join(f"{_wrapped(about)}\n{_wrapped(words)}" for about, words in self.cards)

    def html(self) -> Markup:
        card = Markup('<li><p class="about">{}</p><p class="words" dir="auto">{}</p></li>')
        cards = joined(card.format(sentence(about), words) for about, words in self.cards)
        return Markup('<ol class="cards">{}</ol>').format(cards)


@dataclass(frozen=True)
class Caution:
    """A sentence that nobody should miss."""

    sentence: str

    def text(self) -> str:
        return _wrapped(f"warning: {self.sentence}")

    def html(self) -> Markup:
        first, rest = self.sentence[:1].upper(), self.sentence[1:]
        return Markup('<p class="warning">{}</p>').format(sentence(f"{first}{rest}."))


@dataclass(frozen=True)
class Code:
    """What is to be typed, as it is."""

    lines: Sequence[str]

    def text(self) -> str:
        return "\n".join(self.lines)

    def html(self) -> Markup:
        return Markup("<pre>{}</pre>").format(Markup("\n").join(self.lines))


@dataclass(frozen=True)
class Subsection:
    """Blocks under a heading of their own, within a section."""

    heading: str
    blocks: "Sequence[Block]"

    def text(self) -> str:
        return text([self.heading, *self.blocks])

    def html(self) -> Markup:
        return Markup('<div><h3 dir="auto">{}</h3>{}</div>').format(
            sentence(self.heading), markup(self.blocks)
        )


@dataclass(frozen=True)
class Folded:
    """Blocks that a page shows when their summary is clicked."""

    summary: str
    blocks: "Sequence[Block]"

    def text(self) -> str:
        return text([self.summary, *self.blocks])

    def html(self) -> Markup:
        return Markup("<details><summary>{}</summary>{}</details>").format(
            sentence(self.summary), markup(self.blocks)
        )


@dataclass(frozen=True)
class SideBySide:
    """Blocks side by side, where there is room."""

    blocks: "Sequence[Block]"

    def text(self) -> str:
        return text(self.blocks)

    def html(self) -> Markup:
        each = joined(Markup("<div>{}</div>").format(markup([block])) for block in self.blocks)
        return Markup('<div class="columns">{}</div>').format(each)


class Drawable(Protocol):
    """A block that knows how it looks."""

    def text(self) -> str: ...
    def html(self) -> str: ...


Block = str | Drawable


def text(blocks: Iterable[Block]) -> str:
    """The blocks for a terminal, with an empty line between them."""
    return "\n\n".join(
        _wrapped(block) if isinstance(block, str) else block.text() for block in blocks
    )


def markup(blocks: Iterable[Block]) -> Markup:
    """The blocks as HTML, to stand within a page."""
    return joined(
        Markup("<p>{}</p>").format(sentence(block)) if isinstance(block, str) else block.html()
        for block in blocks
    )


def _left(shown: str) -> Markup:
    """The attributes of a cell that leans left; long ones ask for room."""
    return Markup(f' class="left{" long" * (len(shown) > _LONG)}" dir="auto"')


def _shade(share: float) -> int:
    """How dark a cell is; what is there at all is never white."""
    return min(int(share * _SHADES) + 1, _SHADES) if share else 0


def _numbered(names: list[str]) -> tuple[list[str], list[str]]:
    numbers = [str(place) for place in range(1, len(names) + 1)]
    return numbers, [f"{place}  {each}" for place, each in enumerate(names, start=1)]


def _widths(lines: Sequence[tuple[str, ...]]) -> list[int]:
    return [max(map(columns, column)) for column in zip(*lines, strict=True)]


def _parts(widths: list[int], left: int, heads: tuple[str, ...]) -> list[list[int]]:
    """The columns of each part of a table; those that lead are in every one."""
    lead = list(range(min(left, len(widths))))
    units: list[list[int]] = []
    for place in range(len(lead), len(widths)):
        # A figure and its interval stay together.
        if units and heads and "interval" in heads[place]:
            units[-1].append(place)
        else:
            units.append([place])
    parts = [lead]
    for unit in units:
        taken = [*parts[-1], *unit]
        if parts[-1] == lead or sum(widths[place] + 2 for place in taken) - 2 <= WIDTH:
            parts[-1] = taken
        else:
            parts.append([*lead, *unit])
    return parts


def _padded(line: tuple[str, ...], widths: list[int], left: int) -> list[str]:
    padded = [
        (cell, " " * (width - columns(cell))) for cell, width in zip(line, widths, strict=True)
    ]
    return [
        cell + space if place < left else space + cell for place, (cell, space) in enumerate(padded)
    ]


def _wrapped(paragraph: str) -> str:
    return textwrap.fill(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)
