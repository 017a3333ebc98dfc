"""The map of the notes: every line has what shows it, a lesson, and a test."""

import ast
import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from benchmarks.catalogue import CATALOGUE
from tests.conftest import ROOT
from tests.course.map_of_notes import DOCS, MAP, anchors, blocks, lines, links, page, prelude

LINES = lines()


def test_every_note_has_lines_and_every_line_has_what_shows_it():
    assert sorted({line.note for line in LINES}) == [f"Note {n}" for n in range(1, 6)]
    assert len(LINES) > 90
    for line in LINES:
        assert all(line), line
        assert line.command, line.shown
        assert line.expected or line.is_benchmark, line.shown
    shown = [(line.note, line.shown) for line in LINES]
    assert len(set(shown)) == len(shown)


def test_every_line_has_a_lesson_that_is_there():
    for line in LINES:
        (lesson,) = links(line.lesson)
        assert re.fullmatch(r"\d\d-[\w-]+\.md#.+", lesson), line


@pytest.mark.parametrize("target", sorted({*links(page())}))
def test_links_lead_to_pages_and_headings_that_are_there(target):
    path, _, anchor = target.partition("#")
    name = (MAP.parent / path).resolve() if path else MAP
    assert name.exists()
    if anchor:
        assert anchor in anchors(name)


def test_every_lesson_is_in_the_map():
    used = {links(line.lesson)[0].partition("#")[0] for line in LINES}
    assert used == {path.name for path in MAP.parent.glob("[0-9]*.md")}


@pytest.mark.parametrize("lesson", sorted(MAP.parent.glob("[0-9]*.md")), ids=lambda path: path.stem)
def test_a_lesson_has_three_exercises_whose_folded_solutions_are_computed(lesson):
    """Whether they are right, `cli/test_help_page.py` and the doctests of pages tell."""
    exercises = re.split(r"^### Exercise ", lesson.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert len(exercises) == 3
    for exercise in exercises:
        folded = re.findall(
            r"<details><summary>Solution</summary>\n(.*?)</details>", exercise, re.S
        )
        assert len(folded) == 1, exercise
        assert re.search(r"^(\$|>>>) .+\n(?!```)", folded[0], re.MULTILINE), exercise


def test_every_line_has_a_test_that_is_there():
    functions = {}
    for line in LINES:
        file, name = line.tested
        if file not in functions:
            tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
            functions[file] = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
        assert name in functions[file], line


def test_claims_are_measured_by_benchmarks_that_are_there():
    measured = [line for line in LINES if line.is_benchmark]
    assert len(measured) >= 16
    for line in measured:
        name = line.command.removeprefix("python -m benchmarks ")
        assert name in CATALOGUE, line
        if name.startswith("claims."):
            assert any(link.startswith("../claims.md#") for link in links(line.by)), line
    claims = {name for name in CATALOGUE if name.startswith("claims.")} - {"claims.verdicts"}
    assert claims == {line.command.split()[-1] for line in measured if "claims." in line.command}


def test_whatever_notes_get_wrong_is_in_the_map():
    corrected = {link for link in links(page()) if link.startswith("../textbooks.md#")}
    said = anchors(DOCS / "textbooks.md") - {"where-notes-and-textbooks-differ"}
    assert corrected == {f"../textbooks.md#{anchor}" for anchor in said}
    text = (DOCS / "textbooks.md").read_text("utf-8")
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        assert re.search(r"\b[Nn]otes? \d|No note", part), part


def test_every_command_shows_what_its_line_says(run):
    for command in prelude():
        run(*shlex.split(command)[1:])
    names = {}
    for example in doctest.DocTestParser().get_examples(blocks("python")[0]):
        exec(example.source, names)
    printed, failed = {}, []
    for line in LINES:
        if line.is_benchmark:
            continue
        if line.command not in printed:
            try:
                printed[line.command] = shown(line, run, names)
            except Exception as error:  # its words are no result, even if they are those expected
                failed.append(f"{line.command}\nfails: {error}")
                printed[line.command] = None
        output = printed[line.command]
        if output is not None and (missing := [x for x in line.expected if x not in output]):
            failed.append(f"{line.command}\nhas no {missing}:\n{output}")
    assert not failed, "\n\n".join(failed)


def shown(line, run, names):
    """What a command prints or draws, or Python at its prompt."""
    if not line.is_python:
        words = shlex.split(line.command)[1:]
        pictures = [word for word in words if word.endswith(".svg")]
        return "".join([*run(*words), *(Path(each).read_text("utf-8") for each in pictures)])
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        value = eval(line.command, names)
    return printed.getvalue() + ("" if value is None else repr(value))
