"""The map of the notes, read from its page: what is shown, by what, and where."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

DOCS = ROOT / "docs"
MAP = DOCS / "course" / "index.md"


class Line(NamedTuple):
    """A line of the map: a table's row, cell by cell."""

    note: str
    shown: str
    by: str
    lesson: str
    test: str

    @property
    def command(self) -> str:
        """What is typed: a command, or Python."""
        return next(iter(code(self.by)), "")

    @property
    def expected(self) -> list[str]:
        """What to look for in its output."""
        return code(self.by.partition("→")[2])

    @property
    def tested(self) -> tuple[str, str]:
        """The file of its test, and the name of the function."""
        file, _, words = self.test.partition("`: ")
        return file.removeprefix("`"), "test_" + words.replace(" ", "_")

    @property
    def is_benchmark(self) -> bool:
        return self.command.startswith("python -m benchmarks ")

    @property
    def is_python(self) -> bool:
        return not self.command.startswith(("likely ", "python "))


@cache
def page() -> str:
    return MAP.read_text("utf-8")


def code(cell: str) -> list[str]:
    """The code in a cell of a table, where `|` is written with a backslash."""
    return [each.replace(r"\|", "|") for each in re.findall(r"`([^`]+)`", cell)]


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def prelude() -> list[str]:
    """The commands to run before any other."""
    return blocks("sh")[-1].splitlines()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page(), re.MULTILINE | re.DOTALL)


def lines() -> list[Line]:
    """Every line of every note; cells are split at bars that are not escaped."""
    found = []
    for part in re.split(r"^### (?=Note \d)", page(), flags=re.MULTILINE)[1:]:
        note = part.partition("\n")[0]
        for row in re.findall(r"^\| (.*) \|$", part, re.MULTILINE):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)]
            if set(row) - set("-| ") and cells[0] != "what the note shows":
                assert len(cells) == 4, row
                found.append(Line(note, *cells))
    return found


@cache
def anchors(path: Path) -> frozenset[str]:
    """The anchors of a page, which its headings get when it becomes a site."""
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#{1,3} (.+)$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings)
