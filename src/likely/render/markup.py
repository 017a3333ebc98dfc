"""Text in HTML: whatever it holds, it stays text."""

import html
import math
import re
from collections.abc import Iterable

# What no page can hold, and what would turn the direction of the words around it.
_UNWRITABLE = re.compile(
    "[^\x20-\x7e\xa0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_NAMED = re.compile("`([^`]+)`")
# A sign of its own that no line should begin with.
_PERCENT = re.compile(r"(?<=\d) %")
_LOUDEST = 3
# What says less than this share of the loudest goes without a mark.
_AUDIBLE = 0.1


class Markup(str):
    """A text that is HTML already, made here of parts that were escaped."""


def escaped(value: object) -> str:
    """Any value as text on one line that HTML and SVG can hold; what they cannot becomes �.

    >>> escaped("<b>\\n1 & 2")
    '&lt;b&gt; 1 &amp; 2'
    """
    if isinstance(value, Markup):
        return value
    return html.escape(_UNWRITABLE.sub("�", " ".join(str(value).split())))


def sentence(text: str) -> str:
    """A sentence; what stands in backticks is a name, which may be written right to left."""
    kept = _PERCENT.sub("\N{NO-BREAK SPACE}%", escaped(text))
    return _NAMED.sub(r'<code dir="auto">\1</code>', kept)


def highlighted(pieces: Iterable[tuple[str, float]], loudest: float) -> Markup:
    """A text in pieces, each with what it says: the louder the stronger, against it underlined.

    >>> highlighted([("so", 0.0), (" ", 0.0), ("good", 2.0), ("<b>", -0.3)], 2.0)
    'so <mark class="for3">good</mark><mark class="against1">&lt;b&gt;</mark>'
    """
    parts = []
    for piece, said in pieces:
        # White space is kept here, where words follow words.
        shown = html.escape(_UNWRITABLE.sub("�", re.sub(r"\s+", " ", piece)))
        share = min(abs(said) / loudest, 1.0) if loudest else 0.0
        loud = math.ceil(share * _LOUDEST) if share >= _AUDIBLE else 0
        side = "for" if said > 0 else "against"
        parts.append(f'<mark class="{side}{loud}">{shown}</mark>' if loud else shown)
    return Markup("".join(parts))
