"""Lessons as notebooks: valid, whole, and with the results of their pages."""

import copy
import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys

import nbclient
import nbformat
import pytest

from tests.conftest import ROOT
from tests.course.map_of_notes import MAP

LESSONS = sorted(path.stem for path in MAP.parent.glob("[0-9]*.md"))

# A process for each command takes its time: `LIKELY_NOTEBOOKS=all` runs all lessons.
RUN = LESSONS if os.environ.get("LIKELY_NOTEBOOKS") == "all" else ["08-language-model"]

PAGE = """\
# 1. A lesson

See [the next](02-next.md#here), [a page](../page.md) and [a site](https://example.org).

![A dot](dot.svg)

```console
$ cat birds.csv
wing,bird
38,gull
$ likely example reviews > said.txt 2>&1
$ cat reviews.csv
text,label
just plain boring,neg
entirely predictable and lacks energy,neg
no surprises and very few laughs,neg
very powerful,pos
the most fun film of the summer,pos
$ likely nonsense
likely: `nonsense` is not a command
hint: `likely` alone lists the commands
$ for n in 1 2; do \\
    echo "$n" '{"wing": 38}' $(($n + 1)); done
1 {"wing": 38} 2
2 {"wing": 38} 3
```

```python
>>> wings = [38, 44]
>>> sum(wings)
82
>>> for wing in wings:
...     print(wing)  # doctest: +ELLIPSIS
38
44

```

## Exercises

### Exercise 1.1

How many?

<details><summary>Solution</summary>

Count them.

```python
>>> len(wings)
2

```

That is all.

</details>
"""


needs_shell = pytest.mark.skipif(shutil.which("bash") is None, reason="the lessons are for a shell")


@pytest.fixture(scope="module")
def notebooks():
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(notebooks, name):
    page = (MAP.parent / f"{name}.md").read_text("utf-8")
    return nbformat.from_dict(notebooks.notebook(page, name, MAP.parent))


def printed(cell):
    """All that a cell of code has printed, or shown as its value."""
    parts = [each.get("text") or each["data"]["text/plain"] for each in cell.outputs]
    return "".join(parts).replace("\r\n", "\n").rstrip("\n") + "\n"


@pytest.fixture
def example(notebooks, tmp_path):
    (tmp_path / "dot.svg").write_text("<svg/>", "utf-8")
    found = nbformat.from_dict(notebooks.notebook(PAGE, "01-page", tmp_path))
    nbformat.validate(found)
    return found


def test_prose_stays_and_code_becomes_cells(example):
    kinds = [(cell.cell_type, cell.source) for cell in example.cells]
    assert [source for kind, source in kinds if kind == "code"][1:] == [
        "%%writefile birds.csv\nwing,bird\n38,gull",
        "!likely example reviews > said.txt 2>&1",
        "!cat reviews.csv",
        "!likely nonsense",
        """%%bash\nfor n in 1 2; do \\\n    echo "$n" '{"wing": 38}' $(($n + 1)); done""",
        "wings = [38, 44]\nsum(wings)",
        "for wing in wings:\n    print(wing)",
        "# Your answer",
        "len(wings)",
    ]
    assert [source for kind, source in kinds if kind == "markdown"][1:] == [
        "## Exercises",
        "### Exercise 1.1\n\nHow many?",
        "<details><summary>Solution</summary>\n\nCount them.\n\n</details>",
        "<details><summary>Solution, continued</summary>\n\nThat is all.\n\n</details>",
    ]


def test_links_lead_to_notebooks_or_to_sites(example):
    assert "[the next](02-next.ipynb), a page and [a site](https://example.org)" in (
        example.cells[0].source
    )


def test_pictures_are_inside(example):
    assert "![A dot](attachment:dot.svg)" in example.cells[0].source
    assert example.cells[0].attachments == {"dot.svg": {"image/svg+xml": "PHN2Zy8+"}}


def test_solutions_are_hidden_until_one_looks(example):
    hidden = [cell.source for cell in example.cells if "solution" in cell.metadata.get("tags", [])]
    assert hidden == ["len(wings)"]


def test_results_are_those_of_the_page(example):
    shown = [printed(cell) for cell in example.cells if cell.cell_type == "code" and cell.outputs]
    assert shown[-4:] == ["""1 {"wing": 38} 2\n2 {"wing": 38} 3\n""", "82\n", "38\n44\n", "2\n"]


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_becomes_a_valid_notebook(notebooks, name):
    found = made(notebooks, name)
    nbformat.validate(found)
    prose = "\n".join(cell.source for cell in found.cells if cell.cell_type == "markdown")
    assert not re.search(r"^```(console|python\n>>>)", prose, re.MULTILINE)
    assert not re.search(r"\]\([^)]*\.md", prose)
    page = (MAP.parent / f"{name}.md").read_text("utf-8")
    assert prose.startswith(page.partition("\n")[0])
    assert len(re.findall(r"^### Exercise", prose, re.MULTILINE)) == 3
    assert len(re.findall(r"<summary>Solution</summary>|\*\*Solution:\*\*", prose)) == 3
    assert sum(cell.source == "# Your answer" for cell in found.cells) == 3
    code = [cell for cell in found.cells if cell.cell_type == "code"]
    commands = len(re.findall(r"^\$ ", page, re.MULTILINE))
    assert sum(cell.source.startswith(("!", "%%")) for cell in code) == commands
    assert any("solution" in cell.metadata.get("tags", []) for cell in code)


def test_one_command_writes_all_of_them(tmp_path):
    command = [sys.executable, str(ROOT / "docs" / "notebooks.py"), str(tmp_path / "new")]
    subprocess.run(command, check=True)
    assert sorted(path.stem for path in (tmp_path / "new").iterdir()) == LESSONS
    refused = subprocess.run(command[:2], capture_output=True, text=True)
    assert refused.returncode == 1
    assert "usage: python docs/notebooks.py FOLDER" in refused.stderr


@needs_shell
def test_a_notebook_gives_the_results_of_its_page(example):
    assert_runs_as_written(example)


@needs_shell
@pytest.mark.parametrize("name", RUN)
def test_a_lesson_gives_the_results_of_its_page(notebooks, name):
    assert_runs_as_written(made(notebooks, name))


def assert_runs_as_written(page):
    run = copy.deepcopy(page)
    nbclient.NotebookClient(run, timeout=120).execute()
    checker = doctest.OutputChecker()
    for written, cell in zip(page.cells, run.cells, strict=True):
        if written.cell_type == "code":
            expected, got = printed(written), printed(cell)
            same = checker.check_output(expected, got, doctest.ELLIPSIS)
            # A terminal shows messages as they come, in lines of its width; a page shows them last.
            assert same or sorted(got.split()) == sorted(expected.split()), (
                f"{written.source}\nshould print\n{expected}\nand prints\n{got}"
            )
