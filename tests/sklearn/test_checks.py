"""Every estimator passes all checks that scikit-learn has for it; none is skipped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import likely.sklearn

CLASSIFIERS = [name for name in likely.sklearn.__all__ if name != "TextVectorizer"]


@pytest.fixture(scope="module")
def results():
    script = Path(__file__).with_name("checks.py")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    print(done.stderr)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_all_checks_pass_and_none_is_skipped(results, name):
    found = results[f"{name}()"]
    assert [result for result in found if result["status"] != "passed"] == []
    assert len(found) >= 60


def test_they_pass_with_other_options_too(results):
    assert len(results) > len(CLASSIFIERS)
    for name, found in results.items():
        assert (name, [result for result in found if result["status"] != "passed"]) == (name, [])
