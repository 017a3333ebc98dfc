"""How the pages in this folder become a site: `just docs`."""

import re
import subprocess
import sys
from pathlib import Path

import likely
from likely.cli import COMMANDS

sys.path.append(str(Path(__file__).parent))
import notebooks

project = "Likely"
author = "The Likely authors"
version = release = likely.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True

# Lessons become notebooks when the site is built.
NOTEBOOKS = ("course", "notebooks")

# The page to play with is whole, and not made from anything here.
html_extra_path = ["play.html"]

html_theme = "furo"
html_title = "Likely"
html_static_path = ["static"]
html_css_files = ["site.css"]
# Eighty columns of code fit beside the two side bars.
_code = {"code-font-size": "0.78rem"}
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": _code,
    "dark_css_variables": _code,
}
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False


def setup(app):
    """Write the page of commands from what they say of themselves, and lessons as notebooks."""
    app.connect("builder-inited", lambda app: _commands(Path(app.srcdir)))
    app.connect("builder-inited", lambda app: notebooks.write_all(Path(app.srcdir, *NOTEBOOKS)))
    app.connect("source-read", _with_notebook)
    app.connect("source-read", _beside_play)
    app.connect("source-read", _unlisted)
    app.connect("source-read", _closed)
    app.connect("autodoc-process-docstring", _from_markdown)


def _commands(folder):
    pages = [
        "# Commands\n\nWhat `likely COMMAND --help` prints; "
        "[the command line](command-line.md) walks through them.\n"
    ]
    for name in COMMANDS:
        done = subprocess.run(
            [sys.executable, "-m", "likely", name, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        pages.append(f"## likely {name}\n\n```text\n{done.stdout.rstrip()}\n```\n")
    (folder / "commands.md").write_text("\n".join(pages), "utf-8")


def _with_notebook(app, page, source):
    """Each lesson offers its notebook, below its title."""
    folder, _, name = page.rpartition("/")
    if folder == "course" and name[0].isdigit():
        title, _, rest = source[0].partition("\n")
        line = f"{{download}}`This lesson as a notebook <{NOTEBOOKS[-1]}/{name}.ipynb>`"
        source[0] = f"{title}\n\n{line}\n{rest}"


def _beside_play(app, page, source):
    """Links into the page to play with are links, where MyST would offer a copy to download."""
    links = re.compile(r"\[([^][]+)\]\(((?:\.\./)?play\.html(?:#[\w-]+)?)\)")
    source[0] = links.sub(r'<a href="\2">\1</a>', source[0])


def _unlisted(app, page, source):
    """Decisions are many; their own list names them, the side bar need not."""
    if page.startswith("decisions/0"):
        source[0] = f"---\norphan: true\n---\n\n{source[0]}"


def _closed(app, page, source):
    """A doctest ends in an empty line, which nobody needs to see."""
    ends = re.compile(r"(^```python\n.*?\n)\n```$", re.MULTILINE | re.DOTALL)
    source[0] = ends.sub(r"\1```", source[0])


def _from_markdown(app, what, name, obj, options, lines):
    """Docstrings mark code and formulas as Markdown does; Sphinx reads them otherwise."""
    found = []
    for line in lines:
        if line.startswith("    ") and found and not found[-1]:
            found += ["::", ""]
        found.append(re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line))
    lines[:] = found
