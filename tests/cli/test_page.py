"""The page about the command line shows what the commands print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def transcripts(page):
    """Commands and what they print, in order."""
    for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            yield command, expected


@pytest.mark.skipif(sys.platform == "win32", reason="the page is for a shell")
def test_the_page_shows_what_happens(root, tmp_path):
    found = list(transcripts((root / "docs" / "command-line.md").read_text("utf-8")))
    (command, reviews), *rest = found
    assert command == "cat reviews.csv"
    (tmp_path / "reviews.csv").write_text(reviews, "utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1", "COLUMNS": "80"}
    for command, expected in rest:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, env=environment
        )
        assert done.stdout.decode() + done.stderr.decode() == expected, command
