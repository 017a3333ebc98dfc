"""Lessons as Jupyter notebooks: `python docs/notebooks.py FOLDER` writes one for each.

A transcript becomes a cell for each command, and a doctest a cell for each result. The results are
those of the page, so a notebook can be read before it is run; the tests run them and compare.
"""

import base64
import doctest
import json
import mimetypes
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

COURSE = Path(__file__).parent / "course"
LESSONS = sorted(COURSE.glob("[0-9]*.md"))

SETUP = """\
# Commands run in a folder of their own, and print what the lesson shows.
import os, sysconfig, tempfile

os.chdir(tempfile.mkdtemp())
os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]
os.environ.update(SHELL="bash", NO_COLOR="1", COLUMNS="80", PYTHONUTF8="1")
%config PlainTextFormatter.pprint = False"""

Cell = dict[str, Any]


class Step(NamedTuple):
    """A command or some Python, and what it prints."""

    source: str
    printed: str


def notebook(page: str, name: str, folder: Path) -> Cell:
    """The notebook of a page in a folder, from which links to pictures lead."""
    cells: list[Cell] = []
    typed: list[str] = []  # the commands so far
    is_solution = had_solution = False
    for kind, text in _blocks(page):
        if kind == "details":
            is_solution, had_solution = bool(text), False
            if is_solution:
                cells.append(_code(Step("# Your answer\n", "")))
        elif kind == "prose":
            text = _without_far_links(text)
            if is_solution:
                summary = "Solution, continued" if had_solution else "Solution"
                text = f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"
                had_solution = True
            cells.append(_prose(text, folder))
            if len(cells) == 1:
                cells.append(_code(Step(SETUP, "")))
        else:
            if is_solution and not had_solution:
                cells.append(_prose("**Solution:** the hidden cell below.", folder))
                had_solution = True
            steps = _commands(text, typed) if kind == "console" else _examples(text)
            cells += [_code(step, is_solution) for step in steps]
    for place, cell in enumerate(cells):
        cell["id"] = f"{name}-{place}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def write_all(folder: Path) -> None:
    """Write the notebook of every lesson into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for lesson in LESSONS:
        found = notebook(lesson.read_text("utf-8"), lesson.stem, lesson.parent)
        text = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
        (folder / f"{lesson.stem}.ipynb").write_text(text, "utf-8")


def _blocks(page: str) -> Iterator[tuple[str, str]]:
    """What a page is made of: prose by its headings, transcripts, doctests, solutions."""
    parts = re.split(
        r"^(```(?:console|python)\n.*?^```\n|<details><summary>.*?</summary>\n|</details>\n)",
        page,
        flags=re.MULTILINE | re.DOTALL,
    )
    for part in parts:
        if part.startswith("```console"):
            yield "console", part.removeprefix("```console\n").removesuffix("```\n")
        elif part.startswith("```python\n>>>"):
            yield "python", part.removeprefix("```python\n").removesuffix("```\n")
        elif part.startswith(("<details>", "</details>")):
            yield "details", part.removeprefix("</details>\n")
        else:
            for section in re.split(r"^(?=##+ )", part, flags=re.MULTILINE):
                if section.strip():
                    yield "prose", section.strip("\n")


def _commands(block: str, typed: list[str]) -> Iterator[Step]:
    """The commands of a transcript; `cat` of a file that no command has written writes it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        while command.endswith("\\"):
            more, _, printed = printed.partition("\n")
            command += "\n" + more
        shown = re.fullmatch(r"cat ([\w.-]+)", command)
        if shown and not any(_writes(each, shown[1]) for each in typed):
            yield Step(f"%%writefile {shown[1]}\n{printed}", f"Writing {shown[1]}\n")
        else:
            yield Step(_typed(command), printed)
        typed.append(command)


def _writes(command: str, file: str) -> bool:
    """Whether a command leaves this file behind.

    >>> _writes("likely example reviews tennis", "tennis.csv"), _writes("cut a > b.csv", "a")
    (True, False)
    """
    name, stem = re.escape(file), re.escape(file.partition(".")[0])
    ways = rf"likely example( .*)? {stem}( |$)|(>|-o|--\w+) ?{name}\b|cat {name}$"
    return re.search(ways, command) is not None


def _typed(command: str) -> str:
    """The command as a notebook takes it; after `!`, `{a}` and `$a` would be values of Python.

    >>> _typed("likely top m.likely"), _typed("echo $HOME")
    ('!likely top m.likely', '%%bash\\necho $HOME')
    """
    return f"%%bash\n{command}" if re.search("[${}]", command) else f"!{command}"


def _examples(block: str) -> Iterator[Step]:
    """The examples of a doctest; those that print nothing go with the next.

    >>> list(_examples(">>> n = 2\\n>>> n + 1\\n3\\n"))
    [Step(source='n = 2\\nn + 1\\n', printed='3\\n')]
    """
    source = ""
    for example in doctest.DocTestParser().get_examples(block):
        source += re.sub(r"  # doctest: .*", "", example.source)
        if example.want:
            yield Step(source, example.want.replace("<BLANKLINE>\n", "\n"))
            source = ""
    if source:
        yield Step(source, "")


def _code(step: Step, is_solution: bool = False) -> Cell:
    output: Cell = {"output_type": "stream", "name": "stdout", "text": step.printed}
    if _is_value(step.source):
        data = {"text/plain": step.printed.removesuffix("\n")}
        output = {"output_type": "execute_result", "data": data, "metadata": {}}
        output["execution_count"] = None
    metadata: Cell = {}
    if is_solution:
        hidden = {"source_hidden": True, "outputs_hidden": True}
        metadata = {"jupyter": hidden, "tags": ["solution", "hide-cell"]}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "source": step.source.removesuffix("\n"),
        "outputs": [output] if step.printed else [],
    }


def _is_value(source: str) -> bool:
    """Whether what is shown is a value, and not printed.

    >>> _is_value("n = 2\\nn + 1"), _is_value("print(2)"), _is_value("!likely")
    (True, False, False)
    """
    last = source.rstrip("\n").rpartition("\n")[2]
    return not source.startswith(("!", "%%")) and not last.startswith(("print(", " "))


def _prose(text: str, folder: Path) -> Cell:
    """Prose, with its pictures inside."""
    cell: Cell = {"cell_type": "markdown", "metadata": {}, "source": text}
    for file in re.findall(r"!\[[^]]*]\(([^)]+)\)", text):
        kind = mimetypes.guess_type(file)[0] or "application/octet-stream"
        content = base64.b64encode((folder / file).read_bytes()).decode()
        place = Path(file).name
        cell.setdefault("attachments", {})[place] = {kind: content}
        cell["source"] = cell["source"].replace(f"]({file})", f"](attachment:{place})")
    return cell


def _without_far_links(text: str) -> str:
    """Links to lessons lead to their notebooks; other pages are not beside a notebook.

    >>> _without_far_links("See [EM](07-em.md#steps), [tuning](../tuning.md), [it](https://a.b).")
    'See [EM](07-em.ipynb), tuning, [it](https://a.b).'
    """
    text = re.sub(r"\]\((\d\d-[\w-]+)\.md(#[\w-]+)?\)", r"](\1.ipynb)", text)
    return re.sub(r"(?<!!)\[([^][]+)\]\((?!https?:|[\w-]+\.ipynb)[^)]+\)", r"\1", text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/notebooks.py FOLDER")
    write_all(Path(sys.argv[1]))
