"""The commands that `likely prove` prints can be pasted: each runs, and its last one says yes."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from likely.examples import EXAMPLES
from likely.prove import GUARANTEES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a shell")


def shell(commands, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
    # Indented, as it is printed.
    pasted = "".join(f"    {line}\n" for line in commands.splitlines())
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", pasted],
        cwd=folder, capture_output=True, env=environment, encoding="utf-8",
    )  # fmt: skip


def test_all_of_them_run_in_one_folder_in_this_order(tmp_path):
    said = {}
    for one in GUARANTEES:
        done = shell(one.shell, tmp_path)
        assert done.returncode == 0, f"{one.name}\n{done.stdout}{done.stderr}"
        said[one.name] = done.stdout, done.stderr
    digests = [line.split()[0] for line in said["one-sha256"][0].splitlines()[-4:]]
    assert len(digests[0]) == 64
    assert len(set(digests)) == 1
    pairs = [line.split() for line in said["leave-one-out"][0].splitlines()[-5:]]
    assert all(left == right for left, right in pairs)
    assert "3/49130" in said["by-hand"][0].splitlines()[-1]
    assert "damaged.likely" in said["damage"][1].splitlines()[-1]
    assert (
        "was never learned" in said["never-learned"][1] or "not among" in said["never-learned"][1]
    )


def test_none_needs_what_another_has_written():
    """Beyond the examples, which each of them writes for itself."""
    made = [
        set(re.findall(r"[\w$]+\.(?:csv|json|likely|txt)", one.shell))
        - {file for name in re.findall("likely example (.*)", one.shell)
           for file in EXAMPLES[name].files}
        for one in GUARANTEES
    ]  # fmt: skip
    assert all(made)
    for some, others in itertools.combinations(made, 2):
        assert not some & others
