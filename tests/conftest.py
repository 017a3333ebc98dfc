import os
from pathlib import Path

import pytest
from hypothesis import settings

# Drawn anew on every run, except in CI: there a failure must be of the change, not of the draw.
settings.register_profile("likely", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("likely")

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
