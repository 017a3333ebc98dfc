"""Pages find in their folder the examples that they tell their readers to write there."""

import re
import shutil

import pytest

from likely.examples import EXAMPLES, path

_COMMAND = re.compile(r"likely example ([a-z -]+)")


@pytest.fixture(autouse=True)
def _bundled_examples(request, tmp_path_factory, monkeypatch):
    """Examples of Python run in a folder with the files that `likely example` has written."""
    if not isinstance(request.node, pytest.DoctestItem) or request.node.path.suffix != ".md":
        return
    folder = tmp_path_factory.mktemp("page")
    named = _COMMAND.findall(request.node.path.read_text(encoding="utf-8"))
    for name in {word for words in named for word in words.split()} & EXAMPLES.keys():
        for file in EXAMPLES[name].files:
            shutil.copy(path(file), folder)
    monkeypatch.chdir(folder)
