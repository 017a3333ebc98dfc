"""Spark Connect, where there is neither an RDD nor a SparkContext."""

import importlib.util

import numpy as np
import pytest

from tests.spark.processes import Processes, driven
from tests.spark.session import CONFIG
from tests.spark.tables import CASES, digest
from tests.spark.test_cluster import NAMES

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("grpc") is None, reason="Spark Connect needs grpcio"
)


# What a session is given elsewhere, the server is given here.
SERVER = {
    **CONFIG,
    "spark.master": "local[2]",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.log.level": "INFO",
}


def test_spark_connect_makes_the_same_files(tmp_path):
    options = [part for pair in SERVER.items() for part in ("--conf", "=".join(pair))]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    said = r"Spark Connect server started at: \S*?:(\d+)\b"
    with Processes(tmp_path) as processes:
        submit = ["--class", server, *options, "spark-internal"]
        port = processes.start("SparkSubmit", *submit, says=said)
        asked = {"fits": [[name, 7] for name in NAMES], "used": ["mixed"]}
        *fits, (_, used) = driven({"remote": f"sc://127.0.0.1:{port}", **asked})
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
