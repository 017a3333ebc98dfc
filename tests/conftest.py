import os
from pathlib import Path

import pytest
from hypothesis import settings

# Drawn anew on every run, except in CI: there a failure must be of the change, not of the draw.
settings.register_profile("likely", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("likely")


def pytest_terminal_summary(terminalreporter, config):
    """Say in which order the tests ran, also where `-q` hides the header."""
    seed = config.getoption("randomly_seed", None)
    if seed is not None:
        terminalreporter.write_line(f"`--randomly-seed={seed}` runs the tests in this order again")


ROOT = Path(__file__).parent.parent


@pytest.fixture
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture
def public_data() -> Path:
    """Real datasets, which are no part of the project."""
    if not (named := os.environ.get("LIKELY_DATA")):
        pytest.skip("LIKELY_DATA names no folder with datasets")
    folder = Path(named)
    if not folder.is_dir():
        pytest.skip(f"LIKELY_DATA is {folder}, which is no folder")
    return folder
