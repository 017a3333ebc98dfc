"""The formulas of the course on one page that works by double-click.

The page is one file: its parts lie beside this module, a tab in two files (`reviews.html`,
`reviews.js`), and its data is that of `likely example`. `fractions.js` and `textbook.js` compute,
as `likely.textbook` does; the tests compare the two.
"""

import base64
import csv
import hashlib
import json
from importlib.resources import files
from string import Template
from urllib.parse import quote

from likely import examples

_TABS = {
    "reviews": "Reviews",
    "tennis": "Tennis",
    "gaussians": "Gaussians",
    "em": "EM",
    "confusion": "Confusion",
    "independence": "Independence",
}
_SCRIPTS = ("fractions", "textbook", "page", "computation", "plot", "regions", *_TABS, "tabs")
_TABLES = ("reviews", "tennis", "heights", "two-gaussians", "urgent", "children")

# Two bell curves.
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-width="3">'
    '<path stroke="#0072b2" d="M1 27c9 0 5-22 11-22s2 22 11 22"/>'
    '<path stroke="#d55e00" d="M9 27c9 0 5-15 11-15s2 15 11 15"/></svg>'
)
_TAB = (
    '<button type="button" role="tab" id="tab-{0}" aria-controls="panel-{0}" aria-selected="false"'
    ' tabindex="-1">{1}</button>'
)
_PANEL = '<div role="tabpanel" id="panel-{0}" aria-labelledby="tab-{0}" hidden>\n{1}</div>'


def page() -> str:
    """The page: HTML that loads nothing, with a script that a policy within it names by its hash.

    >>> page()[:15], [word for word in (" src=", "@import", "fetch(") if word in page()]
    ('<!DOCTYPE html>', [])
    """
    style = _part("style.css")
    script = '"use strict";\n\n' + "\n".join(_part(f"{name}.js") for name in _SCRIPTS)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return Template(_part("page.html")).substitute(
        policy=policy,
        icon=f"data:image/svg+xml,{quote(_ICON)}",
        style=style,
        tabs="\n".join(_TAB.format(name, title) for name, title in _TABS.items()),
        panels="\n".join(_PANEL.format(name, _part(f"{name}.html")) for name in _TABS),
        data=_data(),
        script=script,
    )


def _part(name: str) -> str:
    return (files("likely.play") / name).read_text("utf-8")


def _data() -> str:
    """The example tables; `<` is escaped, so that nothing in them ends the script they are in."""
    tables = {}
    for name in _TABLES:
        lines = examples.path(f"{name}.csv").read_text("utf-8").splitlines()
        tables[name] = list(csv.DictReader(lines))
    return json.dumps(tables, ensure_ascii=False).replace("<", "\\u003c")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
