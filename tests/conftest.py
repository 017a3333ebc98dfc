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
    if "LIKELY_DATA" not in os.environ:
        pytest.skip("LIKELY_DATA names no folder with datasets")
    folder = Path(os.environ["LIKELY_DATA"])
    if not folder.is_dir():
        pytest.skip(f"LIKELY_DATA is {folder}, which is no folder")
    return folder
