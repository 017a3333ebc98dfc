"""Blocks in a notebook, and a page that is one file."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from likely.render.blocks import Block, markup
from likely.render.explorer import MOST_CHOICES
from likely.render.markup import joined, sentence, writable

_PAGE = Markup(
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="{policy}">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="referrer" content="no-referrer">'
    '<meta name="color-scheme" content="light dark">'
    "<title>{title}</title><style>{style}</style></head>"
    '<body class="likely page"><a class="skip" href="#main">Skip to the content</a>'
    '<header><h1 dir="auto">{title}</h1><p class="lead">{lead}</p>{opening}</header>'
    '<nav aria-label="Sections"><ol>{links}</ol></nav>'
    '<main id="main">{sections}</main><footer><p>{closing}</p></footer></body></html>\n'
)
_LINK = Markup('<li><a href="#{0.name}">{0.title}</a></li>')
_SECTION = Markup(
    '<section id="{0.name}" aria-labelledby="{0.name}-title">'
    '<h2 id="{0.name}-title">{0.title}</h2>{1}</section>'
)


@dataclass(frozen=True)
class Section:
    """A section of a page; its name is its address within the page."""

    name: str
    title: str
    blocks: Sequence[Block]


def html(blocks: Iterable[Block]) -> str:
    """The blocks for a notebook."""
    return writable(f'<div class="likely"><style>{_style()}</style>{markup(blocks)}</div>')


def document(
    title: str, lead: str, opening: Sequence[Block], sections: Sequence[Section], closing: str
) -> str:
    """A whole page that loads nothing and runs nothing: a policy within it forbids both.

    The lead is the sentence under the title; the opening stands before the list of sections.
    """
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return writable(
        _PAGE.format(
            policy=Markup(
                f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
                "form-action 'none'"
            ),
            title=title,
            style=Markup(style),
            lead=sentence(lead),
            opening=markup(opening),
            links=joined(map(_LINK.format, sections)),
            sections=joined(_SECTION.format(one, markup(one.blocks)) for one in sections),
            closing=sentence(closing),
        )
    )


@cache
def _style() -> str:
    sheet = (files("likely.render") / "style.css").read_text("utf-8")
    shown = ",".join(
        f".likely .choice{place}:checked~.panel{place}" for place in range(MOST_CHOICES)
    )
    return f"{sheet.strip()}\n{shown}{{display:block}}"
