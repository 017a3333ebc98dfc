"""Spark Connect, where there is neither an RDD nor a SparkContext."""

import importlib.util

import numpy as np
import pytest

from tests.spark.tables import CASES, digest
from tests.spark.test_cluster import driven

NAMES = ["default", "plain", "gaussian", "mixed", "multi-label"]

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("grpc") is None, reason="Spark Connect needs grpcio"
)


def test_spark_connect_makes_the_same_files():
    asked = {
        "remote": "local[2]",
        "config": {"spark.connect.grpc.binding.port": "0"},
        "fits": [[name, 7] for name in NAMES],
        "used": ["mixed"],
    }
    *fits, (_, used) = driven(asked)
    assert fits == [[name, digest(CASES[name].local())] for name in NAMES]
    local = CASES["mixed"].local()
    assert used["digest"] == used["again"] == digest(local)
    rows = CASES["mixed"].rows()
    cells = list(zip(rows["text"], rows["size"], rows["kind"], strict=True))
    order = sorted(range(len(cells)), key=lambda n: _nulls_first(cells[n]))
    given = {n: [rows[n][row] for row in order] for n in ("text", "size", "kind")}
    assert np.allclose(used["probability"], local.predict_proba(given), rtol=0, atol=1e-12)
    assert used["prediction"] == local.predict(given).tolist()
    assert used["why"][0] == len(local.explain({n: c[0] for n, c in given.items()}).contributions)


def _nulls_first(row):
    return [(cell is not None, cell) for cell in row]
