"""Blocks in a notebook, and a page that is one file."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from likely.render.blocks import Block, markup
from likely.render.explorer import MOST_STOPS
from likely.render.markup import escaped, sentence


@dataclass(frozen=True)
class Section:
    """A part of a page; its name is its address within the page."""

    name: str
    title: str
    blocks: Sequence[Block]


def html(blocks: Iterable[Block]) -> str:
    """The blocks for a notebook."""
    return f'<div class="likely"><style>{_style()}</style>{markup(blocks)}</div>'


def document(
    title: str, lead: str, opening: Sequence[Block], sections: Sequence[Section], closing: str
) -> str:
    """A whole page that loads nothing and runs nothing: a policy within it forbids both.

    The lead is the sentence under the title; the opening stands before the list of sections.
    """
    style = _style()
    known = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{known}'; base-uri 'none'; form-action 'none'"
    links = "".join(
        f'<li><a href="#{section.name}">{escaped(section.title)}</a></li>' for section in sections
    )
    parts = "".join(
        f'<section id="{section.name}" aria-labeledby="{section.name}-title">'
        f'<h2 id="{section.name}-title">{escaped(section.title)}</h2>'
        f"{markup(section.blocks)}</section>"
        for section in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escaped(title)}</title><style>{style}</style></head>"
        '<body class="likely page"><a class="skip" href="#main">To the content</a>'
        f'<header><h1 dir="auto">{escaped(title)}</h1><p class="lead">{sentence(lead)}</p>'
        f'{markup(opening)}</header><nav aria-label="Sections"><ol>{links}</ol></nav>'
        f'<main id="main">{parts}</main><footer><p>{sentence(closing)}</p></footer></body></html>\n'
    )


@cache
def _style() -> str:
    sheet = (files("likely.render") / "style.css").read_text("utf-8")
    stops = range(MOST_STOPS)
    shown = ",".join(f".likely .stop{place}:checked~.panel{place}" for place in stops)
    return f"{sheet.strip()}\n{shown}{{display:block}}"
