"""Pages show what their commands print."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = [
    path.relative_to(DOCS).with_suffix("").as_posix()
    for folder in (DOCS, DOCS / "course")
    for path in sorted(folder.glob("*.md"))
    if "```console" in path.read_text("utf-8")
]

# Pages whose commands read public datasets.
WITH_DATA = ("costs", "fairness", "tasks")


def transcripts(page):
    """Commands and what they print, in order."""
    for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            while command.endswith("\\"):
                more, _, expected = expected.partition("\n")
                command += "\n" + more
            yield command, expected


@pytest.mark.skipif(sys.platform == "win32", reason="the pages are for a shell")
@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_happens(page, tmp_path, request):
    """`cat` of a file that is not there yet shows what it holds."""
    if page in WITH_DATA:
        for folder in request.getfixturevalue("public_data").iterdir():
            (tmp_path / folder.name).symlink_to(folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1", "COLUMNS": "80"}
    for command, expected in transcripts((DOCS / f"{page}.md").read_text("utf-8")):
        shown = re.fullmatch(r"cat ([\w.]+)", command)
        if shown and not (tmp_path / shown[1]).exists():
            (tmp_path / shown[1]).write_text(expected, "utf-8")
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, env=environment
        )
        assert done.stdout.decode() + done.stderr.decode() == expected, command


def test_the_first_screen_of_the_readme_shows_what_happens(run, tmp_path):
    """All but the installation and the example; an ellipsis ends what is shown of each command."""
    readme = (ROOT / "README.md").read_text("utf-8")
    commands, shown = re.search(
        r"^```sh\n(.*?)^```\n\n```text\n(.*?)^```", readme, re.M | re.S
    ).groups()
    _, example, *commands = commands.splitlines()
    run(*shlex.split(example)[1:])
    for command, expected in zip(commands, shown.split("  …\n")[:-1], strict=True):
        out, _ = run(*shlex.split(command)[1:])
        assert out.strip().startswith(expected.strip())
    assert (tmp_path / "town.html").exists()
