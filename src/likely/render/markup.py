"""Text in HTML: whatever it holds, it stays text.

A string is text and a `Markup` is HTML; `Markup("<b>{}</b>").format(…)` and `join` escape whatever
is not `Markup`, so no caller has to remember to.
"""

import math
import re
from collections.abc import Iterable

from markupsafe import Markup, escape

# What no page can hold, and what would reverse the direction of the words around it.
_UNWRITABLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_NAMED = re.compile("`([^`]+)`")
# No line should begin with a percent sign.
_PERCENT = re.compile(r"(?<=\d) %")
_SHADES = 3
# A contribution below this share of the largest is not highlighted.
_LEAST_SHARE = 0.1


def joined(parts: Iterable[str]) -> Markup:
    return Markup().join(parts)


def writable(page: str) -> str:
    """A finished page or picture; characters that HTML and SVG cannot hold become �."""
    return _UNWRITABLE.sub("�", page)


def sentence(text: str) -> Markup:
    """A sentence; what stands in backticks is a name, which may be written right to left."""
    kept = _PERCENT.sub("\N{NO-BREAK SPACE}%", escape(text))
    return Markup(_NAMED.sub(r'<code dir="auto">\1</code>', kept))


def highlighted(pieces: Iterable[tuple[str, float]], largest: float) -> Markup:
    """A text in pieces, each shaded by its contribution; negative ones are underlined too.

    >>> print(highlighted([("so", 0.0), (" ", 0.0), ("good", 2.0), ("<b>", -0.3)], 2.0))
    so <mark class="for3">good</mark><mark class="against1">&lt;b&gt;</mark>
    """
    parts = []
    for piece, contribution in pieces:
        share = min(abs(contribution) / largest, 1.0) if largest else 0.0
        shade = math.ceil(share * _SHADES) if share >= _LEAST_SHARE else 0
        side = "for" if contribution > 0 else "against"
        mark = Markup('<mark class="{}{}">{}</mark>').format(side, shade, piece)
        parts.append(mark if shade else piece)
    return joined(parts)
