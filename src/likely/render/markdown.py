"""Blocks as Markdown: what a repository shows beside a model."""

import re
from collections.abc import Sequence

from likely.render.blocks import Bar, Block, Cards, Caution, Code, Name, Subsection, Table, Tiles
from likely.render.document import Section

_SPECIAL = re.compile(r"([\\*_<>|\[\]#])")
_NAMED = re.compile("(`[^`]*`)")


def markdown(title: str, lead: str, sections: Sequence[Section], closing: str) -> str:
    """A whole document."""
    parts = [f"# {_sentence(title)}", _sentence(lead)]
    for section in sections:
        parts += [f"## {_sentence(section.title)}", *map(_block, section.blocks)]
    return "\n\n".join([*parts, "---", _sentence(closing)]) + "\n"


def _block(block: Block) -> str:
    match block:
        case str():
            return _sentence(block)
        case Table():
            return _table(block)
        case Tiles():
            return _table(Table(("", "", ""), block.figures))
        case Caution():
            return f"> **Warning:** {_sentence(block.sentence)}"
        case Code():
            return "\n".join(["```sh", *block.lines, "```"])
        case Subsection():
            return "\n\n".join([f"### {_sentence(block.heading)}", *map(_block, block.blocks)])
        case Cards():
            return "\n".join(
                f"- {_sentence(about)}: {_sentence(words)}" for about, words in block.cards
            )
        case _:
            return f"```text\n{block.text()}\n```"


def _table(table: Table) -> str:
    """A table, without its bars, which say what a number beside them says."""
    drawn = {at for row in table.rows for at, cell in enumerate(row) if isinstance(cell, Bar)}
    width = len(table.rows[0]) if table.rows else len(table.header)
    places = [at for at in range(width) if at not in drawn]
    header = table.header or ("",) * width
    lines = [
        [_sentence(header[at]) for at in places],
        [":--" if at < table.left else "--:" for at in places],
        *([_cell(row[at]) for at in places] for row in table.rows),
    ]
    shown = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{shown}\n\n{_sentence(table.caption)}" if table.caption else shown


def _cell(cell: object) -> str:
    return _sentence(str(cell.label) if isinstance(cell, Name) else str(cell))


def _sentence(text: str) -> str:
    """A text on one line in which nothing is markup but what stands in backticks."""
    pieces = _NAMED.split(" ".join(text.split()))
    return "".join(p if p.startswith("`") else _SPECIAL.sub(r"\\\1", p) for p in pieces)
