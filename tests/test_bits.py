"""The same rows give the same bits on every processor, whichever instructions NumPy finds there."""

import json
import os
import platform
import subprocess
import sys

import pytest

from .bits import bits, features
from .conftest import ROOT


def elsewhere(**variables):
    """What a process of its own prints, in which some variables are set."""
    done = subprocess.run(
        [sys.executable, ROOT / "tests/bits.py"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def here():
    return bits()


def test_another_process_gives_the_same_bits(here):
    assert elsewhere(PYTHONHASHSEED="7")["bits"] == here


def test_a_processor_without_vector_instructions_gives_the_same_bits(here):
    if not features():
        pytest.skip("NumPy finds nothing here that it could do without")
    found = elsewhere(NPY_DISABLE_CPU_FEATURES=" ".join(features()))
    assert found["features"] == []
    assert found["bits"] == here


@pytest.mark.parametrize("core", ["Prescott", "Sandybridge", "Haswell"])
def test_an_older_processor_gives_the_same_bits(here, core):
    """OpenBLAS, which multiplies NumPy's matrices, has other loops for each."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("these are processors of another family")
    assert elsewhere(OPENBLAS_CORETYPE=core)["bits"] == here
