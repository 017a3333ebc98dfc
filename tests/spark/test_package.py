"""What of Spark the package may use, so that Spark Connect and shared clusters run it."""

import re

import pytest

from tests.conftest import ROOT

FILES = sorted((ROOT / "src/likely/spark").glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_dataframes_are_used(path):
    used = re.compile(r"\.rdd\b|sparkContext|SparkContext\.|broadcast|_jvm|_jdf|_sc\b", re.I)
    code = "\n".join(line.partition("#")[0] for line in path.read_text().splitlines())
    assert not used.findall(code)


def test_these_files_are_looked_at():
    assert {"estimator.py", "partitions.py", "scoring.py"} <= {path.name for path in FILES}
