import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("likely", deadline=None)
settings.load_profile("likely")

ROOT = Path(__file__).parent.parent


@pytest.fixture
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture
def public_data() -> Path:
    """Real datasets, which are no part of the project."""
    folder = Path(os.environ.get("LIKELY_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no datasets in {folder}; LIKELY_DATA names another folder")
    return folder
