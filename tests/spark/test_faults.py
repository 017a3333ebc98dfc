"""A worker that is killed and a task that fails leave no trace in the model.

`LIKELY_SOAK=600 python -m pytest tests/spark` does each of these ten times.
"""

import os
from pathlib import Path

import pytest

from tests.spark.faults import fail, faulty, kill_workers, nothing
from tests.spark.tables import CASES, digest, framed

TIMES = 10 if "LIKELY_SOAK" in os.environ else 1

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="workers are found in /proc, and there is none"
)


@pytest.fixture
def small_batches(spark):
    """Partitions come in several batches."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "40")
    yield
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


@pytest.mark.parametrize("do", [kill_workers, fail])
@pytest.mark.parametrize("time", range(TIMES))
def test_a_worker_dies_once_in_every_pass(spark, small_batches, tmp_path, do, time):
    from likely.spark import LikelyClassifier

    case = CASES["mixed"]
    frame = faulty(framed(spark, case.rows(), 3, seed=time), tmp_path, do)
    model = LikelyClassifier().fit(frame)
    assert digest(model.toLocal()) == digest(case.local())
    passes = 4
    assert len(list(tmp_path.iterdir())) >= 2 * passes


def test_each_pass_reads_the_table_once(spark, tmp_path):
    from likely.spark import LikelyClassifier

    frame = faulty(framed(spark, CASES["mixed"].rows(), 2), tmp_path, nothing)
    passes = []

    def counted():
        begun = len(list(tmp_path.iterdir()))
        passes.append(begun - sum(passes))

    model = LikelyClassifier().fit(frame)
    counted()
    LikelyClassifier(likelihood=model.toLocal().fitted.plan, tune=False).fit(frame)
    counted()
    model.update(frame)
    counted()
    model.forget(frame)
    counted()
    model.tune(frame)
    counted()
    assert passes == [4, 2, 2, 2, 3]


def test_rows_that_were_read_twice_are_learned_and_forgotten_once(spark, small_batches, tmp_path):
    from likely.spark import LikelyClassifier

    case = CASES["plain"]
    half = {name: cells[:120] for name, cells in case.rows().items()}
    model = LikelyClassifier(**case.options).fit(framed(spark, case.rows(), 2))
    before = digest(model.toLocal())
    more = faulty(framed(spark, half, 2), tmp_path, kill_workers)
    assert model.update(more).toLocal().tally.n_rows == 360
    assert model.forget(more).rows_left == 240
    assert digest(model.toLocal()) == before
