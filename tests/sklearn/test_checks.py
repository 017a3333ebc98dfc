"""Every estimator passes all checks that scikit-learn has for it; none is skipped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import likely.sklearn

FEWEST = {"LinearDiscriminantAnalysis": 75}


@pytest.fixture(scope="module")
def results():
    script = Path(__file__).with_name("checks.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    print(done.stderr)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", [n for n in likely.sklearn.__all__ if n != "TextVectorizer"])
def test_all_checks_pass_and_none_is_skipped(results, name):
    found = results[name]
    assert [result for result in found if result["status"] != "passed"] == []
    assert len(found) >= FEWEST.get(name, 55)
